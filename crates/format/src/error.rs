//! The reasons why octets are not a record, and why a record cannot be written, shown or corrected.
//!
//! A result with one of the first two comes with every record, so they are as small as a string, and large causes are
//! boxed. Messages are complete: no code prints the chain of causes.

use std::io;
use std::sync::Arc;

use asn1::{ber, jer};
use diagnostics::encoding::Unmappable;
use reason::{Code, Coded, Description};
use record::{Record, ValueFault};

use crate::ber::BerError;
use crate::column::ColumnError;
use crate::csv::HeaderError;
use crate::json::JsonError;
use crate::text::TextError;
use crate::xml::{ElementError, MarkupError};

/// The reason why octets of a file are not a record. The file is at fault; a retry gives the same.
#[derive(Debug, thiserror::Error, Coded)]
#[code("read")]
pub enum ReadError {
    /// A line, or text that is not in the encoding of its file.
    #[error(transparent)]
    Text(#[from] TextError),
    /// BER, and the framing of its records.
    #[error(transparent)]
    Ber(#[from] Box<BerError>),
    /// The header of a CSV file: one reason for all pieces of the file.
    #[error(transparent)]
    Header(Arc<HeaderError>),
    /// A value in a column of CSV or of fixed width.
    #[error(transparent)]
    Column(#[from] Box<ColumnError>),
    /// A line of JSON.
    #[error(transparent)]
    Json(#[from] Box<JsonError>),
    /// The elements around and between the records of an XML file.
    #[error(transparent)]
    Markup(#[from] Box<MarkupError>),
    /// The element that is a record.
    #[error(transparent)]
    Element(#[from] Box<ElementError>),
    /// A row of a file of measurements.
    #[error(transparent)]
    Measurements(#[from] Box<::measurements::Fault>),
    /// An error of a format outside this crate.
    #[error(transparent)]
    Other(Box<OtherError>),
}

/// The reason why a record cannot be written. The record, or the script that made it, is at fault.
#[derive(Debug, thiserror::Error, Coded)]
#[code("write")]
pub enum WriteError {
    /// BER.
    #[error(transparent)]
    Ber(Box<ber::EncodeError>),
    /// JSON, or the parts of XML and columns that use it.
    #[error(transparent)]
    Json(Box<jer::WriteError>),
    /// The value of a column.
    #[error(transparent)]
    Value(#[from] ValueFault),
    /// A CHOICE without an alternative.
    #[error("\"{field}\": no alternative is chosen", field = .0)]
    NotChosen(Box<str>),
    /// A value that does not fit into its column of fixed width.
    #[error(transparent)]
    TooWide(Box<TooWide>),
    /// A value of this column with a line end, in a format with one record per line.
    #[error("the value of \"{field}\" has a line end in it", field = .0)]
    LineEnd(Box<str>),
    /// Octets that are not UTF-8, for text in another encoding. The error shows them.
    #[error("a value has octets that are no UTF-8: \"{octets}\"", octets = .0)]
    NotUtf8(Box<str>),
    /// A character that the encoding of the file does not have.
    #[error(transparent)]
    Unmappable(Box<Unmappable>),
    /// An error of a format outside this crate.
    #[error(transparent)]
    Other(Box<OtherError>),
}

const _: () = assert!(size_of::<Result<Record, ReadError>>() <= size_of::<String>());
const _: () = assert!(size_of::<Result<(), WriteError>>() <= size_of::<String>());

/// The error of a format outside this crate.
#[derive(Debug, thiserror::Error)]
#[error("{0}")]
pub struct OtherError(Box<dyn Coded + Send + Sync>);

impl Coded for OtherError {
    fn describe(&self, description: &mut Description) {
        self.0.describe(description);
    }

    fn codes() -> Vec<Code> {
        Vec::new()
    }
}

/// A value that is wider than its column.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error, Coded)]
#[code("write-too-wide")]
#[error("the value of \"{column}\" has {characters} characters, the column has {width}")]
pub struct TooWide {
    /// The column.
    pub column: String,
    /// The characters of the value.
    pub characters: usize,
    /// The characters of the column.
    pub width: usize,
}

/// The reason why a record that was set aside cannot be shown or corrected as JSON.
#[derive(Debug, thiserror::Error)]
pub enum EditError {
    /// The format cannot show its records.
    #[error("records of this format are not shown")]
    NotShown,
    /// The format cannot create its records from JSON.
    #[error("records of this format are not written")]
    NotWritten,
    /// The octets cannot be read.
    #[error(transparent)]
    Io(#[from] io::Error),
    /// The octets contain no record.
    #[error("there is no record in these octets")]
    Empty,
    /// The octets contain several records.
    #[error("there is more than one record in these octets")]
    Several,
    /// The octets are not a record.
    #[error(transparent)]
    Read(#[from] ReadError),
    /// The JSON is not a record.
    #[error(transparent)]
    Json(#[from] JsonError),
    /// The record cannot be written.
    #[error(transparent)]
    Write(#[from] WriteError),
}

impl ReadError {
    /// Creates an error of a format outside this crate.
    #[cold]
    pub fn other(cause: impl Coded + Send + Sync + 'static) -> Self {
        ReadError::Other(Box::new(OtherError(Box::new(cause))))
    }
}

impl From<HeaderError> for ReadError {
    #[cold]
    fn from(error: HeaderError) -> Self {
        ReadError::Header(Arc::new(error))
    }
}

impl From<BerError> for ReadError {
    #[cold]
    fn from(error: BerError) -> Self {
        ReadError::Ber(Box::new(error))
    }
}

impl From<jer::ReadError> for ReadError {
    #[cold]
    fn from(error: jer::ReadError) -> Self {
        ReadError::Json(Box::new(error.into()))
    }
}

impl WriteError {
    /// Creates an error of a format outside this crate.
    #[cold]
    pub fn other(cause: impl Coded + Send + Sync + 'static) -> Self {
        WriteError::Other(Box::new(OtherError(Box::new(cause))))
    }
}

impl From<ber::EncodeError> for WriteError {
    #[cold]
    fn from(error: ber::EncodeError) -> Self {
        WriteError::Ber(Box::new(error))
    }
}

impl From<jer::WriteError> for WriteError {
    #[cold]
    fn from(error: jer::WriteError) -> Self {
        WriteError::Json(Box::new(error))
    }
}

impl From<Unmappable> for WriteError {
    #[cold]
    fn from(error: Unmappable) -> Self {
        WriteError::Unmappable(Box::new(error))
    }
}
