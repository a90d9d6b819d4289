//! The contract between the flow engine and its nodes: what a node gets, what it may do, and how a
//! node is made from its table in the flow file.
//!
//! The engine knows no kind of node: it gets a list of [`Kind`]s. A kind reads its settings once
//! and makes a [`Template`]. Each worker makes a [`Node`] of its own from it, so that a record
//! takes no lock. Other parts that need values of records get a [`Language`].
//!
//! A node may have state between files: [keyed state](KeyedState), which is on disk or in memory,
//! or [groups](GroupSettings) of records that wait for others. Keyed state may have
//! [timers](Timer).
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
mod judge;
mod key;
mod keyed;
mod on_disk;
mod refusal;
mod timers;
mod watermark;

use std::any::Any;
use std::path::PathBuf;
use std::sync::Arc;

use diagnostics::Diagnostic;
use record::{Memory, Opened, Record, TypeId, Types};
use settings::Settings;

pub use chain::{Chain, Link, Next};
pub use changes::{Committed, JobNumber, StateChanges};
pub use claims::{Claims, FileClaims, cache_share};
pub use digest::{DigestMap, KeyDigest, key_digest};
pub use error::{StateError, TypeChanged};
pub use expression::{Evaluator, Expression, Language, NoLanguage, Value, ValueType};
pub use groups::entry::{EntryNumber, GroupEntry};
pub use groups::{
    Aside, Codec, Equipment, Expiry, GroupChanges, GroupEnd, GroupId, GroupReader, GroupSettings,
    JobEntry, KeyGroups, MissingPart, OpenGroup, Part, PartDigest, Release, ReleaseKind, Sum,
    Summed, Times, WaitingRecord,
};
pub use in_hand::{Contested, FileNumber, FilesInHand};
pub use in_memory::{
    FileKeys, InMemory, JudgedLater, KeyRefusal, Keys, Occurrence, PARTS, SnapshotPart,
    StoredState, Values, frame_keys,
};
pub use judge::{
    Alert, AlertPolicy, Alerting, Crossing, Judge, Judged, ListHit, NotedKey, RuleSummary,
    RuleTexts, Severity,
};
pub use key::{typed_key, write_key_octet};
pub use keyed::{Keyed, KeyedOctets, KeyedState, Octets, Value as StateValue};
pub use on_disk::{AddValues, ChangedValue, OnDisk, ValueReader};
pub use refusal::{Refusal, Refused, StateRefusal};
pub use timers::{ChangedTimer, Time, Timer, TimerChanges, TimerEquipment, TimerReader};
pub use watermark::Watermark;

/// One node in one worker.
pub trait Node: Send {
    /// Processes a record: returns the record that goes on, or emits records. A record that neither
    /// goes on nor is emitted is filtered out.
    ///
    /// `record` itself must not change, since other nodes may get it too: change a
    /// [copy](Memory::copy). New records go into `memory`, which lives as long as the record.
    fn process(
        &mut self,
        memory: &mut Memory<'_>,
        record: Record,
        origin: &Origin<'_>,
        out: &mut Outputs,
    ) -> Result<Passed, Refusal>;

    /// Receives what a node with [groups](Template::group_settings) needs, before the first file.
    fn equip(&mut self, _equipment: Equipment) {}

    /// Receives the reader of [state on disk](OnDisk) before the first file.
    fn attach(&mut self, _reader: Box<dyn ValueReader>) {}

    /// Receives what timers need, if the template [has timers](Template::has_timers), before the
    /// first file.
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

    /// Takes a timer of a key that is due. Returns whether the key still has it; if not, the timer
    /// was changed or canceled since the engine found it. The node passes this on to
    /// [`Keyed::take_timer`].
    fn take_timer(&mut self, _key: &str, _timer: Timer) -> Result<bool, Refusal> {
        Ok(false)
    }

    /// Does what a timer of a key was set for, and emits records. It counts as a record: it may
    /// change any key and set timers, and all of that is undone if the node returns a refusal, or
    /// another node rejects what it emits. The key may have no value: state in memory forgets keys
    /// that do not change for its window.
    fn fire_timer(
        &mut self,
        _memory: &mut Memory<'_>,
        (_key, _timer): (&str, Timer),
        _out: &mut Outputs,
    ) -> Result<(), Refusal> {
        Ok(())
    }

    /// Begins a file of a network element, or another job for it. The engine calls this and the
    /// next three methods only for nodes whose template has [keyed state](Template::state) or
    /// [groups](Template::group_settings).
    fn begin_file(&mut self, _job: JobNumber, _network_element: &str) {}

    /// Tells the node that the current job retries suspended records. They do not come in the order
    /// in which they were made.
    fn begin_retry(&mut self) {}

    /// Ends the current record after it has passed the whole graph.
    fn end_record(&mut self, _end: RecordEnd) {}

    /// Ends the file, whether it is finished or given up. Returns the changes of state.
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
    /// This record goes on, on the output stream at this index of [`Template::outputs`]. It is the
    /// input record or was made from it.
    On(u16, Record),
    /// The emitted records go on, if there are any.
    Emitted,
    /// The record waits for others.
    Waiting,
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
    /// Its offset in the file, in octets.
    pub offset: u64,
}

/// A node whose settings have been read and checked.
pub trait Template: Any + Send + Sync {
    /// Returns the type of its input records; `None` if it takes any type.
    fn input(&self) -> Option<TypeId>;

    /// Returns its output streams. In `from`, the node's name without a stream means the only
    /// stream that is [`Unconsumed::Filtered`], or the one named "true".
    fn outputs(&self) -> &[Output];

    /// Returns the components that it reads. The others may not be decoded when it runs.
    fn opened(&self) -> Opened {
        Opened::All
    }

    /// Returns the files that it was made from. If one changes, the template must be made again.
    fn files(&self) -> Vec<PathBuf> {
        Vec::new()
    }

    /// Returns whether its nodes use [`Origin::record`].
    fn uses_record_numbers(&self) -> bool {
        false
    }

    /// Returns the keyed state of its nodes, if they have one.
    fn state(&self) -> Option<KeyedState<'_>> {
        None
    }

    /// Returns what judges the notes of its nodes, if they have any. Its [state](Self::state) is in memory then.
    fn judge(&self) -> Option<Arc<dyn Judge>> {
        None
    }

    /// Returns the names of the actions that its nodes request, each with the mistake if there is no such action.
    fn actions(&self) -> Vec<(String, Diagnostic)> {
        Vec::new()
    }

    /// Returns whether its nodes set timers for keys of their [state](Self::state).
    fn has_timers(&self) -> bool {
        false
    }

    /// Returns how its nodes group records that wait for others, if they do.
    fn group_settings(&self) -> Option<GroupSettings> {
        None
    }

    /// Returns whether its nodes can be links of a chain: for each record, they only choose an
    /// output stream, and pass on the record or one that they make from it.
    fn is_chainable(&self) -> bool {
        false
    }

    /// Compiles a chain of links, if that is faster. This template is the first link.
    fn join(&self, _links: &[Link<'_>]) -> Option<Box<dyn Chain>> {
        None
    }

    /// Returns warnings for the author of the flow, such as that records without a certain field
    /// are suspended.
    fn warnings(&self) -> Vec<Diagnostic> {
        Vec::new()
    }

    /// Makes a node for one worker.
    fn instance(&self) -> Box<dyn Node>;
}

impl dyn Template + '_ {
    /// Returns its state, if it is in memory.
    pub fn in_memory(&self) -> Option<&dyn InMemory> {
        match self.state()? {
            KeyedState::InMemory(state) => Some(state),
            KeyedState::OnDisk(_) => None,
        }
    }

    /// Returns its state, if it is on disk.
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
    /// Returns its name, such as `filter`.
    fn name(&self) -> &'static str;

    /// Returns the keys that its tables may have, besides `from`.
    fn keys(&self) -> &'static [&'static str];

    /// Reads the settings of one node. `types` are those of the flow's modules; a node may add its
    /// own. Returns all mistakes, not only the first.
    fn build(
        &self,
        settings: &Settings,
        types: &mut dyn Types,
    ) -> Result<Box<dyn Template>, Vec<Diagnostic>>;
}

/// An output stream of a node.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Output {
    /// The name after the dot in `from = "isRoaming.false"`.
    pub name: String,
    /// The type of its records; `None` if it is the input type.
    pub ty: Option<TypeId>,
    /// What happens to its records if no node consumes them.
    pub unconsumed: Unconsumed,
}

/// What happens to the records of a stream that no node consumes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Unconsumed {
    /// They are filtered out.
    Filtered,
    /// They are filtered out. The node's name without a stream never means this stream.
    FilteredAdditional,
    /// As with [`FilteredAdditional`](Self::FilteredAdditional), but the check of the flow warns,
    /// since a setting of the node requests the stream.
    FilteredWithWarning,
    /// They are stored as duplicates.
    Duplicate,
}

impl Output {
    /// Returns a stream of records of the input type.
    pub fn passing(name: impl Into<String>) -> Self {
        Output { name: name.into(), ty: None, unconsumed: Unconsumed::Filtered }
    }

    /// Returns a stream of records of another type.
    pub fn of_type(name: impl Into<String>, ty: TypeId) -> Self {
        Output { name: name.into(), ty: Some(ty), unconsumed: Unconsumed::Filtered }
    }

    /// Returns an additional stream of the input type.
    pub fn additional(name: impl Into<String>) -> Self {
        Output { unconsumed: Unconsumed::FilteredAdditional, ..Self::passing(name) }
    }

    /// Returns an additional stream that a setting of the node requests.
    pub fn requested(name: impl Into<String>) -> Self {
        Output { unconsumed: Unconsumed::FilteredWithWarning, ..Self::passing(name) }
    }

    /// Returns a stream of duplicates.
    pub fn duplicates(name: impl Into<String>) -> Self {
        Output { unconsumed: Unconsumed::Duplicate, ..Self::passing(name) }
    }
}

/// Where a node puts the records it emits.
#[derive(Debug, Default)]
pub struct Outputs {
    emitted: Vec<(u16, Record)>,
}

impl Outputs {
    /// Emits a record on the output stream at this index of [`Template::outputs`].
    #[inline]
    pub fn emit(&mut self, stream: usize, record: Record) {
        self.emitted.push((stream as u16, record));
    }

    /// Returns the number of emitted records, which is the index of the next one.
    #[inline]
    pub fn mark(&self) -> usize {
        self.emitted.len()
    }

    /// Returns the stream and the record at an index.
    #[inline]
    pub fn get(&self, index: usize) -> (usize, Record) {
        let (stream, record) = self.emitted[index];
        (usize::from(stream), record)
    }

    /// Drops the records that were emitted since a mark.
    #[inline]
    pub fn truncate(&mut self, mark: usize) {
        self.emitted.truncate(mark);
    }
}

/// The result of a record in the whole graph.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum RecordEnd {
    /// All nodes and systems accepted it, or it was filtered out.
    Accepted,
    /// A node or system refused it. Its changes of state are undone.
    Refused,
    /// A node refused the record itself as a duplicate or as late, and will refuse it again in a
    /// retry. So groups do not wait for it.
    NotAwaited,
}

impl RecordEnd {
    /// Returns whether the record was accepted.
    pub fn is_accepted(self) -> bool {
        self == RecordEnd::Accepted
    }
}

/// Returns the codes of the errors of this crate, for the index of all codes.
pub fn codes() -> Vec<reason::Code> {
    use reason::Coded as _;

    [
        StateRefusal::codes(),
        StateError::codes(),
        TypeChanged::codes(),
        KeyRefusal::codes(),
        in_memory::MemoryFull::codes(),
    ]
    .concat()
}
