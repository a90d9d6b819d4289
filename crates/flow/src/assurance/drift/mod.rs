//! What is out of the usual in the files of a network element: what never came before or comes no more, and how much.
//!
//! ```text
//! seen: a worker counts what records have ─▶ pending, with the sequences' ─▶ learned: what is usual ─▶ alarms
//!                                                                              └ hours: how much, by hour of the week
//! ```
//!
//! A worker knows nothing of what is usual: it notes what is there, and where it was first. That is held against what was
//! learned once a file, when the journal has it.

pub(crate) mod baseline;
mod book;
pub(crate) mod nested;
pub(crate) mod profile;
pub(crate) mod seasonality;
mod settings;

pub(crate) use self::settings::{DRIFT, Drift};
pub(crate) use book::{ALARMS, Learning, close, forget, take};
pub(crate) use profile::{Noted, Seen, Watcher, Where};
