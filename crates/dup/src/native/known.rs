//! The facts at a point of a function: the contents of registers, and what was read from slots before, so that nothing
//! is looked up twice.
//!
//! Instructions are generated in order. Where paths join, the facts of all of them hold; at the head of a loop, the
//! facts that no turn changes. A value that is known on every path to a point was computed before it.

use std::collections::BTreeMap;

use cranelift_codegen::ir::Value;
use cranelift_codegen::packed_option::PackedOption;

use crate::code::{Instruction as I, REGISTERS_MAX, Register};

/// Maximum number of facts. Older ones are dropped, so that long functions do not take quadratic time.
const FACTS_MAX: usize = 64;

/// A fact about a slot, by the value that holds its index.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Fact {
    /// The address of the slots.
    Slots,
    /// The address of a slot, and of those after it.
    Base(Value),
    /// The link of a slot, which is not 0.
    Link(Value),
    /// A slot is marked as changed; the value is its link.
    Touched(Value),
    /// The slot of a component, by the link of its structure.
    Component(Value, u16),
    /// The slot of a choice's alternative, which is the one at this index.
    Alternative(Value, u16),
    /// The slot of an element of a list.
    Element(Value, Value),
    /// The number in a slot.
    Number(Value),
    /// The place of the octets of a slot.
    Octets(Value),
    /// The cell of a table for a column and a key.
    Lookup(u16, Value),
}

/// What an instruction changes that facts depend on.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct Change {
    /// It may allocate slots, so that all slots may move.
    place: bool,
    /// It changes values without slots below them.
    leaf: bool,
    /// It changes what lies below slots.
    below: bool,
}

impl Change {
    pub(super) const PLACE: Change = Change { place: true, leaf: false, below: false };
    const LEAF: Change = Change { place: false, leaf: true, below: false };
    const ALL: Change = Change { place: true, leaf: true, below: true };

    /// Returns the change of an instruction. Creating a missing structure changes no known link.
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

    /// Like `of`, without what the generated code handles itself.
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

    /// Returns whether a fact stays true.
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

/// The facts at one point.
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

    /// Keeps only the facts that the other has too.
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

/// The facts on jumps to points that are still to be generated.
pub(super) struct JumpFacts {
    /// By target.
    ahead: BTreeMap<usize, Known>,
    /// By the head of the loop.
    loops: BTreeMap<usize, Loop>,
}

impl JumpFacts {
    /// Creates the facts of a function with these jumps, from and to.
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
        JumpFacts { ahead: BTreeMap::new(), loops: ends.into_iter().map(turns).collect() }
    }

    /// Returns whether a point is the head of a loop.
    pub(super) fn is_loop(&self, at: usize) -> bool {
        self.loops.contains_key(&at)
    }

    /// Notes the facts at a jump from `from`. Jumps back are ignored: the facts at the head of a loop are known.
    pub(super) fn note(&mut self, from: usize, target: usize, known: &Known) {
        if target <= from {
            return;
        }
        match self.ahead.get_mut(&target) {
            Some(ahead) => ahead.meet(known),
            None => drop(self.ahead.insert(target, known.clone())),
        }
    }

    /// Returns the facts at a point whose forward predecessors are all generated.
    pub(super) fn arrive(&mut self, at: usize) -> Known {
        let mut known = self.ahead.remove(&at).unwrap_or_else(Known::nothing);
        if let Some(changed) = self.loops.get(&at) {
            known.forget_loop(changed);
        }
        known
    }
}
