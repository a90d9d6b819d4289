//! Descriptions of types that `flow` serialises, since `flow` does not depend on the description. Each type here
//! mirrors one there and is never built. The description allows no other fields, and tests check answers against it.
#![allow(dead_code, clippy::large_enum_variant)] // They only serve the description.

use std::collections::HashMap;

use utoipa::ToSchema;

/// An alarm that is raised, or was.
#[derive(ToSchema)]
#[serde(deny_unknown_fields)]
pub(super) struct Alarm {
    /// The alarm's number. 0 if the journal cannot store the alarm, because the disk is full.
    id: i64,
    /// The kind of alarm: `disk-low`.
    kind: String,
    /// The object that the alarm is about: a network element, a receiver, a folder. May be empty.
    subject: String,
    /// The problem, in words.
    text: String,
    /// When the alarm was raised.
    raised: String,
    /// When the alarm was cleared. Absent while it is raised.
    cleared: Option<String>,
    severity: AlarmSeverity,
    /// The event type (X.733): `processingErrorAlarm`.
    event_type: String,
    /// The probable cause (X.733).
    probable_cause: String,
    /// The acknowledgement, if a user has acknowledged the alarm.
    acknowledged: Option<AlarmAcknowledgement>,
}

/// The severity of an alarm; `cleared` once it is over.
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

/// The acknowledgement of an alarm.
#[derive(ToSchema)]
#[serde(deny_unknown_fields)]
#[schema(as = AlarmSeen)]
pub(super) struct AlarmAcknowledgement {
    /// The user.
    who: String,
    /// When the user acknowledged the alarm.
    at: String,
    /// The user's remark; empty if there is none.
    remark: String,
}

/// An entry of the audit trail: one action of a user or of the gateway.
#[derive(ToSchema)]
#[serde(deny_unknown_fields)]
pub(super) struct TrailEntry {
    /// The number of the entry.
    id: i64,
    /// When the action was done.
    at: String,
    /// The user, the token or `the gateway`.
    who: String,
    /// The action, as the command that does it: `suspense discard`.
    action: String,
    /// The object of the action.
    subject: String,
    /// The reason; empty for actions that need none.
    reason: String,
    /// The value before the action, if it changed a single thing.
    before: Option<String>,
    /// The value after the action, if it changed a single thing.
    after: Option<String>,
}

/// A record in suspense.
#[derive(ToSchema)]
pub(super) struct SuspendedRecord {
    /// The record's number in suspense.
    id: i64,
    why: SuspendedWhy,
    /// When the record was set aside.
    since: String,
    /// The network element whose file the record came in.
    network_element: String,
    /// The file that the record came in.
    file: String,
    /// The record's number in the file, from 1.
    record: i64,
    /// The offset of the record's first octet in the file.
    offset: i64,
    /// The node or system that refused the record. Empty if the record could not be decoded.
    node: String,
    /// The error.
    reason: String,
    /// The matching node in which the record waited, if it was set aside with its group. A retry puts it back there.
    waited_in: Option<String>,
    state: SuspendedState,
    /// Whether a retry of the record is requested and not done yet.
    asked: bool,
    /// Whether the record was edited.
    edited: bool,
    /// How often the record was retried.
    retries: i64,
    /// The record's octets as they are now, in hexadecimal.
    octets: String,
}

/// Why a record is in suspense.
#[derive(ToSchema)]
#[serde(rename_all = "kebab-case")]
pub(super) enum SuspendedWhy {
    /// The record could not be processed.
    Suspended,
    /// The record is a duplicate.
    Duplicate,
}

/// The state of a record in suspense: `retried` once a retry succeeded, `discarded` once a user gave the record up.
#[derive(ToSchema)]
#[serde(rename_all = "kebab-case")]
pub(super) enum SuspendedState {
    Open,
    Retried,
    Discarded,
}

/// Records in suspense with the same network element, node and reason.
#[derive(ToSchema)]
#[serde(deny_unknown_fields)]
pub(super) struct AlikeRecords {
    /// The number of records.
    records: u64,
    network_element: String,
    /// The node or system that refused the records. Empty if they could not be decoded.
    node: String,
    /// The error, without the place in the record.
    reason: String,
    /// The smallest number in suspense.
    first: i64,
    /// The greatest number in suspense.
    last: i64,
}

/// An action on a record in suspense.
#[derive(ToSchema)]
#[serde(deny_unknown_fields)]
pub(super) struct SuspendedDeed {
    /// When the action was requested.
    at: String,
    /// The user or token.
    who: String,
    /// The action, as the command that does it: `suspense edit`.
    action: String,
    /// The reason that the user gave; empty for a retry.
    because: String,
    /// The outcome of a retry: `delivered`, `filtered`, `suspended`, or `divided` if several records were found in the
    /// octets.
    outcome: Option<String>,
    /// The node and error of a retry that failed.
    reason: Option<String>,
}

/// The result of a retry.
#[derive(ToSchema)]
#[serde(deny_unknown_fields)]
pub(super) struct RetriedRecords {
    /// The number of records in suspense that were requested, with the other open records of their groups.
    asked: u64,
    /// The number of records that were processed. It is greater than that of the retried entries if undecodable octets
    /// turned out to be several records.
    records: u64,
    /// Records delivered to a post-processing system.
    delivered: u64,
    /// Records that no node or system took.
    filtered: u64,
    /// Records that wait in a matching node.
    held: u64,
    /// Records that are in suspense again.
    suspended: u64,
    /// Records that are duplicates and were set aside as such.
    duplicate: u64,
    /// The reasons of the records that are in suspense again.
    reasons: Vec<AlikeRecords>,
    /// Requested records that the gateway has not retried yet.
    waiting: u64,
    /// Requested records whose retry was cancelled meanwhile.
    taken_back: u64,
    /// Duplicates that were not retried, because the request did not include duplicates.
    left: u64,
    /// The numbers of the records that were not retried, because their octets are damaged in the journal.
    damaged: Vec<i64>,
}

/// A group of records in a matching node, waiting or released.
#[derive(ToSchema)]
#[serde(deny_unknown_fields)]
pub(super) struct WaitingGroup {
    /// The group's number.
    id: i64,
    /// The matching node.
    node: String,
    /// The key that the group's records share.
    key: String,
    /// When the first record of the group arrived.
    since: String,
    /// The earliest time in the records themselves. Absent if the node reads no time from records.
    first: Option<String>,
    /// The latest time in the records themselves. Absent if the node reads no time from records.
    last: Option<String>,
    /// The number of records.
    records: i64,
    /// When the group expires. Absent if the group no longer waits, or if the flow no longer has the node.
    over: Option<WaitingUntil>,
    /// The request of a user to end the group.
    asked: Option<WaitingRequest>,
    /// Why the group no longer waits: `complete`, `expired`, `dropped` or `suspended`. Absent while it waits.
    release: Option<String>,
    /// When the group was released.
    released: Option<String>,
    /// The file whose record completed the group, or the name of the job that released it.
    released_by: Option<String>,
    /// The records, in the order of arrival. Present only if the request is for a single group.
    #[schema(required = false)]
    parts: Vec<WaitingRecord>,
}

/// When a waiting group expires: at `past` or at `at`, whichever comes first.
#[derive(ToSchema)]
#[serde(deny_unknown_fields)]
pub(super) struct WaitingUntil {
    /// The group expires when the records of all network elements that feed the node are past this time, by the time in
    /// the records. Absent if the node has no limit by record time.
    past: Option<String>,
    /// The network elements whose records are not past it yet.
    #[schema(required = false)]
    waits_for: Vec<WaitedFor>,
    /// The group expires at this time of the gateway's clock. Absent if the node has no limit by arrival.
    at: Option<String>,
    /// The network elements with files that could not be processed. At `at` the group does not expire before these
    /// files are processed.
    #[schema(required = false)]
    behind_files_of: Vec<String>,
    /// When the group stops waiting for the files of `behind_files_of`.
    without_files_at: Option<String>,
    /// The numbers of records in suspense that may belong to the group. It does not expire before they are retried or
    /// discarded.
    #[schema(required = false)]
    not_before: Vec<i64>,
}

/// A network element for whose records a group waits.
#[derive(ToSchema)]
#[serde(deny_unknown_fields)]
pub(super) struct WaitedFor {
    network_element: String,
    /// The latest record time from this network element; absent if it has sent no record.
    at: Option<String>,
}

/// A request to end a group before its time.
#[derive(ToSchema)]
#[serde(deny_unknown_fields)]
#[schema(as = WaitingAsked)]
pub(super) struct WaitingRequest {
    /// `release`, `suspend` or `drop`.
    end: String,
    /// The user or token.
    who: String,
    /// The reason that the user gave.
    because: String,
}

/// A record of a group.
#[derive(ToSchema)]
#[serde(deny_unknown_fields)]
pub(super) struct WaitingRecord {
    /// When the file of the record was done. Absent if the journal has forgotten the file.
    came: Option<String>,
    /// Absent if the journal has forgotten the file.
    network_element: Option<String>,
    /// The file that the record came in. Absent if the journal has forgotten it.
    file: Option<String>,
    /// The record's number in the file, from 1.
    record: i64,
    /// The offset of the record's first octet in the file.
    offset: i64,
    /// The time in the record itself. Absent if the node reads no time from records.
    made: Option<String>,
    /// The record as the node stores it, in hexadecimal. Present only while the group waits.
    octets: Option<String>,
}

/// A group that was to be released, and that was set aside instead.
#[derive(ToSchema)]
#[serde(deny_unknown_fields)]
pub(super) struct RefusedGroup {
    /// The group's number.
    id: i64,
    /// The matching node.
    node: String,
    /// The key that the group's records share.
    key: String,
    /// The number of records.
    records: i64,
    /// `expired`, `suspended`, `dropped`, or `complete` if the last record arrived at that moment. Absent while the
    /// group waits.
    release: Option<String>,
    /// Why the group's output was refused, if the group was set aside.
    reason: Option<String>,
    /// The node or system that refused the output.
    refused_by: Option<String>,
}

/// The audit: a count of every record at every place, and the differences between the counts.
#[derive(ToSchema)]
#[serde(deny_unknown_fields)]
pub(super) struct AuditReport {
    /// The path of the flow file.
    flow: String,
    /// When the report was made.
    as_of: String,
    /// Counts of records, for each network element and for the nodes and systems behind it.
    counts: Vec<AuditCount>,
    /// Sums of the values that the flow audits.
    amounts: Vec<AuditAmount>,
    /// Files that are done but whose outputs have no final names yet, or which are not marked as done yet.
    in_work: i64,
    /// Outputs that wait to be merged, whatever the requested period. Their records count as delivered.
    gathered: Vec<distribution::Gathered>,
    /// The texts of alarms about files that arrived, or may have, and are not in the journal, whatever the requested
    /// period and network element.
    not_taken: Vec<String>,
    /// The files that the journal has forgotten. Absent if none of them is of the requested period.
    forgotten: Option<AuditForgotten>,
    /// The differences. The list is empty if every record is accounted for.
    differences: Vec<AuditDifference>,
}

/// Counts of records at one place: `records` = `delivered` + `filtered` + `held` + `suspended` + `duplicate`.
#[derive(ToSchema)]
#[serde(deny_unknown_fields)]
pub(super) struct AuditCount {
    /// The day of UTC on which the files were done. Absent in the API; only the command line splits a report by day.
    day: Option<String>,
    network_element: String,
    /// The file. Absent in the API; only the command line splits a report by file.
    file: Option<String>,
    /// Whether the line is about retried records. They are in no other line.
    retried: bool,
    /// The node or system. Absent in the line of the network element itself.
    node: Option<String>,
    /// Whether `node` is a post-processing system.
    is_system: bool,
    /// The number of files; in a line about retried records, the number of jobs that retried them.
    files: i64,
    /// Files that are duplicates. Their records are in `duplicate`.
    duplicate_files: i64,
    /// All records that came to this place.
    records: i64,
    /// Records that went on and reached a system.
    delivered: i64,
    /// Records that no node or system took.
    filtered: i64,
    /// Records that had to wait in a matching node.
    held: i64,
    /// The part of `held` that still waits.
    waiting: i64,
    /// The part of `held` that was dropped when its group ended.
    dropped: i64,
    /// Records that were refused and went to suspense.
    suspended: i64,
    /// Records that had come before.
    duplicate: i64,
    /// Records that a node made.
    made: i64,
    /// The suspended and duplicate records of a network element that are open now.
    open: i64,
    /// The suspended and duplicate records of a network element that were discarded.
    discarded: i64,
}

/// The sum of an audited value at one place.
#[derive(ToSchema)]
#[serde(deny_unknown_fields)]
pub(super) struct AuditAmount {
    /// As in `AuditCount`.
    day: Option<String>,
    network_element: String,
    /// As in `AuditCount`.
    file: Option<String>,
    /// As in `AuditCount`.
    retried: bool,
    /// The post-processing system or matching node. Absent in the line of the network element itself.
    system: Option<String>,
    /// The side of the sum. At a network element: the outcome of the records. At a system: `given` or `written`. At a
    /// matching node: `came`, `waited`, `emitted`, `kept`, `dropped`, `aside` or `changed`.
    side: String,
    /// The name of the value, as the flow file has it.
    name: String,
    /// The sum. It may have more digits than a 64-bit integer holds.
    sum: i128,
    /// The number of records that have the value.
    records: i64,
}

/// Files that the journal has forgotten, because they are older than it keeps files.
#[derive(ToSchema)]
#[serde(deny_unknown_fields)]
pub(super) struct AuditForgotten {
    /// The number of files.
    files: i64,
    /// When the last of them was done.
    until: String,
}

/// A difference between two counts or sums that must be equal.
#[derive(ToSchema)]
#[serde(deny_unknown_fields)]
pub(super) struct AuditDifference {
    /// The day of UTC on which the file was done.
    day: Option<String>,
    /// Absent if the difference is in all that waits in a node.
    network_element: Option<String>,
    file: Option<String>,
    /// The node or system. Absent if the difference is at the network element itself.
    node: Option<String>,
    /// The difference, in words.
    text: String,
}

/// The report on sequence numbers: for each network element and counter, the expected, received and missing numbers.
#[derive(ToSchema)]
#[serde(deny_unknown_fields)]
pub(super) struct SequenceReport {
    /// The path of the flow file.
    flow: String,
    /// The beginning of the period. Absent if the period begins with the journal.
    from: Option<String>,
    /// The end of the period, exclusive. Absent if the period ends now.
    to: Option<String>,
    /// When the report was made.
    as_of: String,
    /// Files that are done and not part of the report yet.
    not_yet: i64,
    /// The lines, by network element and counter.
    lines: Vec<SequenceLine>,
    /// The SHA-256 digest of the report as text (CSV), in hexadecimal.
    sha256: String,
}

/// A line of the report on sequence numbers.
#[derive(ToSchema)]
#[serde(deny_unknown_fields)]
pub(super) struct SequenceLine {
    network_element: String,
    /// `file`, `record`, or `total` for the totals that files contain.
    of: String,
    /// The name of the counter; empty if there is only one. For a total, its name.
    series: String,
    what: SequenceWhat,
    /// The first number of the range. For a total, the value that the file states.
    first: Option<i64>,
    /// The last number of the range, inclusive. It is less than `first` if the counter wrapped around. For a total, the
    /// value that was found.
    last: Option<i64>,
    /// How many numbers, or files for totals.
    count: i64,
    /// When the event was noticed.
    at: Option<String>,
    /// When the gap was closed, or accepted as lost.
    until: Option<String>,
    /// The file in which the event was noticed.
    file: Option<String>,
    /// The user who accepted the gap, and the reason.
    note: Option<String>,
}

/// The meaning of a line: `late` is a gap that was closed, `repeated` a number that came twice, `restarted` a counter
/// that began again at its first number, `unnumbered` what has no number, `agrees` and `differs` the comparison of a
/// total. `missing-before` is a gap from before the period, `accepted` a gap that is accepted as lost, and `jumped` a
/// counter that went on far from the expected number, so that the number of lost ones is unknown.
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

/// The trace of a record: where it came from, which nodes it passed, and which files its outputs are in.
#[derive(ToSchema)]
#[serde(deny_unknown_fields)]
#[schema(as = Way)]
pub(super) struct Trace {
    network_element: String,
    /// The file that the record came in, or the name of the job that ended its group.
    file: String,
    /// The record's number in the file, from 1. Absent if it is unknown.
    record: Option<u64>,
    /// The offset of the record's first octet in the file. Absent for a group that was ended because its time was over.
    offset: Option<u64>,
    /// When the job was committed to the journal.
    done: String,
    /// The number of the job in the journal.
    job: i64,
    /// Whether this is the trace of a retry.
    retried: bool,
    /// The name of the earlier file of which this one is a duplicate. The record was then not processed.
    duplicate_of: Option<String>,
    /// The steps at the nodes and systems, in order.
    way: Vec<TraceStep>,
    /// The records that were made of it.
    outputs: Vec<TraceOutput>,
    /// The entries in suspense that the record has or had.
    suspense: Vec<TraceSuspended>,
    /// The records of the group that the record waits or waited in.
    group: Vec<TracePart>,
    /// The traces of later jobs: of a retry, or of the end of the group.
    #[schema(no_recursion)]
    later: Vec<Trace>,
}

/// A step of a record's trace.
#[derive(ToSchema)]
#[serde(rename_all = "kebab-case")]
#[schema(as = WayStep)]
pub(super) enum TraceStep {
    /// The record passed a node and went on by this stream; the stream's name is empty if the node has only one.
    Passed { node: String, stream: String },
    /// The record ended in a node, which made nothing of it.
    Ended { node: String },
    /// A node made other records of it.
    Made { node: String },
    /// The record waits in a matching node.
    Held { node: String },
    /// A matching node released the group of the record.
    Released { node: String },
    /// The record was written for a system.
    Written { system: String },
    /// Many records made of it were written for a system.
    WrittenOften { system: String },
    /// A node or system refused the record, which went to suspense.
    Suspended { at: String },
    /// The record went to suspense as a duplicate.
    Duplicate { at: String },
    /// The record could not be decoded.
    Unreadable,
    /// There are more steps than the trace keeps.
    More,
}

/// A record in an output file.
#[derive(ToSchema)]
#[serde(deny_unknown_fields)]
#[schema(as = WayOutput)]
pub(super) struct TraceOutput {
    /// The receiver.
    post_processing_system: String,
    /// The path of the output file.
    file: String,
    /// The record's number in the output file, from 1.
    record: u64,
    /// The offset of the record's first octet in the output file, before compression.
    offset: u64,
    /// The size of the record in octets.
    octets: u32,
    /// The delivery of the file. Absent if the system collects it from the folder.
    carried: Option<TraceCarried>,
}

/// The delivery of an output file.
#[derive(ToSchema)]
#[serde(deny_unknown_fields)]
#[schema(as = WayCarried)]
pub(super) struct TraceCarried {
    state: distribution::DeliveryState,
    /// The file's name at the receiver. Absent until the file is delivered.
    name: Option<String>,
}

/// A record in suspense, as its trace shows it.
#[derive(ToSchema)]
#[serde(deny_unknown_fields)]
#[schema(as = WaySuspended)]
pub(super) struct TraceSuspended {
    /// The record's number in suspense.
    id: i64,
    /// `open`, `retried` or `discarded`.
    state: String,
    /// The node or system that refused the record. Empty if the record could not be decoded.
    node: String,
    /// The error.
    reason: String,
}

/// A record of a group, as a trace shows it.
#[derive(ToSchema)]
#[serde(deny_unknown_fields)]
#[schema(as = WayPart)]
pub(super) struct TracePart {
    /// The number of the group.
    group: i64,
    /// The matching node.
    node: String,
    /// The key that the group's records share.
    key: String,
    /// The file that the record came in. Absent if the journal has forgotten it.
    file: Option<String>,
    /// The record's number in the file, from 1.
    record: i64,
    /// The offset of the record's first octet in the file.
    offset: i64,
}

/// A change of the text of a flow file.
#[derive(ToSchema)]
#[serde(tag = "do", rename_all = "kebab-case", deny_unknown_fields)]
pub(super) enum FlowEdit {
    /// Adds a network element, a node or a post-processing system.
    Add {
        /// The name of its table: `filter`.
        kind: String,
        /// Up to 100 letters, digits, `-` and `_`. The name must be free.
        name: String,
        /// The keys of its table, each with its value.
        #[serde(default)]
        settings: HashMap<String, serde_json::Value>,
        /// The streams whose records it takes. A network element takes none.
        #[serde(default)]
        from: Vec<String>,
    },
    /// Removes a table, and its name from the lists of others.
    Remove { name: String },
    /// Renames a table, and its name in the lists of others.
    Rename {
        name: String,
        /// The new name.
        to: String,
    },
    /// Connects a stream to a node or post-processing system.
    Connect {
        /// The stream, as the flow file names it: `isRoaming.false`.
        from: String,
        /// The node or system that takes the stream.
        to: String,
    },
    /// Disconnects a stream from a node or post-processing system.
    Disconnect {
        /// The stream, as the flow file has it.
        from: String,
        /// The node or system that takes the stream.
        to: String,
    },
    /// Sets a key of a table.
    Set {
        /// The network element, node or system.
        name: String,
        /// The key. A dot separates the name of an inner table from its key: `deliver.dir`.
        key: String,
        /// The value: any JSON that TOML can express.
        value: serde_json::Value,
    },
    /// Removes a key of a table.
    Unset {
        /// The network element, node or system.
        name: String,
        /// The key, as for `set`.
        key: String,
    },
}
