//! Reports: what was found in a period, from the counts of its hours, and what people made of it.

use std::collections::BTreeMap;
use std::ops::Range;

use runtime::time::{day, shown};
use serde::{Deserialize, Serialize};
use store::{Connection, QueryResult, params};
use utoipa::ToSchema;

use crate::hours::HOUR_MS;

/// What a report has a row for.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "kebab-case")]
pub enum ReportBy {
    /// Each day, in UTC.
    #[default]
    Day,
    /// Each hour.
    Hour,
    /// Each rule.
    Rule,
    /// Each network element.
    Element,
    /// Each type of fraud.
    Type,
}

/// A row of a report.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct ReportRow {
    /// What it is about: a day such as `2026-11-26`, an hour such as `2026-11-26T14:00:00Z`, the name of a rule or of a network element, or
    /// a type of fraud. Empty for rules without a type.
    pub of: String,
    /// The node of a rule. Absent in other reports.
    pub node: Option<String>,
    /// How many records were judged. Absent by rule and by type.
    pub records: Option<i64>,
    /// How many of these came too late for the rules. Absent by rule and by type.
    pub late: Option<i64>,
    /// The alerts, without those of rules that are tried out.
    pub alerts: i64,
    /// The alerts of rules that are tried out.
    pub shadow: i64,
    /// The points of the alerts.
    pub points: i64,
    /// The cases that were opened. One with alerts of several rules, network elements or types counts for each.
    pub cases: i64,
    /// The cases that were decided, and are fraud.
    pub fraud: i64,
    /// The cases that were decided, and are no fraud.
    pub not_fraud: i64,
    /// The cases that were decided, and cannot be known.
    pub unsure: i64,
    /// The actions of rules that were carried out. Absent by network element.
    pub actions: Option<i64>,
}

/// A report.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Report {
    /// The rows, in their order.
    pub rows: Vec<ReportRow>,
    /// All together: each case counts once.
    pub total: ReportRow,
}

/// What was counted.
#[derive(Clone, Copy, Debug, Default)]
struct Counts {
    records: i64,
    late: i64,
    alerts: i64,
    shadow: i64,
    points: i64,
}

impl Counts {
    fn add(&mut self, Counts { records, late, alerts, shadow, points }: Counts) {
        self.records += records;
        self.late += late;
        self.alerts += alerts;
        self.shadow += shadow;
        self.points += points;
    }

    fn add_to(self, row: &mut ReportRow) {
        row.records = row.records.map(|of| of + self.records);
        row.late = row.late.map(|of| of + self.late);
        row.alerts += self.alerts;
        row.shadow += self.shadow;
        row.points += self.points;
    }
}

/// The rows by node and what they are about.
type Rows = BTreeMap<(Option<String>, String), ReportRow>;

/// What is reported.
struct Reported<'r> {
    by: ReportBy,
    /// In hours since 1970.
    hours: Range<i64>,
    node: Option<&'r str>,
    rows: Rows,
    total: ReportRow,
    /// By type, the types of rules with alerts, by node and rule.
    types: BTreeMap<String, BTreeMap<String, String>>,
}

/// Reports a period, in milliseconds since 1970, in whole hours by the clock of the gateway, of all nodes or of one.
pub fn report(
    db: &Connection,
    by: ReportBy,
    of: &Range<i64>,
    node: Option<&str>,
) -> QueryResult<Report> {
    let up = of.end.div_euclid(HOUR_MS).saturating_add(i64::from(of.end.rem_euclid(HOUR_MS) > 0));
    let hours = of.start.div_euclid(HOUR_MS)..up;
    let total =
        ReportRow { records: Some(0), late: Some(0), actions: Some(0), ..ReportRow::default() };
    let (rows, types) = Default::default();
    let mut reported = Reported { by, hours, node, rows, total, types };
    reported.add_counts(db)?;
    reported.add_cases(db)?;
    reported.add_actions(db)?;
    let Reported { rows, total, .. } = reported;
    Ok(Report { rows: rows.into_values().collect(), total })
}

impl Reported<'_> {
    /// Returns the row of something.
    fn row(&mut self, node: Option<&str>, of: &str) -> &mut ReportRow {
        let node = node.filter(|_| self.by == ReportBy::Rule).map(str::to_owned);
        let by = self.by;
        self.rows.entry((node.clone(), of.to_owned())).or_insert_with(|| {
            let has_records = !matches!(by, ReportBy::Rule | ReportBy::Type);
            ReportRow {
                of: of.to_owned(),
                node,
                records: has_records.then_some(0),
                late: has_records.then_some(0),
                actions: (by != ReportBy::Element).then_some(0),
                ..ReportRow::default()
            }
        })
    }

    /// Returns the period in milliseconds since 1970.
    fn period(&self) -> Range<i64> {
        self.hours.start.saturating_mul(HOUR_MS)..self.hours.end.saturating_mul(HOUR_MS)
    }

    /// Adds what was counted. Rows are in the order of hours, so SQLite sums those of an hour as it reads them; what is not in this order is
    /// summed here, which takes a third of the time of a sort.
    fn add_counts(&mut self, db: &Connection) -> QueryResult<()> {
        let is_of_time = matches!(self.by, ReportBy::Day | ReportBy::Hour);
        let (sum, group) = if is_of_time { ("sum", "GROUP BY hour") } else { ("", "") };
        let select = format!(
            "SELECT hour, node, network_element, rule, fraud_type,
                 {sum}(records), {sum}(late), {sum}(alerts), {sum}(shadow), {sum}(points)
             FROM fraud_hour WHERE hour >= ?1 AND hour < ?2 AND (?3 IS NULL OR node = ?3) {group}"
        );
        let mut select = db.prepare(&select)?;
        let mut rows = select.query(params![self.hours.start, self.hours.end, self.node])?;
        let mut sums: BTreeMap<String, BTreeMap<String, Counts>> = BTreeMap::new();
        let mut total = Counts::default();
        while let Some(row) = rows.next()? {
            let counts = Counts {
                records: row.get(5)?,
                late: row.get(6)?,
                alerts: row.get(7)?,
                shadow: row.get(8)?,
                points: row.get(9)?,
            };
            total.add(counts);
            let text = |column: usize| Ok::<_, store::QueryError>(row.get_ref(column)?.as_str()?);
            let (of_time, rule);
            let (node, of) = match self.by {
                ReportBy::Day | ReportBy::Hour => {
                    of_time = self.of_time(row.get::<_, i64>(0)? * HOUR_MS).unwrap_or_default();
                    ("", of_time.as_str())
                }
                ReportBy::Element => ("", text(2)?),
                ReportBy::Rule | ReportBy::Type => {
                    rule = text(3)?;
                    if rule.is_empty() {
                        continue;
                    }
                    match self.by {
                        ReportBy::Rule => (text(1)?, rule),
                        _ => {
                            note_type(&mut self.types, (text(1)?, rule), text(4)?);
                            ("", text(4)?)
                        }
                    }
                }
            };
            if !sums.contains_key(node) {
                sums.insert(node.to_owned(), BTreeMap::new());
            }
            let Some(of_node) = sums.get_mut(node) else { continue };
            match of_node.get_mut(of) {
                Some(sum) => sum.add(counts),
                None => drop(of_node.insert(of.to_owned(), counts)),
            }
        }
        total.add_to(&mut self.total);
        for (node, of_node) in sums {
            for (of, counts) in of_node {
                counts.add_to(self.row(Some(&node), &of));
            }
        }
        Ok(())
    }

    /// Returns the rows that something at a time is in, if they are those of times.
    fn of_time(&self, ms: i64) -> Option<String> {
        match self.by {
            ReportBy::Day => Some(day(ms)),
            ReportBy::Hour => Some(shown(ms.div_euclid(HOUR_MS) * HOUR_MS)),
            ReportBy::Rule | ReportBy::Element | ReportBy::Type => None,
        }
    }

    fn add_cases(&mut self, db: &Connection) -> QueryResult<()> {
        let period = self.period();
        let of_alerts = match self.by {
            ReportBy::Rule => "alert.rule",
            ReportBy::Type => "ifnull(alert.fraud_type, '')",
            ReportBy::Element => "ifnull(file.network_element, '')",
            ReportBy::Day | ReportBy::Hour => "''",
        };
        let groups = format!(
            "SELECT DISTINCT {of_alerts} FROM alert_found AS alert LEFT JOIN file ON file.id = alert.file
             WHERE alert.fraud_case = ?"
        );
        let mut groups = db.prepare(&groups)?;
        for (column, place) in [("opened_ms", 0), ("decided_ms", 1)] {
            let is_decided = if place == 1 { "AND decision IS NOT NULL" } else { "" };
            let select = format!(
                "SELECT id, node, {column}, decision FROM fraud_case
                 WHERE {column} >= ? AND {column} < ? AND (?3 IS NULL OR node = ?3) {is_decided}"
            );
            let mut select = db.prepare(&select)?;
            let mut rows = select.query(params![period.start, period.end, self.node])?;
            while let Some(row) = rows.next()? {
                let (case, node, ms): (i64, String, i64) = (row.get(0)?, row.get(1)?, row.get(2)?);
                let decision: Option<String> = row.get(3)?;
                let add = |to: &mut ReportRow| match (place, decision.as_deref()) {
                    (0, _) => to.cases += 1,
                    (_, Some("fraud")) => to.fraud += 1,
                    (_, Some("not-fraud")) => to.not_fraud += 1,
                    (_, _) => to.unsure += 1,
                };
                add(&mut self.total);
                match self.of_time(ms) {
                    Some(of) => add(self.row(None, &of)),
                    None => {
                        let of_case = groups.query_map([case], |row| row.get(0))?;
                        for of in of_case.collect::<QueryResult<Vec<String>>>()? {
                            add(self.row(Some(&node), &of));
                        }
                    }
                }
            }
        }
        Ok(())
    }

    fn add_actions(&mut self, db: &Connection) -> QueryResult<()> {
        let period = self.period();
        let select = "SELECT done_ms, node, rule FROM action
                      WHERE done_ms >= ? AND done_ms < ? AND rule IS NOT NULL AND (?3 IS NULL OR node = ?3)";
        let mut select = db.prepare(select)?;
        let mut rows = select.query(params![period.start, period.end, self.node])?;
        while let Some(row) = rows.next()? {
            let (ms, node, rule): (i64, String, String) = (row.get(0)?, row.get(1)?, row.get(2)?);
            let add = |to: &mut ReportRow| to.actions = to.actions.map(|of| of + 1);
            add(&mut self.total);
            match (self.by, self.of_time(ms)) {
                (_, Some(of)) => add(self.row(None, &of)),
                (ReportBy::Rule, _) => add(self.row(Some(&node), &rule)),
                (ReportBy::Type, _) => {
                    let of = self.types.get(&node).and_then(|of_node| of_node.get(&rule));
                    let of = of.cloned().unwrap_or_default();
                    add(self.row(None, &of));
                }
                (_, None) => {}
            }
        }
        Ok(())
    }
}

/// Notes the type of a rule.
fn note_type(
    types: &mut BTreeMap<String, BTreeMap<String, String>>,
    (node, rule): (&str, &str),
    fraud_type: &str,
) {
    if !types.contains_key(node) {
        types.insert(node.to_owned(), BTreeMap::new());
    }
    let Some(of_node) = types.get_mut(node) else { return };
    if of_node.get(rule).is_none_or(|known| known != fraud_type) {
        of_node.insert(rule.to_owned(), fraud_type.to_owned());
    }
}
