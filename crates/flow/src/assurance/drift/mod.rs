//! Finds deviations in the files of a network element: new things, missing things, and unusual amounts.
//!
//! ```text
//! seen: a worker counts what records have ─▶ pending, with the sequences' ─▶ learned: what is usual ─▶ alarms
//!                                                                              └ hours: how much, by hour of the week
//! ```
//!
//! A worker does not know what is usual: it notes what is present, and the first place. When the journal has the file,
//! this is compared with what was learned, once per file.

pub(crate) mod baseline;
mod book;
pub(crate) mod nested;
pub(crate) mod profile;
pub(crate) mod seasonality;
mod settings;

pub(crate) use self::settings::{DRIFT, Drift};
pub(crate) use book::{ALARMS, Learning, close, forget, take};
pub(crate) use profile::{Noted, Seen, Watcher, Where};
