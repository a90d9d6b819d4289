//! The gateway: flow file, graph, jobs, workers. It knows no node kind and no script.
//!
//! ```text
//! flow.toml -> file -> graph -> prepare -> run -> rounds -> queue -> pool ─┬─ worker: file in -> records -> nodes -> staged ─┬─ settle
//!                                                                          └─ worker: ...                                  ─┘
//! ```
#![forbid(unsafe_code)]

mod archive;
mod assurance;
mod collection;
mod commit;
mod compile;
mod cycle;
mod definition;
mod distribution;
mod execute;
mod inspection;
mod lineage;
mod operate;
mod plan;
mod processes;
mod schedule;
mod service;
mod state;
pub mod suspense;

pub use alarm::{
    Acknowledgement, AcknowledgementState, Alarm, EventType, Kind, Registry, Selection, Severity,
    Which,
};
pub use archive::report::{
    ArchiveError, ArchiveQuery, ArchivedFile, ReadArchived, archived, archived_contents,
};
pub use assurance::sequence::Of;
pub use assurance::sequence::accept::{AcceptError, Acceptance, NotNumbers, accept_missing};
pub use assurance::sequence::report::{Line, SequenceQuery, SequenceReport, What, sequence_report};
pub use compile::alarms::ALARMS;
#[cfg(any(fuzzing, test))]
pub use compile::outside;
pub use compile::prepare::{Parts, check, draw, logging, parse};
pub use definition::csv;
pub use definition::flow_journal::JournalError;
pub use definition::groups::EACH_MAX;
pub use definition::logging::{LogFormat, Logging, Rotate};
pub use definition::recent::Recent;
pub use definition::report::{
    FILE_BEGUN, FILE_DONE, FileAccount, NodeAccount, OutputAccount, PROCESS_BEGUN, PassedOver,
    REMEMBERED_MAX, Report, SAID_BESIDE, WORKER_THREAD,
};
pub use definition::serving::{Serving, make_state, serving, state};
pub use definition::{drawing, file, graph, meters};
pub use distribution::listed::{deliveries, recent_deliveries};
pub use distribution::report::{
    Delivery, DeliveryState, Gathered, MergedWhen, Put as PutBack, Which as WhichDeliveries,
    discard as discard_deliveries, gathered, put_back,
};
pub use execute::options::{Program, RunOptions};
pub use inspection::records::{
    At as RecordsAt, Beginning as RecordsFrom, Lies, Record as RecordInFile, Records, RecordsError,
    RecordsOf, RecordsQuery, Search as RecordsSearch, records,
};
pub use inspection::replay::{
    Became, Change, Counted as ReplayCounted, FieldDifference, FileTotals, OverlayError,
    ReceiverDifference, ReceiverTotals, RecordDifference, ReplayChoice, ReplayContents, ReplayEnd,
    ReplayError, ReplayFile, ReplayFiles, ReplayOrder, ReplaySaid, ReplayTotals, Sum, Told,
    overlay, overlay_texts, replay, replay_archived, replay_beside, replay_files, replay_process,
};
pub use inspection::samples::{Sample, Samples, SamplesFrom, SamplesQuery, samples};
pub use inspection::trace::{
    CarriedFile, Delivered, InSuspense, Part, Place, TraceError, TraceQuery, Traced, WhereError,
    WhereFound, WhereFrom, WhereQuery, trace, trace_where,
};
pub use journal::OpenError;
pub use journal::audit_trail::AuditEntry;
pub use lineage::Step;
pub use operate::audit::{
    AuditAmount, AuditCount, AuditDifference, AuditQuery, AuditReport, ForgottenFiles, audit,
};
pub use operate::counters::change::{CountersError, change_counters};
pub use operate::counters::doubt::{
    AskedOfCounters, CountersInDoubt, Doubt, NodeInDoubt, counters_in_doubt,
};
pub use operate::matching::asked::{ENDED_AT_ONCE, EndedGroup, EndedGroups, GroupDeed, end_groups};
pub use operate::matching::report::{
    AskedEnd, HeldGroup, HeldIn, HeldPart, HeldQuery, held, held_in,
};
pub use operate::received_files::{Came, WhichCame, came};
pub use operate::report::{acknowledge, alarms, raised_alarms, recent_alarms};
pub use operate::reprocess::{AgainQuery, again};
pub use operate::request::AskError;
pub use operate::suspense::{correct, retry};
pub use operate::trail;
pub use processes::Wire;
pub use service::child::ProcessError;
pub use service::child::process;
pub use service::reload::{Answer, ReloadError, reload};
pub use service::run::{RunError, run, wait_for_room};
pub use state::counters::change::{ChangeRefused, Counted, CountersDeed};
pub use state::counters::{KeptOf, kept};
pub use state::groups::{Awaited, NoEntrance, Over};
