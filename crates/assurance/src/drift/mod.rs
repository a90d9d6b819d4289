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
pub mod nested;
pub(crate) mod profile;
pub(crate) mod seasonality;
mod settings;

pub use self::settings::DRIFT;
pub(crate) use self::settings::Drift;
pub(crate) use book::Learning;
pub use book::{ALARMS, close, forget, take};
pub use profile::{FileProfile, Noted, Watcher, Where};
