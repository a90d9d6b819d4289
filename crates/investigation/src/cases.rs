//! Cases: the alerts about a key of a subject, until people decide what they are.

use std::collections::BTreeMap;
use std::ops::Range;

use node::{Alert, AlertPolicy, Severity};
use runtime::time::shown;
use serde::{Deserialize, Serialize};
use store::{Connection, OptionalExtension, Page, QueryResult, Row, params};
use utoipa::ToSchema;

use crate::alerts::Finding;
use crate::hours;
use crate::rules::{RunningRule, running_rules};
use crate::steps;

/// What a case is, once people have looked.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "kebab-case")]
pub enum Decision {
    /// Fraud.
    Fraud,
    /// No fraud.
    NotFraud,
    /// It cannot be known.
    Unsure,
}

impl Decision {
    /// Returns its name.
    pub fn name(self) -> &'static str {
        match self {
            Decision::Fraud => "fraud",
            Decision::NotFraud => "not-fraud",
            Decision::Unsure => "unsure",
        }
    }
}

/// A case.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct FraudCase {
    /// Its number.
    pub id: i64,
    /// The node whose rules found it.
    pub node: String,
    /// What it is about, such as `caller`.
    pub subject: String,
    /// Which one it is.
    pub key: String,
    /// When it was opened: when the file of the alert that opened it was done.
    pub opened: String,
    /// The time of its first alert.
    pub first: String,
    /// The time of its last alert.
    pub last: String,
    /// The sum of the highest alert of each rule.
    pub score: u32,
    /// The worst of its alerts: `warning`, `minor`, `major` or `critical`.
    pub severity: String,
    /// How many alerts it has.
    pub alerts: u32,
    /// Their rules.
    pub rules: Vec<String>,
    /// The types of fraud that these find.
    pub fraud_types: Vec<String>,
    /// Who works on it. Absent for no one.
    pub assigned: Option<String>,
    /// What it is. Absent until it is decided.
    pub decision: Option<String>,
    /// Why.
    pub reason: Option<String>,
    /// When it was decided.
    pub decided: Option<String>,
    /// Who decided it.
    pub decided_by: Option<String>,
}

/// Which cases are listed.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "kebab-case")]
pub enum CaseState {
    /// Those that are to be decided, the ones with the most points first.
    #[default]
    Open,
    /// Those that are decided, the newest first.
    Decided,
    /// All, the newest first.
    All,
}

/// Which cases are listed.
#[derive(Clone, Copy, Debug)]
pub struct ListedCases<'l> {
    /// Open ones, decided ones, or all.
    pub state: CaseState,
    /// Those about a key.
    pub key: Option<&'l str>,
    /// Those with an alert of a rule.
    pub rule: Option<&'l str>,
    /// Those of a user, or of no one.
    pub assigned: Assigned<'l>,
}

/// Who works on the cases that are listed.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Assigned<'l> {
    /// Anyone, or no one.
    #[default]
    Any,
    /// A user.
    To(&'l str),
    /// No one.
    NoOne,
}

/// What became of the alerts of a rule.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct RuleFigures {
    /// The node.
    pub node: String,
    /// The rule.
    pub rule: String,
    /// What it is now. Absent if it does not run any more.
    pub running: Option<RunningRule>,
    /// Its alerts.
    pub alerts: i64,
    /// Its alerts while it was only tried out.
    pub shadow: i64,
    /// The cases with one of its alerts.
    pub cases: i64,
    /// Those that are to be decided.
    pub open: i64,
    /// Those that are fraud.
    pub fraud: i64,
    /// Those that are none.
    pub not_fraud: i64,
    /// Those of which it cannot be known.
    pub unsure: i64,
    /// Of a hundred decided cases that are known to be fraud or none, how many are. Absent without any.
    pub precision_percent: Option<i64>,
    /// The median time from the opening of a case to its decision, in seconds. Absent without a decision.
    pub seconds_to_decide: Option<i64>,
}

/// Takes an alert into the open case about its key, or opens one if there are enough points. Returns the case: it is to be counted.
pub(crate) fn join(
    db: &Connection,
    finding: &Finding<'_>,
    (number, alert): (i64, &Alert),
) -> QueryResult<Option<i64>> {
    let Finding { node, done_ms, policy: AlertPolicy { case_at, case_within_s, .. }, .. } =
        *finding;
    let Alert { subject, key, at_s, severity, .. } = alert;
    let (at_ms, within_ms) = (i64::from(*at_s) * 1_000, i64::from(case_within_s) * 1_000);
    let of_key =
        "SELECT id FROM fraud_case WHERE node = ? AND subject = ? AND key = ? AND decision IS NULL";
    let open: Option<i64> = db
        .prepare_cached(of_key)?
        .query_row(params![node, subject, key], |row| row.get(0))
        .optional()?;
    if let Some(case) = open {
        db.prepare_cached("UPDATE alert_found SET fraud_case = ? WHERE id = ?")?
            .execute([case, number])?;
        return Ok(Some(case));
    }
    if alert.score == 0 && *severity < Severity::Critical {
        return Ok(None);
    }
    // Alerts of a case that was decided count no more.
    let free = "FROM alert_found INDEXED BY alert_found_by_key
                WHERE key = ?1 AND node = ?2 AND subject = ?3 AND fraud_case IS NULL AND shadow = 0
                    AND at_ms > ?4 AND at_ms <= ?5 AND id <= ?6";
    let of_free =
        params![key, node, subject, at_ms - within_ms, at_ms.saturating_add(within_ms), number];
    let points = format!(
        "SELECT coalesce(sum(score), 0) FROM (SELECT max(score) AS score {free} GROUP BY rule)"
    );
    let score: i64 = db.prepare_cached(&points)?.query_row(of_free, |row| row.get(0))?;
    if score < i64::from(case_at) && *severity < Severity::Critical {
        return Ok(None);
    }
    let insert = "INSERT INTO fraud_case
                      (node, subject, key, opened_ms, changed_ms, first_ms, last_ms, score, severity, alerts)
                  VALUES (?, ?, ?, ?, ?, 0, 0, 0, '', 0)";
    db.prepare_cached(insert)?.execute(params![node, subject, key, done_ms, done_ms])?;
    let case = db.last_insert_rowid();
    let take = format!("UPDATE alert_found SET fraud_case = ?7 WHERE id IN (SELECT id {free})");
    db.prepare_cached(&take)?.execute(params![
        key,
        node,
        subject,
        at_ms - within_ms,
        at_ms.saturating_add(within_ms),
        number,
        case
    ])?;
    Ok(Some(case))
}

/// Counts the alerts of a case.
pub(crate) fn count(db: &Connection, case: i64, done_ms: i64) -> QueryResult<()> {
    let severities =
        Severity::NAMES.map(|(name, severity)| format!("WHEN '{name}' THEN {}", severity as u8));
    let worst = format!("max(CASE severity {} END)", severities.join(" "));
    let select = format!(
        "SELECT min(at_ms), max(at_ms), count(*), {worst},
             (SELECT sum(score) FROM (SELECT max(score) AS score FROM alert_found WHERE fraud_case = ?1 GROUP BY rule))
         FROM alert_found WHERE fraud_case = ?1"
    );
    type Counted = (i64, i64, i64, i64, i64);
    let counted = |row: &Row<'_>| -> QueryResult<Counted> {
        Ok((row.get(0)?, row.get(1)?, row.get(2)?, row.get(3)?, row.get(4)?))
    };
    let (first, last, alerts, worst, score) =
        db.prepare_cached(&select)?.query_row([case], counted)?;
    let severity = Severity::NAMES[usize::try_from(worst).unwrap_or(0).min(3)].0;
    let update = "UPDATE fraud_case
                  SET first_ms = ?, last_ms = ?, alerts = ?, score = ?, severity = ?, changed_ms = ? WHERE id = ?";
    let row = params![first, last, alerts, score, severity, done_ms, case];
    db.prepare_cached(update)?.execute(row)?;
    Ok(())
}

/// Returns cases, and whether there are more. Open ones come by their points, without pages.
pub fn cases(
    db: &Connection,
    listed: ListedCases<'_>,
    page: Page,
) -> QueryResult<(Vec<FraudCase>, bool)> {
    let ListedCases { state, key, rule, assigned } = listed;
    let (of_state, order) = match state {
        CaseState::Open => ("decision IS NULL", "score DESC, id".to_owned()),
        CaseState::Decided => ("decision IS NOT NULL", format!("id {}", page.order())),
        CaseState::All => ("true", format!("id {}", page.order())),
    };
    let (of_user, user) = match assigned {
        Assigned::Any => ("?4 IS NULL", None),
        Assigned::To(user) => ("assigned = ?4", Some(user)),
        Assigned::NoOne => ("?4 IS NULL AND assigned IS NULL", None),
    };
    let select = format!(
        "SELECT {COLUMNS} FROM fraud_case
         WHERE {of_state} AND id > ?1 AND id < ?2 AND (?3 IS NULL OR key = ?3) AND {of_user}
             AND (?5 IS NULL OR EXISTS (SELECT 1 FROM alert_found WHERE fraud_case = fraud_case.id AND rule = ?5))
         ORDER BY {order} LIMIT ?6"
    );
    let of_page = params![page.above(), page.below(), key, user, rule, page.one_more()];
    let mut select = db.prepare(&select)?;
    let mut found: Vec<FraudCase> = select.query_map(of_page, read)?.collect::<QueryResult<_>>()?;
    for case in &mut found {
        with_rules(db, case)?;
    }
    if state == CaseState::Open {
        let more = found.len() > page.limit as usize;
        found.truncate(page.limit as usize);
        return Ok((found, more));
    }
    Ok(page.of(found, |case| case.id))
}

/// Returns a case.
pub fn case(db: &Connection, number: i64) -> QueryResult<Option<FraudCase>> {
    let select = format!("SELECT {COLUMNS} FROM fraud_case WHERE id = ?");
    let mut found = db.prepare(&select)?.query_row([number], read).optional()?;
    if let Some(case) = &mut found {
        with_rules(db, case)?;
    }
    Ok(found)
}

const COLUMNS: &str = "id, node, subject, key, opened_ms, first_ms, last_ms, score, severity, alerts, assigned, decision, reason,
     decided_ms, decided_by";

fn read(row: &Row<'_>) -> QueryResult<FraudCase> {
    Ok(FraudCase {
        id: row.get(0)?,
        node: row.get(1)?,
        subject: row.get(2)?,
        key: row.get(3)?,
        opened: shown(row.get(4)?),
        first: shown(row.get(5)?),
        last: shown(row.get(6)?),
        score: row.get(7)?,
        severity: row.get(8)?,
        alerts: row.get(9)?,
        rules: Vec::new(),
        fraud_types: Vec::new(),
        assigned: row.get(10)?,
        decision: row.get(11)?,
        reason: row.get(12)?,
        decided: row.get::<_, Option<i64>>(13)?.map(shown),
        decided_by: row.get(14)?,
    })
}

fn with_rules(db: &Connection, case: &mut FraudCase) -> QueryResult<()> {
    let distinct = |column: &str| -> QueryResult<Vec<String>> {
        let select = format!(
            "SELECT DISTINCT {column} FROM alert_found WHERE fraud_case = ? AND {column} IS NOT NULL ORDER BY {column}"
        );
        db.prepare_cached(&select)?.query_map([case.id], |row| row.get(0))?.collect()
    };
    let (rules, fraud_types) = (distinct("rule")?, distinct("fraud_type")?);
    (case.rules, case.fraud_types) = (rules, fraud_types);
    Ok(())
}

/// Decides what open cases are. Returns the numbers of those that were decided.
pub fn decide(
    db: &Connection,
    cases: &[i64],
    (decision, reason): (Decision, &str),
    (who, now_ms): (&str, i64),
) -> QueryResult<Vec<i64>> {
    let update = "UPDATE fraud_case SET decision = ?, reason = ?, decided_ms = ?, decided_by = ?
                  WHERE id = ? AND decision IS NULL";
    let mut update = db.prepare_cached(update)?;
    let mut decided = Vec::new();
    for case in cases {
        if update.execute(params![decision.name(), reason, now_ms, who, case])? == 1 {
            steps::add(db, *case, (who, now_ms), (decision.name(), reason))?;
            if decision == Decision::NotFraud {
                withdraw(db, *case)?;
            }
            decided.push(*case);
        }
    }
    Ok(decided)
}

/// Refuses the actions about the key of a case that are not sent yet.
fn withdraw(db: &Connection, case: i64) -> QueryResult<()> {
    let select = "SELECT node, subject, key FROM fraud_case WHERE id = ?";
    let about: (String, String, String) = db
        .prepare_cached(select)?
        .query_row([case], |row| Ok((row.get(0)?, row.get(1)?, row.get(2)?)))?;
    let (node, subject, key) = &about;
    let because = format!("case {case} is no fraud");
    actions::refuse_of_key(db, (node, subject, key), &because)
}

/// Gives open cases to a user, or to no one. Returns the numbers of those that were given.
pub fn assign(
    db: &Connection,
    cases: &[i64],
    to: Option<&str>,
    (who, now_ms): (&str, i64),
) -> QueryResult<Vec<i64>> {
    let update = "UPDATE fraud_case SET assigned = ?1 WHERE id = ?2 AND decision IS NULL AND assigned IS NOT ?1";
    let mut update = db.prepare_cached(update)?;
    let mut given = Vec::new();
    for case in cases {
        if update.execute(params![to, case])? == 1 {
            steps::add(db, *case, (who, now_ms), ("assigned", to.unwrap_or("")))?;
            given.push(*case);
        }
    }
    Ok(given)
}

/// Forgets cases that were decided before a time, in milliseconds since 1970, some at a time, and the counts of hours before it.
pub fn prune(db: &Connection, before_ms: i64) -> QueryResult<()> {
    let select = "SELECT id FROM fraud_case WHERE decided_ms < ? LIMIT 1000";
    let mut select = db.prepare_cached(select)?;
    let old =
        select.query_map([before_ms], |row| row.get(0))?.collect::<QueryResult<Vec<i64>>>()?;
    for case in old {
        db.prepare_cached("DELETE FROM fraud_case_step WHERE fraud_case = ?")?.execute([case])?;
        db.prepare_cached("DELETE FROM fraud_case WHERE id = ?")?.execute([case])?;
    }
    hours::prune(db, before_ms)
}

/// Opens a decided case again, unless there is an open one about its key. Returns whether it was opened.
pub fn reopen(
    db: &Connection,
    case: i64,
    because: &str,
    (who, now_ms): (&str, i64),
) -> QueryResult<bool> {
    let update = "UPDATE fraud_case SET decision = NULL, reason = NULL, decided_ms = NULL, decided_by = NULL
                  WHERE id = ? AND decision IS NOT NULL AND NOT EXISTS
                      (SELECT 1 FROM fraud_case AS other WHERE other.node = fraud_case.node AND other.subject = fraud_case.subject
                           AND other.key = fraud_case.key AND other.decision IS NULL)";
    let is_opened = db.prepare_cached(update)?.execute([case])? == 1;
    if is_opened {
        steps::add(db, case, (who, now_ms), ("reopened", because))?;
    }
    Ok(is_opened)
}

/// Returns what became of the alerts of each rule, of a period in milliseconds since 1970.
pub fn figures(db: &Connection, of: &Range<i64>) -> QueryResult<Vec<RuleFigures>> {
    let mut rules: BTreeMap<(String, String), RuleFigures> = BTreeMap::new();
    for (node, rule, running) in running_rules(db)? {
        let key = (node.clone(), rule.clone());
        let running = Some(running);
        rules.insert(key, RuleFigures { node, rule, running, ..RuleFigures::default() });
    }
    let select = "SELECT node, rule, sum(shadow = 0), sum(shadow) FROM alert_found
                  WHERE at_ms >= ? AND at_ms < ? GROUP BY node, rule";
    let mut select = db.prepare(select)?;
    let mut rows = select.query([of.start, of.end])?;
    while let Some(row) = rows.next()? {
        let (node, rule): (String, String) = (row.get(0)?, row.get(1)?);
        let (alerts, shadow) = (row.get(2)?, row.get(3)?);
        let key = (node.clone(), rule.clone());
        let figures = rules.entry(key);
        let figures =
            figures.or_insert_with(|| RuleFigures { node, rule, ..RuleFigures::default() });
        (figures.alerts, figures.shadow) = (alerts, shadow);
    }
    let select =
        "SELECT DISTINCT alert.node, alert.rule, fraud_case.id, decision, decided_ms - opened_ms
                  FROM alert_found AS alert JOIN fraud_case ON fraud_case.id = alert.fraud_case
                  WHERE at_ms >= ? AND at_ms < ?";
    let mut select = db.prepare(select)?;
    let mut rows = select.query([of.start, of.end])?;
    let mut lasted: BTreeMap<(String, String), Vec<i64>> = BTreeMap::new();
    while let Some(row) = rows.next()? {
        let key = (row.get(0)?, row.get(1)?);
        let (decision, milliseconds): (Option<String>, Option<i64>) = (row.get(3)?, row.get(4)?);
        let Some(figures) = rules.get_mut(&key) else { continue };
        figures.cases += 1;
        *match decision.as_deref() {
            None => &mut figures.open,
            Some("fraud") => &mut figures.fraud,
            Some("not-fraud") => &mut figures.not_fraud,
            Some(_) => &mut figures.unsure,
        } += 1;
        let seconds = milliseconds.map(|of| (of / 1_000).max(0));
        lasted.entry(key).or_default().extend(seconds);
    }
    for (key, figures) in &mut rules {
        let known = figures.fraud + figures.not_fraud;
        figures.precision_percent = (known > 0).then(|| figures.fraud * 100 / known);
        let mut seconds = lasted.remove(key).unwrap_or_default();
        seconds.sort_unstable();
        figures.seconds_to_decide = seconds.get(seconds.len().saturating_sub(1) / 2).copied();
    }
    Ok(rules.into_values().collect())
}
