//! Alarms by threshold and object.

use journal::JobId;
use node::Crossing;
use runtime::time::shown;
use serde::{Deserialize, Serialize};
use store::{Connection, OptionalExtension as _, Page, QueryResult, Row, params};
use utoipa::ToSchema;

/// An alarm of a threshold.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, ToSchema)]
pub struct ThresholdAlarm {
    /// Its number.
    pub id: i64,
    /// The node.
    pub node: String,
    /// The threshold.
    pub threshold: String,
    /// What it is about, such as `drops`.
    pub kpi: String,
    /// The object, by its distinguished name.
    pub object: String,
    /// How bad it is: `warning`, `minor`, `major` or `critical`.
    pub severity: String,
    /// The end of the period with which it began.
    pub raised: String,
    /// The end of the period with which it was over. Absent while it is raised.
    pub cleared: Option<String>,
    /// The value of the period with which it began.
    pub observed: f64,
    /// What the value was held against.
    pub limit: f64,
    /// Whether the value is bad above the limit, or else below.
    pub above: bool,
    /// The unit of both; empty without one.
    pub unit: String,
    /// How the value was found: the formula with its numbers.
    pub formula: String,
    /// When the file with which it began was done.
    pub found: String,
    /// The job of that file.
    pub job: i64,
    /// The network element of the file. Absent if the journal does not have the file any more.
    pub network_element: Option<String>,
    /// The name of the file.
    pub file: Option<String>,
    /// The number of the record in the file.
    pub record: i64,
}

/// Where crossings come from.
#[derive(Clone, Copy, Debug)]
pub struct Finding<'f> {
    /// The job with whose file they are found.
    pub job: JobId,
    /// When it was done, in milliseconds since 1970.
    pub done_ms: i64,
    /// The node.
    pub node: &'f str,
}

/// Which alarms are listed.
#[derive(Clone, Copy, Debug, Default)]
pub struct ListedAlarms<'l> {
    /// Those of a node.
    pub node: Option<&'l str>,
    /// Those of a threshold.
    pub threshold: Option<&'l str>,
    /// Those of an object.
    pub object: Option<&'l str>,
    /// Whether those that are over are listed, too.
    pub with_cleared: bool,
}

/// Raises and clears alarms, after the row of the job. Of an alarm that is raised, nothing changes; one that is not there is not cleared.
pub fn crossed(db: &Connection, finding: Finding<'_>, crossings: &[Crossing]) -> QueryResult<()> {
    crossings.iter().try_for_each(|crossing| {
        let alarm = match crossing.is_raised {
            true => raise(db, finding, crossing)?,
            false => clear(db, finding.node, crossing)?,
        };
        let Some(alarm) = alarm else { return Ok(()) };
        let at_ms = crossing.period.end.saturating_mul(1_000);
        note(db, (alarm, crossing.is_raised), (at_ms, finding.done_ms), crossing.observed)
    })
}

fn raise(
    db: &Connection,
    Finding { job: JobId(job), done_ms, node }: Finding<'_>,
    crossing: &Crossing,
) -> QueryResult<Option<i64>> {
    let Crossing { threshold, kpi, object, severity, period, .. } = crossing;
    let Crossing { observed, limit, is_above, unit, formula, record, .. } = crossing;
    let insert = "INSERT INTO threshold_alarm
                      (node, threshold, kpi, object, severity, raised_ms, found_ms, observed, limit_value, above, unit, formula, file, record)
                  VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?) ON CONFLICT DO NOTHING RETURNING id";
    let values = params![
        node,
        threshold,
        kpi,
        object,
        severity.name(),
        period.end.saturating_mul(1_000),
        done_ms,
        observed,
        limit,
        is_above,
        unit,
        formula,
        job,
        record.cast_signed()
    ];
    db.prepare_cached(insert)?.query_row(values, |row| row.get(0)).optional()
}

fn clear(db: &Connection, node: &str, crossing: &Crossing) -> QueryResult<Option<i64>> {
    let Crossing { threshold, object, period, .. } = crossing;
    let update = "UPDATE threshold_alarm SET cleared_ms = ?
                  WHERE node = ? AND threshold = ? AND object = ? AND cleared_ms IS NULL RETURNING id";
    let values = params![period.end.saturating_mul(1_000), node, threshold, object];
    db.prepare_cached(update)?.query_row(values, |row| row.get(0)).optional()
}

fn note(
    db: &Connection,
    (alarm, is_raised): (i64, bool),
    (at_ms, found_ms): (i64, i64),
    observed: f64,
) -> QueryResult<()> {
    let insert = "INSERT INTO threshold_event (alarm, raised, at_ms, found_ms, observed) VALUES (?, ?, ?, ?, ?)";
    db.prepare_cached(insert)?
        .execute(params![alarm, is_raised, at_ms, found_ms, observed])
        .map(drop)
}

/// Clears the alarms of thresholds that are not there any more: `thresholds` has those of each node.
pub fn clear_others(
    db: &Connection,
    thresholds: &[(String, String)],
    now_ms: i64,
) -> QueryResult<()> {
    let select =
        "SELECT id, node, threshold, observed FROM threshold_alarm WHERE cleared_ms IS NULL";
    let mut select = db.prepare(select)?;
    let raised = select.query_map([], |row| {
        Ok((row.get::<_, i64>(0)?, (row.get(1)?, row.get(2)?), row.get::<_, f64>(3)?))
    })?;
    for alarm in raised.collect::<QueryResult<Vec<(i64, (String, String), f64)>>>()? {
        let (id, threshold, observed) = alarm;
        if !thresholds.contains(&threshold) {
            db.execute("UPDATE threshold_alarm SET cleared_ms = ? WHERE id = ?", [now_ms, id])?;
            note(db, (id, false), (now_ms, now_ms), observed)?;
        }
    }
    Ok(())
}

/// Deletes alarms that were over before a time.
pub fn prune(db: &Connection, before_ms: i64) -> QueryResult<()> {
    let over = "SELECT id FROM threshold_alarm WHERE cleared_ms < ?";
    db.execute(&format!("DELETE FROM threshold_event WHERE alarm IN ({over})"), [before_ms])?;
    db.execute("DELETE FROM threshold_alarm WHERE cleared_ms < ?", [before_ms]).map(drop)
}

/// Returns the alarms of a page, and whether there are more.
pub fn alarms(
    db: &Connection,
    listed: ListedAlarms<'_>,
    page: Page,
) -> QueryResult<(Vec<ThresholdAlarm>, bool)> {
    let ListedAlarms { node, threshold, object, with_cleared } = listed;
    let (above, below) = page.between((i64::MIN, i64::MAX));
    let select = format!(
        "SELECT alarm.id, node, threshold, kpi, object, severity, raised_ms, cleared_ms, observed, limit_value, above, unit, formula,
             found_ms, alarm.file, file.network_element, file.name, record
         FROM (SELECT * FROM threshold_alarm
               WHERE id > ?1 AND id < ?2 AND (?3 IS NULL OR node = ?3) AND (?4 IS NULL OR threshold = ?4)
                   AND (?5 IS NULL OR object = ?5) AND (?6 OR cleared_ms IS NULL)
               ORDER BY id {} LIMIT ?7) AS alarm
         LEFT JOIN file ON file.id = alarm.file",
        page.order()
    );
    let values = params![above, below, node, threshold, object, with_cleared, page.one_more()];
    let all: QueryResult<Vec<ThresholdAlarm>> =
        db.prepare(&select)?.query_map(values, read)?.collect();
    Ok(page.of(all?, |alarm| alarm.id))
}

fn read(row: &Row<'_>) -> QueryResult<ThresholdAlarm> {
    let cleared: Option<i64> = row.get(7)?;
    Ok(ThresholdAlarm {
        id: row.get(0)?,
        node: row.get(1)?,
        threshold: row.get(2)?,
        kpi: row.get(3)?,
        object: row.get(4)?,
        severity: row.get(5)?,
        raised: shown(row.get(6)?),
        cleared: cleared.map(shown),
        observed: row.get(8)?,
        limit: row.get(9)?,
        above: row.get(10)?,
        unit: row.get(11)?,
        formula: row.get(12)?,
        found: shown(row.get(13)?),
        job: row.get(14)?,
        network_element: row.get(15)?,
        file: row.get(16)?,
        record: row.get(17)?,
    })
}

#[cfg(test)]
mod tests {
    use node::Severity;

    use super::*;

    const TABLES: &str = concat!(
        include_str!("../../flow/src/schema/threshold_alarm.sql"),
        "CREATE TABLE file (id INTEGER PRIMARY KEY, network_element TEXT, name TEXT);
         INSERT INTO file VALUES (7, 'gnb', 'A20260601.0000-0015_gnb.xml');"
    );

    fn crossing(object: &str, is_raised: bool, end: i64, observed: f64) -> Crossing {
        Crossing {
            threshold: "drops-high".into(),
            kpi: "drops".into(),
            object: object.into(),
            is_raised,
            severity: Severity::Major,
            period: end - 900..end,
            observed,
            limit: 2.0,
            is_above: true,
            unit: "%".into(),
            formula: "3 / 100".into(),
            record: 4,
        }
    }

    fn found(db: &Connection, job: i64, crossings: &[Crossing]) {
        crossed(db, Finding { job: JobId(job), done_ms: job * 1_000, node: "radio" }, crossings)
            .unwrap();
    }

    fn listed(db: &Connection, of: ListedAlarms<'_>) -> Vec<(String, f64, Option<String>)> {
        let page = Page { before: None, after: None, limit: 10 };
        let (alarms, has_more) = alarms(db, of, page).unwrap();
        assert!(!has_more);
        alarms.into_iter().map(|of| (of.object, of.observed, of.cleared)).collect()
    }

    #[test]
    fn an_alarm_is_there_once_until_it_is_cleared() {
        let db = Connection::open_in_memory().unwrap();
        db.execute_batch(TABLES).unwrap();
        found(&db, 7, &[crossing("cell=1", true, 900, 3.0), crossing("cell=2", false, 900, 1.0)]);
        found(&db, 8, &[crossing("cell=1", true, 1_800, 4.0)]);
        assert_eq!(listed(&db, ListedAlarms::default()), [("cell=1".into(), 3.0, None)]);
        found(
            &db,
            9,
            &[crossing("cell=1", false, 2_700, 1.0), crossing("cell=1", true, 3_600, 5.0)],
        );
        assert_eq!(listed(&db, ListedAlarms::default()), [("cell=1".into(), 5.0, None)]);
        let all = ListedAlarms { object: Some("cell=1"), with_cleared: true, ..Default::default() };
        let over = Some("1970-01-01T00:45:00Z".into());
        assert_eq!(listed(&db, all), [("cell=1".into(), 5.0, None), ("cell=1".into(), 3.0, over)]);
        let events: i64 =
            db.query_row("SELECT count(*) FROM threshold_event", [], |row| row.get(0)).unwrap();
        assert_eq!(events, 3, "two were raised, one was cleared");
    }

    #[test]
    fn alarms_of_thresholds_that_are_gone_are_cleared_and_old_ones_deleted() {
        let db = Connection::open_in_memory().unwrap();
        db.execute_batch(TABLES).unwrap();
        found(&db, 7, &[crossing("cell=1", true, 900, 3.0)]);
        let own = |node: &str| [(node.to_owned(), "drops-high".to_owned())];
        clear_others(&db, &own("radio"), 5_000).unwrap();
        assert_eq!(listed(&db, ListedAlarms::default()).len(), 1);
        clear_others(&db, &own("core"), 5_000).unwrap();
        assert_eq!(listed(&db, ListedAlarms::default()), []);
        let all = ListedAlarms { with_cleared: true, ..Default::default() };
        prune(&db, 5_000).unwrap();
        assert_eq!(listed(&db, all).len(), 1);
        prune(&db, 5_001).unwrap();
        assert_eq!(listed(&db, all), []);
        let events: i64 =
            db.query_row("SELECT count(*) FROM threshold_event", [], |row| row.get(0)).unwrap();
        assert_eq!(events, 0);
    }
}
