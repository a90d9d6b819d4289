//! ASN.1 modules to record schema and plan; BER over the plan, both ways; JER.
#![forbid(unsafe_code)]

mod encoding;

pub use encoding::{Class, Encoding, Specification, Tag, Tags};
