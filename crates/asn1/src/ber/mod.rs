//! The Basic Encoding Rules (X.690) over a [`Plan`](crate::Plan), in both directions.
//!
//! Decoding walks the octets once and notes where each value lies; it converts and copies nothing. Encoding copies
//! unchanged parts as they came, with unknown elements.

mod anatomy;
mod around;
mod buffer;
mod decode;
mod encode;
mod header;
mod segments;
mod shallow;

pub use anatomy::take_apart;
pub use around::{Expected, ExplainedError, Explanation};
pub use decode::{DecodeError, Decoder};
pub use encode::{EncodeError, Encoder};
pub(crate) use header::key;
pub use header::{Header, INDEFINITE, Reason, TagText, extent, header};
pub(crate) use segments::Segments;
