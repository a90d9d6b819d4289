//! The gateway: flow file, graph, jobs, workers; knows no node kind and no script.
//!
//! ```text
//! flow.toml -> file -> graph -> prepare -> run -> rounds -> queue -> pool ─┬─ worker: file in -> records -> nodes -> staged ─┬─ settle
//!                                                                          └─ worker: ...                                  ─┘
//! ```
#![forbid(unsafe_code)]

mod absent;
mod added;
mod again;
mod alarms;
mod archive;
mod asking;
mod assurance;
mod audit;
mod backlog;
mod balance;
mod batch;
mod came;
mod chains;
mod circle;
mod commit;
mod control_totals;
mod crew;
mod delivery;
mod doubted;
pub mod drawing;
mod drift;
mod duplicates;
mod errands;
mod exposed;
mod fetching;
pub mod file;
mod flow_journal;
pub mod graph;
mod groups;
mod hangs;
mod held;
mod input;
mod job;
mod job_view;
mod kept;
mod late;
mod limits;
mod lineage;
mod listening;
mod logging;
mod look;
mod marks;
mod memory;
pub mod meters;
mod names;
mod options;
mod orphans;
mod outcome;
#[cfg(any(fuzzing, test))]
pub mod outside;
mod packed;
mod patterns;
mod places;
mod plan;
mod poison;
mod pool;
mod prepare;
mod processes;
mod queue;
mod recent;
mod records;
mod refused;
mod reload;
mod replay;
mod report;
mod retention;
mod room;
mod rounds;
mod run;
mod running;
mod samples;
mod schema;
mod sequence;
mod serving;
mod settle;
mod sources;
pub mod spreadsheet;
mod strangers;
mod stretches;
pub mod suspense;
mod topology;
mod trace;
pub mod trail;
mod versions;
mod way;
mod worker;

pub use again::{AgainQuery, again};
pub use alarm::{
    Acknowledgement, AcknowledgementState, Alarm, EventType, Kind, Registry, Selection, Severity,
    Which,
};
pub use alarms::ALARMS;
pub use alarms::report::{acknowledge, alarms, raised_alarms, recent_alarms};
pub use archive::{
    ArchiveError, ArchiveQuery, ArchivedFile, ReadArchived, archived, archived_contents,
};
pub use asking::AskError;
pub use audit::{
    AuditAmount, AuditCount, AuditDifference, AuditQuery, AuditReport, ForgottenFiles, audit,
};
pub use came::{Came, WhichCame, came};
pub use delivery::{
    Delivery, DeliveryState, Gathered, MergedWhen, Put as PutBack, WhichDeliveries, deliveries,
    discard_deliveries, gathered, put_back, recent_deliveries,
};
pub use flow_journal::JournalError;
pub use groups::EACH_MAX;
pub use held::{
    AskedEnd, Awaited, ENDED_AT_ONCE, EndedGroup, EndedGroups, GroupDeed, HeldGroup, HeldIn,
    HeldPart, HeldQuery, Over, end_groups, held, held_in,
};
pub use journal::OpenError;
pub use journal::audit_trail::AuditEntry;
pub use kept::{
    AskedOfCounters, Counted, CountersDeed, CountersError, CountersInDoubt, Doubt, KeptOf,
    NodeInDoubt, change_counters, counters_in_doubt, kept,
};
pub use lineage::Step;
pub use logging::{LogFormat, Logging, Rotate};
pub use options::{Program, RunOptions};
pub use prepare::{Parts, check, draw, logging, parse};
pub use processes::{ProcessError, Wire, process};
pub use recent::Recent;
pub use records::{
    At as RecordsAt, Beginning as RecordsFrom, Lies, Record as RecordInFile, Records, RecordsError,
    RecordsOf, RecordsQuery, Search as RecordsSearch, records,
};
pub use reload::{Answer, ReloadError, reload};
pub use replay::{
    Became, Change, Counted as ReplayCounted, FieldDifference, FileTotals, OverlayError,
    ReceiverDifference, ReceiverTotals, RecordDifference, ReplayChoice, ReplayContents, ReplayEnd,
    ReplayError, ReplayFile, ReplayFiles, ReplayOrder, ReplaySaid, ReplayTotals, Sum, Told,
    overlay, overlay_texts, replay, replay_archived, replay_beside, replay_files, replay_process,
};
pub use report::{
    FILE_BEGUN, FILE_DONE, FileAccount, NodeAccount, OutputAccount, PROCESS_BEGUN, PassedOver,
    REMEMBERED_MAX, Report, SAID_BESIDE, WORKER_THREAD,
};
pub use run::{RunError, run, wait_for_room};
pub use samples::{Sample, Samples, SamplesFrom, SamplesQuery, samples};
pub use sequence::{
    AcceptError, Acceptance, Line, Of, SequenceQuery, SequenceReport, What, accept_missing,
    sequence_report,
};
pub use serving::{Serving, make_state, serving, state};
pub use trace::{
    CarriedFile, Delivered, InSuspense, Part, Place, TraceError, TraceQuery, Traced, WhereError,
    WhereFound, WhereFrom, WhereQuery, trace, trace_where,
};
