//! The work on a task: a worker reads a file and takes each record through the graph.

pub(crate) mod chunks;
pub(crate) mod crew;
pub(crate) mod hangs;
pub(crate) mod job;
pub(crate) mod job_view;
pub mod options;
pub(crate) mod pipeline;
pub(crate) mod running;
pub(crate) mod worker;
