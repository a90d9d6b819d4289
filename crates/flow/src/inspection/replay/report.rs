//! The differences, for users and programs.

use std::collections::BTreeMap;

use serde::{Serialize, Serializer};
use serde_json::Value;

/// What became of a record.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Became {
    /// `delivered`, `filtered`, `held`, `suspended` or `duplicate`.
    pub what: &'static str,
    /// Where it was set aside, or waits; empty where it could not be read.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub at: Option<String>,
    /// Why it was set aside.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub reason: Option<String>,
}

/// A record with another outcome.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct RecordDifference {
    /// Where it was collected.
    pub network_element: String,
    /// In which file; or, of a group, the node it was in.
    pub file: String,
    /// Its number in the file, from 1.
    pub record: u64,
    /// Where in the file it begins.
    pub offset: u64,
    /// What the records of the group have in common, if it is one.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub key: Option<String>,
    /// What became of it; none where there is no such record.
    pub before: Option<Became>,
    /// What would become of it.
    pub after: Option<Became>,
    /// The receivers that would get something else.
    pub receivers: Vec<ReceiverDifference>,
}

/// What a receiver would get instead.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct ReceiverDifference {
    /// The receiver.
    pub post_processing_system: String,
    /// How.
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
    /// Which, `services.0.code`.
    pub field: String,
    /// What is in it; none where it is not there.
    pub before: Option<Value>,
    /// What would be in it.
    pub after: Option<Value>,
}

/// Records for a receiver.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize)]
#[allow(missing_docs)] // The names say it.
pub struct ReceiverTotals {
    pub before: u64,
    pub after: u64,
    pub only_before: u64,
    pub only_after: u64,
    pub changed: u64,
}

/// How many records something became of, before and after.
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

/// A number that programs may read as they can: beyond what is exact for all of them it is a text.
fn exact<S: Serializer>(number: &i128, to: S) -> Result<S::Ok, S::Error> {
    match i64::try_from(*number) {
        Ok(small) if small.unsigned_abs() < 1 << 53 => to.serialize_i64(small),
        _ => to.collect_str(number),
    }
}

/// What is counted of a file, or of all.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize)]
pub struct FileTotals {
    /// Where it was collected; nothing of all.
    #[serde(skip_serializing_if = "String::is_empty")]
    pub network_element: String,
    /// Its name.
    #[serde(skip_serializing_if = "String::is_empty")]
    pub file: String,
    /// The records with another outcome.
    pub differing: u64,
    /// By what became of them, and `records` for all.
    pub counts: BTreeMap<&'static str, Counted>,
    /// By receiver.
    pub receivers: BTreeMap<String, ReceiverTotals>,
    /// By what is summed: `billing written seconds`.
    pub sums: BTreeMap<String, Sum>,
    /// Receivers whose files would begin otherwise, with the names of other columns, say.
    pub headers: Vec<String>,
}

/// What is counted of all files.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize)]
pub struct ReplayTotals {
    /// How many files were compared.
    pub files: u64,
    /// In how many of them something differs.
    pub files_differing: u64,
    /// Groups whose time was over, with another outcome.
    pub groups_differing: u64,
    /// Of all files and groups.
    #[serde(flatten)]
    pub all: FileTotals,
}

impl FileTotals {
    /// Whether anything would change.
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

    /// Whether anything would change.
    pub fn differs(&self) -> bool {
        self.all.differs() || self.files_differing > 0 || self.groups_differing > 0
    }
}

/// The fields in which two records differ, as JSON has them.
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
