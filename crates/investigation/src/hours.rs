//! What happened hour by hour, for reports: counted in the transaction of the job, so it is there once.

use std::collections::BTreeMap;
use std::ops::Range;

use node::Alert;
use store::{Connection, QueryResult, Row, params};

use crate::alerts::Finding;

/// The milliseconds of an hour.
pub(crate) const HOUR_MS: i64 = 3_600_000;

/// What a job adds to an hour: of its records, or of the alerts of a rule.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
struct Counts {
    records: u64,
    late: u64,
    alerts: u64,
    shadow: u64,
    points: u64,
}

/// Counts the records of a job, of which so many came too late, and its alerts.
pub(crate) fn count(db: &Connection, finding: &Finding<'_>, alerts: &[Alert]) -> QueryResult<()> {
    let (records, late) = (finding.records, finding.late);
    if records > 0 {
        add(db, finding, ("", ""), Counts { records, late, ..Counts::default() })?;
    }
    let mut rules: BTreeMap<(&str, &str), Counts> = BTreeMap::new();
    for alert in alerts {
        let fraud_type = alert.fraud_type.as_deref().unwrap_or_default();
        let counts = rules.entry((&alert.rule, fraud_type)).or_default();
        match alert.is_shadow {
            true => counts.shadow += 1,
            false => {
                counts.alerts += 1;
                counts.points += u64::from(alert.score);
            }
        }
    }
    rules.into_iter().try_for_each(|(rule, counts)| add(db, finding, rule, counts))
}

fn add(
    db: &Connection,
    finding: &Finding<'_>,
    (rule, fraud_type): (&str, &str),
    Counts { records, late, alerts, shadow, points }: Counts,
) -> QueryResult<()> {
    let insert = "INSERT INTO fraud_hour VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?)
                  ON CONFLICT DO UPDATE SET records = records + excluded.records, late = late + excluded.late,
                      alerts = alerts + excluded.alerts, shadow = shadow + excluded.shadow, points = points + excluded.points";
    let Finding { done_ms, node, network_element, .. } = *finding;
    let [records, late, alerts, shadow, points] =
        [records, late, alerts, shadow, points].map(u64::cast_signed);
    let row = params![
        done_ms.div_euclid(HOUR_MS),
        node,
        network_element,
        rule,
        fraud_type,
        records,
        late,
        alerts,
        shadow,
        points
    ];
    db.prepare_cached(insert)?.execute(row).map(drop)
}

/// Forgets hours that were over before a time, in milliseconds since 1970.
pub(crate) fn prune(db: &Connection, before_ms: i64) -> QueryResult<()> {
    let delete = "DELETE FROM fraud_hour WHERE hour < ?";
    db.prepare_cached(delete)?.execute([before_ms.div_euclid(HOUR_MS)]).map(drop)
}

/// What was counted in an hour, of the records of a network element, or of the alerts of a rule.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct HourCounts {
    /// When the hour began, in milliseconds since 1970.
    pub hour_ms: i64,
    /// The node.
    pub node: String,
    /// The network element of the files.
    pub network_element: String,
    /// The rule. Empty for the counts of records.
    pub rule: String,
    /// The type of fraud that the rule finds. Empty without one.
    pub fraud_type: String,
    /// The records that were judged.
    pub records: i64,
    /// Of these, the ones that came too late.
    pub late: i64,
    /// The alerts, without those of rules that are tried out.
    pub alerts: i64,
    /// The alerts of rules that are tried out.
    pub shadow: i64,
    /// The points of the alerts.
    pub points: i64,
}

/// Returns what was counted in the hours that begin in a period, in milliseconds since 1970.
pub fn hours(db: &Connection, of: &Range<i64>) -> QueryResult<Vec<HourCounts>> {
    let select = "SELECT hour, node, network_element, rule, fraud_type, records, late, alerts, shadow, points
                  FROM fraud_hour WHERE hour >= ? AND hour < ? ORDER BY hour, node, network_element, rule, fraud_type";
    let first = |ms: i64| ms.div_euclid(HOUR_MS) + i64::from(ms.rem_euclid(HOUR_MS) > 0);
    let read = |row: &Row<'_>| {
        Ok(HourCounts {
            hour_ms: row.get::<_, i64>(0)? * HOUR_MS,
            node: row.get(1)?,
            network_element: row.get(2)?,
            rule: row.get(3)?,
            fraud_type: row.get(4)?,
            records: row.get(5)?,
            late: row.get(6)?,
            alerts: row.get(7)?,
            shadow: row.get(8)?,
            points: row.get(9)?,
        })
    };
    db.prepare(select)?.query_map([first(of.start), first(of.end)], read)?.collect()
}
