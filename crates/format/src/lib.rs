//! Converts the octets of a file to records and back.
//!
//! | codec | in | out |
//! |---|---|---|
//! | `ber` | [framings](mod@ber): one after another with filler, length prefixes, TS 32.297, batches | one after another |
//! | `json` | JER (X.697), one record per line | the same |
//! | `csv` | RFC 4180, columns by name or by settings | the same |
//! | `fixed` | lines of columns of fixed width | the same |
//! | `xml` | BASIC-XER (X.693, clause 8), records within one element | the same |
//! | `measurements` | [files of performance measurements](mod@measurements), a record for each measured object | – |
//!
//! Files are read through a [`window::Window`], so that memory does not grow with them. Octets that are no record are
//! returned with the reason, and reading continues after them.
#![forbid(unsafe_code)]

mod again;
mod anatomy;
pub mod ber;
mod codecs;
pub mod coding;
mod column;
mod csv;
mod error;
mod fixed;
pub mod json;
mod measurements;
mod modules;
mod names;
mod patience;
mod text;
mod unbroken;
mod window;
mod xml;

pub use crate::measurements::{complete, own_module};
pub use again::InMemory;
pub use ber::Framing;
pub use codecs::CODING_KEYS;
pub use coding::{
    Codecs, Contents, Excerpt, Formats, Input, Keeping, Loaded, ModuleTable, NextEnd, Output,
    PassedOver, Read, Reader, Stretch, Stretches, Types, Writer,
};
pub use column::ColumnError;
pub use csv::HeaderError;
pub use error::{EditError, ReadError, TooWide, WriteError};
pub use modules::{OperatorModules, set_tagging};
pub use text::{EncodingError, TextError};
pub use xml::{ElementError, ElementFault, MarkupError};

/// Returns the codes of the errors of this crate and of those below it, for the index of all codes.
pub fn codes() -> Vec<reason::Code> {
    use reason::Coded as _;

    [
        text::TextError::codes(),
        text::EncodingError::codes(),
        column::ColumnError::codes(),
        xml::MarkupError::codes(),
        xml::ElementFault::codes(),
        csv::HeaderError::codes(),
        ::measurements::codes(),
        error::WriteError::codes(),
        error::TooWide::codes(),
        ber::BerError::codes(),
        ber::FileHeaderError::codes(),
        ber::RecordHeaderError::codes(),
        ber::BatchError::codes(),
        asn1::codes(),
        cells::codes(),
        record::codes(),
        diagnostics::encoding::codes(),
    ]
    .concat()
}
