//! The data that machine code works on: the addresses of a record's memory, and the calls back into the interpreter for
//! instructions that are not worth generating code for.

use std::ffi::c_void;
use std::mem::offset_of;

use record::{Memory, Slot, SlotIndex};

use crate::code::{Instruction, Program, REGISTERS_MAX};
use crate::fault::Reason;
use crate::machine::{BUDGET, Flow, RECORD_MEMORY_OCTETS_MAX, Run, RunState};
use crate::value::Octets;

/// Machine code gets the address of one of these, and knows the offsets of its fields.
///
/// The pointers lead to memory that may move, so they are updated after every instruction that may have allocated.
#[repr(C)]
pub(crate) struct Ground {
    slots: *mut Slot,
    source: *const u8,
    /// The rest of the budget of turns and calls.
    left: u64,
    /// The result of a function, or of an instruction.
    value: u64,
    /// The reason and place of an early end; see [`FaultKind`](super::FaultKind).
    fault: u64,
    /// The depth of nested calls.
    depth: u64,
    /// Not 0 if the record exceeds its memory limit.
    over: u64,
    /// The registers of instructions that the interpreter executes.
    window: *mut [u64; REGISTERS_MAX],
    /// The parts of the interpreter's [`Run`], for calls back.
    program: *const Program,
    state: *mut RunState,
    /// The [`Memory`], with a lifetime that machine code cannot name.
    memory: *mut c_void,
}

impl Ground {
    pub(super) const SLOTS: i32 = offset_of!(Ground, slots) as i32;
    pub(super) const SOURCE: i32 = offset_of!(Ground, source) as i32;
    pub(super) const LEFT: i32 = offset_of!(Ground, left) as i32;
    pub(super) const VALUE: i32 = offset_of!(Ground, value) as i32;
    pub(super) const FAULT: i32 = offset_of!(Ground, fault) as i32;
    pub(super) const DEPTH: i32 = offset_of!(Ground, depth) as i32;
    pub(super) const OVER: i32 = offset_of!(Ground, over) as i32;
    pub(super) const WINDOW: i32 = offset_of!(Ground, window) as i32;
    pub(super) const PROGRAM: i32 = offset_of!(Ground, program) as i32;

    /// Creates the ground of a run. Everything it points to must stay in place until the call has ended.
    #[inline(always)]
    pub(super) fn new(run: &mut Run<'_, '_>, window: &mut [u64; REGISTERS_MAX]) -> Self {
        run.begin();
        let mut ground = Ground {
            slots: std::ptr::null_mut(),
            source: run.memory.source.as_ptr(),
            left: BUDGET,
            value: 0,
            fault: 0,
            depth: 0,
            over: 0,
            window,
            program: run.program,
            state: &raw mut *run.state,
            memory: (&raw mut *run.memory).cast(),
        };
        ground.note(run.memory);
        ground
    }

    /// Returns the run that the function was called in.
    ///
    /// # Safety
    ///
    /// The same as for [`one`]. A run from an earlier call must no longer be in use.
    unsafe fn run<'g>(&self) -> Run<'g, 'g> {
        // SAFETY: they belong to a run that the caller of machine code holds and does not use until the call has ended;
        // the lifetimes are shorter here than there.
        let (program, state, memory) =
            unsafe { (&*self.program, &mut *self.state, &mut *self.memory.cast()) };
        Run { program, state, memory, at: (0, 0) }
    }

    #[inline(always)]
    fn note(&mut self, memory: &mut Memory<'_>) {
        self.slots = memory.arena.slots_mut().as_mut_ptr();
        self.over = u64::from(memory.arena.octets_used() > RECORD_MEMORY_OCTETS_MAX);
    }

    /// Stores the reason and place of an early end.
    #[cold]
    fn tell(&mut self, run: &mut Run<'_, '_>, reason: Reason, place: u64) -> u64 {
        run.tell(reason);
        self.fault = super::FaultKind::Reported.at((place >> 32) as usize, place as u32 as usize);
        Outcome::Fault as u64
    }

    /// Returns the result of the function.
    pub(super) fn value(&self) -> u64 {
        self.value
    }

    /// Returns the reason and place of an early end.
    pub(super) fn fault(&self) -> u64 {
        self.fault
    }
}

/// What the interpreter reports about an instruction that machine code left to it.
#[repr(u64)]
pub(super) enum Outcome {
    Next = 0,
    Fault = 1,
    Jump = 2,
}

/// Executes the instruction at a place: the code in the upper half, the instruction in the lower. For a switch, the
/// value is the target.
///
/// # Safety
///
/// `ground` must come from [`Ground::new`], and what it points to must still exist.
pub(super) unsafe extern "C" fn one(ground: *mut Ground, place: u64) -> u64 {
    // SAFETY: machine code passes on its own pointer, and does not use the ground meanwhile.
    let ground = unsafe { &mut *ground };
    // SAFETY: as above.
    let mut run = unsafe { ground.run() };
    // SAFETY: as the run.
    let window = unsafe { &mut *ground.window };
    let (code, at) = ((place >> 32) as usize, place as u32 as usize);
    let instruction = run.program.codes[code].instructions[at];
    run.set_left(ground.left);
    let outcome = match run.one(instruction, window) {
        Ok(Flow::Next) => Outcome::Next,
        Ok(Flow::Jump(target)) => {
            ground.value = u64::from(target);
            Outcome::Jump
        }
        Ok(Flow::Call { .. } | Flow::Return(_)) => unreachable!("machine code does these itself"),
        Err(reason) => {
            run.tell(reason);
            ground.fault = super::FaultKind::Reported.at(code, at);
            Outcome::Fault
        }
    };
    ground.left = run.left();
    ground.note(run.memory);
    outcome as u64
}

/// Creates an empty record and returns its slot.
///
/// # Safety
///
/// The same as for [`one`].
pub(super) unsafe extern "C" fn create(ground: *mut Ground) -> u64 {
    // SAFETY: as in `one`.
    let ground = unsafe { &mut *ground };
    // SAFETY: as in `one`.
    let run = unsafe { ground.run() };
    let root = run.memory.arena.frame(1);
    ground.note(run.memory);
    root.0.into()
}

/// Creates a structure of so many components, if it is missing, and returns the first of them.
///
/// # Safety
///
/// The same as for [`one`].
pub(super) unsafe extern "C" fn make_structure(
    ground: *mut Ground,
    index: u64,
    fields: u64,
) -> u64 {
    // SAFETY: as in `one`.
    let ground = unsafe { &mut *ground };
    // SAFETY: as in `one`.
    let run = unsafe { ground.run() };
    let frame = run.memory.make_structure(SlotIndex(index as u32), fields as usize);
    ground.note(run.memory);
    frame.0.into()
}

/// Puts a string into a slot.
///
/// # Safety
///
/// The same as for [`one`].
pub(super) unsafe extern "C" fn write_octets(ground: *mut Ground, index: u64, octets: u64) -> u64 {
    // SAFETY: as in `one`.
    let ground = unsafe { &mut *ground };
    // SAFETY: as in `one`.
    let mut run = unsafe { ground.run() };
    run.write_octets(SlotIndex(index as u32), Octets(octets));
    ground.note(run.memory);
    Outcome::Next as u64
}

/// Checks that a string has only characters of the alphabet that the instruction at a place names.
///
/// # Safety
///
/// The same as for [`one`].
pub(super) unsafe extern "C" fn check(ground: *mut Ground, octets: u64, place: u64) -> u64 {
    // SAFETY: as in `one`.
    let ground = unsafe { &mut *ground };
    // SAFETY: as in `one`.
    let mut run = unsafe { ground.run() };
    let (code, at) = ((place >> 32) as usize, place as u32 as usize);
    let Instruction::Check { alphabet, .. } = run.program.codes[code].instructions[at] else {
        unreachable!("machine code asks of no other instruction")
    };
    run.set_left(ground.left);
    let checked = run.check(alphabet, Octets(octets));
    ground.left = run.left();
    match checked {
        Ok(()) => Outcome::Next as u64,
        Err(reason) => ground.tell(&mut run, reason, place),
    }
}

/// Calls a built-in function with the arguments in an array. Its result is the value.
///
/// # Safety
///
/// The same as for [`one`]; the array must have `count` arguments.
pub(super) unsafe extern "C" fn built_in(
    ground: *mut Ground,
    place: u64,
    function: u64,
    arguments: *const u64,
    count: u64,
) -> u64 {
    // SAFETY: as in `one`.
    let ground = unsafe { &mut *ground };
    // SAFETY: as in `one`.
    let mut run = unsafe { ground.run() };
    // SAFETY: machine code put them into its own stack frame.
    let arguments = unsafe { std::slice::from_raw_parts(arguments, count as usize) };
    run.set_left(ground.left);
    let called = run.built_in(function as usize, arguments);
    ground.left = run.left();
    ground.note(run.memory);
    match called {
        Ok(value) => {
            ground.value = value;
            Outcome::Next as u64
        }
        Err(reason) => ground.tell(&mut run, reason, place),
    }
}

/// Compares two strings: returns a number below 0, 0, or above 0.
///
/// # Safety
///
/// The same as for [`one`].
pub(super) unsafe extern "C" fn compare(ground: *mut Ground, left: u64, right: u64) -> i64 {
    // SAFETY: as in `one`.
    let ground = unsafe { &mut *ground };
    // SAFETY: as in `one`.
    let mut run = unsafe { ground.run() };
    run.set_left(ground.left);
    let ordering = run.compare(Octets(left), Octets(right));
    ground.left = run.left();
    ordering as i64
}

/// Reads the number in a slot, which is the value.
///
/// # Safety
///
/// The same as for [`one`].
pub(super) unsafe extern "C" fn read_number(ground: *mut Ground, index: u64, place: u64) -> u64 {
    // SAFETY: as in `one`.
    let ground = unsafe { &mut *ground };
    // SAFETY: as in `one`.
    let mut run = unsafe { ground.run() };
    match run.read_number(SlotIndex(index as u32)) {
        Ok(number) => {
            ground.value = number as u64;
            Outcome::Next as u64
        }
        Err(reason) => ground.tell(&mut run, reason, place),
    }
}
