//! Files of performance measurements, as values, parsed in place.
//!
//! | format | root element | source |
//! |---|---|---|
//! | [`Format::Ts32435`] | `measCollecFile` | 3GPP TS 32.435 |
//! | [`Format::Ts28532`] | `measDataFile` | 3GPP TS 28.532, annex A |
//! | [`Format::Ts32401`] | `mdc` | 3GPP TS 32.401, annex A: the older form with a DTD |
//! | [`Format::Omes`] | `OMeS` | one vendor's `PMSetup` and `PMMOResult` |
//!
//! All have the same shape: a header; sections, each with its network element; in them infos, each with a period and the
//! names of its counters; in them a [`Row`] for each measured object. A [`Parser`] finds these in octets that arrive in
//! parts, and keeps only the heads of what is open. A row is handed out with [all that is needed to read it
//! alone](Parser::octets): a small file with this row only. Its texts are [places](Text) in that file, its numbers are
//! parsed, and neither costs an allocation.
//!
//! What was not measured is [absent](Value::Absent), never 0.
//!
//! The namespace of the root does not count, since senders mix them up. Damage in a row affects this row alone, damage in the
//! head of an info this info, and reading goes on behind it.
#![forbid(unsafe_code)]

mod context;
mod dialect;
mod fault;
mod markup;
mod number;
mod parser;
mod row;
mod text;
mod time;
mod wanted;

pub use context::{Context, Format};
pub use fault::Fault;
pub use markup::declaration;
pub use parser::{Found, Parser, Rest, Step};
pub use row::{Row, Value};
pub use text::{Text, plain};
pub use time::{Offset, Time, seconds};
pub use wanted::Wanted;

/// Returns the codes of the errors of this crate, for the index of all codes.
pub fn codes() -> Vec<reason::Code> {
    use reason::Coded as _;

    Fault::codes()
}
