//! The report of a replay: counts and sums before and after, and some of the differing records, a few of each kind.

use std::collections::{BTreeMap, HashMap};

use inspection::OutcomeKind;
use inspection::masking::{Mask, masked};
use serde::{Deserialize, Serialize};
use serde_json::Value;
use utoipa::ToSchema;

/// The maximum number of records shown, and of records that differ in the same way.
const EXAMPLES_MAX: usize = 100;
const ALIKE_MAX: usize = 5;

/// The maximum number of files named.
const FILES_MAX: usize = 200;

/// The maximum number of fields shown of a record, and of characters shown of a field.
const FIELDS_MAX: usize = 100;
const LETTERS_MAX: usize = 1_000;

/// The differences between the flow as it is (before) and with the change (after).
#[derive(Clone, Debug, Default, Serialize, ToSchema)]
pub struct ReplayReport {
    /// Whether there is any difference.
    differs: bool,
    /// The number of files that were compared.
    files: u64,
    /// The number of files with a difference.
    files_differing: u64,
    /// The number of records with a different result.
    differing: u64,
    /// The number of groups that expired with a different result.
    groups_differing: u64,
    /// The records by outcome.
    counts: Vec<ReplayCount>,
    /// The records by receiver.
    receivers: Vec<ReplayReceiver>,
    /// The sums of the values that the flow audits.
    sums: Vec<ReplaySum>,
    /// The receivers whose files would begin differently, for example with other column names.
    headers: Vec<String>,
    /// The files with a difference; the first 200.
    files_named: Vec<ReplayFileDiffering>,
    /// Examples of records with a different result: 100 at most, and 5 at most with the same kind of difference.
    examples: Vec<ReplayExample>,
}

impl ReplayReport {
    /// Returns whether records are shown.
    pub(super) fn has_examples(&self) -> bool {
        !self.examples.is_empty()
    }

    /// Masks subscriber data in the examples.
    pub(super) fn hide(&mut self, mask: &Mask) {
        for example in &mut self.examples {
            example.key = example.key.as_deref().map(masked);
            for outcome in [&mut example.before, &mut example.after].into_iter().flatten() {
                outcome.reason = outcome.reason.as_deref().map(|reason| mask.reason(reason));
            }
            let fields = example.receivers.iter_mut().flat_map(|gets| &mut gets.fields);
            fields.for_each(|field| field.hide(mask));
        }
    }
}

impl ReplayField {
    fn hide(&mut self, mask: &Mask) {
        let ReplayField { field, before, after } = self;
        for value in [before, after].into_iter().flatten() {
            *value = mask.json_of(field, value);
        }
    }
}

/// The number of records with one outcome, before and after the change.
#[derive(Clone, Debug, Serialize, ToSchema)]
struct ReplayCount {
    /// Which records.
    what: ReplayCountedRecords,
    before: u64,
    after: u64,
}

/// Which records a count is of: all, or those with this outcome. They are shown in this order.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Deserialize, Serialize, ToSchema)]
#[serde(rename_all = "kebab-case")]
enum ReplayCountedRecords {
    /// All records.
    Records,
    /// Those of which at least one record was written.
    Delivered,
    /// Those of which nothing was written, by the flow's own rules.
    Filtered,
    /// Those that wait in a node.
    Held,
    /// Those that could not be processed.
    Suspended,
    /// Those that are duplicates.
    Duplicate,
}

/// The number of records that a receiver gets, before and after the change.
#[derive(Clone, Debug, Serialize, ToSchema)]
struct ReplayReceiver {
    post_processing_system: String,
    before: u64,
    after: u64,
    /// Records that it would no longer get.
    only_before: u64,
    /// Records that it would get in addition.
    only_after: u64,
    /// Records that it would get with other content.
    changed: u64,
}

/// A sum before and after the change. The values are texts, because a JSON number could lose digits.
#[derive(Clone, Debug, Serialize, ToSchema)]
struct ReplaySum {
    /// The place, the side and the name of the value: `billing written seconds`.
    of: String,
    before: String,
    after: String,
}

/// A file with a difference.
#[derive(Clone, Debug, Deserialize, Serialize, ToSchema)]
struct ReplayFileDiffering {
    network_element: String,
    /// The name of the file.
    file: String,
    /// The number of its records with a different result.
    differing: u64,
}

/// A record or group with a different result.
#[derive(Clone, Debug, Deserialize, Serialize, ToSchema)]
struct ReplayExample {
    network_element: String,
    /// The file that the record came in; for a group, its node.
    file: String,
    /// The record's number in the file, from 1.
    record: u64,
    /// The offset of the record's first octet in the file.
    offset: u64,
    /// The key of the group. Absent for a record.
    key: Option<String>,
    /// The outcome before the change. Absent if there was no such record.
    before: Option<ReplayOutcome>,
    /// The outcome after the change. Absent if there would be no such record.
    after: Option<ReplayOutcome>,
    /// The receivers that would get something else.
    receivers: Vec<ReplayDifference>,
}

/// The outcome of a record.
#[derive(Clone, Debug, PartialEq, Eq, Deserialize, Serialize, ToSchema)]
struct ReplayOutcome {
    /// What became of the record.
    what: OutcomeKind,
    /// The node or system that set the record aside, or in which it waits. Empty if it could not be decoded.
    at: Option<String>,
    /// Why the record was set aside.
    reason: Option<String>,
}

/// The difference for one receiver.
#[derive(Clone, Debug, Deserialize, Serialize, ToSchema)]
struct ReplayDifference {
    post_processing_system: String,
    change: ReceiverChange,
    /// The fields that differ; 100 at most. Empty if only the encoding of the record differs.
    fields: Vec<ReplayField>,
}

/// Whether the receiver gets the record only before the change, only after it, or with other content.
#[derive(Clone, Copy, Debug, Deserialize, Serialize, ToSchema)]
#[serde(rename_all = "kebab-case")]
enum ReceiverChange {
    OnlyBefore,
    OnlyAfter,
    Changed,
}

/// A field that differs. The values are in JSON, cut after 1000 characters; absent if the record does not have the
/// field.
#[derive(Clone, Debug, Deserialize, Serialize, ToSchema)]
struct ReplayField {
    /// The path of the field: `services.0.code`.
    field: String,
    #[serde(deserialize_with = "in_json")]
    before: Option<String>,
    #[serde(deserialize_with = "in_json")]
    after: Option<String>,
}

fn in_json<'de, D: serde::Deserializer<'de>>(from: D) -> Result<Option<String>, D::Error> {
    let value = Option::<Value>::deserialize(from)?;
    Ok(value.map(|value| cut(value.to_string())))
}

/// Cuts a text that is too long to be read.
fn cut(mut text: String) -> String {
    if let Some((end, _)) = text.char_indices().nth(LETTERS_MAX) {
        text.truncate(end);
        text.push('…');
    }
    text
}

/// The results gathered while a replay runs.
#[derive(Debug, Default)]
pub(super) struct ReportBuilder {
    files_named: Vec<ReplayFileDiffering>,
    examples: Vec<ReplayExample>,
    /// The number of examples, by how they differ.
    alike: HashMap<String, usize>,
}

impl ReportBuilder {
    pub(super) fn file(&mut self, file: Value) {
        if self.files_named.len() < FILES_MAX {
            self.files_named.extend(serde_json::from_value::<ReplayFileDiffering>(file));
        }
    }

    pub(super) fn record(&mut self, record: Value) {
        if self.examples.len() >= EXAMPLES_MAX {
            return;
        }
        let Ok(mut example) = serde_json::from_value::<ReplayExample>(record) else { return };
        let shown = self.alike.entry(kind(&example)).or_default();
        if *shown == ALIKE_MAX {
            return;
        }
        *shown += 1;
        for outcome in [&mut example.before, &mut example.after].into_iter().flatten() {
            outcome.reason = outcome.reason.take().map(cut);
        }
        example.receivers.iter_mut().for_each(|gets| gets.fields.truncate(FIELDS_MAX));
        self.examples.push(example);
    }

    /// Returns the report, with the totals of the replay.
    pub(super) fn report(self, totals: Value) -> serde_json::Result<ReplayReport> {
        let totals: Totals = serde_json::from_value(totals)?;
        let count = |(what, Pair { before, after })| ReplayCount { what, before, after };
        let counts: Vec<ReplayCount> = totals.counts.into_iter().map(count).collect();
        let text = |amount: Value| match amount {
            Value::String(text) => text,
            number => number.to_string(),
        };
        let sum = |(of, Pair { before, after })| ReplaySum {
            of,
            before: text(before),
            after: text(after),
        };
        let sums: Vec<ReplaySum> = totals.sums.into_iter().map(sum).collect();
        let receiver = |(post_processing_system, of): (String, ReceiverPair)| {
            let ReceiverPair { before, after, only_before, only_after, changed } = of;
            ReplayReceiver {
                post_processing_system,
                before,
                after,
                only_before,
                only_after,
                changed,
            }
        };
        Ok(ReplayReport {
            differs: totals.differing + totals.files_differing + totals.groups_differing > 0
                || !totals.headers.is_empty()
                || counts.iter().any(|count| count.before != count.after)
                || sums.iter().any(|sum| sum.before != sum.after),
            files: totals.files,
            files_differing: totals.files_differing,
            differing: totals.differing,
            groups_differing: totals.groups_differing,
            counts,
            receivers: totals.receivers.into_iter().map(receiver).collect(),
            sums,
            headers: totals.headers,
            files_named: self.files_named,
            examples: self.examples,
        })
    }
}

/// Returns a key of the way in which a record differs.
fn kind(ReplayExample { before, after, receivers, .. }: &ReplayExample) -> String {
    let outcome = |outcome: &Option<ReplayOutcome>| {
        outcome.as_ref().map(|outcome| (outcome.what, outcome.at.clone()))
    };
    let gets = receivers.iter().map(|gets| {
        let fields: Vec<&str> = gets.fields.iter().map(|field| &*field.field).collect();
        (&*gets.post_processing_system, gets.change, fields)
    });
    format!("{:?}", (outcome(before), outcome(after), gets.collect::<Vec<_>>()))
}

#[derive(Deserialize)]
struct Totals {
    files: u64,
    files_differing: u64,
    groups_differing: u64,
    differing: u64,
    counts: BTreeMap<ReplayCountedRecords, Pair<u64>>,
    receivers: BTreeMap<String, ReceiverPair>,
    sums: BTreeMap<String, Pair<Value>>,
    headers: Vec<String>,
}

#[derive(Deserialize)]
struct Pair<T> {
    before: T,
    after: T,
}

#[derive(Deserialize)]
struct ReceiverPair {
    before: u64,
    after: u64,
    only_before: u64,
    only_after: u64,
    changed: u64,
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn record(number: u64, field: &str) -> Value {
        json!({"network_element": "boston", "file": "a", "record": number, "offset": 0,
            "before": {"what": "delivered"}, "after": {"what": "delivered"},
            "receivers": [{"post_processing_system": "billing", "change": "changed",
                "fields": [{"field": field, "before": 1, "after": "x".repeat(5_000)}]}]})
    }

    #[test]
    fn of_records_that_differ_in_the_same_way_some_are_shown_and_of_others_too() {
        let mut report_builder = ReportBuilder::default();
        (1..5_000).for_each(|number| report_builder.record(record(number, "price")));
        report_builder.record(record(5_000, "zone"));
        let fields: Vec<_> = report_builder
            .examples
            .iter()
            .map(|example| &example.receivers[0].fields[0])
            .map(|field| (&*field.field, field.before.as_deref()))
            .collect();
        assert_eq!(fields.len(), ALIKE_MAX + 1);
        assert_eq!(fields[ALIKE_MAX], ("zone", Some("1")));
        let long =
            report_builder.examples[0].receivers[0].fields[0].after.as_ref().expect("a text");
        assert_eq!(long.chars().count(), LETTERS_MAX + 1);
        (0..1_000).for_each(|kind| report_builder.record(record(1, &format!("field {kind}"))));
        assert_eq!(report_builder.examples.len(), EXAMPLES_MAX);
    }

    #[test]
    fn sums_keep_their_digits() {
        let totals = json!({"files": 1, "files_differing": 0, "groups_differing": 0, "differing": 0,
            "counts": {"records": {"before": 1, "after": 1}}, "receivers": {}, "headers": [],
            "sums": {"billing written seconds": {"before": 5, "after": "170141183460469231731687303715884105727"}}});
        let report = ReportBuilder::default().report(totals).expect("a report");
        let sum = &report.sums[0];
        assert_eq!((&*sum.before, &*sum.after), ("5", "170141183460469231731687303715884105727"));
        assert!(report.differs);
    }
}
