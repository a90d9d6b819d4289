//! What people ask for and change: each operation of the command line and the API is a function here.

pub(crate) mod again;
pub(crate) mod archive;
pub(crate) mod asking;
pub(crate) mod audit;
pub(crate) mod came;
pub(crate) mod counters;
pub(crate) mod deliveries;
pub(crate) mod matching;
pub(crate) mod report;
pub(crate) mod sequence;
pub mod spreadsheet;
pub(crate) mod suspense;
pub mod trail;
