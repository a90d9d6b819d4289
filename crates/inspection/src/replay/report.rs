//! The differences between two flows, for users and programs.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize, Serializer};
use serde_json::Value;
use utoipa::ToSchema;

/// The outcome of a record.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct RecordOutcome {
    /// What became of it.
    pub what: OutcomeKind,
    /// The node that set it aside, or in which it waits; empty if it could not be read.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub at: Option<String>,
    /// Why it was set aside.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub reason: Option<String>,
}

/// What became of a record or group.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize, Serialize, ToSchema)]
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

/// A record with another outcome.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct RecordDifference {
    /// The network element that its file was collected from.
    pub network_element: String,
    /// Its file; or, for a group, the node that it was in.
    pub file: String,
    /// Its number in the file, from 1.
    pub record: u64,
    /// Where in the file it begins.
    pub offset: u64,
    /// The key of the group, if it is a group.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub key: Option<String>,
    /// Its outcome; none if the record is not there.
    pub before: Option<RecordOutcome>,
    /// The outcome that it would have.
    pub after: Option<RecordOutcome>,
    /// The receivers that would get something different.
    pub receivers: Vec<ReceiverDifference>,
}

/// What a receiver would get instead.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct ReceiverDifference {
    /// The receiver.
    pub post_processing_system: String,
    /// The kind of change.
    pub change: Change,
    /// The fields that differ; none where the record is only written differently.
    pub fields: Vec<FieldDifference>,
}

/// How what a receiver gets changes.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum Change {
    /// The receiver got it, and would not.
    OnlyBefore,
    /// The receiver would get it, and did not.
    OnlyAfter,
    /// The receiver would get another record.
    Changed,
}

/// A field that differs.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct FieldDifference {
    /// The path of the field, `services.0.code`.
    pub field: String,
    /// Its value; none if the field is not there.
    pub before: Option<Value>,
    /// The value that it would have.
    pub after: Option<Value>,
}

/// The numbers of records for a receiver.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize)]
#[allow(missing_docs)] // The names say it.
pub struct ReceiverTotals {
    pub before: u64,
    pub after: u64,
    pub only_before: u64,
    pub only_after: u64,
    pub changed: u64,
}

/// How many records have an outcome, before and after.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize)]
#[allow(missing_docs)]
pub struct Counted {
    pub before: u64,
    pub after: u64,
}

/// A sum of what the flow audits, before and after.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize)]
#[allow(missing_docs)]
pub struct Sum {
    #[serde(serialize_with = "exact")]
    pub before: i128,
    #[serde(serialize_with = "exact")]
    pub after: i128,
}

/// Writes a number as JSON. Beyond 2^53, where not all programs read numbers exactly, it is a string.
fn exact<S: Serializer>(number: &i128, to: S) -> Result<S::Ok, S::Error> {
    match i64::try_from(*number) {
        Ok(small) if small.unsigned_abs() < 1 << 53 => to.serialize_i64(small),
        _ => to.collect_str(number),
    }
}

/// The totals of a file, or of all files.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize)]
pub struct FileTotals {
    /// The network element that it was collected from; empty for all files.
    #[serde(skip_serializing_if = "String::is_empty")]
    pub network_element: String,
    /// The name of the file; empty for all files.
    #[serde(skip_serializing_if = "String::is_empty")]
    pub file: String,
    /// The records with another outcome.
    pub differing: u64,
    /// The numbers of records by outcome, and `records` for all.
    pub counts: BTreeMap<&'static str, Counted>,
    /// The totals by receiver.
    pub receivers: BTreeMap<String, ReceiverTotals>,
    /// The sums by what they are of: `billing written seconds`.
    pub sums: BTreeMap<String, Sum>,
    /// The receivers whose files would begin differently, for example with other column names.
    pub headers: Vec<String>,
}

/// The totals of all files.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize)]
pub struct ReplayTotals {
    /// The number of files that were compared.
    pub files: u64,
    /// The number of files in which something differs.
    pub files_differing: u64,
    /// The number of groups with another outcome that ended because their time was over.
    pub groups_differing: u64,
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
        self.all.differs() || self.files_differing > 0 || self.groups_differing > 0
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
            let (before, after) = (before.cloned(), after.cloned());
            found.push(FieldDifference { field, before, after });
        }
    }
}
