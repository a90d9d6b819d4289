//! What a service that runs for long needs of its machine, whatever it does: time, threads and processors, memory and
//! disks, files that change, and a socket at which it is asked.
//!
//! Nothing here knows what a service is for.
#![forbid(unsafe_code)]

pub mod disk;
pub mod door;
pub mod locked;
pub mod memory;
pub mod parallel;
pub mod patience;
pub mod placement;
pub mod threads;
pub mod time;
pub mod uptime;
pub mod watch;
