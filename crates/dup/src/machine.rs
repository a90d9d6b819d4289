//! The interpreter, which defines the meaning of every instruction.

use std::cmp::Ordering;
use std::collections::BTreeMap;
use std::sync::Arc;
use std::sync::atomic::{self, AtomicBool};

use diagnostics::Span;
use rating::NoTariff;
use record::{Flags, Kind, Memory, Slot, SlotIndex, TypeId};

use crate::builtin::{CallContext, Takes, Zones};
use crate::class::Alphabet;
use crate::code::{Instruction as I, Program, REGISTERS_MAX, Register, Target};
use crate::fault::{Fault, Reason, shown};
use crate::native::Native;
use crate::syntax::{Arithmetic, Comparison};
use crate::tariff::{self, QUESTION_TURNS, Question, Wanted};
use crate::value::{Area, Octets};

/// Maximum loop turns and function calls for one record: some tenths of a second.
pub const BUDGET: u64 = 10_000_000;

/// The octets that cost one turn when a function or comparison processes a string.
pub(crate) const OCTETS_A_TURN: u64 = 64;

/// Functions and comparisons of at least this many octets check for cancellation.
const LOOK_OCTETS: u64 = 1 << 16;

/// Maximum depth of nested calls.
pub const CALLS_DEPTH_MAX: usize = 200;

/// Maximum octets of memory that scripts may allocate for one record.
pub const RECORD_MEMORY_OCTETS_MAX: usize = 64 << 20;

/// An interpreter of a program, for one worker. It is reused between records; in steady state it allocates nothing.
#[derive(Debug)]
pub struct Machine {
    program: Arc<Program>,
    native: Option<Arc<Native>>,
    /// The windows of the called functions. Each begins within the one before.
    registers: Vec<u64>,
    /// The registers of an instruction that machine code leaves to the interpreter.
    window: Box<Window>,
    state: RunState,
}

/// The state that lasts through the calls of an execution.
#[derive(Debug, Default)]
pub(crate) struct RunState {
    frames: Vec<Frame>,
    scratch: Vec<u8>,
    zones: Zones,
    /// The state of the usage that a tariff is asked about. Nothing lasts from one question to the next.
    rating: rating::State,
    /// The emitted records: copies, in order.
    emitted: Vec<(TypeId, SlotIndex)>,
    /// The rest of the budget.
    left: u64,
    /// Whether the budget was exceeded or the call cancelled. The call then ends with an error, at the latest on
    /// return.
    exhausted: bool,
    /// The reason why machine code ended early, if the interpreter found it.
    early_reason: Option<Reason>,
    /// The whole record that the function was called for.
    input: Option<SlotIndex>,
    /// For each code and instruction, whether the interpreter executed it; only when watched.
    executed: Option<Vec<Vec<bool>>>,
    /// Set when the result is no longer needed.
    stop: Option<Arc<AtomicBool>>,
}

/// Where a call returns to.
#[derive(Clone, Copy, Debug)]
struct Frame {
    code: usize,
    next: usize,
    base: usize,
    /// The caller's register for the result.
    to: Register,
}

/// The return value of a function.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Returned(u64);

impl Returned {
    /// Returns the value of a function that returns an INTEGER or ENUMERATED.
    pub fn number(self) -> i64 {
        self.0 as i64
    }

    /// Returns the value of a function that returns a BOOLEAN.
    pub fn boolean(self) -> bool {
        self.0 != 0
    }
}

type Attempt<T> = Result<T, Reason>;

/// The registers of a function. With this size no register is out of range, so there are no bounds checks.
type Window = [u64; REGISTERS_MAX];

impl Machine {
    /// Creates an interpreter of a program.
    pub fn new(program: Arc<Program>) -> Self {
        Self::with(program, None)
    }

    /// Creates a machine that executes machine code.
    pub fn native(native: Arc<Native>) -> Self {
        Self::with(Arc::clone(native.program()), Some(native))
    }

    /// Uses machine code from the next call on, if it was compiled from this program.
    pub fn upgrade(&mut self, native: Arc<Native>) {
        if Arc::ptr_eq(native.program(), &self.program) {
            self.native = Some(native);
        }
    }

    fn with(program: Arc<Program>, native: Option<Arc<Native>>) -> Self {
        let registers = vec![0; REGISTERS_MAX];
        let window = Box::new([0; REGISTERS_MAX]);
        Machine { program, native, registers, window, state: RunState::default() }
    }

    /// Ends calls with [`Reason::Cancelled`] soon after `flag` is set: new ones at once, a running one before its next
    /// operation on a long string.
    pub fn stop_when(&mut self, flag: Arc<AtomicBool>) {
        self.state.stop_when(flag);
    }

    /// Returns the program.
    pub fn program(&self) -> &Arc<Program> {
        &self.program
    }

    /// Calls a function with values in slots. Scalar parameters that are CONST cannot be passed so. Each argument must
    /// have its parameter's type and lie in the memory: machine code relies on it.
    ///
    /// # Panics
    ///
    /// Panics if an argument is no slot of the memory, or one is missing.
    #[inline(always)]
    pub fn call(
        &mut self,
        function: usize,
        memory: &mut Memory<'_>,
        arguments: &[SlotIndex],
    ) -> Result<Returned, Box<Fault>> {
        self.execute(function, memory, arguments)
    }

    /// Runs a test with its fixtures.
    pub fn test(
        &mut self,
        test: usize,
        memory: &mut Memory<'_>,
        fixtures: &[SlotIndex],
    ) -> Result<(), Box<Fault>> {
        let code = self.program.tests[test].code;
        self.execute(code, memory, fixtures).map(|_| ())
    }

    /// Starts to record what is executed. Machine code does not, so it is no longer used.
    pub fn watch(&mut self) {
        let codes = self.program.codes.iter();
        self.state.executed =
            Some(codes.map(|code| vec![false; code.instructions.len()]).collect());
        self.native = None;
    }

    /// Returns the lines of the functions, each with whether it was executed since [`watch`](Self::watch).
    pub fn lines(&self) -> BTreeMap<usize, bool> {
        let mut lines = BTreeMap::new();
        let functions = self.program.codes.iter().take(self.program.functions.len());
        for (code, executed) in functions.zip(self.state.executed.iter().flatten()) {
            // The last instruction is an implicit return, which is not in the text.
            let written = code.spans.len().saturating_sub(1);
            let of_text = |(span, _): &(&Span, &bool)| **span != Span::default();
            for (span, executed) in code.spans.iter().zip(executed).take(written).filter(of_text) {
                *lines.entry(self.program.source.place(span.start).line).or_default() |= *executed;
            }
        }
        lines
    }

    /// Returns what the last call emitted, in order.
    pub fn emitted(&self) -> &[(TypeId, SlotIndex)] {
        &self.state.emitted
    }

    /// Returns the octets of a string that a function returned.
    pub fn octets<'o>(&'o self, memory: &'o Memory<'_>, returned: Returned) -> &'o [u8] {
        Octets(returned.0).get(memory, &self.program.pool.octets)
    }

    #[inline(always)]
    fn execute(
        &mut self,
        code: usize,
        memory: &mut Memory<'_>,
        arguments: &[SlotIndex],
    ) -> Result<Returned, Box<Fault>> {
        self.state.emitted.clear();
        if self.state.is_stopped() {
            let span = self.program.codes[code].spans.first().copied().unwrap_or_default();
            return Err(Box::new(Fault { reason: Reason::Cancelled, span }));
        }
        self.state.input = arguments.first().copied();
        let mut run = Run { program: &self.program, state: &mut self.state, memory, at: (code, 0) };
        match &self.native {
            Some(native) => native.call(code, &mut run, &mut self.window, arguments),
            None => run.interpret(&mut self.registers, arguments),
        }
        .map(Returned)
    }
}

impl RunState {
    pub(crate) fn stop_when(&mut self, flag: Arc<AtomicBool>) {
        self.stop = Some(flag);
    }

    /// Returns whether the caller has cancelled.
    #[inline(always)]
    fn is_stopped(&self) -> bool {
        self.stop.as_ref().is_some_and(|stop| stop.load(atomic::Ordering::Relaxed))
    }
}

fn window(registers: &mut [u64], base: usize) -> &mut Window {
    (&mut registers[base..base + REGISTERS_MAX]).try_into().expect("of this size")
}

/// A running execution.
pub(crate) struct Run<'r, 'm> {
    pub(crate) program: &'r Program,
    pub(crate) state: &'r mut RunState,
    pub(crate) memory: &'r mut Memory<'m>,
    /// The code, and the instruction after the current one, for faults and calls.
    pub(crate) at: (usize, usize),
}

/// What follows an instruction.
pub(crate) enum Flow {
    /// The next one.
    Next,
    Jump(Target),
    Call {
        function: u16,
        base: Register,
        to: Register,
    },
    Return(u64),
}

impl<'r> Run<'r, '_> {
    #[inline(never)]
    fn interpret(
        &mut self,
        registers: &mut Vec<u64>,
        arguments: &[SlotIndex],
    ) -> Result<u64, Box<Fault>> {
        self.state.frames.clear();
        self.begin();
        for (register, argument) in registers.iter_mut().zip(arguments) {
            *register = u64::from(argument.0);
        }
        let ended = self.run(registers);
        ended
            .and_then(|value| self.has_enough().map(|()| value))
            .map_err(|reason| self.program.fault(reason, self.at.0, self.at.1 - 1))
    }

    fn run(&mut self, registers: &mut Vec<u64>) -> Attempt<u64> {
        let mut base = 0;
        loop {
            let window = window(registers, base);
            let flow = match self.state.executed {
                Some(_) => self.stretch::<true>(window)?,
                None => self.stretch::<false>(window)?,
            };
            match flow {
                Flow::Call { function, base: within, to } => {
                    self.enter(usize::from(function), base, to)?;
                    base += usize::from(within);
                    if registers.len() < base + REGISTERS_MAX {
                        registers.resize(base + REGISTERS_MAX, 0);
                    }
                }
                Flow::Next | Flow::Jump(_) => unreachable!("a stretch ends with neither"),
                Flow::Return(value) => {
                    let Some(frame) = self.state.frames.pop() else { return Ok(value) };
                    self.at = (frame.code, frame.next);
                    base = frame.base;
                    registers[base + usize::from(frame.to)] = value;
                }
            }
        }
    }

    /// Executes up to the next call or return.
    fn stretch<const WATCHED: bool>(&mut self, window: &mut Window) -> Attempt<Flow> {
        let program: &'r Program = self.program;
        let code = program.codes[self.at.0].instructions.as_slice();
        let mut at = self.at.1;
        loop {
            let instruction = code[at];
            if WATCHED && let Some(executed) = &mut self.state.executed {
                executed[self.at.0][at] = true;
            }
            at += 1;
            match self.one(instruction, window) {
                Ok(Flow::Next) => {}
                Ok(Flow::Jump(target)) => at = usize::from(target),
                // The place is stored where it matters, not at every instruction.
                ended => {
                    self.at.1 = at;
                    return ended;
                }
            }
        }
    }

    /// Executes one instruction, for the interpreter and for machine code.
    #[inline(always)]
    pub(crate) fn one(&mut self, instruction: I, window: &mut Window) -> Attempt<Flow> {
        let program: &'r Program = self.program;
        let pool = &program.pool;
        macro_rules! get {
            ($register:expr) => {
                window[usize::from($register)]
            };
        }
        macro_rules! slot {
            ($register:expr) => {
                SlotIndex(get!($register) as u32)
            };
        }
        macro_rules! octets {
            ($register:expr) => {
                Octets(get!($register)).get(self.memory, &pool.octets)
            };
        }
        match instruction {
            I::Number { to, value } => get!(to) = i64::from(value) as u64,
            I::Constant { to, constant } => get!(to) = pool.constants[usize::from(constant)],
            I::Move { to, from } => get!(to) = get!(from),
            I::Arithmetic { operator, to, left, right } => {
                let (left, right) = (get!(left) as i64, get!(right) as i64);
                get!(to) = arithmetic(operator, left, right)? as u64;
            }
            I::Negate { to, from } => {
                let negated = (get!(from) as i64).checked_neg().ok_or(Reason::Overflow);
                get!(to) = negated? as u64;
            }
            I::Not { to, from } => get!(to) = u64::from(get!(from) == 0),
            I::Compare { operator, to, left, right } => {
                let ordering = (get!(left) as i64).cmp(&(get!(right) as i64));
                get!(to) = u64::from(operator.holds(ordering));
            }
            I::CompareOctets { operator, to, left, right } => {
                let (left, right) = (Octets(get!(left)), Octets(get!(right)));
                let is_equality = matches!(operator, Comparison::Equal | Comparison::NotEqual);
                let ordering = match is_equality && left.length() != right.length() {
                    true => Ordering::Less,
                    false => self.compare(left, right),
                };
                get!(to) = u64::from(operator.holds(ordering));
            }
            I::InNumbers { to, value, set } => {
                let ranges = &pool.number_sets[usize::from(set)];
                get!(to) = u64::from(is_in(ranges, get!(value) as i64));
            }
            I::InOctets { to, value, set } => {
                let members = &pool.octet_sets[usize::from(set)];
                self.work_on(Octets(get!(value)).length().into())?;
                let value = octets!(value);
                let found = members.binary_search_by(|member| member.as_slice().cmp(value));
                get!(to) = u64::from(found.is_ok());
            }

            I::Jump { target } => return Ok(Flow::Jump(target)),
            I::Turn { target } => {
                self.spend()?;
                return Ok(Flow::Jump(target));
            }
            I::JumpUnless { value, target } => {
                if get!(value) == 0 {
                    return Ok(Flow::Jump(target));
                }
            }
            I::JumpUnlessCompare { operator, left, right, target } => {
                let ordering = (get!(left) as i64).cmp(&(get!(right) as i64));
                if !operator.holds(ordering) {
                    return Ok(Flow::Jump(target));
                }
            }
            I::Switch { value, table } => {
                let table = &pool.switches[usize::from(table)];
                let value = get!(value) as i64;
                let found = table.targets.binary_search_by(|(label, _)| label.cmp(&value));
                let target = found.map_or(table.otherwise, |place| table.targets[place].1);
                return Ok(Flow::Jump(target));
            }
            I::SwitchOctets { value, table } => {
                let table = &pool.octet_switches[usize::from(table)];
                self.work_on(Octets(get!(value)).length().into())?;
                let value = octets!(value);
                let found =
                    table.targets.binary_search_by(|(label, _)| label.as_slice().cmp(value));
                let target = found.map_or(table.otherwise, |place| table.targets[place].1);
                return Ok(Flow::Jump(target));
            }
            I::Chosen { to, choice } => {
                let chosen = self.memory.chosen(slot!(choice)).ok_or(Reason::Absent);
                get!(to) = chosen?.0 as u64;
            }
            I::Call { function, base, to } => {
                return Ok(Flow::Call { function, base, to });
            }
            I::Return { value } => return Ok(Flow::Return(get!(value))),
            I::CallBuiltIn { function, base, count, to } => {
                let first = usize::from(base);
                let arguments = &window[first..first + usize::from(count)];
                let value = self.built_in(usize::from(function), arguments)?;
                get!(to) = value;
            }

            I::New { to } => get!(to) = u64::from(self.memory.arena.frame(1).0),
            I::Component { to, of, place } => {
                get!(to) = u64::from(self.component(slot!(of), place)?.0);
            }
            I::Alternative { to, of, place } => {
                let chosen = self.memory.chosen(slot!(of)).ok_or(Reason::Absent);
                let (chosen, slot) = chosen?;
                if chosen != usize::from(place) {
                    return Err(Reason::OtherAlternative);
                }
                get!(to) = u64::from(slot.0);
            }
            I::Element { to, of, position } => {
                let element = self.element(slot!(of), get!(position) as i64);
                get!(to) = u64::from(element?.0);
            }
            I::TryComponent { to, of, place, target } => {
                match self.memory.component(slot!(of), usize::from(place)) {
                    Some(slot) => get!(to) = u64::from(slot.0),
                    None => return Ok(Flow::Jump(target)),
                }
            }
            I::TryAlternative { to, of, place, target } => match self.memory.chosen(slot!(of)) {
                Some((chosen, slot)) if chosen == usize::from(place) => {
                    get!(to) = u64::from(slot.0);
                }
                _ => return Ok(Flow::Jump(target)),
            },
            I::TryElement { to, of, position, target } => {
                match self.element(slot!(of), get!(position) as i64) {
                    Ok(slot) => get!(to) = u64::from(slot.0),
                    Err(_) => return Ok(Flow::Jump(target)),
                }
            }
            I::JumpIfAbsent { slot, target } => {
                if !self.memory.slot(slot!(slot)).is_present() {
                    return Ok(Flow::Jump(target));
                }
            }
            I::JumpIfNoComponent { of, place, target } => {
                let component = self.memory.component(slot!(of), usize::from(place));
                if !component.is_some_and(|slot| self.memory.slot(slot).is_present()) {
                    return Ok(Flow::Jump(target));
                }
            }
            I::MakeComponent { to, of, place, fields } => {
                let frame = self.memory.make_structure(slot!(of), usize::from(fields));
                get!(to) = u64::from(frame.0 + u32::from(place));
            }
            I::MakeAlternative { to, of, place } => {
                get!(to) = u64::from(self.memory.make_choice(slot!(of), usize::from(place)).0);
            }
            I::MakeElement { to, of, position } => {
                let element = self.make_element(slot!(of), get!(position) as i64);
                get!(to) = u64::from(element?.0);
            }

            I::ReadNumber { to, slot } => {
                get!(to) = self.read_number(slot!(slot))? as u64;
            }
            I::ReadBoolean { to, slot } => {
                get!(to) = u64::from(self.read_number(slot!(slot))? != 0);
            }
            I::ReadOctets { to, slot } => get!(to) = self.read_octets(slot!(slot))?.0,
            I::ComponentNumber { to, of, place } => {
                let slot = self.component(slot!(of), place)?;
                get!(to) = self.read_number(slot)? as u64;
            }
            I::ComponentOctets { to, of, place } => {
                let slot = self.component(slot!(of), place)?;
                get!(to) = self.read_octets(slot)?.0;
            }
            I::WriteNumber { slot, from } => {
                self.memory.set_number(slot!(slot), get!(from) as i64);
            }
            I::WriteOctets { slot, from } => self.write_octets(slot!(slot), Octets(get!(from))),
            I::WriteNull { slot } => self.memory.set_octets(slot!(slot), &[]),
            I::CopyLeaf { to, from } => self.copy_leaf(slot!(to), slot!(from))?,
            I::CopyComponent { to, to_place, fields, from, from_place } => {
                let from = self.component(slot!(from), u16::from(from_place))?;
                let frame = self.memory.make_structure(slot!(to), usize::from(fields));
                let to = SlotIndex(frame.0 + u32::from(to_place));
                self.copy_leaf(to, from)?;
            }
            I::Copy { to, from, ty } => {
                let ty = pool.types[usize::from(ty)];
                self.copy(ty, slot!(from), ty, slot!(to))?;
            }
            I::Convert { to, from, pair } => {
                let (source, target) = pool.pairs[usize::from(pair)];
                self.copy(source, slot!(from), target, slot!(to))?;
            }
            I::Delete { slot } => self.memory.delete(slot!(slot)),
            I::Touch { slot } => self.memory.touch(slot!(slot)),
            I::Remove { list, position } => {
                if let Ok(position) = usize::try_from(get!(position) as i64) {
                    let moved = self.memory.count(slot!(list)).saturating_sub(position);
                    self.work_on(moved as u64 * OCTETS_A_TURN)?;
                    self.memory.remove(slot!(list), position);
                }
            }
            I::Count { to, slot } => get!(to) = self.memory.count(slot!(slot)) as u64,

            I::Check { value, alphabet } => {
                self.check(alphabet, Octets(get!(value)))?;
            }
            I::NameOf { to, value, ty } => {
                get!(to) = self.name_of(get!(value) as i64, usize::from(ty))?;
            }
            I::Lookup { to, key, column, target } => {
                self.work_on(Octets(get!(key)).length().into())?;
                match self.lookup(Octets(get!(key)), usize::from(column)) {
                    Some(found) => get!(to) = found,
                    None => return Ok(Flow::Jump(target)),
                }
            }
            I::NotFound { key } => {
                let reason = not_found(octets!(key));
                return Err(reason);
            }
            I::Ask { to, usage, question, target } => {
                match self.ask(slot!(usage), usize::from(question))? {
                    Ok(answer) => get!(to) = answer,
                    Err(_) => return Ok(Flow::Jump(target)),
                }
            }
            I::NoTariff { usage, question } => {
                // This is rare, so the tariff is asked again for the reason.
                let none = self.ask(slot!(usage), usize::from(question))?.err();
                return Err(none.map_or(Reason::Absent, Reason::NoTariff));
            }
            I::Emit { slot, ty } => {
                let ty = pool.types[usize::from(ty)];
                self.emit(ty, slot!(slot))?;
            }
            I::Reject { reason } => {
                return Err(Reason::Rejected(shown(octets!(reason))));
            }
            I::Assert { value } => {
                if get!(value) == 0 {
                    return Err(Reason::Assertion);
                }
            }
        }
        Ok(Flow::Next)
    }

    /// Returns the rest of the budget, which machine code counts itself.
    pub(crate) fn left(&self) -> u64 {
        self.state.left
    }

    pub(crate) fn set_left(&mut self, left: u64) {
        self.state.left = left;
    }

    /// Stores the reason why machine code ends early.
    pub(crate) fn tell(&mut self, reason: Reason) {
        self.state.early_reason = Some(reason);
    }

    pub(crate) fn take_early_reason(&mut self) -> Option<Reason> {
        self.state.early_reason.take()
    }

    /// Resets the budget for a new call.
    #[inline(always)]
    pub(crate) fn begin(&mut self) {
        self.state.left = BUDGET;
        self.state.exhausted = false;
    }

    /// Charges work on `octets` octets, or its equivalent. Fails if the budget does not cover it.
    #[inline]
    fn work_on(&mut self, octets: u64) -> Attempt<()> {
        self.charge(octets);
        if self.state.exhausted { Err(self.exhaustion()) } else { Ok(()) }
    }

    /// Like [`work_on`](Self::work_on) where no error can be returned: the call fails later.
    #[inline]
    fn charge(&mut self, octets: u64) {
        let left = self.state.left.checked_sub(octets / OCTETS_A_TURN);
        self.state.left = left.unwrap_or(0);
        self.state.exhausted |= left.is_none() || octets >= LOOK_OCTETS && self.state.is_stopped();
    }

    /// Returns why an exhausted call fails.
    #[cold]
    fn exhaustion(&self) -> Reason {
        if self.state.is_stopped() { Reason::Cancelled } else { Reason::Budget(BUDGET) }
    }

    /// Fails if the call exceeded its budget or was cancelled before it returned.
    #[inline(always)]
    pub(crate) fn has_enough(&self) -> Attempt<()> {
        if self.state.exhausted { Err(self.exhaustion()) } else { Ok(()) }
    }

    /// Compares two strings. The result does not matter if the call is about to fail.
    pub(crate) fn compare(&mut self, left: Octets, right: Octets) -> Ordering {
        self.charge(left.length().min(right.length()).into());
        if self.state.exhausted {
            return Ordering::Equal;
        }
        let constants = &self.program.pool.octets;
        left.get(self.memory, constants).cmp(right.get(self.memory, constants))
    }

    /// Counts a turn, and checks the bound on the record's memory.
    #[inline]
    fn spend(&mut self) -> Attempt<()> {
        self.state.left = self.state.left.checked_sub(1).ok_or(Reason::Budget(BUDGET))?;
        self.check_memory()
    }

    #[inline]
    fn check_memory(&self) -> Attempt<()> {
        match self.memory.arena.octets_used() > RECORD_MEMORY_OCTETS_MAX {
            true => Err(Reason::Memory(RECORD_MEMORY_OCTETS_MAX)),
            false => Ok(()),
        }
    }

    fn enter(&mut self, function: usize, base: usize, to: Register) -> Attempt<()> {
        self.spend()?;
        if self.state.frames.len() == CALLS_DEPTH_MAX {
            return Err(Reason::Depth(CALLS_DEPTH_MAX));
        }
        let (code, next) = self.at;
        self.state.frames.push(Frame { code, next, base, to });
        self.at = (function, 0);
        Ok(())
    }

    pub(crate) fn check(&mut self, alphabet: Alphabet, octets: Octets) -> Attempt<()> {
        self.work_on(octets.length().into())?;
        match alphabet.allows(octets.get(self.memory, &self.program.pool.octets)) {
            true => Ok(()),
            false => Err(Reason::alphabet(alphabet)),
        }
    }

    pub(crate) fn built_in(&mut self, function: usize, arguments: &[u64]) -> Attempt<u64> {
        let function = self.program.pool.built_ins[function];
        self.work_on(function.work(arguments))?;
        let RunState { scratch, zones, .. } = &mut *self.state;
        let constants = self.program.pool.octets.as_slice();
        let mut context = CallContext { memory: self.memory, constants, scratch, zones };
        let value = (function.run)(&mut context, arguments)?;
        if let Takes::Text | Takes::Octets = function.gives {
            self.charge(Octets(value).length().into());
        }
        self.check_memory()?;
        Ok(value)
    }

    #[inline]
    fn component(&self, of: SlotIndex, place: u16) -> Attempt<SlotIndex> {
        self.memory.component(of, usize::from(place)).ok_or(Reason::Absent)
    }

    fn element(&self, list: SlotIndex, position: i64) -> Attempt<SlotIndex> {
        let found = usize::try_from(position).ok().and_then(|p| self.memory.element(list, p));
        found.ok_or_else(|| Reason::NoElement { position, count: self.memory.count(list) })
    }

    /// Returns an element for writing: an existing one, or a new one after the last.
    fn make_element(&mut self, list: SlotIndex, position: i64) -> Attempt<SlotIndex> {
        self.memory.make_list(list);
        let count = self.memory.count(list);
        match usize::try_from(position) {
            Ok(place) if place < count => {
                self.memory.element(list, place).ok_or(Reason::NoElement { position, count })
            }
            Ok(place) if place == count => Ok(self.memory.append(list)),
            _ => Err(Reason::BeyondEnd { position, count }),
        }
    }

    #[inline]
    pub(crate) fn read_number(&self, slot: SlotIndex) -> Attempt<i64> {
        self.memory.number(slot).map_err(|fault| match fault {
            record::ValueFault::Absent => Reason::Absent,
            fault => Reason::Value(fault),
        })
    }

    #[inline]
    fn read_octets(&self, slot: SlotIndex) -> Attempt<Octets> {
        let slot = self.memory.slot(slot);
        match slot.state {
            record::State::Source => Ok(Octets::new(Area::Source, slot.offset, slot.length)),
            record::State::Owned => Ok(Octets::new(Area::Arena, slot.offset, slot.length)),
            record::State::Absent => Err(Reason::Absent),
            record::State::Number | record::State::Made => {
                Err(Reason::Value(record::ValueFault::NotAValue))
            }
        }
    }

    /// Points the slot to the octets of a string without a copy. Only constants are copied into the record's memory,
    /// since an encoder does not know the script's constants.
    pub(crate) fn write_octets(&mut self, slot: SlotIndex, octets: Octets) {
        let (offset, length) = (octets.offset(), octets.length());
        let made = match octets.area() {
            Area::Constants => {
                let first = offset as usize;
                let constant = &self.program.pool.octets[first..first + length as usize];
                Slot::owned(self.memory.arena.store(constant), length)
            }
            Area::Arena => Slot::owned(offset, length),
            Area::Source => Slot { flags: Flags::CHANGED, ..Slot::source(offset, length) },
        };
        *self.memory.arena.slot_mut(slot) = made;
    }

    #[inline]
    fn copy_leaf(&mut self, to: SlotIndex, from: SlotIndex) -> Attempt<()> {
        let mut slot = *self.memory.slot(from);
        if !slot.is_present() {
            return Err(Reason::Absent);
        }
        slot.flags |= Flags::CHANGED;
        *self.memory.arena.slot_mut(to) = slot;
        Ok(())
    }

    fn copy(
        &mut self,
        source: TypeId,
        from: SlotIndex,
        target: TypeId,
        to: SlotIndex,
    ) -> Attempt<()> {
        if !self.memory.slot(from).is_present() {
            return Err(Reason::Absent);
        }
        self.memory.convert(&self.program.schema, (source, from), (target, to))?;
        self.check_memory()
    }

    fn emit(&mut self, ty: TypeId, slot: SlotIndex) -> Attempt<()> {
        self.spend()?;
        let to = self.memory.arena.frame(1);
        if self.memory.slot(slot).is_present() {
            self.memory.copy(&self.program.schema, ty, slot, to)?;
            if self.state.input != Some(slot) {
                // The record is no longer equal to its original octets.
                self.memory.arena.slot_mut(to).flags |= Flags::PLACED;
            }
        }
        self.state.emitted.push((ty, to));
        Ok(())
    }

    fn name_of(&mut self, value: i64, ty: usize) -> Attempt<u64> {
        let ty = self.program.pool.types[ty];
        let Kind::Enumerated { items, .. } = self.program.schema.kind(ty) else {
            return Err(Reason::NoName { value });
        };
        self.work_on(items.len() as u64)?;
        let item = items.iter().find(|item| item.value == value).ok_or(Reason::NoName { value })?;
        let offset = self.memory.arena.store(item.name.as_bytes());
        Ok(Octets::new(Area::Arena, offset, item.name.len() as u32).0)
    }

    /// Asks a tariff about a usage. The class is a string, the price a slot.
    fn ask(&mut self, usage: SlotIndex, question: usize) -> Attempt<Result<u64, NoTariff>> {
        self.state.left =
            self.state.left.checked_sub(QUESTION_TURNS).ok_or(Reason::Budget(BUDGET))?;
        let Question { tariff, wanted } = self.program.pool.questions[question];
        let tariff = &self.program.tariffs[tariff];
        let usage = tariff::usage(self.memory, usage)?;
        let answer = match wanted {
            Wanted::Class => match tariff.class(&usage) {
                Ok(class) => {
                    let offset = self.memory.arena.store(class.as_bytes());
                    Octets::new(Area::Arena, offset, class.len() as u32).0
                }
                Err(none) => return Ok(Err(none)),
            },
            Wanted::Price { unit } => match tariff.price(&usage, &mut self.state.rating) {
                Ok(priced) => tariff::make_price(self.memory, &priced, unit)?.0.into(),
                Err(none) => return Ok(Err(none)),
            },
        };
        self.check_memory()?;
        Ok(Ok(answer))
    }

    fn lookup(&self, key: Octets, column: usize) -> Option<u64> {
        let column = self.program.pool.columns[column];
        let table = &self.program.tables[column.table];
        let key = key.get(self.memory, &self.program.pool.octets);
        let row = match column.exact {
            true => table.exact(key),
            false => table.longest_prefix(key),
        };
        row.map(|row| table.cell(row, column.column).0)
    }
}

#[cold]
fn not_found(key: &[u8]) -> Reason {
    Reason::NotFound { key: shown(&key[..key.len().min(60)]) }
}

fn arithmetic(operator: Arithmetic, left: i64, right: i64) -> Attempt<i64> {
    if right == 0 && matches!(operator, Arithmetic::Divide | Arithmetic::Remainder) {
        return Err(Reason::DivisionByZero);
    }
    match operator {
        Arithmetic::Add => left.checked_add(right),
        Arithmetic::Subtract => left.checked_sub(right),
        Arithmetic::Multiply => left.checked_mul(right),
        Arithmetic::Divide => left.checked_div(right),
        Arithmetic::Remainder => left.checked_rem(right),
        Arithmetic::Or => Some(left | right),
    }
    .ok_or(Reason::Overflow)
}

#[inline]
fn is_in(ranges: &[(i64, i64)], value: i64) -> bool {
    // Most sets have few members, for which a linear search is faster.
    if ranges.len() <= 8 {
        return ranges.iter().any(|(first, last)| (*first..=*last).contains(&value));
    }
    let place = ranges.partition_point(|(first, _)| *first <= value);
    place > 0 && value <= ranges[place - 1].1
}
