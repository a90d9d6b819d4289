//! The gateway: flow file, graph, jobs, workers; knows no node kind and no script.
//!
//! ```text
//! flow.toml -> file -> graph -> run ─┬─ worker: file in -> records -> nodes -> staged outputs -> renamed
//!                                    └─ worker: ...
//! ```
#![forbid(unsafe_code)]

mod asn1_formats;
mod ber_file;
pub mod coding;
mod collect;
mod csv;
pub mod file;
pub mod graph;
mod output;
mod report;
mod run;
mod worker;

pub use asn1_formats::Asn1Formats;
pub use report::{FileAccount, OutputAccount, Report};
pub use run::{Parts, RunError, RunOptions, check, run};
