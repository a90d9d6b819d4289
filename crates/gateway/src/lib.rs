//! The gateway: flow file, graph, jobs, workers. It knows no node kind and no script.
//!
//! ```text
//! flow.toml -> file -> graph -> prepare -> run -> rounds -> queue -> pool ─┬─ worker: file in -> records -> nodes -> staged ─┬─ settle
//!                                                                          └─ worker: ...                                  ─┘
//! ```
#![forbid(unsafe_code)]

pub mod commit;
pub mod compile;
mod cycle;
pub mod execute;
pub mod plan;
mod processes;
mod schedule;
pub mod service;

pub use compile::alarms::ALARMS;
#[cfg(any(fuzzing, test))]
pub use compile::outside;
pub use compile::prepare::{Parts, check, draw, logging, parse};
pub use execute::options::{Program, RunOptions};
pub use processes::Wire;
pub use service::child::{ProcessError, process};
pub use service::reload::{Answer, ReloadError, reload};
pub use service::run::{RunError, run, wait_for_room};
