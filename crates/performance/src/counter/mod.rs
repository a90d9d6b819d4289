//! Counters: of which kind each is, what one that runs on has counted in a period, and how values of many objects or periods become
//! one.
//!
//! What 3GPP calls a cumulative counter (CC, TS 32.404) begins again with each period of collection: here, it is a count of the
//! period. A counter that runs on is one of an interface (RFC 2863) or of another system that has no such periods.

mod advance;
mod combined;
mod kind;

pub use advance::{Advance, Width};
pub use combined::{Combined, Combining};
pub use kind::{Counter, Counters, Kind};
