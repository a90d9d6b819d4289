//! What thresholds have found.
//!
//! An alarm is that of a threshold and an object: it is raised and cleared in the transaction of the job with whose file that is found. So
//! it is there once, with the value and the limit that it is about, in the terms of ITU-T X.733 (event type `qualityOfServiceAlarm`,
//! probable cause `thresholdCrossed`).
#![forbid(unsafe_code)]

mod alarms;

pub use alarms::{Finding, ListedAlarms, ThresholdAlarm, alarms, clear_others, crossed, prune};
