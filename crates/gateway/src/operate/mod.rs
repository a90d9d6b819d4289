//! The operations of users: each operation of the command line and the API is a function here.

pub(crate) mod audit;
pub(crate) mod counters;
pub(crate) mod matching;
pub(crate) mod received_files;
pub(crate) mod report;
pub(crate) mod reprocess;
pub(crate) mod request;
pub(crate) mod suspense;
pub mod trail;
