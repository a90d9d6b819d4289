//! Selects the next task and its worker: the queue, shares of groups, the number of threads, their processors.

pub(crate) mod autoscale;
pub(crate) mod batch;
pub(crate) mod queue;
pub(crate) mod worker_plan;
