//! The operations of users: each operation of the command line and the API is here, as an
//! [`Operation`](operation::Operation) in the module of its noun.
//!
//! [`deliveries`] lists, retries and discards deliveries, [`alarms`] lists and acknowledges alarms,
//! [`files`] lists the files that were processed, shows their records and allows them to be
//! processed again, and [`trail`] lists who changed what. [`trace`] shows where records came from and
//! where they went. [`matching`] lists and ends groups that wait. [`counters`]
//! shows counters of subscribers, lists those that a user must decide about, and changes them.
//! [`suspense`] lists, shows, edits, retries, discards and reopens records. [`tariff`] explains prices, and lists, loads
//! and withdraws versions of tariff plans.
//!
//! [`replay`](mod@replay) tries a change of the flow on earlier files.
//! [`scripts`] checks drafts of scripts, tries them on records, and replaces scripts while records flow.
//!
//! [`drawing`] draws the flow and edits its file, and [`versions`](mod@versions) saves, compares and activates versions of the flow, and
//! [`people`](mod@people) manages users and tokens.
//!
//! [`audit`](mod@audit) and [`sequences`] report what came and where it went, and accept missing
//! sequence numbers as lost.
//!
//! [`prepaid`](mod@prepaid) shows and changes prepaid accounts.
//!
//! [`fraud`] lists what rules have found.
//!
//! [`privacy`] masks subscriber data for roles that may not see it, and records views of it.
//!
//! Some changes are for the process that runs the flow alone. They are a [`request`] in the
//! journal: a gateway carries it out, or else the caller.
#![forbid(unsafe_code)]

pub mod actions;
pub mod alarms;
pub mod audit;
pub mod context;
pub mod counters;
pub mod deliveries;
pub mod drawing;
pub mod files;
pub mod fraud;
pub mod matching;
pub mod mistakes;
pub mod modules;
pub mod moment;
pub mod octets;
pub mod operation;
pub mod page;
pub mod people;
pub mod period;
pub mod prepaid;
pub mod privacy;
pub mod refusal;
pub mod replay;
pub mod request;
pub mod scripts;
pub mod sequences;
pub mod shared;
pub mod suspense;
pub mod tariff;
pub mod trace;
pub mod trail;
pub mod versions;

pub use audit::{
    AuditAmount, AuditCount, AuditDifference, AuditQuery, AuditReport, ForgottenFiles, audit,
};
