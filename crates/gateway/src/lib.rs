//! The gateway: what runs a flow, from the flow file to the last commit. It knows no node kind and no script; these
//! come in as [`Parts`].
//!
//! ```text
//! compile: flow file ─▶ plan        cycle: each second ─▶ schedule: next task ─▶ execute: records ─▶ commit: journal
//! ```
//!
//! [`run`] runs a flow, and [`check`] returns the mistakes of its file. Each folder of `src` is a room: [`plan`],
//! [`execute`], `schedule`, [`commit`], `processes`, `cycle`, [`compile`] and [`service`]. `rooms.toml` lists which may
//! use which.
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

/// Returns the codes of the errors of this crate and of those below it, for the index of all codes.
pub fn codes() -> Vec<reason::Code> {
    use reason::Coded as _;

    [
        execute::pipeline::Duplicate::codes(),
        execute::worker::retry::NoRecord::codes(),
        cycle::poison::BrokeOff::codes(),
        execute::worker::FileRefusal::codes(),
        collection::codes(),
        state::codes(),
    ]
    .concat()
}
