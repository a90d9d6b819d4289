//! The queries of the trace, and their results.

use std::io;
use std::path::PathBuf;

use serde::Serialize;
use utoipa::ToSchema;

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

/// The trace of a record: where it came from, which nodes it passed, and which files its outputs
/// are in.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, ToSchema)]
#[serde(deny_unknown_fields)]
#[schema(as = Trace)]
pub struct Traced {
    /// The network element that the file was collected from.
    pub network_element: String,
    /// The file that the record came in, or the name of the job that ended its group.
    pub file: String,
    /// The record's number in the file, from 1. Absent if it is unknown.
    pub record: Option<u64>,
    /// The offset of the record's first octet in the file. Absent for a group that was ended
    /// because its time was over.
    pub offset: Option<u64>,
    /// When the job was committed to the journal, such as `2026-11-21T14:05:00Z`.
    pub done: String,
    /// The number of the job in the journal.
    pub job: i64,
    /// Whether this is the trace of a retry.
    pub retried: bool,
    /// The name of the earlier file of which this one is a duplicate. The record was then not
    /// processed.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(nullable = false)]
    pub duplicate_of: Option<String>,
    /// The steps at the nodes and systems, in order.
    #[serde(rename = "way")]
    pub path: Vec<Step>,
    /// The records that were made of it.
    pub outputs: Vec<Delivered>,
    /// The entries in suspense that the record has or had.
    pub suspense: Vec<InSuspense>,
    /// The records of the group that the record waits or waited in.
    pub group: Vec<Part>,
    /// The traces of later jobs: of a retry, or of the end of the group.
    #[schema(no_recursion)]
    pub later: Vec<Traced>,
}

/// A record in an output file.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, ToSchema)]
#[serde(deny_unknown_fields)]
#[schema(as = TraceOutput)]
pub struct Delivered {
    /// The receiver.
    pub post_processing_system: String,
    /// The path of the output file.
    #[schema(value_type = String)]
    pub file: PathBuf,
    /// The record's number in the output file, from 1.
    pub record: u64,
    /// The offset of the record's first octet in the output file, before compression.
    pub offset: u64,
    /// The size of the record in octets.
    pub octets: u32,
    /// The delivery of the file. Absent if the system collects it from the folder.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(nullable = false)]
    pub carried: Option<CarriedFile>,
}

/// The delivery of an output file.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, ToSchema)]
#[serde(deny_unknown_fields)]
#[schema(as = TraceDelivery)]
pub struct CarriedFile {
    /// The state of the delivery.
    pub state: DeliveryState,
    /// The file's name at the receiver. Absent until the file is delivered.
    pub name: Option<String>,
}

/// A record in suspense, as its trace shows it.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, ToSchema)]
#[serde(deny_unknown_fields)]
#[schema(as = TraceSuspense)]
pub struct InSuspense {
    /// The record's number in suspense.
    pub id: i64,
    /// The state of the record in suspense.
    pub state: suspense::State,
    /// The node or system that refused the record. Empty if the record could not be decoded.
    pub node: String,
    /// The error.
    pub reason: String,
}

/// A record of a group, as a trace shows it.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, ToSchema)]
#[serde(deny_unknown_fields)]
#[schema(as = TraceGroupRecord)]
pub struct Part {
    /// The number of the group.
    pub group: i64,
    /// The matching node.
    pub node: String,
    /// The key that the group's records share.
    pub key: String,
    /// The file that the record came in. Absent if the journal has forgotten it.
    pub file: Option<String>,
    /// The record's number in the file, from 1.
    pub record: i64,
    /// The offset of the record's first octet in the file.
    pub offset: i64,
}
