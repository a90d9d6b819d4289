//! ASN.1 modules to record schema and plan; BER over the plan, both ways; JER.
#![forbid(unsafe_code)]

pub mod ber;
mod encoding;
pub mod limits;
mod plan;

pub use encoding::{Class, Encoding, Specification, Tag, Tags};
pub use plan::Plan;
