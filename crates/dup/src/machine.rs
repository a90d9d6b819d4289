//! The interpreter: the meaning of every instruction.

use std::sync::Arc;

use record::{Flags, Kind, Memory, SlotIndex, State, TypeId};

use crate::builtin::{Context, Zones};
use crate::code::{Instruction as I, Program, REGISTERS_MAX, Register, Target};
use crate::fault::{Fault, Reason};
use crate::syntax::Arithmetic;
use crate::value::{Area, Octets};

/// Turns of loops and calls of functions that one record may take: some tenths of a second.
pub const BUDGET: u64 = 10_000_000;

/// How deep functions may call each other.
pub const CALLS_DEPTH_MAX: usize = 200;

/// Octets of memory that scripts may make for one record.
pub const RECORD_MEMORY_OCTETS_MAX: usize = 64 << 20;

/// One worker's interpreter of a program. Reused between records; in steady state it allocates nothing.
#[derive(Debug)]
pub struct Machine {
    program: Arc<Program>,
    registers: Vec<u64>,
    frames: Vec<Frame>,
    scratch: Vec<u8>,
    zones: Zones,
    /// What was emitted: copies, in order.
    emitted: Vec<(TypeId, SlotIndex)>,
    left: u64,
}

/// Where a call goes back to.
#[derive(Clone, Copy, Debug)]
struct Frame {
    code: usize,
    next: usize,
    base: usize,
    /// The caller's register for the result.
    to: Register,
}

/// What a function returned.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Returned(u64);

impl Returned {
    /// Of a function that returns an INTEGER or ENUMERATED.
    pub fn number(self) -> i64 {
        self.0 as i64
    }

    /// Of a function that returns a BOOLEAN.
    pub fn boolean(self) -> bool {
        self.0 != 0
    }
}

type Step<T> = Result<T, Reason>;

impl Machine {
    /// For a program.
    pub fn new(program: Arc<Program>) -> Self {
        Machine {
            program,
            registers: vec![0; REGISTERS_MAX],
            frames: Vec::new(),
            scratch: Vec::new(),
            zones: Zones::default(),
            emitted: Vec::new(),
            left: 0,
        }
    }

    /// The program.
    pub fn program(&self) -> &Arc<Program> {
        &self.program
    }

    /// Calls a function with values in slots; scalar parameters that are CONST cannot be given so.
    pub fn call(
        &mut self,
        function: usize,
        memory: &mut Memory<'_>,
        arguments: &[SlotIndex],
    ) -> Result<Returned, Fault> {
        self.execute(function, memory, arguments)
    }

    /// Runs a test with its fixtures.
    pub fn test(
        &mut self,
        test: usize,
        memory: &mut Memory<'_>,
        fixtures: &[SlotIndex],
    ) -> Result<(), Fault> {
        let code = self.program.tests[test].code;
        self.execute(code, memory, fixtures).map(|_| ())
    }

    /// What the last call emitted, in order.
    pub fn emitted(&self) -> &[(TypeId, SlotIndex)] {
        &self.emitted
    }

    /// The octets of a string that a function returned.
    pub fn octets<'o>(&'o self, memory: &'o Memory<'_>, returned: Returned) -> &'o [u8] {
        Octets(returned.0).get(memory, &self.program.pool.octets)
    }

    fn execute(
        &mut self,
        code: usize,
        memory: &mut Memory<'_>,
        arguments: &[SlotIndex],
    ) -> Result<Returned, Fault> {
        for (register, argument) in self.registers.iter_mut().zip(arguments) {
            *register = u64::from(argument.0);
        }
        self.emitted.clear();
        self.frames.clear();
        self.left = BUDGET;
        let program = Arc::clone(&self.program);
        let mut run = Run { machine: self, program: &program, memory, code, at: 0, base: 0 };
        match run.run() {
            Ok(value) => Ok(Returned(value)),
            Err(reason) => {
                let span = program.codes[run.code].spans[run.at - 1];
                Err(Fault { reason, span })
            }
        }
    }
}

/// An execution under way.
struct Run<'r, 'm> {
    machine: &'r mut Machine,
    program: &'r Program,
    memory: &'r mut Memory<'m>,
    code: usize,
    /// The instruction after the one in hand.
    at: usize,
    base: usize,
}

impl Run<'_, '_> {
    fn run(&mut self) -> Step<u64> {
        loop {
            let code = self.program.codes[self.code].instructions.as_slice();
            let mut at = self.at;
            loop {
                let instruction = code[at];
                at += 1;
                self.at = at;
                match instruction {
                    I::Number { to, value } => self.set(to, i64::from(value) as u64),
                    I::Constant { to, constant } => {
                        self.set(to, self.program.pool.constants[usize::from(constant)]);
                    }
                    I::Move { to, from } => self.set(to, self.get(from)),
                    I::Arithmetic { operator, to, left, right } => {
                        let value = arithmetic(operator, self.number(left), self.number(right))?;
                        self.set(to, value as u64);
                    }
                    I::Negate { to, from } => {
                        let value = self.number(from).checked_neg().ok_or(Reason::Overflow)?;
                        self.set(to, value as u64);
                    }
                    I::Not { to, from } => self.set(to, u64::from(self.get(from) == 0)),
                    I::Compare { operator, to, left, right } => {
                        let ordering = self.number(left).cmp(&self.number(right));
                        self.set(to, u64::from(operator.holds(ordering)));
                    }
                    I::CompareOctets { operator, to, left, right } => {
                        let ordering = self.octets(left).cmp(self.octets(right));
                        self.set(to, u64::from(operator.holds(ordering)));
                    }
                    I::InNumbers { to, value, set } => {
                        let ranges = &self.program.pool.number_sets[usize::from(set)];
                        self.set(to, u64::from(is_in(ranges, self.number(value))));
                    }
                    I::InOctets { to, value, set } => {
                        let members = &self.program.pool.octet_sets[usize::from(set)];
                        let value = self.octets(value);
                        let found = members.binary_search_by(|member| member.as_slice().cmp(value));
                        self.set(to, u64::from(found.is_ok()));
                    }

                    I::Jump { target } => at = usize::from(target),
                    I::Turn { target } => {
                        self.spend()?;
                        at = usize::from(target);
                    }
                    I::JumpUnless { value, target } => {
                        if self.get(value) == 0 {
                            at = usize::from(target);
                        }
                    }
                    I::JumpUnlessCompare { operator, left, right, target } => {
                        if !operator.holds(self.number(left).cmp(&self.number(right))) {
                            at = usize::from(target);
                        }
                    }
                    I::Switch { value, table } => {
                        let table = &self.program.pool.switches[usize::from(table)];
                        let value = self.number(value);
                        let found = table.targets.binary_search_by(|(label, _)| label.cmp(&value));
                        at = usize::from(
                            found.map_or(table.otherwise, |place| table.targets[place].1),
                        );
                    }
                    I::SwitchOctets { value, table } => {
                        let table = &self.program.pool.octet_switches[usize::from(table)];
                        let value = self.octets(value);
                        let found = table
                            .targets
                            .binary_search_by(|(label, _)| label.as_slice().cmp(value));
                        at = usize::from(
                            found.map_or(table.otherwise, |place| table.targets[place].1),
                        );
                    }
                    I::Chosen { to, choice } => {
                        let (place, _) =
                            self.memory.chosen(self.slot(choice)).ok_or(Reason::Absent)?;
                        self.set(to, place as u64);
                    }
                    I::Call { function, base, to } => {
                        self.enter(usize::from(function), base, to)?;
                        break;
                    }
                    I::Return { value } => {
                        let value = self.get(value);
                        let Some(frame) = self.machine.frames.pop() else { return Ok(value) };
                        (self.code, self.at, self.base) = (frame.code, frame.next, frame.base);
                        self.set(frame.to, value);
                        break;
                    }
                    I::CallBuiltIn { function, base, count, to } => {
                        let value = self.built_in(function, base, count)?;
                        self.set(to, value);
                    }
                    other => at = self.record_instruction(other, at)?,
                }
            }
        }
    }

    /// Instructions on slots.
    #[inline]
    fn record_instruction(&mut self, instruction: I, at: usize) -> Step<usize> {
        let jump = |target: Target| Ok(usize::from(target));
        match instruction {
            I::New { to } => {
                let slot = self.memory.arena.frame(1);
                self.set_slot(to, slot);
            }
            I::Component { to, of, place } => {
                let slot = self.component(of, place)?;
                self.set_slot(to, slot);
            }
            I::Alternative { to, of, place } => {
                let (chosen, slot) = self.memory.chosen(self.slot(of)).ok_or(Reason::Absent)?;
                if chosen != usize::from(place) {
                    return Err(Reason::OtherAlternative);
                }
                self.set_slot(to, slot);
            }
            I::Element { to, of, position } => {
                let slot = self.element(of, position)?;
                self.set_slot(to, slot);
            }
            I::TryComponent { to, of, place, target } => {
                match self.memory.component(self.slot(of), usize::from(place)) {
                    Some(slot) => self.set_slot(to, slot),
                    None => return jump(target),
                }
            }
            I::TryAlternative { to, of, place, target } => {
                match self.memory.chosen(self.slot(of)) {
                    Some((chosen, slot)) if chosen == usize::from(place) => self.set_slot(to, slot),
                    _ => return jump(target),
                }
            }
            I::TryElement { to, of, position, target } => match self.element(of, position) {
                Ok(slot) => self.set_slot(to, slot),
                Err(_) => return jump(target),
            },
            I::JumpIfAbsent { slot, target } => {
                if !self.memory.slot(self.slot(slot)).is_present() {
                    return jump(target);
                }
            }
            I::MakeComponent { to, of, place, fields } => {
                let frame = self.memory.make_structure(self.slot(of), usize::from(fields));
                self.set_slot(to, SlotIndex(frame.0 + u32::from(place)));
            }
            I::MakeAlternative { to, of, place } => {
                let slot = self.memory.make_choice(self.slot(of), usize::from(place));
                self.set_slot(to, slot);
            }
            I::MakeElement { to, of, position } => {
                let slot = self.make_element(of, position)?;
                self.set_slot(to, slot);
            }
            I::ReadNumber { to, slot } => {
                let number = self.read_number(self.slot(slot))?;
                self.set(to, number as u64);
            }
            I::ReadBoolean { to, slot } => {
                let number = self.read_number(self.slot(slot))?;
                self.set(to, u64::from(number != 0));
            }
            I::ReadOctets { to, slot } => {
                let octets = self.read_octets(self.slot(slot))?;
                self.set(to, octets.0);
            }
            I::ComponentNumber { to, of, place } => {
                let slot = self.component(of, place)?;
                let number = self.read_number(slot)?;
                self.set(to, number as u64);
            }
            I::ComponentOctets { to, of, place } => {
                let slot = self.component(of, place)?;
                let octets = self.read_octets(slot)?;
                self.set(to, octets.0);
            }
            I::WriteNumber { slot, from } => {
                let number = self.number(from);
                self.memory.set_number(self.slot(slot), number);
            }
            I::WriteOctets { slot, from } => self.write_octets(slot, from)?,
            I::WriteNull { slot } => self.memory.set_octets(self.slot(slot), &[]),
            I::CopyLeaf { to, from } => self.copy_leaf(to, from)?,
            I::Copy { to, from, ty } => {
                let ty = self.program.pool.types[usize::from(ty)];
                self.copy(ty, self.slot(from), ty, self.slot(to))?;
            }
            I::Convert { to, from, pair } => {
                let (source, target) = self.program.pool.pairs[usize::from(pair)];
                self.copy(source, self.slot(from), target, self.slot(to))?;
            }
            I::Delete { slot } => self.memory.delete(self.slot(slot)),
            I::Touch { slot } => self.memory.touch(self.slot(slot)),
            I::Remove { list, position } => {
                let position = self.number(position);
                if let Ok(position) = usize::try_from(position) {
                    self.memory.remove(self.slot(list), position);
                }
            }
            I::Count { to, slot } => {
                let count = self.memory.count(self.slot(slot));
                self.set(to, count as u64);
            }
            I::Check { value, alphabet } => {
                if !alphabet.allows(self.octets(value)) {
                    return Err(Reason::alphabet(alphabet));
                }
            }
            I::NameOf { to, value, ty } => {
                let name = self.name_of(self.number(value), ty)?;
                self.set(to, name);
            }
            I::Lookup { to, key, column, target } => match self.lookup(key, column)? {
                Some(found) => self.set(to, found),
                None => return jump(target),
            },
            I::NotFound { key } => return Err(self.not_found(key)),
            I::Emit { slot, ty } => {
                let ty = self.program.pool.types[usize::from(ty)];
                self.emit(ty, self.slot(slot))?;
            }
            I::Reject { reason } => {
                let reason = String::from_utf8_lossy(self.octets(reason)).into_owned();
                return Err(Reason::Rejected(reason));
            }
            I::Assert { value } => {
                if self.get(value) == 0 {
                    return Err(Reason::Assertion);
                }
            }
            _ => unreachable!("the loop executes it"),
        }
        Ok(at)
    }

    #[inline]
    fn get(&self, register: Register) -> u64 {
        self.machine.registers[self.base + usize::from(register)]
    }

    #[inline]
    fn set(&mut self, register: Register, value: u64) {
        self.machine.registers[self.base + usize::from(register)] = value;
    }

    #[inline]
    fn number(&self, register: Register) -> i64 {
        self.get(register) as i64
    }

    #[inline]
    fn slot(&self, register: Register) -> SlotIndex {
        SlotIndex(self.get(register) as u32)
    }

    #[inline]
    fn set_slot(&mut self, register: Register, slot: SlotIndex) {
        self.set(register, u64::from(slot.0));
    }

    #[inline]
    fn octets(&self, register: Register) -> &[u8] {
        Octets(self.get(register)).get(self.memory, &self.program.pool.octets)
    }

    /// Counts a turn, and sees to it that the record's memory stays within its bound.
    #[inline]
    fn spend(&mut self) -> Step<()> {
        self.machine.left = self.machine.left.checked_sub(1).ok_or(Reason::Budget(BUDGET))?;
        self.check_memory()
    }

    #[inline]
    fn check_memory(&self) -> Step<()> {
        match self.memory.arena.octets_used() > RECORD_MEMORY_OCTETS_MAX {
            true => Err(Reason::Memory(RECORD_MEMORY_OCTETS_MAX)),
            false => Ok(()),
        }
    }

    fn enter(&mut self, function: usize, base: Register, to: Register) -> Step<()> {
        self.spend()?;
        if self.machine.frames.len() == CALLS_DEPTH_MAX {
            return Err(Reason::Depth(CALLS_DEPTH_MAX));
        }
        let frame = Frame { code: self.code, next: self.at, base: self.base, to };
        self.machine.frames.push(frame);
        self.base += usize::from(base);
        (self.code, self.at) = (function, 0);
        let needed = self.base + REGISTERS_MAX;
        if self.machine.registers.len() < needed {
            self.machine.registers.resize(needed, 0);
        }
        Ok(())
    }

    fn built_in(&mut self, function: u16, base: Register, count: u8) -> Step<u64> {
        let function = self.program.pool.built_ins[usize::from(function)];
        let first = self.base + usize::from(base);
        let Machine { registers, scratch, zones, .. } = &mut *self.machine;
        let arguments = &registers[first..first + usize::from(count)];
        let constants = self.program.pool.octets.as_slice();
        let mut context = Context { memory: self.memory, constants, scratch, zones };
        let value = (function.run)(&mut context, arguments)?;
        self.check_memory()?;
        Ok(value)
    }

    #[inline]
    fn component(&self, of: Register, place: u16) -> Step<SlotIndex> {
        self.memory.component(self.slot(of), usize::from(place)).ok_or(Reason::Absent)
    }

    fn element(&self, of: Register, position: Register) -> Step<SlotIndex> {
        let (list, position) = (self.slot(of), self.number(position));
        let found = usize::try_from(position).ok().and_then(|p| self.memory.element(list, p));
        found.ok_or_else(|| Reason::NoElement { position, count: self.memory.count(list) })
    }

    /// An element for writing: one that is there, or the one behind the last.
    fn make_element(&mut self, of: Register, position: Register) -> Step<SlotIndex> {
        let (list, position) = (self.slot(of), self.number(position));
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
    fn read_number(&self, slot: SlotIndex) -> Step<i64> {
        self.memory.number(slot).map_err(|fault| match fault {
            record::ValueFault::Absent => Reason::Absent,
            fault => Reason::Value(fault),
        })
    }

    #[inline]
    fn read_octets(&self, slot: SlotIndex) -> Step<Octets> {
        let slot = self.memory.slot(slot);
        if slot.flags & Flags::SEGMENTED != 0 {
            return Err(Reason::Segmented);
        }
        match slot.state {
            State::Source => Ok(Octets::new(Area::Source, slot.offset, slot.length)),
            State::Owned => Ok(Octets::new(Area::Arena, slot.offset, slot.length)),
            State::Absent => Err(Reason::Absent),
            State::Number | State::Made => Err(Reason::Value(record::ValueFault::NotAValue)),
        }
    }

    /// A string is not copied: the slot is made to lie where the string does. Constants alone are put
    /// into the record's memory, since an encoder does not see the script's.
    fn write_octets(&mut self, slot: Register, from: Register) -> Step<()> {
        let (slot, octets) = (self.slot(slot), Octets(self.get(from)));
        let (offset, length) = (octets.offset(), octets.length());
        match octets.area() {
            Area::Constants => {
                let first = offset as usize;
                let constant = &self.program.pool.octets[first..first + length as usize];
                let offset = self.memory.arena.store(constant);
                *self.memory.arena.slot_mut(slot) = record::Slot::owned(offset, length);
            }
            Area::Arena => *self.memory.arena.slot_mut(slot) = record::Slot::owned(offset, length),
            Area::Source => {
                let mut made = record::Slot::source(offset, length);
                made.flags |= Flags::CHANGED;
                *self.memory.arena.slot_mut(slot) = made;
            }
        }
        Ok(())
    }

    #[inline]
    fn copy_leaf(&mut self, to: Register, from: Register) -> Step<()> {
        let mut slot = *self.memory.slot(self.slot(from));
        if !slot.is_present() {
            return Err(Reason::Absent);
        }
        slot.flags |= Flags::CHANGED;
        *self.memory.arena.slot_mut(self.slot(to)) = slot;
        Ok(())
    }

    fn copy(&mut self, source: TypeId, from: SlotIndex, target: TypeId, to: SlotIndex) -> Step<()> {
        if !self.memory.slot(from).is_present() {
            return Err(Reason::Absent);
        }
        match source == target {
            true => {
                self.memory.copy(&self.program.schema, source, from, to);
                self.memory.touch(to);
            }
            false => self.memory.convert(&self.program.schema, source, from, target, to),
        }
        self.check_memory()
    }

    fn emit(&mut self, ty: TypeId, slot: SlotIndex) -> Step<()> {
        self.spend()?;
        let to = self.memory.arena.frame(1);
        if self.memory.slot(slot).is_present() {
            self.memory.copy(&self.program.schema, ty, slot, to);
        }
        self.machine.emitted.push((ty, to));
        Ok(())
    }

    fn name_of(&mut self, value: i64, ty: u16) -> Step<u64> {
        let ty = self.program.pool.types[usize::from(ty)];
        let Kind::Enumerated { items, .. } = self.program.schema.kind(ty) else {
            return Err(Reason::NoName { value });
        };
        let item = items.iter().find(|item| item.value == value).ok_or(Reason::NoName { value })?;
        let offset = self.memory.arena.store(item.name.as_bytes());
        Ok(Octets::new(Area::Arena, offset, item.name.len() as u32).0)
    }

    fn lookup(&mut self, key: Register, column: u16) -> Step<Option<u64>> {
        let column = self.program.pool.columns[usize::from(column)];
        let table = &self.program.tables[column.table];
        let key = self.octets(key);
        let row = match column.exact {
            true => table.exact(key),
            false => table.longest_prefix(key),
        };
        let Some(row) = row else { return Ok(None) };
        let cell = table.cell(row, column.column);
        let offset = self.memory.arena.store(cell);
        self.check_memory()?;
        Ok(Some(Octets::new(Area::Arena, offset, cell.len() as u32).0))
    }

    #[cold]
    fn not_found(&self, key: Register) -> Reason {
        let key = self.octets(key);
        Reason::NotFound { key: String::from_utf8_lossy(&key[..key.len().min(60)]).into_owned() }
    }
}

fn arithmetic(operator: Arithmetic, left: i64, right: i64) -> Step<i64> {
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
    // Most sets have a few members, which are found sooner one by one.
    if ranges.len() <= 8 {
        return ranges.iter().any(|(first, last)| (*first..=*last).contains(&value));
    }
    let place = ranges.partition_point(|(first, _)| *first <= value);
    place > 0 && value <= ranges[place - 1].1
}
