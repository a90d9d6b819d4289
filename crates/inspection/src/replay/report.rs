//! The differences between two flows, for users and programs.

use std::collections::BTreeMap;

use serde::{Deserialize, Deserializer, Serialize, Serializer};
use serde_json::Value;
use utoipa::ToSchema;

use flow::report::COUNTS;

use super::alerts::AlertTotals;

/// The outcome of a record.
#[derive(Clone, Debug, PartialEq, Eq, Deserialize, Serialize, ToSchema)]
#[schema(as = ReplayOutcome)]
pub struct RecordOutcome {
    /// What became of the record.
    pub what: OutcomeKind,
    /// The node or system that set the record aside, or in which it waits. Empty if it could not be decoded.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub at: Option<String>,
    /// Why the record was set aside.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub reason: Option<String>,
}

/// What became of a record or group.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Deserialize, Serialize, ToSchema)]
#[serde(rename_all = "kebab-case")]
#[schema(as = ReplayOutcomeKind)]
pub enum OutcomeKind {
    /// At least one record was written of it.
    Delivered,
    /// Nothing was written of it, by the flow's own rules.
    Filtered,
    /// It waits in a node.
    Held,
    /// It was set aside, since it could not be processed.
    Suspended,
    /// It was set aside as a duplicate.
    Duplicate,
}

impl OutcomeKind {
    /// Returns the word for users.
    pub fn word(self) -> &'static str {
        match self {
            OutcomeKind::Delivered => "delivered",
            OutcomeKind::Filtered => "filtered",
            OutcomeKind::Held => "held",
            OutcomeKind::Suspended => "suspended",
            OutcomeKind::Duplicate => "duplicate",
        }
    }
}

/// A record or group with a different result.
#[derive(Clone, Debug, PartialEq, Eq, Deserialize, Serialize, ToSchema)]
#[schema(as = ReplayExample)]
pub struct RecordDifference {
    /// The network element that its file was collected from.
    pub network_element: String,
    /// The file that the record came in; for a group, its node.
    pub file: String,
    /// The record's number in the file, from 1.
    pub record: u64,
    /// The offset of the record's first octet in the file.
    pub offset: u64,
    /// The key of the group. Absent for a record.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub key: Option<String>,
    /// The outcome before the change. Absent if there was no such record.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub before: Option<RecordOutcome>,
    /// The outcome after the change. Absent if there would be no such record.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub after: Option<RecordOutcome>,
    /// The receivers that would get something else.
    pub receivers: Vec<ReceiverDifference>,
}

/// The difference for one receiver.
#[derive(Clone, Debug, PartialEq, Eq, Deserialize, Serialize, ToSchema)]
#[schema(as = ReplayDifference)]
pub struct ReceiverDifference {
    /// The receiver.
    pub post_processing_system: String,
    /// The kind of change.
    pub change: Change,
    /// The fields that differ. Empty if only the encoding of the record differs.
    pub fields: Vec<FieldDifference>,
}

/// Whether the receiver gets the record only before the change, only after it, or with other content.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Deserialize, Serialize, ToSchema)]
#[serde(rename_all = "kebab-case")]
#[schema(as = ReceiverChange)]
pub enum Change {
    /// The receiver got it, and would not.
    OnlyBefore,
    /// The receiver would get it, and did not.
    OnlyAfter,
    /// The receiver would get another record.
    Changed,
}

/// A field that differs. The values are in JSON; absent if the record does not have the field.
#[derive(Clone, Debug, PartialEq, Eq, Deserialize, Serialize, ToSchema)]
#[schema(as = ReplayField)]
pub struct FieldDifference {
    /// The path of the field: `services.0.code`.
    pub field: String,
    /// Its value before the change.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub before: Option<String>,
    /// Its value after the change.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub after: Option<String>,
}

/// The numbers of records for a receiver.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Deserialize, Serialize, ToSchema)]
pub struct ReceiverTotals {
    /// Records that it got.
    pub before: u64,
    /// Records that it would get.
    pub after: u64,
    /// Records that it would no longer get.
    pub only_before: u64,
    /// Records that it would get in addition.
    pub only_after: u64,
    /// Records that it would get with other content.
    pub changed: u64,
}

/// Which records a count is of: all, or those with this outcome. They are shown in this order.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Deserialize, Serialize, ToSchema)]
#[serde(rename_all = "kebab-case")]
#[schema(as = ReplayCountedRecords)]
pub enum CountedRecords {
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

impl CountedRecords {
    /// The counts of a file, in the order of [`flow::report::COUNTS`].
    pub(super) const ALL: [CountedRecords; COUNTS.len()] = [
        // ORDER COUNTS
        CountedRecords::Records,
        CountedRecords::Delivered,
        CountedRecords::Filtered,
        CountedRecords::Held,
        CountedRecords::Suspended,
        CountedRecords::Duplicate,
    ];

    /// Returns the word for users.
    pub fn word(self) -> &'static str {
        match self {
            CountedRecords::Records => "records",
            CountedRecords::Delivered => OutcomeKind::Delivered.word(),
            CountedRecords::Filtered => OutcomeKind::Filtered.word(),
            CountedRecords::Held => OutcomeKind::Held.word(),
            CountedRecords::Suspended => OutcomeKind::Suspended.word(),
            CountedRecords::Duplicate => OutcomeKind::Duplicate.word(),
        }
    }
}

/// How many records have an outcome, before and after the change.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Deserialize, Serialize)]
#[allow(missing_docs)] // The names say it.
pub struct Counted {
    pub before: u64,
    pub after: u64,
}

/// A sum of what the flow audits, before and after the change.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Deserialize, Serialize)]
#[allow(missing_docs)]
pub struct Sum {
    #[serde(serialize_with = "as_text", deserialize_with = "of_text")]
    pub before: i128,
    #[serde(serialize_with = "as_text", deserialize_with = "of_text")]
    pub after: i128,
}

/// Writes a number as a text: a program that reads JSON numbers could lose digits.
fn as_text<S: Serializer>(number: &i128, to: S) -> Result<S::Ok, S::Error> {
    to.collect_str(number)
}

fn of_text<'de, D: Deserializer<'de>>(from: D) -> Result<i128, D::Error> {
    String::deserialize(from)?.parse().map_err(serde::de::Error::custom)
}

/// The totals of a file, or of all files.
#[derive(Clone, Debug, Default, PartialEq, Eq, Deserialize, Serialize)]
pub struct FileTotals {
    /// The network element that it was collected from; empty for all files.
    pub network_element: String,
    /// The name of the file; empty for all files.
    pub file: String,
    /// The records with another outcome.
    pub differing: u64,
    /// The numbers of records by outcome.
    pub counts: BTreeMap<CountedRecords, Counted>,
    /// The totals by receiver.
    pub receivers: BTreeMap<String, ReceiverTotals>,
    /// The sums by what they are of: `billing written seconds`.
    pub sums: BTreeMap<String, Sum>,
    /// The receivers whose files would begin differently, for example with other column names.
    pub headers: Vec<String>,
}

/// The totals of all files.
#[derive(Clone, Debug, Default, PartialEq, Eq, Deserialize, Serialize)]
pub struct ReplayTotals {
    /// The number of files that were compared.
    pub files: u64,
    /// The number of files in which something differs.
    pub files_differing: u64,
    /// The number of groups with another outcome that ended because their time was over.
    pub groups_differing: u64,
    /// The alerts of rules.
    #[serde(default)]
    pub alerts: AlertTotals,
    /// The totals of all files and groups.
    #[serde(flatten)]
    pub all: FileTotals,
}

impl FileTotals {
    /// Returns whether anything would change.
    pub fn differs(&self) -> bool {
        let are_same = |counted: &Counted| counted.before == counted.after;
        self.differing > 0
            || !self.headers.is_empty()
            || !self.counts.values().all(are_same)
            || !self.sums.values().all(|sum| sum.before == sum.after)
    }

    fn add(&mut self, other: FileTotals) {
        self.differing += other.differing;
        for (what, Counted { before, after }) in other.counts {
            let counted = self.counts.entry(what).or_default();
            (counted.before, counted.after) = (counted.before + before, counted.after + after);
        }
        for (who, of) in other.receivers {
            let receiver = self.receivers.entry(who).or_default();
            receiver.before += of.before;
            receiver.after += of.after;
            receiver.only_before += of.only_before;
            receiver.only_after += of.only_after;
            receiver.changed += of.changed;
        }
        for (what, Sum { before, after }) in other.sums {
            let sum = self.sums.entry(what).or_default();
            (sum.before, sum.after) = (sum.before + before, sum.after + after);
        }
        let is_new = |who: &String| !self.headers.contains(who);
        let new: Vec<String> = other.headers.into_iter().filter(is_new).collect();
        self.headers.extend(new);
    }
}

impl ReplayTotals {
    pub(super) fn add(&mut self, file: FileTotals) {
        self.files += 1;
        self.files_differing += u64::from(file.differs());
        self.all.add(file);
    }

    /// Returns whether anything would change.
    pub fn differs(&self) -> bool {
        self.all.differs()
            || self.files_differing > 0
            || self.groups_differing > 0
            || self.alerts.differs()
    }
}

/// Returns the fields in which two records differ. The records are JSON.
pub(super) fn fields(before: &[u8], after: &[u8]) -> Vec<FieldDifference> {
    let mut found = Vec::new();
    if let (Ok(before), Ok(after)) = (serde_json::from_slice(before), serde_json::from_slice(after))
    {
        compare(String::new(), Some(&before), Some(&after), &mut found);
    }
    found
}

fn compare(
    field: String,
    before: Option<&Value>,
    after: Option<&Value>,
    found: &mut Vec<FieldDifference>,
) {
    let inner =
        |name: &str| if field.is_empty() { name.to_owned() } else { format!("{field}.{name}") };
    match (before, after) {
        (Some(Value::Object(before)), Some(Value::Object(after))) => {
            for (name, value) in before {
                compare(inner(name), Some(value), after.get(name), found);
            }
            for (name, value) in after.iter().filter(|(name, _)| !before.contains_key(*name)) {
                compare(inner(name), None, Some(value), found);
            }
        }
        (Some(Value::Array(before)), Some(Value::Array(after))) => {
            for place in 0..before.len().max(after.len()) {
                let name = inner(&place.to_string());
                compare(name, before.get(place), after.get(place), found);
            }
        }
        (before, after) if before == after => {}
        (before, after) => {
            let (before, after) = (before.map(Value::to_string), after.map(Value::to_string));
            found.push(FieldDifference { field, before, after });
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn counts_are_in_the_order_of_the_journal() {
        assert_eq!(CountedRecords::ALL.map(CountedRecords::word), COUNTS);
    }

    #[test]
    fn totals_are_the_same_after_they_were_sent() {
        let mut totals = ReplayTotals { files: 2, ..ReplayTotals::default() };
        totals.all.counts.insert(CountedRecords::Held, Counted { before: 1, after: 2 });
        let sum = Sum { before: -5, after: i128::MAX };
        totals.all.sums.insert("billing written seconds".into(), sum);
        let sent = serde_json::to_string(&totals).expect("JSON");
        assert_eq!(serde_json::from_str::<ReplayTotals>(&sent).expect("totals"), totals);
    }
}
