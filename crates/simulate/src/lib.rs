//! Workloads: call data record files, and their faults.
//!
//! Knows no codec of ours: what it writes is the second opinion that the gateway is checked against.

pub mod cdr;
pub mod example;
mod random;

pub use random::Random;
