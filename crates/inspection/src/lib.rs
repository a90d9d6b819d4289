//! What users inspect: records in files, samples at a node, the trace of a record, replays of archived files.
#![forbid(unsafe_code)]

pub mod records;
pub mod replay;
pub mod samples;
pub mod trace;

pub use records::{
    At as RecordsAt, Beginning as RecordsFrom, Lies, Record as RecordInFile, Records, RecordsError,
    RecordsOf, RecordsQuery, Search as RecordsSearch, records,
};
pub use replay::{
    Became, Change, Counted as ReplayCounted, FieldDifference, FileTotals, OverlayError,
    ReceiverDifference, ReceiverTotals, RecordDifference, ReplayChoice, ReplayContents, ReplayEnd,
    ReplayError, ReplayFile, ReplayFiles, ReplayOrder, ReplaySaid, ReplayTotals, Sum, Told,
    overlay, overlay_texts, replay, replay_archived, replay_beside, replay_files, replay_process,
};
pub use samples::{Sample, Samples, SamplesFrom, SamplesQuery, samples};
pub use trace::{
    CarriedFile, Delivered, InSuspense, Part, Place, TraceError, TraceQuery, Traced, WhereError,
    WhereFound, WhereFrom, WhereQuery, trace, trace_where,
};
