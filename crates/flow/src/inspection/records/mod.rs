//! Looking into files: the records of what was collected, of what waits to be, and of what was made, each taken apart.
//!
//! ```text
//! which file ─▶ place: where it lies, and how it is read ─▶ octets ─▶ read: some records, or those that are searched for
//! ```
//!
//! Nobody says a path. A file is one that the journal has, or that lies in the folder of a network element; where it is,
//! the journal, the archive and the flow say. All is bounded: whoever wants more goes on from where an answer ended.

mod octets;
mod place;
mod read;

pub(crate) use place::{CollectedAt, Placed, collected, find};
pub(crate) use read::begin;

use std::io;
use std::path::Path;

use record::Anatomy;

use crate::compile::prepare::{Parts, prepare};
use crate::definition::flow_journal::JournalError;
use crate::plan::Plan;

/// Which file is looked into.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum RecordsOf {
    /// One that came, by the number of its job.
    Came(i64),
    /// The last of a name that came; or one that waits where it is collected.
    Named {
        /// Where.
        network_element: String,
        /// Its name, as the gateway has it.
        file: String,
    },
    /// What a job made for a post-processing system.
    Made {
        /// The number of the job.
        job: i64,
        /// For whom.
        post_processing_system: String,
    },
    /// What is delivered, or was, by the number of the delivery.
    Delivered(i64),
}

/// What is asked of a file.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RecordsQuery {
    /// The file.
    pub of: RecordsOf,
    /// Where it begins.
    pub from: Beginning,
    /// Most records of an answer.
    pub limit: usize,
    /// Only those that have this in them.
    pub search: Option<Search>,
}

/// Where reading begins.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Beginning {
    /// The number of the first record that is wanted, from 1.
    pub record: u64,
    /// Where that is, as an answer before said it; otherwise all before it is read again.
    pub at: Option<At>,
}

/// A place up to which a file was read.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct At {
    /// The number of the record that comes next.
    pub record: u64,
    /// The octet of the file.
    pub offset: u64,
}

/// What a record must contain. An empty string matches any record.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Search {
    /// The name of a part, or its last letters behind a dot: `servedIMSI`, `location.cell`; whether large or small.
    pub field: String,
    /// What is in that part's value, or in any.
    pub value: String,
}

/// A file that was looked into.
#[derive(Clone, Debug)]
pub struct Records {
    /// The node whose file it is: a network element, or a post-processing system.
    pub node: String,
    /// Its name.
    pub file: String,
    /// Where it lies.
    pub lies: Lies,
    /// Under which number the journal has it, if it does.
    pub job: Option<i64>,
    /// Octets of the file as it lies there, not unpacked.
    pub octets: u64,
    /// The records.
    pub records: Vec<Record>,
    /// How many were read for them.
    pub read: u64,
    /// Where to go on, unless all was read.
    pub next: Option<Beginning>,
}

/// Where a file lies.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Lies {
    /// Where it is collected.
    Collected,
    /// In the archive.
    Archive,
    /// Where a post-processing system gets it, or where it waits for that.
    Output,
}

impl Lies {
    /// Returns the word that users read.
    pub fn word(self) -> &'static str {
        match self {
            Lies::Collected => "collected",
            Lies::Archive => "archive",
            Lies::Output => "output",
        }
    }
}

/// A record as it lies in a file, or octets that are none.
#[derive(Clone, Debug)]
pub struct Record {
    /// Its number, from 1.
    pub record: u64,
    /// Where it begins, in the file as it is when it is unpacked.
    pub offset: u64,
    /// How many octets it has.
    pub length: u64,
    /// These, or the first of them.
    pub octets: Vec<u8>,
    /// Why they are no record, if so.
    pub problem: Option<String>,
    /// What is in them.
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
    /// It was there.
    #[error("{0}")]
    Gone(String),
    /// The flow does not say how it is read.
    #[error("{0}")]
    Flow(String),
    /// It cannot be read.
    #[error("\"{file}\" cannot be read: {cause}")]
    Read {
        /// Its name.
        file: String,
        /// Why.
        #[source]
        cause: io::Error,
    },
}

/// Looks into a file, as the flow's files say now how it is read, whether a gateway runs it or not.
pub fn records(
    flow: &Path,
    parts: Parts<'_>,
    query: &RecordsQuery,
) -> Result<Records, RecordsError> {
    let plan = plan(flow, parts)?;
    let placed = place::find(flow, &plan, &query.of)?;
    read::read(placed, query)
}

/// A flow without mistakes.
pub(crate) fn plan(flow: &Path, parts: Parts<'_>) -> Result<Plan, RecordsError> {
    prepare(flow, parts).sound().map_err(|mistakes| {
        let first = mistakes.iter().find(|mistake| mistake.is_error());
        let first = first.map_or(String::new(), ToString::to_string);
        RecordsError::Flow(format!(
            "the flow has mistakes, so nobody knows how its files are read; the first is\n\n{first}"
        ))
    })
}
