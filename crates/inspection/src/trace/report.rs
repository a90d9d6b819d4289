//! The queries of the trace, and their results.

use std::io;
use std::path::PathBuf;

use serde::Serialize;

use distribution::report::DeliveryState;
use flow::flow_journal::JournalError;
use lineage::Step;

/// The records to trace.
#[derive(Clone, Debug)]
pub enum TraceQuery {
    /// Records of a file that was collected.
    Source {
        /// Its name.
        file: String,
        /// The network element that it was collected from, where that matters.
        network_element: Option<String>,
        /// Which records.
        places: Vec<Place>,
    },
    /// Records of a file that was made.
    Output {
        /// Its name, or its path.
        file: String,
        /// Which records.
        places: Vec<Place>,
    },
}

/// A record of a file.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Place {
    /// By its number, from 1.
    Record(u64),
    /// By one of its octets.
    Offset(u64),
}

/// Why nothing is found.
#[derive(Debug, thiserror::Error)]
pub enum TraceError {
    /// There is no journal, or it cannot be read.
    #[error(transparent)]
    Journal(#[from] JournalError),
    /// The journal has no such file.
    #[error(
        "no file \"{0}\" was collected, as far as the journal knows; if it is an output, ask for it as one"
    )]
    NoSource(String),
    /// The journal has no such output.
    #[error(
        "no file \"{0}\" was made, as far as the journal knows; if it was collected, ask for it as such"
    )]
    NoOutput(String),
    /// The files were done before there was a trace, while it was off, or too long ago.
    #[error(
        "the records of \"{0}\" have no trace, or it is kept no more: see [trace] in docs/reference/flow.md"
    )]
    NoTrace(String),
    /// The file has fewer records or octets.
    #[error("\"{file}\" has no {place}: it has {has}")]
    NoRecord {
        /// The file.
        file: String,
        /// The place that was wanted.
        place: String,
        /// How much there is.
        has: String,
    },
    /// A file of the trace cannot be read.
    #[error("the trace cannot be read")]
    Read(#[source] io::Error),
    /// Its content is not a trace.
    #[error("the trace is damaged")]
    Damaged,
}

/// The path of a record.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Traced {
    /// The network element that its file was collected from.
    pub network_element: String,
    /// Its file; or the name of the job that ended its group.
    pub file: String,
    /// Its number in the file, from 1, where that is known.
    pub record: Option<u64>,
    /// Where in the file it begins; none of a group that ended because its time was over.
    pub offset: Option<u64>,
    /// When its job was committed, `2026-11-21T14:05:00Z`.
    pub done: String,
    /// The number of that job in the journal.
    pub job: i64,
    /// Whether it was retried.
    pub retried: bool,
    /// The file that its own file duplicates; then the record went nowhere.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub duplicate_of: Option<String>,
    /// The nodes that processed it, and what they did.
    #[serde(rename = "way")]
    pub path: Vec<Step>,
    /// The output records that were made of it.
    pub outputs: Vec<Delivered>,
    /// Its records in suspense, of whatever state.
    pub suspense: Vec<InSuspense>,
    /// The records of its group, if it is or was in one.
    pub group: Vec<Part>,
    /// What became of it later: when it was retried, or its group ended.
    pub later: Vec<Traced>,
}

/// An output record.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Delivered {
    /// The receiver.
    pub post_processing_system: String,
    /// The file that has it.
    pub file: PathBuf,
    /// Its number in that file, from 1.
    pub record: u64,
    /// The octet of that file at which it begins.
    pub offset: u64,
    /// Its length in octets.
    pub octets: u32,
    /// How far the file has come to its receiver, where it is delivered to one.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub carried: Option<CarriedFile>,
}

/// A file that is or was delivered to its receiver.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct CarriedFile {
    /// How far it has come.
    pub state: DeliveryState,
    /// Its name at the receiver, once it is there.
    pub name: Option<String>,
}

/// A record that is set aside, or was.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct InSuspense {
    /// Its number in suspense.
    pub id: i64,
    /// What became of it: `open`, `retried` or `discarded`.
    pub state: String,
    /// The node that refused it; empty if it could not be read.
    pub node: String,
    /// The reason.
    pub reason: String,
}

/// A record of a group.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Part {
    /// The number of the group.
    pub group: i64,
    /// The node in which it waited.
    pub node: String,
    /// The key that the records of the group have in common.
    pub key: String,
    /// The file that it came in; none if the journal has forgotten it.
    pub file: Option<String>,
    /// Its number in the file.
    pub record: i64,
    /// Where in the file it begins.
    pub offset: i64,
}
