//! The services of the machine for a long-running process: the time of day, threads and processors, memory and disks,
//! watched files, a control socket, and back-off for retries.
//!
//! This crate does not know what a service does, and has no asynchronous code; `remote` and `serve` have that.
#![forbid(unsafe_code)]

pub mod affinity;
pub mod backoff;
pub mod control_socket;
pub mod disk;
pub mod durable;
pub mod exchange;
pub mod file_watch;
pub mod join_deadline;
pub mod memory_pressure;
pub mod parallel;
pub mod shutdown;
pub mod sync;
pub mod threads;
pub mod time;
pub mod uptime;
