//! The reasons why a place of an XML file has no record, and why an element is not one.

use std::fmt;

use quick_xml::events::attributes::AttrError;
use reason::{Code, Coded, Description};

use super::DEPTH_MAX;

/// The reason why a place of a file has no record: a fault around or between the records, or at their ends.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error, Coded)]
#[code("xml")]
pub enum MarkupError {
    /// An element with another name in place of a record.
    #[error(
        "an element \"{name}\" stands here, \"{expected}\" is expected; if it is no record, name it in \"pass-over\""
    )]
    Other {
        /// Its name.
        name: String,
        /// The name of the records.
        expected: String,
    },
    /// The file ends within a record.
    #[error("the file ends within a record")]
    RecordCutOff,
    /// A record that is longer than the maximum, or has no end.
    #[error("a record is too long, or does not end")]
    TooLong,
    /// A tag without its end.
    #[error("a tag does not end before the next \"<\"")]
    TagCutOff,
    /// Text between records.
    #[error("text stands where records are expected")]
    Text,
    /// Records within too many nested elements.
    #[error("records lie more than {DEPTH_MAX} elements deep")]
    TooDeep,
    /// A record that has no end before the next one begins.
    #[error("the record does not end before the next \"{name}\"", name = .0)]
    NotClosed(String),
    /// An end tag without its start tag.
    #[error("an element ends that did not begin")]
    NotOpen,
    /// An end tag with another name than its start tag.
    #[error("\"{name}\" ends where \"{open}\" is open")]
    Crossed {
        /// The name in the end tag.
        name: String,
        /// The name of the open element.
        open: String,
    },
    /// The file ends after its records, and within an enclosing element.
    #[error("the file ends before \"{name}\" does: it may be cut off", name = .0)]
    CutOff(String),
}

/// The reason why an element is not a record of its type.
#[derive(Clone, Debug)]
pub struct ElementError {
    /// The names of the elements on the path from the record to the fault; empty if it is in the record itself.
    pub path: String,
    /// The fault.
    pub fault: ElementFault,
}

impl std::error::Error for ElementError {}

impl fmt::Display for ElementError {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.path.as_str() {
            "" => write!(out, "{}", self.fault),
            path => write!(out, "\"{path}\": {}", self.fault),
        }
    }
}

impl Coded for ElementError {
    fn describe(&self, description: &mut Description) {
        if !self.path.is_empty() {
            description.text("\"");
            description.value("component", &self.path);
            description.text("\": ");
        }
        self.fault.describe(description);
    }

    fn codes() -> Vec<Code> {
        Vec::new()
    }
}

impl ElementError {
    /// Adds the name of the enclosing element to the path.
    #[cold]
    pub(super) fn within(mut self: Box<Self>, name: &str) -> Box<Self> {
        self.path = match self.path.as_str() {
            "" => name.to_owned(),
            path if path.starts_with('[') => format!("{name}{path}"),
            path => format!("{name}.{path}"),
        };
        self
    }
}

impl From<ElementFault> for Box<ElementError> {
    #[cold]
    fn from(fault: ElementFault) -> Self {
        Box::new(ElementError { path: String::new(), fault })
    }
}

/// The fault of an element.
#[derive(Clone, Debug, thiserror::Error, Coded)]
#[code("element")]
pub enum ElementFault {
    /// It is not XML.
    #[error("not XML: {fault}", fault = .0)]
    NotXml(quick_xml::Error),
    /// An attribute is not XML.
    #[error("not XML: {fault}", fault = .0)]
    Attribute(AttrError),
    /// There is no element.
    #[error("no element")]
    None,
    /// The record ends within it.
    #[error("the record ends too early")]
    CutOff,
    /// Text beside elements.
    #[error("text stands where elements are expected")]
    Text,
    /// Elements nested too deeply.
    #[error("elements lie more than {DEPTH_MAX} deep within each other")]
    TooDeep,
    /// An element with another name.
    #[error("an element {name:?} stands here, \"{expected}\" is expected")]
    Unexpected {
        /// Its name.
        name: String,
        /// The name of the type.
        expected: String,
    },
    /// An attribute that no module defines.
    #[error("the attribute {name:?} is none of the module's", name = .0)]
    UnknownAttribute(String),
    /// An element that the type does not have.
    #[error("no component is named {name:?}", name = .0)]
    NoComponent(String),
    /// A component with two values.
    #[error("\"{name}\" stands twice", name = .0)]
    Twice(String),
    /// A CHOICE without an element.
    #[error("a CHOICE without an alternative")]
    NoAlternative,
    /// A CHOICE with more than one element.
    #[error("a CHOICE with two alternatives")]
    TwoAlternatives,
    /// An element within one whose name is its value.
    #[error("\"{name}\" is a value, nothing stands in it", name = .0)]
    WithinName(String),
    /// An element within the text of a value.
    #[error("an element {name:?} stands within a value", name = .0)]
    WithinValue(String),
    /// A bit string with unknown names of bits.
    #[error("the bits of this BIT STRING have other names")]
    NoBit,
    /// A bit string with other characters than 0 and 1.
    #[error("a BIT STRING is made of 0 and 1")]
    NotBits,
    /// Two names instead of one value.
    #[error("a value of two names")]
    TwoNames,
    /// A name and text instead of one value.
    #[error("a value of a name and text")]
    NameAndText,
    /// Text that is not a value of its type.
    #[error("{text:?} is not {expected}")]
    Value {
        /// Its beginning.
        text: String,
        /// The form of the type.
        expected: &'static str,
    },
    /// A reference to an entity that XML does not define.
    #[error("no entity is named {name:?}", name = .0)]
    NoEntity(String),
}
