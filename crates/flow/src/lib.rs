//! Definition of a flow: its file, graph and drawing, its reports and metrics. It applies whether a gateway runs or
//! not.
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
pub mod recent;
pub mod report;
pub mod schema;
pub mod serving;
pub mod topology;

pub use flow_journal::JournalError;
pub use groups::EACH_MAX;
pub use logging::{LogFormat, Logging, Rotate};
pub use recent::Recent;
pub use report::{
    FILE_BEGUN, FILE_DONE, FileAccount, NodeAccount, OutputAccount, PROCESS_BEGUN, PassedOver,
    REMEMBERED_MAX, Report, SAID_BESIDE, WORKER_THREAD,
};
pub use serving::{Serving, make_state, serving, state};
