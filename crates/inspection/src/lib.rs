//! Inspections: what users look into. They change nothing of a gateway, and none has to run.
//!
//! [`records`](mod@records) takes apart the records of a file that was collected, archived or made.
//! [`samples`](mod@samples) takes some records as they come to a node, for users who change its script.
//! [`trace`](mod@trace) follows a record from its input to its outputs and back. [`replay`](mod@replay) runs archived
//! files through two versions of a flow, and compares what becomes of each record. [`masking`] hides the subscriber data in
//! all of that from users who may not see it.
#![forbid(unsafe_code)]

pub mod masking;
pub mod records;
pub mod replay;
pub mod samples;
pub mod trace;

pub use records::{
    At as RecordsAt, Beginning as RecordsFrom, Lies, Record as RecordInFile, Records, RecordsError,
    RecordsOf, RecordsQuery, Search as RecordsSearch, records,
};
pub use replay::{
    AlertDifference, AlertTotals, Change, Counted as ReplayCounted, CountedRecords,
    FieldDifference, FileTotals, OutcomeKind, OverlayError, ReceiverDifference, ReceiverTotals,
    RecordDifference, RecordOutcome, ReplayChoice, ReplayContents, ReplayEnd, ReplayError,
    ReplayEvent, ReplayFile, ReplayFiles, ReplayMessage, ReplayOrder, ReplayTotals, RuleAlerts,
    Sum, overlay, overlay_texts, replay, replay_archived, replay_beside, replay_files,
    replay_process, warm_up,
};
pub use samples::{Sample, Samples, SamplesFrom, SamplesQuery, samples};
pub use trace::{
    CarriedFile, Delivered, InSuspense, Part, Place, TraceError, TraceQuery, Traced, WhereError,
    WhereFound, WhereFrom, WhereQuery, trace, trace_where,
};
