//! Alerts: what the rules of nodes find, in the transaction of the job whose records they fire for.

use std::collections::BTreeSet;
use std::ops::Range;

use actions::{Message, Requested};
use journal::{JobId, for_each};
use node::{Alert, AlertPolicy};
use runtime::time::shown;
use serde::{Deserialize, Serialize};
use store::{Connection, Page, QueryResult, Row, TimeIndex, params};
use utoipa::ToSchema;

use crate::{cases, hours, rules};

const BY_TIME: TimeIndex =
    TimeIndex { table: "alert_found", name: "alert_found_by_time", column: "at_ms" };

/// An alert.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct FoundAlert {
    /// Its number.
    pub id: i64,
    /// A digest of what it is about: the same files in the same order give the same one. Absent if subscriber data is masked,
    /// or the subject was erased.
    pub digest: Option<String>,
    /// The node.
    pub node: String,
    /// The rule.
    pub rule: String,
    /// A digest of the rule's file when it fired.
    pub rule_version: String,
    /// What the rule is about, such as `caller`.
    pub subject: String,
    /// Which one it is.
    pub key: String,
    /// The time at which the rule fired: that of the record, or a later one by a record that was late.
    pub at: String,
    /// The points that it has.
    pub score: u32,
    /// How bad it is: `warning`, `minor`, `major` or `critical`.
    pub severity: String,
    /// The type of fraud that the rule finds, if it says one.
    pub fraud_type: Option<String>,
    /// Whether the rule is only tried out: the alert opens no case, and nothing is done. Absent otherwise.
    #[serde(default, skip_serializing_if = "is_false")]
    pub shadow: bool,
    /// The number of its case. Absent without one.
    pub case: Option<i64>,
    /// The condition, each name with its value.
    pub condition: String,
    /// The job whose file has the record.
    pub job: i64,
    /// The network element of the file. Absent if the journal does not have the file any more.
    pub network_element: Option<String>,
    /// The name of the file.
    pub file: Option<String>,
    /// The number of the record in the file. 0 if the subject was erased.
    pub record: i64,
    /// The recent records that it is about, in the order of their times, if the rule has `evidence`.
    pub evidence: Vec<AlertRecord>,
}

fn is_false(value: &bool) -> bool {
    !value
}

/// A record that an alert is about.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct AlertRecord {
    /// The job whose file has the record.
    pub job: i64,
    /// The network element of the file. Absent if the journal does not have the file any more.
    pub network_element: Option<String>,
    /// The name of the file.
    pub file: Option<String>,
    /// The number of the record in the file.
    pub record: i64,
}

/// Which alerts are listed.
#[derive(Clone, Copy, Debug)]
pub struct ListedAlerts<'l> {
    /// Those of a node.
    pub node: Option<&'l str>,
    /// Those of a rule.
    pub rule: Option<&'l str>,
    /// Those about a key.
    pub key: Option<&'l str>,
    /// Those of a case.
    pub case: Option<i64>,
    /// Those of a period, in milliseconds since 1970.
    pub of: &'l Range<i64>,
}

impl<'l> ListedAlerts<'l> {
    /// All of a period.
    pub fn all(of: &'l Range<i64>) -> Self {
        ListedAlerts { node: None, rule: None, key: None, case: None, of }
    }
}

/// Where alerts come from.
#[derive(Clone, Copy, Debug)]
pub struct Finding<'f> {
    /// The job whose records they are about.
    pub job: JobId,
    /// When it was done, in milliseconds since 1970.
    pub done_ms: i64,
    /// The node.
    pub node: &'f str,
    /// The network element of the file.
    pub network_element: &'f str,
    /// How many records of the job were judged.
    pub records: u64,
    /// How many of these came too late.
    pub late: u64,
    /// What comes of alerts.
    pub policy: AlertPolicy,
}

/// Inserts the alerts of a job, after the row of the job, opens cases, and counts all for reports.
pub fn found(db: &Connection, finding: &Finding<'_>, alerts: &[Alert]) -> QueryResult<()> {
    let Finding { job: JobId(job), node, .. } = *finding;
    let insert = "INSERT INTO alert_found
                      (digest, node, rule, rule_version, subject, key, at_ms, file, record, score, condition,
                       severity, fraud_type, shadow)
                  VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)";
    let mut insert = db.prepare_cached(insert)?;
    let of_record = "INSERT INTO alert_record (alert, place, file, record) VALUES (?, ?, ?, ?)";
    let mut insert_record = db.prepare_cached(of_record)?;
    // A case is counted once, however many alerts of the job are about its key.
    let mut joined = BTreeSet::new();
    for alert in alerts {
        let Alert { digest, rule, rule_version, subject, key, at_s, .. } = alert;
        let Alert { record, score, condition, evidence, severity, fraud_type, is_shadow, .. } =
            alert;
        let at_ms = i64::from(*at_s) * 1_000;
        insert.execute(params![
            digest,
            node,
            rule,
            rule_version,
            subject,
            key,
            at_ms,
            job,
            *record as i64,
            score,
            condition,
            severity.name(),
            fraud_type,
            is_shadow
        ])?;
        let number = db.last_insert_rowid();
        for (place, (file, record)) in evidence.iter().enumerate() {
            insert_record.execute(params![number, place as i64, file, *record as i64])?;
        }
        if !is_shadow {
            joined.extend(cases::join(db, finding, (number, alert))?);
            request_actions(db, finding, alert)?;
        }
    }
    joined.into_iter().try_for_each(|case| cases::count(db, case, finding.done_ms))?;
    hours::count(db, finding, alerts)
}

/// Requests the actions of the rule of an alert.
fn request_actions(db: &Connection, finding: &Finding<'_>, alert: &Alert) -> QueryResult<()> {
    let Finding { node, done_ms, policy, .. } = *finding;
    if alert.actions.is_empty() {
        return Ok(());
    }
    let version = (node, alert.rule.as_str(), alert.rule_version.as_str());
    let rule_waits = !rules::is_approved(db, version, policy.rule_approvals.into())?;
    let origin: String = alert.digest.iter().map(|octet| format!("{octet:02x}")).collect();
    for action in &*alert.actions {
        let message = Message {
            id: String::new(),
            action: action.clone(),
            undo: false,
            node: node.to_owned(),
            subject: alert.subject.clone(),
            key: alert.key.clone(),
            at: shown(i64::from(alert.at_s) * 1_000),
            rule: Some(alert.rule.clone()),
            rule_version: Some(alert.rule_version.clone()),
            score: alert.score,
            severity: alert.severity.name().to_owned(),
            fraud_type: alert.fraud_type.clone(),
            because: alert.condition.clone(),
            requested_by: None,
        };
        let requested = Requested { message, origin: origin.clone(), rule_waits };
        actions::request(db, requested, done_ms)?;
    }
    Ok(())
}

/// Deletes the alerts of these files.
pub fn prune_files(db: &Connection, files: &[JobId]) -> QueryResult<()> {
    let of_alerts =
        "DELETE FROM alert_record WHERE alert IN (SELECT id FROM alert_found WHERE file = ?)";
    for_each(db, of_alerts, files)?;
    for_each(db, "DELETE FROM alert_found WHERE file = ?", files)
}

/// Returns the alerts of a page, and whether there are more.
pub fn list(
    db: &Connection,
    listed: ListedAlerts<'_>,
    page: Page,
) -> QueryResult<(Vec<FoundAlert>, bool)> {
    let ListedAlerts { node, rule, key, case, of } = listed;
    let (above, below) = page.between(BY_TIME.between(db, of)?);
    let index = match (case, key) {
        (Some(_), _) => "INDEXED BY alert_found_by_case",
        (None, Some(_)) => "INDEXED BY alert_found_by_key",
        (None, None) => "NOT INDEXED",
    };
    let of_key = if key.is_some() { "key = ?5" } else { "?5 IS NULL" };
    let of_case = if case.is_some() { "fraud_case = ?9" } else { "?9 IS NULL" };
    let select = format!(
        "SELECT alert.id, nullif(lower(hex(alert.digest)), ''), node, rule, rule_version, subject, key, at_ms, score, condition, file,
             file.network_element, file.name, record, severity, fraud_type, shadow, fraud_case
         FROM (SELECT * FROM alert_found {index}
               WHERE {of_key} AND {of_case} AND id > ?1 AND id < ?2 AND (?3 IS NULL OR node = ?3) AND (?4 IS NULL OR rule = ?4)
                   AND at_ms >= ?6 AND at_ms < ?7
               ORDER BY id {} LIMIT ?8) AS alert
         LEFT JOIN file ON file.id = alert.file",
        page.order()
    );
    let mut select = db.prepare(&select)?;
    let of_page = params![above, below, node, rule, key, of.start, of.end, page.one_more(), case];
    let mut all: Vec<FoundAlert> = select.query_map(of_page, read)?.collect::<QueryResult<_>>()?;
    for alert in &mut all {
        alert.evidence = evidence(db, alert.id)?;
    }
    Ok(page.of(all, |alert| alert.id))
}

fn evidence(db: &Connection, alert: i64) -> QueryResult<Vec<AlertRecord>> {
    let select = "SELECT alert_record.file, file.network_element, file.name, record
                  FROM alert_record LEFT JOIN file ON file.id = alert_record.file WHERE alert = ? ORDER BY place";
    let record = |row: &Row<'_>| {
        Ok(AlertRecord {
            job: row.get(0)?,
            network_element: row.get(1)?,
            file: row.get(2)?,
            record: row.get(3)?,
        })
    };
    db.prepare_cached(select)?.query_map([alert], record)?.collect()
}

fn read(row: &Row<'_>) -> QueryResult<FoundAlert> {
    Ok(FoundAlert {
        id: row.get(0)?,
        digest: row.get(1)?,
        node: row.get(2)?,
        rule: row.get(3)?,
        rule_version: row.get(4)?,
        subject: row.get(5)?,
        key: row.get(6)?,
        at: shown(row.get(7)?),
        score: row.get(8)?,
        condition: row.get(9)?,
        job: row.get(10)?,
        network_element: row.get(11)?,
        file: row.get(12)?,
        record: row.get(13)?,
        severity: row.get(14)?,
        fraud_type: row.get(15)?,
        shadow: row.get(16)?,
        case: row.get(17)?,
        evidence: Vec::new(),
    })
}
