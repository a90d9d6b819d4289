//! The syntax tree of a script, before names are resolved.

use diagnostics::Span;

/// A script: its declarations in the order of the text.
#[derive(Debug, Default)]
pub(crate) struct Script {
    pub(crate) functions: Vec<WrittenFunction>,
    pub(crate) tables: Vec<WrittenTable>,
    pub(crate) tariffs: Vec<WrittenTariff>,
    pub(crate) tests: Vec<WrittenTest>,
}

/// A name and its place.
#[derive(Clone, Debug)]
pub(crate) struct Name {
    pub(crate) text: String,
    pub(crate) span: Span,
}

#[derive(Debug)]
pub(crate) struct WrittenFunction {
    pub(crate) name: Name,
    pub(crate) parameters: Vec<WrittenParameter>,
    pub(crate) result: Type,
    pub(crate) body: Block,
}

#[derive(Debug)]
pub(crate) struct WrittenParameter {
    pub(crate) name: Name,
    pub(crate) constant: bool,
    pub(crate) ty: Type,
}

/// `declare zones TABLE "zones.csv";`
#[derive(Debug)]
pub(crate) struct WrittenTable {
    pub(crate) name: Name,
    pub(crate) file: Name,
}

/// `declare fjord TARIFF "tariff" WITHOUT COUNTERS;`
#[derive(Debug)]
pub(crate) struct WrittenTariff {
    pub(crate) name: Name,
    pub(crate) place: Name,
    pub(crate) without_counters: bool,
}

/// `test "…" { … }`
#[derive(Debug)]
pub(crate) struct WrittenTest {
    pub(crate) name: Name,
    pub(crate) body: Block,
}

#[derive(Clone, Debug)]
pub(crate) struct Type {
    pub(crate) what: TypeWhat,
    pub(crate) span: Span,
}

#[derive(Clone, Debug)]
pub(crate) enum TypeWhat {
    /// `INTEGER`, `OCTET STRING`, …: the words, separated by one blank.
    BuiltIn(&'static str),
    /// `CallDataRecord` or `MSC.CallDataRecord`.
    Named(String),
    /// `SEQUENCE OF T`, `SET OF T`.
    List { word: &'static str, element: Box<Type> },
    /// `SEQUENCE { … }`, `SET { … }`, `CHOICE { … }`.
    Fields { word: &'static str, fields: Vec<TypeField> },
    /// `ENUMERATED { a, b(5) }`
    Enumerated(Vec<(Name, Option<i64>)>),
}

#[derive(Clone, Debug)]
pub(crate) struct TypeField {
    pub(crate) name: Name,
    pub(crate) ty: Type,
    pub(crate) optional: bool,
}

#[derive(Debug)]
pub(crate) struct Block {
    pub(crate) declarations: Vec<Declaration>,
    pub(crate) statements: Vec<WrittenStatement>,
    /// The closing brace.
    pub(crate) end: Span,
}

#[derive(Debug)]
pub(crate) struct Declaration {
    pub(crate) name: Name,
    pub(crate) ty: Type,
    pub(crate) initial: Option<WrittenExpression>,
    /// In a test: the file that the record is read from.
    pub(crate) fixture: Option<Name>,
}

#[derive(Debug)]
pub(crate) struct WrittenStatement {
    pub(crate) what: StatementWhat,
    pub(crate) span: Span,
}

#[derive(Debug)]
pub(crate) enum StatementWhat {
    Block(Block),
    Assign {
        target: WrittenExpression,
        operator: Assignment,
        value: WrittenExpression,
    },
    Evaluate(WrittenExpression),
    If {
        condition: WrittenExpression,
        then: Box<WrittenStatement>,
        otherwise: Option<Box<WrittenStatement>>,
    },
    While {
        condition: WrittenExpression,
        body: Box<WrittenStatement>,
    },
    For {
        start: Option<Box<WrittenStatement>>,
        condition: Option<WrittenExpression>,
        step: Option<Box<WrittenStatement>>,
        body: Box<WrittenStatement>,
    },
    Switch {
        value: WrittenExpression,
        cases: Vec<WrittenCase>,
    },
    Return(Option<WrittenExpression>),
    Break,
    Continue,
    Delete(WrittenExpression),
    Assert(WrittenExpression),
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Assignment {
    Set,
    Add,
    Subtract,
    Or,
}

#[derive(Debug)]
pub(crate) struct WrittenCase {
    /// Empty for `default`.
    pub(crate) labels: Vec<WrittenExpression>,
    pub(crate) default: Option<Span>,
    pub(crate) body: Vec<WrittenStatement>,
    pub(crate) span: Span,
}

#[derive(Clone, Debug)]
pub(crate) struct WrittenExpression {
    pub(crate) what: WrittenExpressionWhat,
    pub(crate) span: Span,
}

#[derive(Clone, Debug)]
pub(crate) enum WrittenExpressionWhat {
    Number(i64),
    Boolean(bool),
    Null,
    /// The characters of `"…"`, with escapes resolved.
    Text(Vec<u8>),
    /// The octets of `'…'H` or `'…'B`.
    Octets(Vec<u8>),
    Name(String),
    Field {
        of: Box<WrittenExpression>,
        field: Name,
    },
    Element {
        of: Box<WrittenExpression>,
        index: Box<WrittenExpression>,
    },
    Call {
        function: Name,
        arguments: Vec<WrittenExpression>,
    },
    Unary {
        operator: Unary,
        operand: Box<WrittenExpression>,
    },
    Binary {
        operator: Binary,
        left: Box<WrittenExpression>,
        right: Box<WrittenExpression>,
    },
    In {
        value: Box<WrittenExpression>,
        constants: Vec<Constant>,
    },
    /// A part with a mistake that was reported.
    Wrong,
}

/// A member of `IN [ … ]`: a constant, or a range of numbers.
#[derive(Clone, Debug)]
pub(crate) struct Constant {
    pub(crate) first: WrittenExpression,
    pub(crate) last: Option<WrittenExpression>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Unary {
    Not,
    Negate,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Binary {
    Or,
    And,
    Compare(Comparison),
    Arithmetic(Arithmetic),
}

/// `== != < > <= >=`
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Comparison {
    Equal,
    NotEqual,
    Less,
    Greater,
    LessOrEqual,
    GreaterOrEqual,
}

/// `+ - * / %`, and the `|` of `|=`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Arithmetic {
    Add,
    Subtract,
    Multiply,
    Divide,
    Remainder,
    Or,
}

impl Comparison {
    /// Returns whether two values with this ordering fulfil it.
    #[inline]
    pub(crate) fn holds(self, ordering: std::cmp::Ordering) -> bool {
        match self {
            Comparison::Equal => ordering.is_eq(),
            Comparison::NotEqual => ordering.is_ne(),
            Comparison::Less => ordering.is_lt(),
            Comparison::Greater => ordering.is_gt(),
            Comparison::LessOrEqual => ordering.is_le(),
            Comparison::GreaterOrEqual => ordering.is_ge(),
        }
    }
}
