//! A gateway from its start to its end: running, taking a changed flow, and the entry of its child processes.

pub(crate) mod child;
pub mod reload;
pub mod run;
