//! What a gateway does each second: it scans, lets work begin or wait, retries, and forgets what is too old.

pub(crate) mod admission;
pub(crate) mod doubted;
pub(crate) mod poison;
pub(crate) mod pool;
pub(crate) mod retention;
pub(crate) mod rounds;
