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

// EXPORTS
pub use flow_journal::JournalError;
pub use groups::EACH_MAX;
pub use logging::LogFormat;
pub use logging::Logging;
pub use logging::Rotate;
pub use recent::Recent;
pub use report::FILE_BEGUN;
pub use report::FILE_DONE;
pub use report::FileAccount;
pub use report::NodeAccount;
pub use report::OutputAccount;
pub use report::PROCESS_BEGUN;
pub use report::PassedOver;
pub use report::REMEMBERED_MAX;
pub use report::Report;
pub use report::SAID_BESIDE;
pub use report::WORKER_THREAD;
pub use serving::Serving;
pub use serving::make_state;
pub use serving::serving;
pub use serving::state;
