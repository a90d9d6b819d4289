//! ASN.1 modules to record schema and plan; BER over the plan, both ways; JER.
#![forbid(unsafe_code)]

pub mod ber;
mod encoding;
mod identifiers;
pub mod jer;
pub mod limits;
mod modules;
mod notation;
mod places;
mod plan;
mod resolve;

pub use encoding::{Class, Encoding, Specification, Tag, Tags};
pub use modules::Modules;
pub use notation::syntax::Tagging;
pub use places::DefinedAt;
pub use plan::{Outline, Plan};
pub use resolve::Resolver;
