//! Counters of subscribers: listed, and moved, accepted or forgotten by request.

pub(crate) mod change;
pub(crate) mod doubt;
