//! Why a place of an XML file has no record, and why an element is not one.

use std::fmt;

use quick_xml::events::attributes::AttrError;

use super::DEPTH_MAX;

/// Why a place of a file has no record: what stands around and between the records, and where they end.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum MarkupError {
    /// An element of another name in the place of a record.
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
    /// A record that is longer than any, or has no end.
    #[error("a record is too long, or does not end")]
    TooLong,
    /// A tag without its end.
    #[error("a tag does not end before the next \"<\"")]
    TagCutOff,
    /// Text between records.
    #[error("text stands where records are expected")]
    Text,
    /// Records within too many elements.
    #[error("records lie more than {DEPTH_MAX} elements deep")]
    TooDeep,
    /// A record that has no end before the next one begins.
    #[error("the record does not end before the next \"{0}\"")]
    NotClosed(String),
    /// An end tag without its start tag.
    #[error("an element ends that did not begin")]
    NotOpen,
    /// An end tag with another name than its start tag.
    #[error("\"{name}\" ends where \"{open}\" is open")]
    Crossed {
        /// The name in the end tag.
        name: String,
        /// The name of the element that is open.
        open: String,
    },
    /// The file ends behind its records, and within what encloses them.
    #[error("the file ends before \"{0}\" does: it may be cut off")]
    CutOff(String),
}

/// Why an element is not a record of its type.
#[derive(Clone, Debug)]
pub struct ElementError {
    /// The names of the elements within the record that lead to the fault; empty where it is the record's own.
    pub path: String,
    /// What is wrong there.
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

impl ElementError {
    /// The same for the element in which this one is.
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

/// What is wrong with an element.
#[derive(Clone, Debug, thiserror::Error)]
pub enum ElementFault {
    /// It is not XML.
    #[error("not XML: {0}")]
    NotXml(quick_xml::Error),
    /// An attribute is not XML.
    #[error("not XML: {0}")]
    Attribute(AttrError),
    /// There is none.
    #[error("no element")]
    None,
    /// The record ends within it.
    #[error("the record ends too early")]
    CutOff,
    /// Text beside elements.
    #[error("text stands where elements are expected")]
    Text,
    /// Elements within too many others.
    #[error("elements lie more than {DEPTH_MAX} deep within each other")]
    TooDeep,
    /// An element of another name.
    #[error("an element {name:?} stands here, \"{expected}\" is expected")]
    Unexpected {
        /// Its name.
        name: String,
        /// The name of the type.
        expected: String,
    },
    /// An attribute that no module has.
    #[error("the attribute {0:?} is none of the module's")]
    UnknownAttribute(String),
    /// An element that the type does not have.
    #[error("no component is named {0:?}")]
    NoComponent(String),
    /// A component with two values.
    #[error("\"{0}\" stands twice")]
    Twice(String),
    /// A CHOICE with nothing in it.
    #[error("a CHOICE without an alternative")]
    NoAlternative,
    /// A CHOICE with more than one element in it.
    #[error("a CHOICE with two alternatives")]
    TwoAlternatives,
    /// An element within one whose name is its value.
    #[error("\"{0}\" is a value, nothing stands in it")]
    WithinName(String),
    /// An element within the text of a value.
    #[error("an element {0:?} stands within a value")]
    WithinValue(String),
    /// A bit string whose bits have other names.
    #[error("the bits of this BIT STRING have other names")]
    NoBit,
    /// A bit string with other characters.
    #[error("a BIT STRING is made of 0 and 1")]
    NotBits,
    /// Two names where there is one value.
    #[error("a value of two names")]
    TwoNames,
    /// A name beside text where there is one value.
    #[error("a value of a name and text")]
    NameAndText,
    /// Text that is not a value of its type.
    #[error("{text:?} is not {expected}")]
    Value {
        /// Its beginning.
        text: String,
        /// What the type has there.
        expected: &'static str,
    },
    /// A reference to an entity that XML does not have.
    #[error("no entity is named {0:?}")]
    NoEntity(String),
}
