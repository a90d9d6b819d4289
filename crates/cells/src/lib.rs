//! CSV (RFC 4180): where a row ends, which values it has, and what is wrong with it. One reader of it for records,
//! tariffs and the tables of scripts, so that all take the same for a row.
//!
//! [`Rules`] know rows and values of octets, of which more may come. A [`Sheet`] is a table that people write, with
//! its mistakes where they are.
//!
//! A value that begins with a quote ends with one; a quote within stands there twice. Where that is not so, the row is
//! damaged up to its first line end, and no further: a quote that is not closed takes no row behind it along.
#![forbid(unsafe_code)]

mod rules;
mod sheet;

pub use rules::{Blanks, Fault, LineEnd, Row, Rules, Value, What};
pub use sheet::{Cell, Notes, Sheet};
