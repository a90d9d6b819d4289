//! The contract between the flow engine and its nodes: what a node gets, what it may do, and how a node is made from its
//! table in the flow file.
//!
//! The engine knows no kind of node: it gets a list of [`Kind`]s. A kind reads its settings once and makes a [`Template`].
//! Each worker makes a [`Node`] of its own from it, so that a record takes no lock. Other parts that need values of records
//! get a [`Language`].
//!
//! A node may have state between files: [keyed state](KeyedState), which is on disk or in memory, or [groups](Holds) of
//! records that wait for others. Keyed state may have [timers](Timer).
#![forbid(unsafe_code)]

mod chain;
mod changes;
mod claims;
mod digest;
mod error;
mod expression;
pub mod groups;
mod in_hand;
mod in_memory;
mod key;
mod keyed;
mod on_disk;
mod timers;
mod watermark;

use std::any::Any;
use std::path::PathBuf;

use diagnostics::Diagnostic;
use record::{Memory, Opened, Record, TypeId, Types};
use settings::Settings;

pub use chain::{Chain, Link, Next};
pub use changes::{Committed, JobNumber, StateChanges};
pub use claims::{Claimed, Claims, share};
pub use digest::{DigestMap, KeyDigest, key_digest};
pub use error::{StateError, TypeChanged};
pub use expression::{Evaluator, Expression, Gives, Language, NoLanguage, Value};
pub use groups::entry::{EntryNumber, GroupEntry};
pub use groups::{
    Aside, Codec, Equipment, Expiry, GroupChanges, GroupEnd, GroupId, GroupReader, Holds, JobEntry,
    KeyGroups, MissingPart, OpenGroup, Part, PartDigest, Release, ReleaseKind, Sum, Summed, Times,
    WaitingRecord,
};
pub use in_hand::{Contested, FileNumber, InHand};
pub use in_memory::{
    FileKeys, InMemory, KeyRefusal, Keys, Known, PARTS, SnapshotPart, Stored, Values, frame_keys,
};
pub use key::{typed_key, write_key_octet};
pub use keyed::{Keyed, KeyedOctets, KeyedState, Octets, Value as StateValue};
pub use on_disk::{AddValues, ChangedValue, OnDisk, ValueReader};
pub use timers::{ChangedTimer, Time, Timer, TimerChanges, TimerEquipment, TimerReader};
pub use watermark::Watermark;

/// One node in one worker.
pub trait Node: Send {
    /// Processes a record: returns the record that goes on, or emits records. A record that neither goes on nor is emitted is
    /// filtered out.
    ///
    /// `record` itself must not change, since other nodes may get it too: change a [copy](Memory::copy). New records go into
    /// `memory`, which lives as long as the record.
    fn process(
        &mut self,
        memory: &mut Memory<'_>,
        record: Record,
        origin: &Origin<'_>,
        out: &mut Outputs,
    ) -> Result<Passed, Refusal>;

    /// Receives what a node of a template that [holds](Template::holds) records needs, before the first file.
    fn equip(&mut self, _equipment: Equipment) {}

    /// Receives the reader of [state on disk](OnDisk) before the first file.
    fn attach(&mut self, _reader: Box<dyn ValueReader>) {}

    /// Receives what its timers need, if its template [has timers](Template::has_timers), before the first file.
    fn equip_timers(&mut self, _equipment: TimerEquipment) {}

    /// Receives the clock before the first record. Without it, a node cannot tell that a time is in
    /// the future.
    fn take_clock(&mut self, _clock: LatestTime) {}

    /// Ends a group of a key, and emits the records that it becomes.
    fn end_group(
        &mut self,
        _memory: &mut Memory<'_>,
        (_group, _key): (GroupId, &str),
        _end: &GroupEnd,
        _out: &mut Outputs,
    ) -> Result<Expiry, Refusal> {
        Ok(Expiry::Gone)
    }

    /// Takes a timer of a key that is due. Returns whether the key still has it; if not, the timer was changed or canceled
    /// since the engine found it. The node passes this on to [`Keyed::take_timer`].
    fn take_timer(&mut self, _key: &str, _timer: Timer) -> Result<bool, Refusal> {
        Ok(false)
    }

    /// Does what a timer of a key was set for, and emits records. It counts as a record: it may change any key and set
    /// timers, and all of that is undone if the node returns a refusal, or another node rejects what it emits. The key may
    /// have no value: state in memory forgets keys that do not change for its window.
    fn fire_timer(
        &mut self,
        _memory: &mut Memory<'_>,
        (_key, _timer): (&str, Timer),
        _out: &mut Outputs,
    ) -> Result<(), Refusal> {
        Ok(())
    }

    /// Begins a file of a network element, or another job for it. The engine calls this and the next three methods only for
    /// nodes whose template has [keyed state](Template::state) or [holds](Template::holds) records.
    fn begin_file(&mut self, _job: JobNumber, _network_element: &str) {}

    /// Says that the job that has begun retries records that were set aside. They do not come in the order in which they were
    /// made.
    fn begin_retry(&mut self) {}

    /// Ends the current record, which is through the whole graph.
    fn end_record(&mut self, _end: RecordEnd) {}

    /// Ends the file, or gives it up, and returns what it changed.
    fn end_file(&mut self) -> Option<Box<dyn StateChanges>> {
        None
    }
}

/// Returns the latest possible time, in milliseconds since 1970. No record is made later if its
/// clock is right.
pub type LatestTime = Box<dyn Fn() -> i64 + Send>;

/// What a node did with a record.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Passed {
    /// This goes on, the record itself or what was made of it, on the output stream of this place in
    /// [`Template::outputs`].
    On(u16, Record),
    /// What was emitted goes on, if anything was.
    Emitted,
    /// It waits for others.
    Held,
}

/// Where a record comes from.
#[derive(Clone, Copy, Debug)]
pub struct Origin<'o> {
    /// The network element it was collected from.
    pub network_element: &'o str,
    /// The name of the file it was in.
    pub file: &'o str,
    /// Its number in the file, from 1.
    pub record: u64,
    /// Where in the file it begins, in octets.
    pub offset: u64,
}

/// A node whose settings have been read and found right.
pub trait Template: Any + Send + Sync {
    /// The type of record it takes; none if it takes any.
    fn input(&self) -> Option<TypeId>;

    /// Its output streams. The node's bare name in `from` means the only one that is [`Untaken::Filtered`], or the one
    /// named "true".
    fn outputs(&self) -> &[Output];

    /// Into which values of its records it looks. What is in the others may not be known when it runs.
    fn opened(&self) -> Opened {
        Opened::All
    }

    /// The files it was made of, whose change would make it another.
    fn files(&self) -> Vec<PathBuf> {
        Vec::new()
    }

    /// Whether its nodes look at [`Origin::record`].
    fn sees_numbers(&self) -> bool {
        false
    }

    /// The keyed state of its nodes, if they have one.
    fn state(&self) -> Option<KeyedState<'_>> {
        None
    }

    /// Whether its nodes set timers for keys of their [state](Self::state).
    fn has_timers(&self) -> bool {
        false
    }

    /// How its nodes hold records until others have come, if they do.
    fn holds(&self) -> Option<Holds> {
        None
    }

    /// Whether its nodes may be links of a chain: all they do is to say on which stream a record goes on, the one that
    /// came or one that they make of it.
    fn links(&self) -> bool {
        false
    }

    /// Joins those that may be links to one, if that is worth it. This is the first of them.
    fn join(&self, _links: &[Link<'_>]) -> Option<Box<dyn Chain>> {
        None
    }

    /// Warnings for the flow's author, such as that records without a certain field are set aside.
    fn warnings(&self) -> Vec<Diagnostic> {
        Vec::new()
    }

    /// A node for one worker.
    fn instance(&self) -> Box<dyn Node>;
}

impl dyn Template + '_ {
    /// Returns its state, if that is in memory.
    pub fn in_memory(&self) -> Option<&dyn InMemory> {
        match self.state()? {
            KeyedState::InMemory(state) => Some(state),
            KeyedState::OnDisk(_) => None,
        }
    }

    /// Returns what its state on disk needs, if it has one.
    pub fn on_disk(&self) -> Option<OnDisk> {
        match self.state()? {
            KeyedState::OnDisk(state) => Some(state),
            KeyedState::InMemory(_) => None,
        }
    }

    /// Returns whether its nodes have values by key, so that results depend on the order of files.
    pub fn has_values(&self) -> bool {
        self.state().is_some_and(|state| match state {
            KeyedState::InMemory(state) => state.has_values(),
            KeyedState::OnDisk(_) => true,
        })
    }
}

/// A kind of node: the first word of its table's name in the flow file, `[filter.isBillable]`.
pub trait Kind: Send + Sync {
    /// Its name, `filter`.
    fn name(&self) -> &'static str;

    /// The keys its tables may have, besides `from`.
    fn keys(&self) -> &'static [&'static str];

    /// Reads the settings of one node. `types` are those of the flow's modules; a node may add its own.
    /// All mistakes are returned, not only the first.
    fn build(
        &self,
        settings: &Settings,
        types: &mut dyn Types,
    ) -> Result<Box<dyn Template>, Vec<Diagnostic>>;
}

/// An output stream of a node.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Output {
    /// The name behind the dot in `from = "isRoaming.false"`.
    pub name: String,
    /// The type of its records; none if it is that of the node's input.
    pub ty: Option<TypeId>,
    /// What becomes of them if no node takes the stream.
    pub untaken: Untaken,
}

/// What becomes of records that no node takes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Untaken {
    /// They are filtered out.
    Filtered,
    /// So they are; the node's bare name does not mean the stream.
    FilteredBeside,
    /// As these; the flow asks for the stream, so a check of the flow warns of it.
    FilteredWithWarning,
    /// They are set aside as duplicates.
    Duplicate,
}

impl Output {
    /// A stream of records of the type that came in.
    pub fn passing(name: impl Into<String>) -> Self {
        Output { name: name.into(), ty: None, untaken: Untaken::Filtered }
    }

    /// A stream of records of a type of its own.
    pub fn making(name: impl Into<String>, ty: TypeId) -> Self {
        Output { name: name.into(), ty: Some(ty), untaken: Untaken::Filtered }
    }

    /// A stream of the type that came in, beside the usual one.
    pub fn beside(name: impl Into<String>) -> Self {
        Output { untaken: Untaken::FilteredBeside, ..Self::passing(name) }
    }

    /// Such a stream that the flow asks for.
    pub fn asked_for(name: impl Into<String>) -> Self {
        Output { untaken: Untaken::FilteredWithWarning, ..Self::passing(name) }
    }

    /// A stream of records that came before.
    pub fn duplicates(name: impl Into<String>) -> Self {
        Output { untaken: Untaken::Duplicate, ..Self::passing(name) }
    }
}

/// Where a node puts the records it emits.
#[derive(Debug, Default)]
pub struct Outputs {
    emitted: Vec<(u16, Record)>,
}

impl Outputs {
    /// Emits a record on the output stream of this place in [`Template::outputs`].
    #[inline]
    pub fn emit(&mut self, stream: usize, record: Record) {
        self.emitted.push((stream as u16, record));
    }

    /// How many records lie here; what is emitted next gets this place.
    #[inline]
    pub fn mark(&self) -> usize {
        self.emitted.len()
    }

    /// The stream and record at a place.
    #[inline]
    pub fn get(&self, place: usize) -> (usize, Record) {
        let (stream, record) = self.emitted[place];
        (usize::from(stream), record)
    }

    /// Forgets what was emitted since a mark.
    #[inline]
    pub fn truncate(&mut self, mark: usize) {
        self.emitted.truncate(mark);
    }
}

/// Why a node cannot process a record.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{reason}")]
pub struct Refusal {
    /// The reason, in the user's words.
    pub reason: Box<str>,
    /// What is refused.
    pub refused: Refused,
    /// By which link of a [chain](Chain); 0 where there is none.
    pub link: u16,
}

/// What became of a record in the whole graph.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum RecordEnd {
    /// It is kept.
    Kept,
    /// Somebody refused it: it is as if it had never come.
    Refused,
    /// So did somebody to whom it came before, or too late, and who will again: as itself, not as part of what the node made
    /// of it. Nobody is to wait for it.
    NotAwaited,
}

impl RecordEnd {
    /// Whether the record is kept.
    pub fn is_kept(self) -> bool {
        self == RecordEnd::Kept
    }
}

/// What a node refuses.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Refused {
    /// The record: the fault is its own or the script's. It goes to suspense, and its neighbours go on.
    Record,
    /// The record, which came too late: so it is when it comes again.
    LateRecord,
    /// The whole file, for now: it stays where it is, and is tried again later.
    File,
    /// The same, until groups of the node have ended: it has as many as it may.
    FileUntilRoom,
    /// The whole file, which is begun again at once, since another in hand goes first.
    FileBegunAgain,
}

impl Refusal {
    /// Of a record, for this reason.
    #[cold]
    pub fn new(reason: impl Into<Box<str>>) -> Self {
        Refusal { reason: reason.into(), refused: Refused::Record, link: 0 }
    }

    /// Of more than a record, for this reason.
    #[cold]
    pub fn of(refused: Refused, reason: impl Into<Box<str>>) -> Self {
        Refusal { refused, ..Refusal::new(reason) }
    }
}
