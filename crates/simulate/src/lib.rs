//! Workloads: files of call data records, and their faults.
//!
//! This crate uses no codec of records of the product: its files are the second opinion that the gateway is checked against.

pub mod calls;
pub mod cdr;
pub mod diameter;
pub mod example;
mod file;
pub mod fraud;
pub mod measurements;
pub mod population;
mod random;
mod truth;

pub use file::WriteError;
pub use random::Random;
pub use truth::TRUTH;
