//! Alerts: what the rules of nodes find, in the transaction of the job whose records they fire for.

use std::ops::Range;

use diagnostics::counted;
use journal::{JobId, for_each};
use node::{Alert, Committed, Judge, Judged};
use runtime::time::{at_ms, shown};
use serde::{Deserialize, Serialize};
use store::{Connection, Page, QueryError, QueryResult, Row, TimeIndex, params};
use utoipa::ToSchema;

/// The target of log lines.
const LOG: &str = "flow::fraud";

const BY_TIME: TimeIndex =
    TimeIndex { table: "alert_found", name: "alert_found_by_time", column: "at_ms" };

/// An alert.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct FoundAlert {
    /// Its number.
    pub id: i64,
    /// A digest of what it is about: the same files in the same order give the same one. Absent if subscriber data is masked.
    #[serde(skip_serializing_if = "Option::is_none")]
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
    /// The condition, each name with its value.
    pub condition: String,
    /// The job whose file has the record.
    pub job: i64,
    /// The network element of the file. Absent if the journal does not have the file any more.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub network_element: Option<String>,
    /// The name of the file.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub file: Option<String>,
    /// The number of the record in the file.
    pub record: i64,
    /// The recent records that it is about, in the order of their times, if the rule has `evidence`.
    pub evidence: Vec<AlertRecord>,
}

/// A record that an alert is about.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct AlertRecord {
    /// The job whose file has the record.
    pub job: i64,
    /// The network element of the file. Absent if the journal does not have the file any more.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub network_element: Option<String>,
    /// The name of the file.
    #[serde(skip_serializing_if = "Option::is_none")]
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
    /// Those of a period, in milliseconds since 1970.
    pub of: &'l Range<i64>,
}

/// Judges the notes of a job for a node, after the row of the job, and inserts what is found. Returns what is stored of the job.
pub(crate) fn judge(
    db: &Connection,
    JobId(job): JobId,
    (node, judge): (&str, &dyn Judge),
    notes: &[u8],
) -> QueryResult<Vec<u8>> {
    let select = "SELECT done_ms FROM file WHERE id = ?";
    let done_ms = db.prepare_cached(select)?.query_row([job], |row| row.get(0))?;
    let judged = judge.judge(Committed { job, at: at_ms(done_ms) }, notes);
    let judged = judged.map_err(|error| QueryError::ToSqlConversionFailure(Box::new(error)))?;
    let Judged { alerts: found, delta, late } = judged;
    if late > 0 {
        let late = counted(late as usize, "record");
        tracing::warn!(target: LOG, job, node, "\"{node}\": {late} came too late for its rules, or from a time to come");
    }
    let insert = "INSERT INTO alert_found
                      (digest, node, rule, rule_version, subject, key, at_ms, file, record, score, condition)
                  VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)";
    let mut insert = db.prepare_cached(insert)?;
    let of_record = "INSERT INTO alert_record (alert, place, file, record) VALUES (?, ?, ?, ?)";
    let mut insert_record = db.prepare_cached(of_record)?;
    for alert in found {
        let Alert { digest, rule, rule_version, subject, key, at_s, .. } = alert;
        let Alert { record, score, condition, evidence, .. } = alert;
        let (at_ms, record) = (i64::from(at_s) * 1_000, record as i64);
        insert.execute(params![
            digest,
            node,
            rule,
            rule_version,
            subject,
            key,
            at_ms,
            job,
            record,
            score,
            condition
        ])?;
        let alert = db.last_insert_rowid();
        for (place, (file, record)) in evidence.into_iter().enumerate() {
            insert_record.execute(params![alert, place as i64, file, record as i64])?;
        }
    }
    Ok(delta)
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
    let ListedAlerts { node, rule, key, of } = listed;
    let (above, below) = page.between(BY_TIME.between(db, of)?);
    let index = if key.is_some() { "INDEXED BY alert_found_by_key" } else { "NOT INDEXED" };
    let of_key = if key.is_some() { "key = ?5" } else { "?5 IS NULL" };
    let select = format!(
        "SELECT alert.id, lower(hex(alert.digest)), node, rule, rule_version, subject, key, at_ms, score, condition, file,
             file.network_element, file.name, record
         FROM (SELECT * FROM alert_found {index}
               WHERE {of_key} AND id > ?1 AND id < ?2 AND (?3 IS NULL OR node = ?3) AND (?4 IS NULL OR rule = ?4)
                   AND at_ms >= ?6 AND at_ms < ?7
               ORDER BY id {} LIMIT ?8) AS alert
         LEFT JOIN file ON file.id = alert.file",
        page.order()
    );
    let mut select = db.prepare(&select)?;
    let of_page = params![above, below, node, rule, key, of.start, of.end, page.one_more()];
    let mut all: Vec<FoundAlert> = select.query_map(of_page, found)?.collect::<QueryResult<_>>()?;
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

fn found(row: &Row<'_>) -> QueryResult<FoundAlert> {
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
        evidence: Vec::new(),
    })
}
