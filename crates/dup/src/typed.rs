//! A checked script, with names resolved and types known, as the input of the lowering.

use diagnostics::Span;
use record::TypeId;

use crate::builtin::BuiltIn;
pub(crate) use crate::syntax::{Arithmetic, Comparison};
use crate::tariff::Question;

/// A checked function or test.
#[derive(Debug)]
pub(crate) struct CheckedFunction {
    pub(crate) name: String,
    /// The number of parameters, which are the first variables.
    pub(crate) parameters: usize,
    pub(crate) variables: Vec<Variable>,
    pub(crate) result: TypeId,
    pub(crate) body: Vec<Statement>,
}

#[derive(Clone, Debug)]
pub(crate) struct Variable {
    pub(crate) name: String,
    pub(crate) ty: TypeId,
    pub(crate) constant: bool,
    pub(crate) storage: Storage,
    pub(crate) span: Span,
    pub(crate) used: bool,
}

/// Where a variable is stored.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Storage {
    /// Its value is in a register.
    Register,
    /// The index of its slot is in a register: for structures, and for variables that other functions may write to.
    Slot,
}

#[derive(Debug)]
pub(crate) enum Statement {
    Block(Vec<Statement>),
    /// Begins the lifetime of a variable. A slot is new each time.
    Declare(usize),
    Assign {
        target: Place,
        value: Expression,
        span: Span,
    },
    Evaluate(Expression),
    If {
        condition: Expression,
        then: Vec<Statement>,
        otherwise: Vec<Statement>,
    },
    Loop {
        condition: Option<Expression>,
        body: Vec<Statement>,
        step: Vec<Statement>,
        span: Span,
    },
    Switch {
        subject: Subject,
        cases: Vec<Case>,
        default: Option<usize>,
        span: Span,
    },
    Return(Option<Expression>),
    Break,
    Continue,
    Delete(Place),
    Assert {
        condition: Expression,
        span: Span,
    },
    Emit {
        place: Place,
        span: Span,
    },
    Reject {
        reason: Expression,
        span: Span,
    },
}

#[derive(Debug)]
pub(crate) enum Subject {
    /// Labels are numbers.
    Number(Expression),
    /// Labels are octets.
    Octets(Expression),
    /// Labels are alternatives of the CHOICE.
    Choice(Place),
}

#[derive(Debug)]
pub(crate) struct Case {
    pub(crate) labels: Labels,
    pub(crate) body: Vec<Statement>,
}

#[derive(Debug)]
pub(crate) enum Labels {
    Numbers(Vec<i64>),
    Octets(Vec<Vec<u8>>),
}

/// A variable or a part of it.
#[derive(Clone, Debug)]
pub(crate) struct Place {
    pub(crate) root: Root,
    pub(crate) steps: Vec<Step>,
    pub(crate) ty: TypeId,
    pub(crate) span: Span,
}

#[derive(Clone, Debug)]
pub(crate) enum Root {
    Variable(usize),
    /// The structure that a function returned.
    Result(Box<Expression>),
}

#[derive(Clone, Debug)]
pub(crate) struct Step {
    pub(crate) what: StepWhat,
    /// The text from the start of the place to the end of this step.
    pub(crate) span: Span,
}

#[derive(Clone, Debug)]
pub(crate) enum StepWhat {
    Component { place: u16, fields: u16, default: Option<record::Default> },
    Alternative(u16),
    Element(Box<Expression>),
}

#[derive(Clone, Debug)]
pub(crate) struct Expression {
    pub(crate) what: ExpressionWhat,
    pub(crate) ty: TypeId,
    pub(crate) span: Span,
}

#[derive(Clone, Debug)]
pub(crate) enum ExpressionWhat {
    Number(i64),
    Octets(Vec<u8>),
    Null,
    Read(Place),
    Call {
        function: usize,
        arguments: Vec<Argument>,
    },
    BuiltIn {
        function: &'static BuiltIn,
        arguments: Vec<Expression>,
    },
    /// Whether everything on the way to a place is present.
    Present(Place),
    Found(Lookup),
    Lookup(Lookup),
    /// Whether a tariff has an answer.
    Answered(TariffQuestion),
    /// A tariff class, or a price.
    Answer(TariffQuestion),
    Count(Place),
    /// The name of an ENUMERATED's value.
    NameOf(Box<Expression>),
    Not(Box<Expression>),
    Negate(Box<Expression>),
    Arithmetic {
        operator: Arithmetic,
        left: Box<Expression>,
        right: Box<Expression>,
    },
    Compare {
        operator: Comparison,
        octets: bool,
        left: Box<Expression>,
        right: Box<Expression>,
    },
    And(Box<Expression>, Box<Expression>),
    Or(Box<Expression>, Box<Expression>),
    InNumbers {
        value: Box<Expression>,
        ranges: Vec<(i64, i64)>,
    },
    InOctets {
        value: Box<Expression>,
        members: Vec<Vec<u8>>,
    },
}

#[derive(Clone, Debug)]
pub(crate) enum Argument {
    Value(Expression),
    /// A place that the function may write to.
    Reference(Place),
}

/// A question to a tariff.
#[derive(Clone, Debug)]
pub(crate) struct TariffQuestion {
    pub(crate) question: Question,
    pub(crate) usage: Box<Expression>,
}

/// A search in a table.
#[derive(Clone, Debug)]
pub(crate) struct Lookup {
    pub(crate) table: usize,
    pub(crate) column: usize,
    pub(crate) exact: bool,
    pub(crate) key: Box<Expression>,
}
