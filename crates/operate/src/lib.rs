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

// EXPORTS
pub use audit::AuditAmount;
pub use audit::AuditCount;
pub use audit::AuditDifference;
pub use audit::AuditQuery;
pub use audit::AuditReport;
pub use audit::ForgottenFiles;
pub use audit::audit;
pub use counters::change::CountersError;
pub use counters::change::change_counters;
pub use counters::doubt::AskedOfCounters;
pub use counters::doubt::CountersInDoubt;
pub use counters::doubt::Doubt;
pub use counters::doubt::NodeInDoubt;
pub use counters::doubt::counters_in_doubt;
pub use matching::asked::ENDED_AT_ONCE;
pub use matching::asked::EndedGroup;
pub use matching::asked::EndedGroups;
pub use matching::asked::end_groups;
pub use matching::report::AskedEnd;
pub use matching::report::HeldGroup;
pub use matching::report::HeldIn;
pub use matching::report::HeldPart;
pub use matching::report::HeldQuery;
pub use matching::report::held;
pub use matching::report::held_in;
pub use received_files::Came;
pub use received_files::WhichCame;
pub use received_files::came;
pub use report::acknowledge;
pub use report::alarms;
pub use report::raised_alarms;
pub use report::recent_alarms;
pub use reprocess::AgainQuery;
pub use reprocess::again;
pub use request::AskError;
pub use suspense::correct;
pub use suspense::retry;
