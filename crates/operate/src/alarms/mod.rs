//! Alarms: listed and acknowledged.

mod acknowledge;
mod list;
mod raised;

pub use acknowledge::{AcknowledgeAlarms, AcknowledgeError, ChangedAlarms};
pub use list::{Alarms, ListAlarms};
pub use raised::raised_alarms;
