//! Descriptions of types that `flow` serialises, since `flow` does not depend on the description. Each type here
//! mirrors one there and is never built. The description allows no other fields, and tests check answers against it.
#![allow(dead_code, clippy::large_enum_variant)] // They only serve the description.

use std::collections::HashMap;

use utoipa::ToSchema;

use super::flow_file::Graph;

/// Something that is or was wrong.
#[derive(ToSchema)]
#[serde(deny_unknown_fields)]
pub(super) struct Alarm {
    /// Its number; 0 where the journal does not have it, since it cannot be written.
    id: i64,
    /// What sort of thing is wrong: `disk-low`.
    kind: String,
    /// What it is about.
    subject: String,
    /// What is wrong, in words.
    text: String,
    raised: String,
    /// When it was cleared, if it was.
    cleared: Option<String>,
    severity: AlarmSeverity,
    /// What sort of event it is (X.733).
    event_type: String,
    /// Why there is one (X.733).
    probable_cause: String,
    /// Who has seen it, if anybody has said so.
    acknowledged: Option<AlarmSeen>,
}

/// How severe an alarm is; `cleared` where it is over.
#[derive(ToSchema)]
#[serde(rename_all = "kebab-case")]
pub(super) enum AlarmSeverity {
    Critical,
    Major,
    Minor,
    Warning,
    Indeterminate,
    Cleared,
}

/// Somebody has seen an alarm.
#[derive(ToSchema)]
#[serde(deny_unknown_fields)]
pub(super) struct AlarmSeen {
    who: String,
    at: String,
    remark: String,
}

/// A file that is or was carried to a receiver.
#[derive(ToSchema)]
#[serde(deny_unknown_fields)]
pub(super) struct Carried {
    id: i64,
    post_processing_system: String,
    /// The file's own name.
    file: String,
    records: i64,
    state: CarriedState,
    /// Since when it is so.
    since: String,
    /// How often it could not be delivered.
    failures: i64,
    /// Why.
    problem: Option<String>,
    /// Where the file lies, as the flow's folder sees it; none where it is gone, or put together when it is carried.
    lies: Option<String>,
}

/// How far a file has come.
#[derive(ToSchema)]
#[serde(rename_all = "kebab-case")]
pub(super) enum CarriedState {
    /// The file waits, or is being delivered.
    Waiting,
    /// The file is delivered but not acknowledged.
    Unacknowledged,
    /// The file is delivered.
    Delivered,
    /// The delivery was given up.
    GivenUp,
    /// The delivery was given up and discarded.
    Discarded,
}

/// What somebody did.
#[derive(ToSchema)]
#[serde(deny_unknown_fields)]
pub(super) struct TrailEntry {
    id: i64,
    at: String,
    who: String,
    /// As the command that does it: `suspense discard`.
    action: String,
    /// To what.
    subject: String,
    /// Why; nothing where no reason is asked for.
    reason: String,
    /// What it was before, where the change is of one thing.
    before: Option<String>,
    /// What it was then.
    after: Option<String>,
}

/// A record that is set aside.
#[derive(ToSchema)]
pub(super) struct SuspendedRecord {
    id: i64,
    why: SuspendedWhy,
    since: String,
    /// Where its file was collected.
    network_element: String,
    file: String,
    /// Its number in the file, from 1.
    record: i64,
    /// Where in the file it begins.
    offset: i64,
    /// The node or system that could not process it; empty where it could not be read.
    node: String,
    /// What is wrong with it.
    reason: String,
    /// The node in which it waited for others, if it was set aside with them.
    waited_in: Option<String>,
    state: SuspendedState,
    /// Whether somebody has asked for it to be put through again, and it was not yet.
    asked: bool,
    /// Whether it is no longer as it came.
    edited: bool,
    /// How often it was put through again.
    retries: i64,
    /// In hexadecimal.
    octets: String,
}

/// Why a record is set aside.
#[derive(ToSchema)]
#[serde(rename_all = "kebab-case")]
pub(super) enum SuspendedWhy {
    /// The record could not be processed.
    Suspended,
    /// The record is a duplicate.
    Duplicate,
}

/// What became of a record that was set aside.
#[derive(ToSchema)]
#[serde(rename_all = "kebab-case")]
pub(super) enum SuspendedState {
    Open,
    Retried,
    Discarded,
}

/// Records that were set aside for the same reason.
#[derive(ToSchema)]
#[serde(deny_unknown_fields)]
pub(super) struct AlikeRecords {
    records: u64,
    network_element: String,
    /// The node or system that could not process them; empty where they could not be read.
    node: String,
    /// What is wrong with them, but for where in each.
    reason: String,
    /// The number of the first.
    first: i64,
    /// The number of the last.
    last: i64,
}

/// What was done to a record.
#[derive(ToSchema)]
#[serde(deny_unknown_fields)]
pub(super) struct SuspendedDeed {
    at: String,
    who: String,
    /// As the command that does it: `suspense edit`.
    action: String,
    because: String,
    /// What came of it, where it was put through again: `delivered`, `filtered`, `suspended`, or `divided` where several
    /// records were found in it.
    outcome: Option<String>,
    /// Where and why it failed again.
    reason: Option<String>,
}

/// What became of records that were put through again.
#[derive(ToSchema)]
#[serde(deny_unknown_fields)]
pub(super) struct RetriedRecords {
    /// How many were asked for.
    asked: u64,
    /// How many were found in them, which are more where octets could not be read.
    records: u64,
    /// How many of those went to a post-processing system.
    delivered: u64,
    /// How many nobody took.
    filtered: u64,
    /// How many wait in a node for others.
    held: u64,
    /// How many are in suspense again.
    suspended: u64,
    /// How many came before, and are set aside as duplicates.
    duplicate: u64,
    /// Why.
    reasons: Vec<AlikeRecords>,
    /// How many of those that were asked for still wait to be put through.
    waiting: u64,
    /// How many are no longer to be put through, as somebody has said meanwhile.
    taken_back: u64,
    /// How many came before, and were left: it was not said that they are to be put through even so.
    left: u64,
    /// The numbers of those that were left, as their octets were damaged in the journal.
    damaged: Vec<i64>,
}

/// A group of records that wait for others, or did.
#[derive(ToSchema)]
#[serde(deny_unknown_fields)]
pub(super) struct WaitingGroup {
    id: i64,
    node: String,
    /// What its records have in common.
    key: String,
    /// When the first of its records came.
    since: String,
    /// When its first record was made, where the node knows that.
    first: Option<String>,
    /// And its last.
    last: Option<String>,
    records: i64,
    /// When it will be over, if it waits in a node of the flow.
    over: Option<WaitingUntil>,
    /// What somebody asked to become of it.
    asked: Option<WaitingAsked>,
    /// Why it waits no more, if it does not: `complete`, `expired`, `dropped` or `suspended`.
    release: Option<String>,
    released: Option<String>,
    /// The file whose record made it complete, or the name of the job that released it.
    released_by: Option<String>,
    /// Its records, in the order in which they came, where one group is asked for.
    #[schema(required = false)]
    parts: Vec<WaitingRecord>,
}

/// When a group will be over: whichever comes first.
#[derive(ToSchema)]
#[serde(deny_unknown_fields)]
pub(super) struct WaitingUntil {
    /// When all network elements that give the node records are past this by their records' own time.
    past: Option<String>,
    /// Those that are not.
    #[schema(required = false)]
    waits_for: Vec<WaitedFor>,
    /// When this is the time of day.
    at: Option<String>,
    /// But by that not before files of these network elements were processed that wait.
    #[schema(required = false)]
    behind_files_of: Vec<String>,
    /// Or this is the time of day: so long they are waited for.
    without_files_at: Option<String>,
    /// But not before these records in suspense were retried or discarded, which belong to it.
    #[schema(required = false)]
    not_before: Vec<i64>,
}

/// A network element whose records a group waits for.
#[derive(ToSchema)]
#[serde(deny_unknown_fields)]
pub(super) struct WaitedFor {
    network_element: String,
    /// How far its records are; none where none has come.
    at: Option<String>,
}

/// What somebody asked to become of a group.
#[derive(ToSchema)]
#[serde(deny_unknown_fields)]
pub(super) struct WaitingAsked {
    /// `release`, `suspend` or `drop`.
    end: String,
    who: String,
    because: String,
}

/// A record of a group.
#[derive(ToSchema)]
#[serde(deny_unknown_fields)]
pub(super) struct WaitingRecord {
    came: Option<String>,
    network_element: Option<String>,
    /// None where the journal has forgotten it.
    file: Option<String>,
    /// Its number in the file.
    record: i64,
    /// Where in the file it begins.
    offset: i64,
    /// When it was made, where the node knows that.
    made: Option<String>,
    /// As the node has it, as long as it waits, in hexadecimal.
    octets: Option<String>,
}

/// A group that somebody wanted to end, and what became of it.
#[derive(ToSchema)]
#[serde(deny_unknown_fields)]
pub(super) struct RefusedGroup {
    id: i64,
    node: String,
    /// What its records have in common.
    key: String,
    records: i64,
    /// `expired`, `suspended`, `dropped`, or `complete` where its last record came just then; none where it waits still.
    release: Option<String>,
    /// Why it was refused, where it was set aside.
    reason: Option<String>,
    /// The node or system that did.
    refused_by: Option<String>,
}

/// The reconciliation.
#[derive(ToSchema)]
#[serde(deny_unknown_fields)]
pub(super) struct AuditReport {
    /// The flow file.
    flow: String,
    /// When it was made.
    as_of: String,
    /// What came of records, at network elements and at the nodes and systems behind them.
    counts: Vec<AuditCount>,
    /// Sums of their values.
    amounts: Vec<AuditAmount>,
    /// Files that are done, of which outputs have no names yet or which are not marked.
    in_work: i64,
    /// Outputs that wait to be merged, whenever they were made. Their records count as delivered.
    gathered: Vec<AuditGathered>,
    /// Files that came, or may have, and are not in the journal, whatever is asked for: what the alarms say of them.
    not_taken: Vec<String>,
    /// What was done in the time that is asked for, or before, and is forgotten since.
    forgotten: Option<AuditForgotten>,
    /// What does not agree. Nothing should be here.
    differences: Vec<AuditDifference>,
}

/// Records at a place: each is in one column.
#[derive(ToSchema)]
#[serde(deny_unknown_fields)]
pub(super) struct AuditCount {
    day: Option<String>,
    network_element: String,
    file: Option<String>,
    /// Whether the records are of suspense and were put through again; they are in no other line.
    retried: bool,
    /// The node or system behind it; none for the network element itself.
    node: Option<String>,
    /// Whether that is a system.
    is_system: bool,
    /// Files; jobs of records that were put through again.
    files: i64,
    /// Files that came before: their records are in `duplicate`.
    duplicate_files: i64,
    records: i64,
    delivered: i64,
    filtered: i64,
    held: i64,
    /// Of these, those that wait still.
    waiting: i64,
    /// And those that were given up when the time of their group was over.
    dropped: i64,
    suspended: i64,
    duplicate: i64,
    /// Records that a node made.
    made: i64,
    /// Of a network element's suspended and duplicate records, those that are open now.
    open: i64,
    /// And those that were discarded.
    discarded: i64,
}

/// A sum at a place.
#[derive(ToSchema)]
#[serde(deny_unknown_fields)]
pub(super) struct AuditAmount {
    day: Option<String>,
    network_element: String,
    file: Option<String>,
    retried: bool,
    /// The system; none for the network element itself.
    system: Option<String>,
    /// At a network element, what became of the records; at a system `given` or `written`.
    side: String,
    /// What is summed.
    name: String,
    /// May have more digits than a number of 64 bits.
    sum: i128,
    /// The records that have it.
    records: i64,
}

/// Outputs that wait for others, to be merged with them.
#[derive(ToSchema)]
#[serde(deny_unknown_fields)]
pub(super) struct AuditGathered {
    post_processing_system: String,
    /// `gathering`.
    state: String,
    outputs: i64,
    records: i64,
    octets: i64,
    since: String,
    merged: Option<AuditMerged>,
}

/// When outputs that wait are merged: at a time, or before that when they are enough.
#[derive(ToSchema)]
#[serde(deny_unknown_fields)]
pub(super) struct AuditMerged {
    at: String,
    records_max: Option<u64>,
    octets_max: Option<u64>,
    outputs_max: usize,
}

/// Files of which the journal knows nothing any more.
#[derive(ToSchema)]
#[serde(deny_unknown_fields)]
pub(super) struct AuditForgotten {
    files: i64,
    /// When the last of them was done.
    until: String,
}

/// Something that does not agree.
#[derive(ToSchema)]
#[serde(deny_unknown_fields)]
pub(super) struct AuditDifference {
    day: Option<String>,
    /// None where the difference is of all that waits in a node.
    network_element: Option<String>,
    file: Option<String>,
    /// The node or system; none for the network element itself.
    node: Option<String>,
    /// What does not agree, in words.
    text: String,
}

/// What network elements number, and what of it is missing.
#[derive(ToSchema)]
#[serde(deny_unknown_fields)]
pub(super) struct SequenceReport {
    /// The flow file.
    flow: String,
    /// The period's beginning; none if it is as old as the journal.
    from: Option<String>,
    /// The period's end, not included; none if it is now.
    to: Option<String>,
    /// When it was made.
    as_of: String,
    /// Files that are done and not in it yet.
    not_yet: i64,
    /// By network element and counter.
    lines: Vec<SequenceLine>,
    /// SHA-256 of the report as text, in hexadecimal digits.
    sha256: String,
}

/// A line of the report.
#[derive(ToSchema)]
#[serde(deny_unknown_fields)]
pub(super) struct SequenceLine {
    network_element: String,
    /// `file`, `record`, or `total` for what files say of themselves.
    of: String,
    /// Which of several counters; the name of a total.
    series: String,
    what: SequenceWhat,
    /// The numbers from here on; what the file says of a total.
    first: Option<i64>,
    /// To here, which may be less where the counter went round; what was found of a total.
    last: Option<i64>,
    count: i64,
    /// When that was seen.
    at: Option<String>,
    /// When it was over.
    until: Option<String>,
    /// The file in which it was seen.
    file: Option<String>,
    /// Who accepts it, and why.
    note: Option<String>,
}

/// What a line says.
#[derive(ToSchema)]
#[serde(rename_all = "kebab-case")]
pub(super) enum SequenceWhat {
    Expected,
    Received,
    Missing,
    /// A number before the period that is still missing.
    MissingBefore,
    /// A missing number that is accepted as lost.
    Accepted,
    Late,
    Repeated,
    Restarted,
    /// A number far from the expected one that is no restart: the number of lost ones in between is unknown.
    Jumped,
    Unnumbered,
    Agrees,
    Differs,
}

/// The way of a record.
#[derive(ToSchema)]
#[serde(deny_unknown_fields)]
pub(super) struct Way {
    network_element: String,
    /// In which file; or the name of the job that ended its group.
    file: String,
    /// Its number in the file, from 1, where that is known.
    record: Option<u64>,
    /// Where in the file it begins; none of a group that was ended since its time was over.
    offset: Option<u64>,
    /// When the journal had what became of it.
    done: String,
    /// Under which number the journal has that.
    job: i64,
    /// Whether it was put through again.
    retried: bool,
    /// The file it came in was one that came before: so it went nowhere.
    duplicate_of: Option<String>,
    /// The nodes that touched it, and what they did.
    way: Vec<WayStep>,
    /// What was made of it.
    outputs: Vec<WayOutput>,
    /// Where it lies, or lay, in suspense.
    suspense: Vec<WaySuspended>,
    /// The records with which it is, or was, in a group.
    group: Vec<WayPart>,
    /// What became of it later: when it was retried, or its group ended.
    #[schema(no_recursion)]
    later: Vec<Way>,
}

/// One of the steps of a record's way.
#[derive(ToSchema)]
#[serde(rename_all = "kebab-case")]
pub(super) enum WayStep {
    /// It passed a node, which gave it on.
    Passed { node: String, stream: String },
    /// A node made nothing of it.
    Ended { node: String },
    /// A node made others of it.
    Made { node: String },
    /// It waits in a node.
    Held { node: String },
    /// A group of a node was over.
    Released { node: String },
    /// It was written for a system.
    Written { system: String },
    /// Many records were written for a system.
    WrittenOften { system: String },
    /// It was set aside.
    Suspended { at: String },
    /// It was set aside since it came before.
    Duplicate { at: String },
    /// It could not be read.
    Unreadable,
    /// There are more steps than are noted.
    More,
}

/// What was made of a record.
#[derive(ToSchema)]
#[serde(deny_unknown_fields)]
pub(super) struct WayOutput {
    post_processing_system: String,
    /// The file it is in.
    file: String,
    /// Its number in that, from 1.
    record: u64,
    /// Where in that it begins.
    offset: u64,
    octets: u32,
    /// How far the file has come to its receiver, where it is carried there.
    carried: Option<WayCarried>,
}

/// A file that is, or was, carried to its receiver.
#[derive(ToSchema)]
#[serde(deny_unknown_fields)]
pub(super) struct WayCarried {
    state: CarriedState,
    /// What it is called there, once it is there.
    name: Option<String>,
}

/// A record that is set aside, or was.
#[derive(ToSchema)]
#[serde(deny_unknown_fields)]
pub(super) struct WaySuspended {
    /// Its number there.
    id: i64,
    /// What became of it: `open`, `retried` or `discarded`.
    state: String,
    /// Where it was refused; empty where it could not be read.
    node: String,
    reason: String,
}

/// A record of a group.
#[derive(ToSchema)]
#[serde(deny_unknown_fields)]
pub(super) struct WayPart {
    /// The number of the group.
    group: i64,
    /// The node in which it waited.
    node: String,
    /// What the records of the group have in common.
    key: String,
    /// The file it came in; none where the journal has forgotten it.
    file: Option<String>,
    /// Its number in the file.
    record: i64,
    /// Where in the file it begins.
    offset: i64,
}

/// The data of an event, by its name: `graph`, `figures` or `changed`.
#[derive(ToSchema)]
#[serde(untagged)]
pub(super) enum LiveEvent {
    Graph(Graph),
    Figures(LiveFigures),
    Changed(LiveChanged),
}

/// The figures of a moment; counts are those since the gateway was started.
#[derive(ToSchema)]
#[serde(deny_unknown_fields)]
pub(super) struct LiveFigures {
    at: String,
    /// How long it is since those before.
    seconds: f64,
    /// By the name of the network element.
    elements: HashMap<String, LiveElement>,
    /// By the name of the node.
    nodes: HashMap<String, LiveNode>,
    /// By the name of the post-processing system.
    systems: HashMap<String, LiveSystem>,
    /// Edges that were not there from the start.
    edges: Vec<LiveEdge>,
    threads: LiveThreads,
    /// Records in suspense that are open.
    suspense_open: u64,
    alarms: LiveAlarms,
    /// Those of them that nobody has acknowledged.
    alarms_unacknowledged: LiveAlarms,
    journal_is_written: bool,
    /// `free`, or `low` where a disk is nearly full.
    room: String,
}

#[derive(ToSchema)]
#[serde(deny_unknown_fields)]
pub(super) struct LiveElement {
    files: u64,
    records: u64,
    octets: u64,
    /// Files that wait.
    waiting: u64,
    /// How many records became what.
    outcomes: HashMap<String, u64>,
}

#[derive(ToSchema)]
#[serde(deny_unknown_fields)]
pub(super) struct LiveNode {
    records: u64,
    /// Records that it made.
    made: u64,
    /// How many went on by which stream.
    streams: HashMap<String, u64>,
    /// How many records became what.
    outcomes: HashMap<String, u64>,
    /// How many keys it knows, where it knows any.
    keys: Option<u64>,
}

#[derive(ToSchema)]
#[serde(deny_unknown_fields)]
pub(super) struct LiveSystem {
    records: u64,
    files: u64,
    waiting_deliveries: u64,
}

/// An edge to which fewer records came than left where it begins: it came later.
#[derive(ToSchema)]
#[serde(deny_unknown_fields)]
pub(super) struct LiveEdge {
    /// The network element or node.
    from: String,
    /// Of its streams; a network element's has no name.
    stream: String,
    /// The node or post-processing system.
    to: String,
    /// The records that had left before it was there.
    before: u64,
}

#[derive(ToSchema)]
#[serde(deny_unknown_fields)]
pub(super) struct LiveThreads {
    all: usize,
    working: usize,
}

/// How many are raised, by how severe they are.
#[derive(ToSchema)]
#[serde(deny_unknown_fields)]
pub(super) struct LiveAlarms {
    critical: usize,
    major: usize,
    minor: usize,
    warning: usize,
}

#[derive(ToSchema)]
#[serde(deny_unknown_fields)]
pub(super) struct LiveChanged {
    /// `flow`, `alarms` or `versions`.
    what: String,
}

/// A change of the text of a flow file.
#[derive(ToSchema)]
#[serde(tag = "do", rename_all = "kebab-case", deny_unknown_fields)]
pub(super) enum FlowEdit {
    /// There is one more.
    Add {
        /// The name of its table: `filter`.
        kind: String,
        name: String,
        /// The keys of its table, each with what the flow file is to say.
        #[serde(default)]
        settings: HashMap<String, serde_json::Value>,
        /// Whose records it takes.
        #[serde(default)]
        from: Vec<String>,
    },
    /// There is one less; nobody takes its records any more.
    Remove { name: String },
    /// One is called otherwise, wherever it is named.
    Rename {
        name: String,
        /// How it is called then.
        to: String,
    },
    /// One takes a stream.
    Connect {
        /// The stream, as a flow file names it: `isRoaming.false`.
        from: String,
        /// Who takes it.
        to: String,
    },
    /// One takes a stream no more.
    Disconnect {
        /// The stream, as it is written.
        from: String,
        /// Who took it.
        to: String,
    },
    /// A key has a value.
    Set {
        /// Whose.
        name: String,
        /// Within a table of its own behind a dot: `deliver.dir`.
        key: String,
        /// What the flow file is to say, whatever it is.
        value: serde_json::Value,
    },
    /// A key is not there any more.
    Unset {
        /// Whose.
        name: String,
        key: String,
    },
}
