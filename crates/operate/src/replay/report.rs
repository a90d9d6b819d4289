//! The report of a replay: counts and sums before and after, and some of the differing records, a few of each kind.

use std::collections::HashMap;

use inspection::masking::{Mask, masked_key, without_numbers};
use inspection::{
    AlertDifference, Change, CountedRecords, FieldDifference, FileTotals, OutcomeKind,
    ReceiverTotals, RecordDifference, RecordOutcome, ReplayCounted, ReplayTotals, RuleAlerts, Sum,
};
use serde::Serialize;
use utoipa::ToSchema;

/// The maximum number of records shown, and of records that differ in the same way.
const EXAMPLES_MAX: usize = 100;
const ALIKE_MAX: usize = 5;

/// The maximum number of files named.
const FILES_MAX: usize = 200;

/// The maximum number of keys of alerts.
const ALERTS_MAX: usize = 200;

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
    /// On how many days there are alerts, by UTC.
    alert_days: u64,
    /// The alerts of rules.
    alerts: Vec<RuleAlerts>,
    /// Keys about which there are alerts only before the change, or only after it; the first 200.
    alert_keys: Vec<AlertDifference>,
    /// The files with a difference; the first 200.
    files_named: Vec<ReplayFileDiffering>,
    /// Examples of records with a different result: 100 at most, and 5 at most with the same kind of difference.
    examples: Vec<RecordDifference>,
}

impl ReplayReport {
    /// Returns whether records are shown.
    pub(super) fn has_examples(&self) -> bool {
        !self.examples.is_empty() || !self.alert_keys.is_empty()
    }

    /// Masks subscriber data in the examples.
    pub(super) fn hide(&mut self, mask: &Mask) {
        for alert in &mut self.alert_keys {
            alert.key = masked_key(&alert.key);
            alert.condition = without_numbers(&alert.condition);
        }
        for example in &mut self.examples {
            example.key = example.key.as_deref().map(masked_key);
            for outcome in [&mut example.before, &mut example.after].into_iter().flatten() {
                outcome.reason = outcome.reason.as_deref().map(|reason| mask.reason(reason));
            }
            for FieldDifference { field, before, after } in
                example.receivers.iter_mut().flat_map(|gets| &mut gets.fields)
            {
                for value in [before, after].into_iter().flatten() {
                    *value = mask.json_of(field, value);
                }
            }
        }
    }
}

/// The number of records with one outcome, before and after the change.
#[derive(Clone, Debug, Serialize, ToSchema)]
struct ReplayCount {
    /// Which records.
    what: CountedRecords,
    before: u64,
    after: u64,
}

/// The number of records that a receiver gets, before and after the change.
#[derive(Clone, Debug, Serialize, ToSchema)]
struct ReplayReceiver {
    post_processing_system: String,
    #[serde(flatten)]
    totals: ReceiverTotals,
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
#[derive(Clone, Debug, Serialize, ToSchema)]
pub struct ReplayFileDiffering {
    network_element: String,
    /// The name of the file.
    file: String,
    /// The number of its records with a different result.
    differing: u64,
}

impl From<&FileTotals> for ReplayFileDiffering {
    fn from(FileTotals { network_element, file, differing, .. }: &FileTotals) -> Self {
        let (network_element, file) = (network_element.clone(), file.clone());
        ReplayFileDiffering { network_element, file, differing: *differing }
    }
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
pub struct ReportBuilder {
    files_named: Vec<ReplayFileDiffering>,
    examples: Vec<RecordDifference>,
    alert_keys: Vec<AlertDifference>,
    /// The number of examples, by how they differ.
    alike: HashMap<DifferenceKind, usize>,
}

impl ReportBuilder {
    /// Adds a file with differences.
    pub fn file(&mut self, file: &FileTotals) {
        if self.files_named.len() < FILES_MAX {
            self.files_named.push(file.into());
        }
    }

    /// Adds a key about which only one of the flows has alerts.
    pub fn alert(&mut self, alert: &AlertDifference) {
        if self.alert_keys.len() < ALERTS_MAX {
            let condition = cut(alert.condition.clone());
            self.alert_keys.push(AlertDifference { condition, ..alert.clone() });
        }
    }

    /// Adds a record with another result.
    pub fn record(&mut self, record: &RecordDifference) {
        if self.examples.len() >= EXAMPLES_MAX {
            return;
        }
        let shown = self.alike.entry(kind(record)).or_default();
        if *shown == ALIKE_MAX {
            return;
        }
        *shown += 1;
        self.examples.push(shortened(record.clone()));
    }

    /// Returns the report, with the totals of the replay.
    pub fn report(self, totals: &ReplayTotals) -> ReplayReport {
        let ReplayTotals { files, files_differing, groups_differing, alerts, all } = totals;
        let count = |(what, counted): (&CountedRecords, &ReplayCounted)| ReplayCount {
            what: *what,
            before: counted.before,
            after: counted.after,
        };
        let receiver = |(name, totals): (&String, &ReceiverTotals)| ReplayReceiver {
            post_processing_system: name.clone(),
            totals: *totals,
        };
        let sum = |(of, Sum { before, after }): (&String, &Sum)| ReplaySum {
            of: of.clone(),
            before: before.to_string(),
            after: after.to_string(),
        };
        ReplayReport {
            differs: totals.differs(),
            files: *files,
            files_differing: *files_differing,
            differing: all.differing,
            groups_differing: *groups_differing,
            counts: all.counts.iter().map(count).collect(),
            receivers: all.receivers.iter().map(receiver).collect(),
            sums: all.sums.iter().map(sum).collect(),
            headers: all.headers.clone(),
            alert_days: alerts.days,
            alerts: alerts.rules.clone(),
            alert_keys: self.alert_keys,
            files_named: self.files_named,
            examples: self.examples,
        }
    }
}

/// Cuts what is too long to be read.
fn shortened(mut record: RecordDifference) -> RecordDifference {
    for outcome in [&mut record.before, &mut record.after].into_iter().flatten() {
        outcome.reason = outcome.reason.take().map(cut);
    }
    for gets in &mut record.receivers {
        gets.fields.truncate(FIELDS_MAX);
        for field in &mut gets.fields {
            field.before = field.before.take().map(cut);
            field.after = field.after.take().map(cut);
        }
    }
    record
}

/// How a record differs: both outcomes with their nodes, and the receivers with their fields.
type DifferenceKind =
    ([Option<(OutcomeKind, Option<String>)>; 2], Vec<(String, Change, Vec<String>)>);

fn kind(RecordDifference { before, after, receivers, .. }: &RecordDifference) -> DifferenceKind {
    let outcome = |outcome: &Option<RecordOutcome>| {
        outcome.as_ref().map(|outcome| (outcome.what, outcome.at.clone()))
    };
    let gets = receivers.iter().map(|gets| {
        let fields = gets.fields.iter().map(|field| field.field.clone()).collect();
        (gets.post_processing_system.clone(), gets.change, fields)
    });
    ([before, after].map(outcome), gets.collect())
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn record(number: u64, field: &str) -> RecordDifference {
        let record = json!({"network_element": "boston", "file": "a", "record": number, "offset": 0,
            "before": {"what": "delivered"}, "after": {"what": "delivered"},
            "receivers": [{"post_processing_system": "billing", "change": "changed",
                "fields": [{"field": field, "before": "1", "after": "x".repeat(5_000)}]}]});
        serde_json::from_value(record).expect("a record")
    }

    #[test]
    fn of_records_that_differ_in_the_same_way_some_are_shown_and_of_others_too() {
        let mut report_builder = ReportBuilder::default();
        (1..5_000).for_each(|number| report_builder.record(&record(number, "price")));
        report_builder.record(&record(5_000, "zone"));
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
        (0..1_000).for_each(|kind| report_builder.record(&record(1, &format!("field {kind}"))));
        assert_eq!(report_builder.examples.len(), EXAMPLES_MAX);
    }

    #[test]
    fn sums_keep_their_digits() {
        let mut totals = ReplayTotals::default();
        let sum = Sum { before: 5, after: i128::MAX };
        totals.all.sums.insert("billing written seconds".into(), sum);
        let report = ReportBuilder::default().report(&totals);
        let sum = &report.sums[0];
        assert_eq!((&*sum.before, &*sum.after), ("5", "170141183460469231731687303715884105727"));
        assert!(report.differs);
    }
}
