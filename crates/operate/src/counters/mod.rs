//! Counters of subscribers: listed, and moved, accepted or forgotten by request.

pub mod change;
pub mod doubt;
