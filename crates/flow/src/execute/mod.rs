//! What a worker does with a task: it reads a file and takes each record through the graph.

pub(crate) mod chunks;
pub(crate) mod hangs;
pub(crate) mod job;
pub(crate) mod job_view;
pub(crate) mod options;
pub(crate) mod pipeline;
pub(crate) mod running;
pub(crate) mod worker;
