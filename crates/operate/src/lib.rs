//! The operations of users: each operation of the command line and the API is here, as an
//! [`Operation`](operation::Operation) in the module of its noun.
//!
//! [`deliveries`] lists, retries and discards deliveries, [`alarms`] lists and acknowledges alarms, [`files`] lists the files
//! that were processed and allows them to be processed again, and [`trail`] lists who changed what. The modules below have
//! functions that are not declared as operations yet.
//!
//! [`suspense`] corrects and retries records, [`matching`] lists and ends groups that wait, and [`counters`] lists the
//! counters that a user must decide about, and changes them. [`audit`](mod@audit) shows what became of the files that
//! came.
//!
//! Some changes are for the process that runs the flow alone. They are a [`request`] in the journal: a gateway carries
//! it out, or else the caller.
#![forbid(unsafe_code)]

pub mod alarms;
pub mod audit;
pub mod context;
pub mod counters;
pub mod deliveries;
pub mod files;
pub mod matching;
pub mod moment;
pub mod operation;
pub mod page;
pub mod refusal;
pub mod request;
pub mod shared;
pub mod suspense;
pub mod trail;

pub use audit::{
    AuditAmount, AuditCount, AuditDifference, AuditQuery, AuditReport, ForgottenFiles, audit,
};
pub use counters::change::{CountersError, change_counters};
pub use counters::doubt::{CountersInDoubt, Doubt, NodeInDoubt, RequestedDeed, counters_in_doubt};
pub use matching::end::{ENDED_AT_ONCE, EndedGroup, EndedGroups, end_groups};
pub use matching::report::{HeldGroup, HeldIn, HeldPart, HeldQuery, RequestedEnd, held, held_in};
pub use request::AskError;
pub use suspense::correct;
