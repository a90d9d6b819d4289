//! The alerts of two flows, by rule and key, with what people have decided about these keys.

use std::collections::{BTreeMap, BTreeSet, HashMap};
use std::path::Path;

use flow::flow_journal;
use runtime::time::{day, shown};
use serde::{Deserialize, Serialize};
use store::{QueryResult, Row};
use utoipa::ToSchema;

use super::report::Change;
use super::run::SideView;
use super::{ReplayError, ReplayEvent};

/// The alerts of a rule, before and after the change.
#[derive(Clone, Debug, Default, PartialEq, Eq, Deserialize, Serialize, ToSchema)]
#[schema(as = ReplayRuleAlerts)]
pub struct RuleAlerts {
    /// The node.
    pub node: String,
    /// The rule.
    pub rule: String,
    /// Its alerts before the change.
    pub before: u64,
    /// Its alerts after it.
    pub after: u64,
    /// How many keys have an alert only before it.
    pub only_before: u64,
    /// How many keys have an alert only after it.
    pub only_after: u64,
    /// How many of the keys that it finds before the change were decided to be fraud.
    pub fraud_before: u64,
    /// How many of the keys that it finds after it were.
    pub fraud_after: u64,
    /// How many of the keys that it finds before the change were decided to be no fraud.
    pub not_fraud_before: u64,
    /// How many of the keys that it finds after it were.
    pub not_fraud_after: u64,
}

/// A key about which there is an alert only before the change, or only after it.
#[derive(Clone, Debug, PartialEq, Eq, Deserialize, Serialize, ToSchema)]
#[schema(as = ReplayAlertDifference)]
pub struct AlertDifference {
    /// Whether there is an alert only before the change, or only after it.
    pub change: Change,
    /// The node.
    pub node: String,
    /// The rule.
    pub rule: String,
    /// What the rule is about, such as `caller`.
    pub subject: String,
    /// Which one it is.
    pub key: String,
    /// The time of the first alert.
    pub at: String,
    /// The points that it has.
    pub score: u32,
    /// Its condition, each name with its value.
    pub condition: String,
    /// The file of its record.
    pub file: Option<String>,
    /// The number of the record in the file.
    pub record: i64,
    /// What people have decided about the key: `fraud`, `not-fraud` or `unsure`.
    pub decision: Option<String>,
}

/// What the alerts of both flows are, in all.
#[derive(Clone, Debug, Default, PartialEq, Eq, Deserialize, Serialize)]
pub struct AlertTotals {
    /// On how many days there is an alert, or a file was compared, by UTC.
    pub days: u64,
    /// The alerts of each rule.
    pub rules: Vec<RuleAlerts>,
}

impl AlertTotals {
    /// Returns whether anything would change.
    pub fn differs(&self) -> bool {
        let differs = |of: &RuleAlerts| of.before != of.after || of.only_before + of.only_after > 0;
        self.rules.iter().any(differs)
    }
}

/// The alerts of a flow about a key by a rule.
struct OfKey {
    count: u64,
    first: Alert,
}

struct Alert {
    at_ms: i64,
    score: u32,
    condition: String,
    file: Option<String>,
    record: i64,
}

/// Node, rule, subject and key.
type About = (String, String, String, String);

/// Returns the number of the last alert.
pub(super) fn last(view: &SideView<'_>) -> Result<i64, ReplayError> {
    let select = "SELECT coalesce(max(id), 0) FROM alert_found";
    view.check(view.db.query_row(select, [], |row| row.get(0)))
}

/// Compares the alerts of both flows behind those with these numbers. `live` is the flow whose cases people have decided.
pub(super) fn compare(
    (before, after): ((&SideView<'_>, i64), (&SideView<'_>, i64)),
    live: &Path,
    tell: &mut dyn FnMut(ReplayEvent<'_>) -> std::io::Result<()>,
) -> Result<AlertTotals, ReplayError> {
    let mut days = BTreeSet::new();
    let of_before = alerts(before, &mut days)?;
    let of_after = alerts(after, &mut days)?;
    // A flow that never ran has no cases.
    let decisions = flow_journal::read(live, decisions).unwrap_or_default();
    let mut rules: BTreeMap<(String, String), RuleAlerts> = BTreeMap::new();
    let all: BTreeSet<&About> = of_before.keys().chain(of_after.keys()).collect();
    for about in all {
        let (node, rule, subject, key) = about;
        let decision = decisions.get(&(node.clone(), subject.clone(), key.clone()));
        let totals = rules.entry((node.clone(), rule.clone()));
        let totals = totals.or_insert_with(|| RuleAlerts {
            node: node.clone(),
            rule: rule.clone(),
            ..RuleAlerts::default()
        });
        let (was, is) = (of_before.get(about), of_after.get(about));
        totals.before += was.map_or(0, |of| of.count);
        totals.after += is.map_or(0, |of| of.count);
        let (counted_before, counted_after) = match decision.map(String::as_str) {
            Some("fraud") => (Some(&mut totals.fraud_before), Some(&mut totals.fraud_after)),
            Some("not-fraud") => {
                (Some(&mut totals.not_fraud_before), Some(&mut totals.not_fraud_after))
            }
            _ => (None, None),
        };
        if let Some(count) = counted_before {
            *count += u64::from(was.is_some());
        }
        if let Some(count) = counted_after {
            *count += u64::from(is.is_some());
        }
        let (change, OfKey { first, .. }) = match (was, is) {
            (Some(was), None) => (Change::OnlyBefore, was),
            (None, Some(is)) => (Change::OnlyAfter, is),
            _ => continue,
        };
        match change {
            Change::OnlyBefore => totals.only_before += 1,
            _ => totals.only_after += 1,
        }
        let difference = AlertDifference {
            change,
            node: node.clone(),
            rule: rule.clone(),
            subject: subject.clone(),
            key: key.clone(),
            at: shown(first.at_ms),
            score: first.score,
            condition: first.condition.clone(),
            file: first.file.clone(),
            record: first.record,
            decision: decision.cloned(),
        };
        tell(ReplayEvent::Alert(&difference)).map_err(ReplayError::Output)?;
    }
    Ok(AlertTotals { days: days.len() as u64, rules: rules.into_values().collect() })
}

/// Returns the alerts of a flow, by what they are about.
fn alerts(
    (view, behind): (&SideView<'_>, i64),
    days: &mut BTreeSet<String>,
) -> Result<BTreeMap<About, OfKey>, ReplayError> {
    let select = "SELECT node, rule, subject, key, at_ms, score, condition, file.name, record
                  FROM alert_found LEFT JOIN file ON file.id = alert_found.file WHERE alert_found.id > ? ORDER BY alert_found.id";
    let mut found: BTreeMap<About, OfKey> = BTreeMap::new();
    let read = |row: &Row<'_>| {
        let about = (row.get(0)?, row.get(1)?, row.get(2)?, row.get(3)?);
        let (at_ms, score) = (row.get(4)?, row.get(5)?);
        let alert =
            Alert { at_ms, score, condition: row.get(6)?, file: row.get(7)?, record: row.get(8)? };
        Ok((about, alert))
    };
    let mut select = view.check(view.db.prepare(select))?;
    for alert in view.check(select.query_map([behind], read))? {
        let (about, first): (About, Alert) = view.check(alert)?;
        days.insert(day(first.at_ms));
        found.entry(about).or_insert(OfKey { count: 0, first }).count += 1;
    }
    Ok(found)
}

/// Returns the last decision about each key, by node and subject.
fn decisions(db: &store::Connection) -> QueryResult<HashMap<(String, String, String), String>> {
    let select = "SELECT node, subject, key, decision FROM fraud_case WHERE decision IS NOT NULL ORDER BY id";
    let mut select = db.prepare(select)?;
    let decided =
        select.query_map([], |row| Ok(((row.get(0)?, row.get(1)?, row.get(2)?), row.get(3)?)))?;
    decided.collect()
}
