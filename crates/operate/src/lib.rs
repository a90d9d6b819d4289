//! The operations of users: each operation of the command line and the API is a function here.
#![forbid(unsafe_code)]

pub mod audit;
pub mod counters;
pub mod matching;
pub mod received_files;
pub mod report;
pub mod reprocess;
pub mod request;
pub mod suspense;
pub mod trail;

pub use audit::{
    AuditAmount, AuditCount, AuditDifference, AuditQuery, AuditReport, ForgottenFiles, audit,
};
pub use counters::change::{CountersError, change_counters};
pub use counters::doubt::{
    AskedOfCounters, CountersInDoubt, Doubt, NodeInDoubt, counters_in_doubt,
};
pub use matching::asked::{ENDED_AT_ONCE, EndedGroup, EndedGroups, end_groups};
pub use matching::report::{AskedEnd, HeldGroup, HeldIn, HeldPart, HeldQuery, held, held_in};
pub use received_files::{Came, WhichCame, came};
pub use report::{acknowledge, alarms, raised_alarms, recent_alarms};
pub use reprocess::{AgainQuery, again};
pub use request::AskError;
pub use suspense::{correct, retry};
