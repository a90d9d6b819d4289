//! The syntax of modules, as written. Constraints, objects and structured values are stored as ranges of items, and
//! parsed only when needed.

use std::ops::Range;
use std::sync::Arc;

use diagnostics::{Source, Span};
use record::{TextKind, TimeKind};

use super::lexer::Item;
use crate::encoding::Class;

/// A text with its items.
#[derive(Debug)]
pub(crate) struct Text {
    pub(crate) source: Arc<Source>,
    pub(crate) items: Vec<Item>,
}

impl Text {
    pub(crate) fn at(&self, span: Span) -> &str {
        &self.source.text[span.start as usize..span.end as usize]
    }
}

/// The default tagging of a module (X.680, 31.2).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[allow(missing_docs)]
pub enum Tagging {
    Explicit,
    Implicit,
    Automatic,
}

#[derive(Debug)]
pub(crate) struct Module {
    pub(crate) name: String,
    pub(crate) text: Arc<Text>,
    /// `None` if the module does not give it.
    pub(crate) tagging: Option<Tagging>,
    /// Whether every type that may have a `...` is extensible (X.680, 13.4).
    pub(crate) extensibility_implied: bool,
    pub(crate) imports: Vec<Import>,
    pub(crate) assignments: Vec<Assignment>,
}

#[derive(Debug)]
pub(crate) struct Import {
    pub(crate) symbols: Vec<String>,
    pub(crate) from: String,
    /// The place of that name.
    pub(crate) span: Span,
}

#[derive(Debug)]
pub(crate) struct Assignment {
    pub(crate) name: String,
    pub(crate) span: Span,
    /// From the name to the end.
    pub(crate) whole: Span,
    /// Names of the dummy references, in order.
    pub(crate) parameters: Vec<String>,
    pub(crate) what: Assigned,
    /// For an object or object set: its class, and the items within its braces.
    pub(crate) object: Option<(String, Range<usize>)>,
}

#[derive(Debug)]
pub(crate) enum Assigned {
    Type(TypeExpression),
    Value(Value),
    Class(ObjectClass),
    /// An object, object set or value set, which only table constraints need.
    Set,
}

#[derive(Debug)]
pub(crate) struct ObjectClass {
    pub(crate) fields: Vec<ClassField>,
    /// The items of WITH SYNTAX, in `text`.
    pub(crate) syntax: Option<Range<usize>>,
    pub(crate) text: Arc<Text>,
}

#[derive(Debug)]
pub(crate) struct ClassField {
    pub(crate) name: String,
    /// The type of a fixed-type value field; `None` for other fields.
    pub(crate) ty: Option<TypeExpression>,
}

#[derive(Debug)]
pub(crate) struct TypeExpression {
    pub(crate) tags: Vec<TagExpression>,
    pub(crate) body: Body,
    /// The place of the body, without tags and constraints.
    pub(crate) span: Span,
    /// A table constraint, if there is one.
    pub(crate) table: Option<TableConstraint>,
}

/// `({Set}{@component})` (X.682, 10).
#[derive(Debug)]
pub(crate) struct TableConstraint {
    pub(crate) set: String,
    /// The components of the same structure that select the object; the first name of each path.
    pub(crate) at: Vec<String>,
}

#[derive(Debug)]
pub(crate) struct TagExpression {
    pub(crate) class: Class,
    pub(crate) number: Value,
    pub(crate) mode: Option<Tagging>,
}

#[derive(Debug)]
pub(crate) enum Body {
    Boolean,
    Integer(Vec<Named>),
    Enumerated { root: Vec<Named>, additions: Vec<Named>, extensible: bool },
    Real,
    Null,
    OctetString,
    BitString { bits: Vec<Named>, fixed: Option<Value> },
    ObjectIdentifier,
    RelativeObjectIdentifier,
    Text(TextKind),
    Time(TimeKind),
    Any,
    Sequence(ComponentList),
    Set(ComponentList),
    Choice(ComponentList),
    SequenceOf(Box<TypeExpression>),
    SetOf(Box<TypeExpression>),
    Reference { module: Option<String>, name: String, arguments: Vec<Argument> },
    Selection { name: String, of: Box<TypeExpression> },
    ClassField { class: String, path: Vec<String> },
}

/// A name with an optional number: of an enumeration, an integer, a bit.
#[derive(Debug)]
pub(crate) struct Named {
    pub(crate) name: String,
    pub(crate) span: Span,
    pub(crate) value: Option<Value>,
}

/// Components or alternatives in source order.
#[derive(Debug)]
pub(crate) struct ComponentList {
    pub(crate) list: Vec<Component>,
    /// The indexes of the additions between the `...` markers. All other components belong to a
    /// root.
    pub(crate) additions: Option<Range<usize>>,
}

impl ComponentList {
    /// Whether the component at this index belongs to a root (X.680, 25.1).
    pub(crate) fn is_root(&self, place: usize) -> bool {
        self.additions.as_ref().is_none_or(|additions| !additions.contains(&place))
    }
}

#[derive(Debug)]
pub(crate) struct Component {
    pub(crate) name: String,
    /// From the name to the end.
    pub(crate) span: Span,
    pub(crate) ty: TypeExpression,
    pub(crate) optional: bool,
    pub(crate) default: Option<Value>,
    /// `COMPONENTS OF ty` instead of a component.
    pub(crate) components_of: bool,
}

/// An actual parameter (X.683, 9.5): a type, a value, a set, or anything else.
#[derive(Debug)]
pub(crate) enum Argument {
    Type(TypeExpression),
    Value(Value),
    /// An object set by its name.
    Set(String),
    Other(Span),
}

#[derive(Debug)]
pub(crate) struct Value {
    pub(crate) what: ValueKind,
    pub(crate) span: Span,
    /// Actual parameters after a name.
    pub(crate) arguments: Vec<Argument>,
}

#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub(crate) enum ValueKind {
    Number(i128),
    Boolean(bool),
    Text(String),
    Octets(Vec<u8>),
    /// The octets of a bit string, with the number of unused bits first.
    Bits(Vec<u8>),
    Name(String),
    Braced {
        empty: bool,
    },
    Other,
}
