//! A flow: what its file says, and what users see of it, whether a gateway runs it or not.
//!
//! [`file`] reads the TOML text, and [`graph`] checks which nodes give records to which. The result is a [`topology`]:
//! all other crates refer to network elements, nodes and systems by their places in it. [`drawing`] draws a flow and
//! edits its text. [`coupling`] finds network elements that run together, and [`fusion`] nodes that become one.
//!
//! Of a run there are the [`report`] with its counts of records, the metrics ([`meters`]) and the obstacles
//! ([`backlog`]). [`reasons`] are why records, files and deliveries are refused, and [`privacy`] says who sees subscriber
//! data. [`flow_journal`] opens the journal of a flow by the path of its file; [`schema`] has all its tables.
#![forbid(unsafe_code)]

pub mod backlog;
pub mod coupling;
pub mod csv;
pub mod drawing;
pub mod exposed;
pub mod file;
pub mod fingerprint;
pub mod flow_journal;
pub mod fusion;
pub mod graph;
pub mod groups;
pub mod limits;
pub mod logging;
pub mod meters;
pub mod missing;
pub mod names;
pub mod outcome;
pub mod patterns;
pub mod privacy;
pub mod reasons;
pub mod report;
pub mod schema;
pub mod serving;
pub mod topology;

pub use flow_journal::JournalError;
pub use groups::EACH_MAX;
pub use logging::{LogFormat, Logging, Rotate};
pub use report::{
    FILE_BEGUN, FILE_DONE, FileAccount, NodeAccount, OutputAccount, PROCESS_BEGUN, PassedOver,
    REMEMBERED_MAX, Report, SUBPROCESS_TARGET, WORKER_THREAD,
};
pub use serving::{Serving, make_state, second_person_wanted, serving, state};
