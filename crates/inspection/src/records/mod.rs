//! Inspects files: the records of collected files, of files that wait to be collected, and of outputs, each taken
//! apart.
//!
//! ```text
//! which file ─▶ place: where it lies, and how it is read ─▶ octets ─▶ read: some records, or those that are searched for
//! ```
//!
//! A client never gives a path. A file is one that the journal has, or that lies in the folder of a network element;
//! the journal, the archive and the flow say where it is. The work is bounded: a client that wants more continues where
//! the answer ended.

mod octets;
mod picked;
mod place;
mod read;

pub use picked::picked;
pub(crate) use place::CollectedAt;
pub use place::{Placed, collected, find};
pub use read::begin;

use std::io;
use std::path::Path;

use record::Anatomy;

use crate::masking::Mask;
use flow::flow_journal::JournalError;
use gateway::compile::prepare::{Parts, prepare};
use gateway::plan::Plan;

/// The file to inspect.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum RecordsOf {
    /// A collected file, by the number of its job.
    Collected(i64),
    /// The last collected file of a name; or one that waits to be collected.
    Named {
        /// The network element that it is collected from.
        network_element: String,
        /// Its name in the gateway.
        file: String,
    },
    /// The output of a job for a post-processing system.
    Made {
        /// The number of the job.
        job: i64,
        /// The post-processing system.
        post_processing_system: String,
    },
    /// A delivered file, or one to deliver, by the number of the delivery.
    Delivered(i64),
}

/// A request for records of a file.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RecordsQuery {
    /// The file.
    pub of: RecordsOf,
    /// Where reading begins.
    pub from: Beginning,
    /// The most records of an answer.
    pub limit: usize,
    /// If set, only records that match are returned.
    pub search: Option<Search>,
    /// If set, subscriber data is masked, also for the search, and no octets are returned.
    pub mask: Option<Mask>,
}

/// Where reading begins.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Beginning {
    /// The number of the first record that is wanted, from 1.
    pub record: u64,
    /// Where that record is, if an answer said so before; otherwise all records before it are read again.
    pub at: Option<At>,
}

/// The place up to which a file was read.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct At {
    /// The number of the next record.
    pub record: u64,
    /// The octet of the file at which it begins.
    pub offset: u64,
}

/// What a record must contain. An empty string matches any record.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Search {
    /// The name of a part, or its end after a dot: `servedIMSI`, `location.cell`. Case does not matter.
    pub field: String,
    /// A string that the value of that part contains, or of any part if `field` is empty. Case does not matter.
    pub value: String,
}

/// A file that was inspected.
#[derive(Clone, Debug)]
pub struct Records {
    /// The node of the file: a network element, or a post-processing system.
    pub node: String,
    /// Its name.
    pub file: String,
    /// Where the file lies.
    pub lies: Lies,
    /// The number of its job in the journal, if it has one.
    pub job: Option<i64>,
    /// The size of the file in octets as it lies there, not unpacked.
    pub octets: u64,
    /// The records.
    pub records: Vec<Record>,
    /// The number of records that were read for them.
    pub read: u64,
    /// Where to continue, unless the whole file was read.
    pub next: Option<Beginning>,
}

/// Where a file lies.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Lies {
    /// In the folder that it is collected from.
    Collected,
    /// In the archive.
    Archive,
    /// In the folder of a post-processing system, or where it waits for its delivery.
    Output,
}

/// A record of a file, or octets that are not a record.
#[derive(Clone, Debug)]
pub struct Record {
    /// Its number, from 1.
    pub record: u64,
    /// Where it begins in the file, once that is unpacked.
    pub offset: u64,
    /// Its length in octets.
    pub length: u64,
    /// Its octets, or the first of them. Empty if subscriber data is masked.
    pub octets: Vec<u8>,
    /// Why the octets are not a record, if so.
    pub problem: Option<String>,
    /// The parts of the record.
    pub anatomy: Anatomy,
}

/// Why a file cannot be read.
#[derive(Debug, thiserror::Error)]
pub enum RecordsError {
    /// There is no journal, or it cannot be read.
    #[error(transparent)]
    Journal(#[from] JournalError),
    /// The journal, or the folder, has no such file.
    #[error("{0}")]
    Unknown(String),
    /// The file was there, and is gone.
    #[error("{0}")]
    Gone(String),
    /// The flow does not say how the file is read.
    #[error("{0}")]
    Flow(String),
    /// The file cannot be read.
    #[error("\"{file}\" cannot be read: {cause}")]
    Read {
        /// The name of the file.
        file: String,
        /// The cause.
        #[source]
        cause: io::Error,
    },
}

/// Reads records of a file as the flow's files say now how it is read. A gateway may run the flow or not.
pub fn records(
    flow: &Path,
    parts: Parts<'_>,
    query: &RecordsQuery,
) -> Result<Records, RecordsError> {
    let plan = plan(flow, parts)?;
    let placed = place::find(flow, &plan, &query.of)?;
    read::read(placed, query)
}

/// Prepares a flow that must have no mistakes.
pub fn plan(flow: &Path, parts: Parts<'_>) -> Result<Plan, RecordsError> {
    prepare(flow, parts).sound().map_err(|mistakes| {
        let first = mistakes.iter().find(|mistake| mistake.is_error());
        let first = first.map_or(String::new(), ToString::to_string);
        RecordsError::Flow(format!(
            "the flow has mistakes, so its files cannot be read; the first is\n\n{first}"
        ))
    })
}
