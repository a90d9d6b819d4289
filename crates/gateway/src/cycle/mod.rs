//! The work of a gateway each second: it scans, lets work begin or wait, retries, and forgets old files and groups.

pub(crate) mod admission;
pub(crate) mod doubted;
pub(crate) mod poison;
pub(crate) mod pool;
pub(crate) mod retention;
pub(crate) mod rounds;
