//! What any long-running service needs of its machine: the time of day, threads and processors, memory and disks, files that
//! change, a socket at which it is asked, and how long to wait before something is tried again.
//!
//! Nothing here knows what a service does. There is no asynchronous code here either; `remote` and `serve` have that.
#![forbid(unsafe_code)]

pub mod affinity;
pub mod backoff;
pub mod control_socket;
pub mod disk;
pub mod durable;
pub mod file_watch;
pub mod join_deadline;
pub mod memory_pressure;
pub mod parallel;
pub mod shutdown;
pub mod sync;
pub mod threads;
pub mod time;
pub mod uptime;
