//! Definition of a flow: its file, graph and drawing, its reports and metrics. It applies whether a gateway runs or
//! not.

pub(crate) mod backlog;
pub(crate) mod coupling;
pub mod csv;
pub mod drawing;
pub(crate) mod exposed;
pub mod file;
pub(crate) mod fingerprint;
pub(crate) mod flow_journal;
pub(crate) mod fusion;
pub mod graph;
pub(crate) mod groups;
pub(crate) mod limits;
pub(crate) mod logging;
pub mod meters;
pub(crate) mod missing;
pub(crate) mod names;
pub(crate) mod outcome;
pub(crate) mod patterns;
pub(crate) mod recent;
pub(crate) mod report;
pub(crate) mod schema;
pub(crate) mod serving;
pub(crate) mod topology;
