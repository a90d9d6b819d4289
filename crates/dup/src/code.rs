//! The typed intermediate form: sequences of instructions over registers. The interpreter executes it, and machine code
//! is generated from it.
//!
//! A register holds a number, a string ([`crate::value::Octets`]) or the index of a slot. Which of them is known at
//! compile time, so there are no checks at run time. Each function has a window of [`REGISTERS_MAX`] registers. A
//! callee's window begins at its arguments in the caller's window.

use std::collections::BTreeSet;
use std::collections::HashMap;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use diagnostics::{Source, Span};
use reason::Coded;
use record::{Schema, TypeId};

use crate::builtin::BuiltIn;
use crate::class::Alphabet;
use crate::fault::{Fault, Reason};
use crate::syntax::{Arithmetic, Comparison};
use crate::table::Table;
use crate::tariff::{Question, Tariff};

/// The registers of a function: a register's number is one octet.
pub(crate) const REGISTERS_MAX: usize = 256;

/// Maximum instructions of a function: a target is two octets.
pub(crate) const INSTRUCTIONS_MAX: usize = u16::MAX as usize;

/// A register in the function's window.
pub(crate) type Register = u8;

/// The index of an instruction in its function.
pub(crate) type Target = u16;

/// An instruction, eight octets.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Instruction {
    Number {
        to: Register,
        value: i32,
    },
    /// Loads a number or string from the constants.
    Constant {
        to: Register,
        constant: u16,
    },
    Move {
        to: Register,
        from: Register,
    },
    Arithmetic {
        operator: Arithmetic,
        to: Register,
        left: Register,
        right: Register,
    },
    Negate {
        to: Register,
        from: Register,
    },
    Not {
        to: Register,
        from: Register,
    },
    Compare {
        operator: Comparison,
        to: Register,
        left: Register,
        right: Register,
    },
    CompareOctets {
        operator: Comparison,
        to: Register,
        left: Register,
        right: Register,
    },
    InNumbers {
        to: Register,
        value: Register,
        set: u16,
    },
    InOctets {
        to: Register,
        value: Register,
        set: u16,
    },

    Jump {
        target: Target,
    },
    /// Jumps back in a loop, and counts a turn.
    Turn {
        target: Target,
    },
    JumpUnless {
        value: Register,
        target: Target,
    },
    /// Continues if the comparison holds, otherwise jumps.
    JumpUnlessCompare {
        operator: Comparison,
        left: Register,
        right: Register,
        target: Target,
    },
    Switch {
        value: Register,
        table: u16,
    },
    SwitchOctets {
        value: Register,
        table: u16,
    },
    /// Loads the number of a CHOICE's alternative, or -1 if there is none.
    Chosen {
        to: Register,
        choice: Register,
    },
    Call {
        function: u16,
        base: Register,
        to: Register,
    },
    Return {
        value: Register,
    },
    CallBuiltIn {
        function: u16,
        base: Register,
        count: u8,
        to: Register,
    },

    /// Creates an absent slot.
    New {
        to: Register,
    },
    Component {
        to: Register,
        of: Register,
        place: u16,
    },
    Alternative {
        to: Register,
        of: Register,
        place: u16,
    },
    Element {
        to: Register,
        of: Register,
        position: Register,
    },
    /// Like the three instructions before, but jumps if the slot is absent.
    TryComponent {
        to: Register,
        of: Register,
        place: u16,
        target: Target,
    },
    TryAlternative {
        to: Register,
        of: Register,
        place: u16,
        target: Target,
    },
    TryElement {
        to: Register,
        of: Register,
        position: Register,
        target: Target,
    },
    JumpIfAbsent {
        slot: Register,
        target: Target,
    },
    /// Tests a component without reading it.
    JumpIfNoComponent {
        of: Register,
        place: u16,
        target: Target,
    },
    /// Like the three, for writing: creates what is missing, and marks what it passes as changed.
    MakeComponent {
        to: Register,
        of: Register,
        place: u16,
        fields: u16,
    },
    MakeAlternative {
        to: Register,
        of: Register,
        place: u16,
    },
    MakeElement {
        to: Register,
        of: Register,
        position: Register,
    },

    ReadNumber {
        to: Register,
        slot: Register,
    },
    ReadBoolean {
        to: Register,
        slot: Register,
    },
    ReadOctets {
        to: Register,
        slot: Register,
    },
    /// Finds a component and reads its value in one instruction.
    ComponentNumber {
        to: Register,
        of: Register,
        place: u16,
    },
    ComponentOctets {
        to: Register,
        of: Register,
        place: u16,
    },
    WriteNumber {
        slot: Register,
        from: Register,
    },
    WriteOctets {
        slot: Register,
        from: Register,
    },
    WriteNull {
        slot: Register,
    },
    /// Copies a value without slots below it.
    CopyLeaf {
        to: Register,
        from: Register,
    },
    /// Copies from component to component, as most lines of a formatter do.
    CopyComponent {
        to: Register,
        to_place: u8,
        fields: u8,
        from: Register,
        from_place: u8,
    },
    /// Copies a value of any type.
    Copy {
        to: Register,
        from: Register,
        ty: u16,
    },
    /// Copies a value of one type as one of another that is alike.
    Convert {
        to: Register,
        from: Register,
        pair: u16,
    },
    Delete {
        slot: Register,
    },
    Touch {
        slot: Register,
    },
    Remove {
        list: Register,
        position: Register,
    },
    /// Loads the number of a list's elements.
    Count {
        to: Register,
        slot: Register,
    },

    /// Refuses a string with characters outside an alphabet.
    Check {
        value: Register,
        alphabet: Alphabet,
    },
    /// Loads the name of an ENUMERATED's number.
    NameOf {
        to: Register,
        value: Register,
        ty: u16,
    },
    Lookup {
        to: Register,
        key: Register,
        column: u16,
        target: Target,
    },
    NotFound {
        key: Register,
    },
    /// Asks a tariff; jumps if it has no answer.
    Ask {
        to: Register,
        usage: Register,
        question: u16,
        target: Target,
    },
    /// Fails with the reason why the tariff has no answer.
    NoTariff {
        usage: Register,
        question: u16,
    },
    Emit {
        slot: Register,
        ty: u16,
    },
    Reject {
        reason: Register,
    },
    Assert {
        value: Register,
    },
}

const _: () = assert!(size_of::<Instruction>() <= 8);

/// A lowered function.
#[derive(Debug)]
pub(crate) struct Code {
    pub(crate) instructions: Vec<Instruction>,
    /// The text of each instruction.
    pub(crate) spans: Vec<Span>,
}

/// The targets of a switch.
#[derive(Debug)]
pub(crate) struct Switch<K> {
    /// By label, in order.
    pub(crate) targets: Vec<(K, Target)>,
    pub(crate) otherwise: Target,
}

/// A column of a table, and how it is searched.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Column {
    pub(crate) table: usize,
    pub(crate) column: usize,
    pub(crate) exact: bool,
}

/// The data that instructions refer to by number.
#[derive(Debug, Default)]
pub(crate) struct Pool {
    /// Numbers and strings, in the form of registers.
    pub(crate) constants: Vec<u64>,
    /// The octets of the strings in `constants`.
    pub(crate) octets: Vec<u8>,
    /// The indexes in `constants`, during compilation.
    pub(crate) known_numbers: HashMap<u64, usize>,
    pub(crate) known_strings: HashMap<Vec<u8>, usize>,
    pub(crate) number_sets: Vec<Vec<(i64, i64)>>,
    pub(crate) octet_sets: Vec<Vec<Vec<u8>>>,
    pub(crate) switches: Vec<Switch<i64>>,
    pub(crate) octet_switches: Vec<Switch<Vec<u8>>>,
    pub(crate) built_ins: Vec<&'static BuiltIn>,
    pub(crate) types: Vec<TypeId>,
    pub(crate) pairs: Vec<(TypeId, TypeId)>,
    pub(crate) columns: Vec<Column>,
    pub(crate) questions: Vec<Question>,
}

/// A compiled script. All workers share it.
#[derive(Debug)]
pub struct Program {
    pub(crate) source: Arc<Source>,
    pub(crate) schema: Schema,
    pub(crate) codes: Vec<Code>,
    pub(crate) functions: Vec<Function>,
    pub(crate) opened: Vec<TypeId>,
    pub(crate) tests: Vec<Test>,
    pub(crate) pool: Pool,
    pub(crate) tables: Vec<Table>,
    pub(crate) tariffs: Vec<Tariff>,
}

/// The public description of a function.
#[derive(Clone, Debug)]
pub struct Function {
    /// Its name.
    pub name: String,
    /// The place of the name.
    pub span: Span,
    /// Its parameters.
    pub parameters: Vec<Parameter>,
    /// The type of its result.
    pub result: TypeId,
    /// The types of the records that it, or a function it calls, emits.
    pub emits: Vec<TypeId>,
}

/// A parameter of a function.
#[derive(Clone, Debug)]
pub struct Parameter {
    /// Its name.
    pub name: String,
    /// Its type.
    pub ty: TypeId,
    /// Whether the function only reads it.
    pub constant: bool,
    /// The place of its name.
    pub span: Span,
}

/// A test of a script.
#[derive(Clone, Debug)]
pub struct Test {
    /// Its name.
    pub name: String,
    /// The place of the name.
    pub span: Span,
    /// The records it reads: types and files.
    pub fixtures: Vec<(TypeId, String)>,
    pub(crate) code: usize,
}

impl Program {
    /// Returns the functions, in the order of the text.
    pub fn functions(&self) -> &[Function] {
        &self.functions
    }

    /// Returns the index of a function by its name.
    pub fn find(&self, name: &str) -> Option<usize> {
        self.functions.iter().position(|function| function.name == name)
    }

    /// Returns the number of parameters of a code's function.
    pub(crate) fn parameters_of(&self, code: usize) -> usize {
        match self.functions.get(code) {
            Some(function) => function.parameters.len(),
            None => self.tests[code - self.functions.len()].fixtures.len(),
        }
    }

    /// Returns the types whose values its functions read. The contents of values of other types do not matter to it.
    pub fn opened(&self) -> &[TypeId] {
        &self.opened
    }

    /// Returns the program without its tests, for callers that do not run them.
    pub fn without_tests(mut self) -> Self {
        self.codes.truncate(self.functions.len());
        self.tests.clear();
        self
    }

    /// Returns the tests, in the order of the text.
    pub fn tests(&self) -> &[Test] {
        &self.tests
    }

    /// Returns the files of its tables and tariffs.
    pub fn files(&self) -> impl Iterator<Item = &Path> {
        let tariffs = self.tariffs.iter().flat_map(Tariff::files).map(PathBuf::as_path);
        self.tables.iter().map(Table::path).chain(tariffs)
    }

    /// Returns the types it was checked against.
    pub fn schema(&self) -> &Schema {
        &self.schema
    }

    /// Returns its text.
    pub fn source(&self) -> &Arc<Source> {
        &self.source
    }

    /// Returns a part of the text on one line.
    pub(crate) fn slice(&self, span: Span) -> String {
        let text = self.source.text.get(span.start as usize..span.end as usize).unwrap_or_default();
        text.split_whitespace().collect::<Vec<_>>().join(" ")
    }

    /// Creates the fault of an instruction.
    #[cold]
    pub(crate) fn fault(&self, reason: Reason, code: usize, at: usize) -> Box<Fault> {
        Box::new(Fault { reason, span: self.codes[code].spans[at] })
    }

    /// Returns a fault as a line of text: its place and its reason.
    pub fn describe(&self, fault: &Fault) -> String {
        self.reason(fault).to_string()
    }

    /// Returns why a record is refused: `script.dup:3:7: a division by zero`. The place in the script is a value: faults
    /// stay alike when lines above them are edited. The text that a fault is about, and that of a `reject`, is text of
    /// the template, as far as the script has it, so that different faults of a script are told apart.
    pub fn reason(&self, fault: &Fault) -> reason::Reason {
        let mut description = reason::Description::default();
        let place = self.source.place(fault.span.start);
        let place = format_args!("{}:{}:{}", self.source.name, place.line, place.column);
        description.value("place", place);
        description.text(": ");
        if fault.reason.is_about_text() {
            description.text(&format!("\"{}\" ", self.slice(fault.span)));
        }
        match &fault.reason {
            Reason::Rejected(text) if self.slice(fault.span).contains(&format!("\"{text}\"")) => {
                description.code(Reason::REJECTED);
                description.text(text);
            }
            reason => reason.describe(&mut description),
        }
        description.into_reason()
    }
}

/// Returns, for each code, the types of the records that it, or a function it calls, emits.
pub(crate) fn emitted(codes: &[Code], pool: &Pool) -> Vec<BTreeSet<TypeId>> {
    let own = |code: &Code| {
        let types = code.instructions.iter().filter_map(|instruction| match instruction {
            Instruction::Emit { ty, .. } => Some(pool.types[usize::from(*ty)]),
            _ => None,
        });
        types.collect()
    };
    let mut emitted: Vec<BTreeSet<TypeId>> = codes.iter().map(own).collect();
    // Each round adds the callers of the functions that the round before changed.
    loop {
        let before = emitted.clone();
        for (place, code) in codes.iter().enumerate() {
            for instruction in &code.instructions {
                if let Instruction::Call { function, .. } = instruction {
                    emitted[place].extend(&before[usize::from(*function)]);
                }
            }
        }
        if emitted == before {
            return emitted;
        }
    }
}

impl Instruction {
    /// Returns the registers it reads, for machine code.
    pub(crate) fn reads(self) -> Vec<Register> {
        use Instruction as I;
        match self {
            I::Number { .. }
            | I::Constant { .. }
            | I::Jump { .. }
            | I::Turn { .. }
            | I::New { .. } => {
                vec![]
            }
            I::Move { from, .. } | I::Negate { from, .. } | I::Not { from, .. } => vec![from],
            I::Arithmetic { left, right, .. }
            | I::Compare { left, right, .. }
            | I::CompareOctets { left, right, .. }
            | I::JumpUnlessCompare { left, right, .. } => vec![left, right],
            I::InNumbers { value, .. }
            | I::InOctets { value, .. }
            | I::JumpUnless { value, .. }
            | I::Switch { value, .. }
            | I::SwitchOctets { value, .. }
            | I::Return { value }
            | I::Check { value, .. }
            | I::NameOf { value, .. }
            | I::Assert { value } => vec![value],
            I::Chosen { choice, .. } => vec![choice],
            I::Call { .. } => vec![],
            I::CallBuiltIn { base, count, .. } => (0..count).map(|place| base + place).collect(),
            I::Component { of, .. }
            | I::Alternative { of, .. }
            | I::TryComponent { of, .. }
            | I::TryAlternative { of, .. }
            | I::JumpIfNoComponent { of, .. }
            | I::MakeComponent { of, .. }
            | I::MakeAlternative { of, .. }
            | I::ComponentNumber { of, .. }
            | I::ComponentOctets { of, .. } => vec![of],
            I::Element { of, position, .. }
            | I::TryElement { of, position, .. }
            | I::MakeElement { of, position, .. } => vec![of, position],
            I::JumpIfAbsent { slot, .. }
            | I::ReadNumber { slot, .. }
            | I::ReadBoolean { slot, .. }
            | I::ReadOctets { slot, .. }
            | I::WriteNull { slot }
            | I::Delete { slot }
            | I::Touch { slot }
            | I::Count { slot, .. }
            | I::Emit { slot, .. } => vec![slot],
            I::WriteNumber { slot, from } | I::WriteOctets { slot, from } => vec![slot, from],
            I::CopyLeaf { to, from } | I::Copy { to, from, .. } | I::Convert { to, from, .. } => {
                vec![to, from]
            }
            I::CopyComponent { to, from, .. } => vec![to, from],
            I::Remove { list, position } => vec![list, position],
            I::Lookup { key, .. } | I::NotFound { key } => vec![key],
            I::Ask { usage, .. } | I::NoTariff { usage, .. } => vec![usage],
            I::Reject { reason } => vec![reason],
        }
    }

    /// Returns the register it writes, if any.
    pub(crate) fn writes(self) -> Option<Register> {
        use Instruction as I;
        match self {
            I::Number { to, .. }
            | I::Constant { to, .. }
            | I::Move { to, .. }
            | I::Arithmetic { to, .. }
            | I::Negate { to, .. }
            | I::Not { to, .. }
            | I::Compare { to, .. }
            | I::CompareOctets { to, .. }
            | I::InNumbers { to, .. }
            | I::InOctets { to, .. }
            | I::Chosen { to, .. }
            | I::Call { to, .. }
            | I::CallBuiltIn { to, .. }
            | I::New { to }
            | I::Component { to, .. }
            | I::Alternative { to, .. }
            | I::Element { to, .. }
            | I::TryComponent { to, .. }
            | I::TryAlternative { to, .. }
            | I::TryElement { to, .. }
            | I::MakeComponent { to, .. }
            | I::MakeAlternative { to, .. }
            | I::MakeElement { to, .. }
            | I::ReadNumber { to, .. }
            | I::ReadBoolean { to, .. }
            | I::ReadOctets { to, .. }
            | I::ComponentNumber { to, .. }
            | I::ComponentOctets { to, .. }
            | I::Count { to, .. }
            | I::NameOf { to, .. }
            | I::Ask { to, .. }
            | I::Lookup { to, .. } => Some(to),
            _ => None,
        }
    }

    /// Returns where it may continue other than at the next instruction. For a switch, see its table.
    pub(crate) fn target(mut self) -> Option<Target> {
        self.target_mut().copied()
    }

    /// Like [`target`](Self::target), to change it.
    pub(crate) fn target_mut(&mut self) -> Option<&mut Target> {
        use Instruction as I;
        match self {
            I::Jump { target }
            | I::Turn { target }
            | I::JumpUnless { target, .. }
            | I::JumpUnlessCompare { target, .. }
            | I::TryComponent { target, .. }
            | I::TryAlternative { target, .. }
            | I::TryElement { target, .. }
            | I::JumpIfAbsent { target, .. }
            | I::JumpIfNoComponent { target, .. }
            | I::Ask { target, .. }
            | I::Lookup { target, .. } => Some(target),
            _ => None,
        }
    }
}
