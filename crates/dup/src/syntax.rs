//! The syntax tree of a script, before names are resolved.

use diagnostics::Span;

/// A script: its declarations in the order of the text.
#[derive(Debug, Default)]
pub(crate) struct Script {
    pub(crate) functions: Vec<Function>,
    pub(crate) tables: Vec<Table>,
    pub(crate) tariffs: Vec<Tariff>,
    pub(crate) tests: Vec<Test>,
}

/// A name and its place.
#[derive(Clone, Debug)]
pub(crate) struct Name {
    pub(crate) text: String,
    pub(crate) span: Span,
}

#[derive(Debug)]
pub(crate) struct Function {
    pub(crate) name: Name,
    pub(crate) parameters: Vec<Parameter>,
    pub(crate) result: Type,
    pub(crate) body: Block,
}

#[derive(Debug)]
pub(crate) struct Parameter {
    pub(crate) name: Name,
    pub(crate) constant: bool,
    pub(crate) ty: Type,
}

/// `declare zones TABLE "zones.csv";`
#[derive(Debug)]
pub(crate) struct Table {
    pub(crate) name: Name,
    pub(crate) file: Name,
}

/// `declare fjord TARIFF "tariff" WITHOUT COUNTERS;`
#[derive(Debug)]
pub(crate) struct Tariff {
    pub(crate) name: Name,
    pub(crate) place: Name,
    pub(crate) without_counters: bool,
}

/// `test "…" { … }`
#[derive(Debug)]
pub(crate) struct Test {
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
    pub(crate) statements: Vec<Statement>,
    /// The closing brace.
    pub(crate) end: Span,
}

#[derive(Debug)]
pub(crate) struct Declaration {
    pub(crate) name: Name,
    pub(crate) ty: Type,
    pub(crate) initial: Option<Expression>,
    /// In a test: the file that the record is read from.
    pub(crate) fixture: Option<Name>,
}

#[derive(Debug)]
pub(crate) struct Statement {
    pub(crate) what: StatementWhat,
    pub(crate) span: Span,
}

#[derive(Debug)]
pub(crate) enum StatementWhat {
    Block(Block),
    Assign {
        target: Expression,
        operator: Assignment,
        value: Expression,
    },
    Evaluate(Expression),
    If {
        condition: Expression,
        then: Box<Statement>,
        otherwise: Option<Box<Statement>>,
    },
    While {
        condition: Expression,
        body: Box<Statement>,
    },
    For {
        start: Option<Box<Statement>>,
        condition: Option<Expression>,
        step: Option<Box<Statement>>,
        body: Box<Statement>,
    },
    Switch {
        value: Expression,
        cases: Vec<Case>,
    },
    Return(Option<Expression>),
    Break,
    Continue,
    Delete(Expression),
    Assert(Expression),
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Assignment {
    Set,
    Add,
    Subtract,
    Or,
}

#[derive(Debug)]
pub(crate) struct Case {
    /// Empty for `default`.
    pub(crate) labels: Vec<Expression>,
    pub(crate) default: Option<Span>,
    pub(crate) body: Vec<Statement>,
    pub(crate) span: Span,
}

#[derive(Clone, Debug)]
pub(crate) struct Expression {
    pub(crate) what: ExpressionWhat,
    pub(crate) span: Span,
}

#[derive(Clone, Debug)]
pub(crate) enum ExpressionWhat {
    Number(i64),
    Boolean(bool),
    Null,
    /// The characters of `"…"`, with escapes resolved.
    Text(Vec<u8>),
    /// The octets of `'…'H` or `'…'B`.
    Octets(Vec<u8>),
    Name(String),
    Field {
        of: Box<Expression>,
        field: Name,
    },
    Element {
        of: Box<Expression>,
        index: Box<Expression>,
    },
    Call {
        function: Name,
        arguments: Vec<Expression>,
    },
    Unary {
        operator: Unary,
        operand: Box<Expression>,
    },
    Binary {
        operator: Binary,
        left: Box<Expression>,
        right: Box<Expression>,
    },
    In {
        value: Box<Expression>,
        constants: Vec<Constant>,
    },
    /// A part with a mistake that was reported.
    Wrong,
}

/// A member of `IN [ … ]`: a constant, or a range of numbers.
#[derive(Clone, Debug)]
pub(crate) struct Constant {
    pub(crate) first: Expression,
    pub(crate) last: Option<Expression>,
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
