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
pub use compile::prepare::Parts;
pub use compile::prepare::check;
pub use compile::prepare::draw;
pub use compile::prepare::logging;
pub use compile::prepare::parse;
pub use execute::options::Program;
pub use execute::options::RunOptions;
pub use processes::Wire;
pub use service::child::ProcessError;
pub use service::child::process;
pub use service::reload::Answer;
pub use service::reload::ReloadError;
pub use service::reload::reload;
pub use service::run::RunError;
pub use service::run::run;
pub use service::run::wait_for_room;
