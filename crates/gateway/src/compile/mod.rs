//! From a flow file to what runs: plans for all rooms, nodes, and checks that need more than the file's text.

pub mod alarms;
pub(crate) mod beside;
#[cfg(any(fuzzing, test))]
pub mod outside;
pub(crate) mod paths;
pub mod prepare;
pub(crate) mod refused;
pub(crate) mod untaken;
