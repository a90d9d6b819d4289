//! Reads ASN.1 modules into a record schema and a plan, and codes BER and JER by the plan, in both directions.
#![forbid(unsafe_code)]

pub mod ber;
pub mod contents;
mod encoding;
mod identifiers;
mod integers;
pub mod jer;
pub mod limits;
mod modules;
mod notation;
mod places;
mod plan;
mod resolve;

pub use encoding::{Class, Encoding, Specification, Tag, Tags};
pub use integers::Integer;
pub use modules::Modules;
pub use notation::syntax::Tagging;
pub use places::DefinedAt;
pub use plan::{Outline, Plan};
pub use resolve::Resolver;

/// Returns the codes of the errors of this crate, for the index of all codes.
pub fn codes() -> Vec<reason::Code> {
    use reason::Coded as _;

    [
        ber::Reason::codes(),
        ber::EncodeError::codes(),
        contents::Fault::codes(),
        jer::ReadError::codes(),
        jer::WriteError::codes(),
    ]
    .concat()
}
