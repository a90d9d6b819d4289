//! What is known at a place of a function: what registers hold, and what was read from slots before, so that
//! nothing is looked up twice.
//!
//! Instructions are written in the order they have. Where ways meet, what all of them know is known; at the head
//! of a loop, what no turn of it changes. A value that is known on every way to a place was made before it.

use std::collections::BTreeMap;

use cranelift_codegen::ir::Value;
use cranelift_codegen::packed_option::PackedOption;

use crate::code::{Instruction as I, REGISTERS_MAX, Register};

/// Most facts kept: older ones are forgotten, so that long functions do not cost their square.
const FACTS_MAX: usize = 64;

/// Something that was found out about a slot, by the value that holds its index.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Fact {
    /// Where the slots lie.
    Slots,
    /// Where a slot lies, and those behind it.
    Base(Value),
    /// What a slot links to, which is not 0.
    Link(Value),
    /// That a slot is marked as changed; the value is the link.
    Touched(Value),
    /// The slot of a component, by what its structure links to.
    Component(Value, u16),
    /// The slot of the alternative of a choice, which is the one at this place.
    Alternative(Value, u16),
    /// The slot of an element of a list.
    Element(Value, Value),
    /// The number in a slot.
    Number(Value),
    /// Where the octets of a slot lie.
    Octets(Value),
    /// What a column of a table has for a key.
    Lookup(u16, Value),
}

/// What an instruction changes that facts are about.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct Change {
    /// Slots are made, so that all of them may lie elsewhere.
    place: bool,
    /// Values without slots below them.
    leaf: bool,
    /// What lies below slots.
    below: bool,
}

impl Change {
    pub(super) const PLACE: Change = Change { place: true, leaf: false, below: false };
    const LEAF: Change = Change { place: false, leaf: true, below: false };
    const ALL: Change = Change { place: true, leaf: true, below: true };

    /// Of an instruction. What makes a structure that is missing changes no link that is known.
    fn of(instruction: I) -> Self {
        match instruction {
            I::New { .. } | I::MakeComponent { .. } | I::Emit { .. } | I::Ask { .. } => {
                Change::PLACE
            }
            I::WriteNumber { .. }
            | I::WriteOctets { .. }
            | I::WriteNull { .. }
            | I::CopyLeaf { .. } => Change::LEAF,
            I::CopyComponent { .. } => Change::PLACE.and(Change::LEAF),
            I::MakeAlternative { .. }
            | I::MakeElement { .. }
            | I::Copy { .. }
            | I::Convert { .. }
            | I::Delete { .. }
            | I::Remove { .. }
            | I::Call { .. } => Change::ALL,
            _ => Change::default(),
        }
    }

    /// The same, but for what is forgotten where the code is written that does it.
    pub(super) fn at_once(instruction: I) -> Self {
        match instruction {
            I::MakeComponent { .. } => Change::default(),
            I::CopyComponent { .. } => Change::LEAF,
            instruction => Change::of(instruction),
        }
    }

    fn and(self, other: Change) -> Self {
        Change {
            place: self.place | other.place,
            leaf: self.leaf | other.leaf,
            below: self.below | other.below,
        }
    }

    /// Whether a fact stays true.
    fn leaves(self, fact: Fact) -> bool {
        match fact {
            Fact::Component(..) | Fact::Lookup(..) => true,
            Fact::Slots | Fact::Base(_) => !self.place,
            Fact::Number(_) | Fact::Octets(_) => !self.leaf,
            Fact::Link(_) | Fact::Touched(_) | Fact::Alternative(..) | Fact::Element(..) => {
                !self.below
            }
        }
    }
}

/// What is known at one place.
#[derive(Clone)]
pub(super) struct Known {
    registers: [PackedOption<Value>; REGISTERS_MAX],
    facts: Vec<(Fact, Value)>,
}

impl Known {
    pub(super) fn nothing() -> Self {
        Known { registers: [PackedOption::default(); REGISTERS_MAX], facts: Vec::new() }
    }

    pub(super) fn register(&self, register: Register) -> Option<Value> {
        self.registers[usize::from(register)].expand()
    }

    pub(super) fn set_register(&mut self, register: Register, value: Value) {
        self.registers[usize::from(register)] = value.into();
    }

    pub(super) fn get(&self, fact: Fact) -> Option<Value> {
        self.facts.iter().rev().find(|(known, _)| *known == fact).map(|(_, value)| *value)
    }

    pub(super) fn learn(&mut self, fact: Fact, value: Value) {
        if self.facts.len() == FACTS_MAX {
            self.facts.remove(0);
        }
        self.facts.push((fact, value));
    }

    pub(super) fn forget(&mut self, change: Change) {
        if change != Change::default() {
            self.facts.retain(|(fact, _)| change.leaves(*fact));
        }
    }

    /// Keeps what the other knows too.
    fn meet(&mut self, other: &Known) {
        for (register, other) in self.registers.iter_mut().zip(&other.registers) {
            if register != other {
                *register = PackedOption::default();
            }
        }
        self.facts.retain(|fact| other.facts.contains(fact));
    }

    /// Forgets what a turn of a loop may change.
    fn forget_loop(&mut self, changed: &Loop) {
        for register in &changed.registers {
            self.registers[usize::from(*register)] = PackedOption::default();
        }
        self.forget(changed.change);
    }
}

/// What the turns of a loop change.
struct Loop {
    registers: Vec<Register>,
    change: Change,
}

/// What is known on the ways to places that are still to be written.
pub(super) struct Ways {
    /// By target.
    ahead: BTreeMap<usize, Known>,
    /// By the place that is jumped back to.
    loops: BTreeMap<usize, Loop>,
}

impl Ways {
    /// Of a function with these jumps, from and to.
    pub(super) fn new(instructions: &[I], jumps: &[(usize, usize)]) -> Self {
        let mut ends = BTreeMap::new();
        for (from, to) in jumps.iter().filter(|(from, to)| to <= from) {
            let end = ends.entry(*to).or_insert(*from);
            *end = (*end).max(*from);
        }
        let turns = |(top, end): (usize, usize)| {
            let body = &instructions[top..=end];
            let registers = body.iter().filter_map(|instruction| instruction.writes()).collect();
            let changes = body.iter().map(|instruction| Change::of(*instruction));
            (top, Loop { registers, change: changes.fold(Change::default(), Change::and) })
        };
        Ways { ahead: BTreeMap::new(), loops: ends.into_iter().map(turns).collect() }
    }

    /// Whether a place is jumped back to.
    pub(super) fn is_loop(&self, at: usize) -> bool {
        self.loops.contains_key(&at)
    }

    /// Notes what is known where a jump from `from` leaves. At the head of a loop that is known already.
    pub(super) fn note(&mut self, from: usize, target: usize, known: &Known) {
        if target <= from {
            return;
        }
        match self.ahead.get_mut(&target) {
            Some(ahead) => ahead.meet(known),
            None => drop(self.ahead.insert(target, known.clone())),
        }
    }

    /// What is known at a place to which all ways but those back are written.
    pub(super) fn arrive(&mut self, at: usize) -> Known {
        let mut known = self.ahead.remove(&at).unwrap_or_else(Known::nothing);
        if let Some(changed) = self.loops.get(&at) {
            known.forget_loop(changed);
        }
        known
    }
}
