//! Which task is next, and which worker gets it: the queue, shares of groups, the number of threads, their processors.

pub(crate) mod balance;
pub(crate) mod batch;
pub(crate) mod crew;
pub(crate) mod queue;
