//! The outbox: the rows of deliveries in the journal.

use std::path::{Path, PathBuf};
use std::time::Duration;

use alarm::{AlarmKey, EventType, Kind, Severity};
use flow::reasons::{self, SELECTED};
use journal::{JobId, View};
use reason::Reason;
use runtime::time::{milliseconds, now_ms};
use store::{Connection, OptionalExtension as _, QueryResult, Row, params};

/// The alarm for a receiver whose files cannot be delivered now.
pub(super) const FAILING: &Kind = &Kind::new(
    "delivery-failing",
    Severity::Major,
    EventType::Communications,
    "communicationsSubsystemFailure",
);
/// The alarm for a receiver with files that were given up.
pub(super) const GIVEN_UP: &Kind = &Kind::new(
    "delivery-given-up",
    Severity::Major,
    EventType::Communications,
    "retransmissionRateExcessive",
);
/// The alarm for files that wait for a receiver without a delivery.
pub(super) const ORPHANED: &Kind = &Kind::new(
    "deliveries-orphaned",
    Severity::Major,
    EventType::Processing,
    "configurationOrCustomizationError",
);
/// The alarm for a receiver that did not acknowledge files in time.
pub(super) const UNACKNOWLEDGED: &Kind = &Kind::new(
    "delivery-unacknowledged",
    Severity::Major,
    EventType::Quality,
    "responseTimeExcessive",
);

/// The kinds of alarms that are raised here.
pub const ALARMS: &[&Kind] = &[FAILING, GIVEN_UP, ORPHANED, UNACKNOWLEDGED];

/// A file to deliver.
#[derive(Clone, Debug)]
pub(super) struct OutgoingFile {
    pub(super) id: i64,
    /// Its path in the out buffer.
    pub(super) path: PathBuf,
    /// Its current path.
    pub(super) location: PathBuf,
    pub(super) records: i64,
    pub(super) failures: u32,
    /// Its copy at the remote place, if it was put there already.
    pub(super) put: Option<PlacedFile>,
    /// Whether all outputs of its job have their names.
    pub(super) is_named: bool,
    pub(super) is_due: bool,
    /// The reason of the last failure.
    pub(super) problem: Option<Reason>,
    /// The input file that it was made from; of several, the one that was processed first.
    pub(super) input: Option<JobId>,
}

/// The SQL expression for the input file of a delivery; of several, the one that was processed
/// first.
const INPUT: &str =
    "ifnull(delivery.file, (SELECT min(file) FROM slice WHERE slice.delivery = delivery.id))";

/// A file that was put, or is being put, at the remote place, and does not have its final name yet.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct PlacedFile {
    pub(super) place: String,
    pub(super) name: String,
    /// Its size there, in octets; `None` if it is unknown whether it arrived.
    pub(super) octets: Option<u64>,
    /// Whether it has its final name.
    pub(super) named: Named,
}

/// Whether a file has its final name at the remote place.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Named {
    /// It does not, so the receiver has not read it.
    No,
    /// The rename was tried. The next try checks the result.
    Perhaps,
}

impl OutgoingFile {
    /// Returns the file's own name.
    pub(super) fn name(&self) -> String {
        self.path.file_name().unwrap_or_default().to_string_lossy().into_owned()
    }
}

/// Inserts a delivery of an output.
pub fn insert(
    db: &Connection,
    file: Option<JobId>,
    system: &str,
    path: &str,
    records: i64,
) -> QueryResult<()> {
    db.prepare_cached(
        "INSERT INTO delivery (file, post_processing_system, path, records, at_ms) VALUES (?, ?, ?, ?, ?)",
    )?
    .execute(params![file.map(|JobId(file)| file), system, path, records, now_ms()])
    .map(drop)
}

/// Selects waiting files.
#[derive(Clone, Copy, Debug)]
pub(super) struct WaitingQuery<'a> {
    pub(super) system: &'a str,
    /// Selects files that are due at this time. A due time further off than the file's own delay
    /// comes from a wrong clock and counts as due.
    pub(super) now_ms: i64,
    /// Whether files that are not due are selected too.
    pub(super) is_all: bool,
    /// Whether only the first file may be delivered, whatever its state.
    pub(super) is_ordered: bool,
    /// The maximum number of files.
    pub(super) limit: usize,
}

/// The SQL condition for a due delivery in [`waiting`]: `?2` is now, `?3` selects all.
const IS_DUE: &str = "(?3 OR due_ms <= ?2 OR due_ms > ?2 + put_off_ms)";

/// Returns the first files that wait for a receiver, the oldest first.
pub(super) fn waiting(
    db: &Connection,
    view: &View,
    query: WaitingQuery<'_>,
) -> QueryResult<Vec<OutgoingFile>> {
    let WaitingQuery { system, now_ms, is_all, is_ordered, limit } = query;
    let mut select = db.prepare_cached(&format!(
        "SELECT delivery.id, delivery.path, ifnull(lies, delivery.path), delivery.records, failures,
                delivery.state = 'put', place, delivery.name, octets,
                delivery.file IS NULL OR file.finished, {IS_DUE}, problem, {INPUT}, unnamed, {SELECTED}
         FROM delivery LEFT JOIN file ON file.id = delivery.file
         WHERE post_processing_system = ?1 AND state IN ('waiting', 'put')
             AND (?4 OR ((delivery.file IS NULL OR file.finished) AND {IS_DUE}))
         ORDER BY delivery.id LIMIT ?5",
    ))?;
    let limit = if is_ordered { 1 } else { limit as i64 };
    let parameters = params![system, now_ms, is_all, is_ordered, limit];
    let found = select.query_map(parameters, |row| outgoing_file(row, view))?;
    found.collect()
}

fn outgoing_file(row: &Row<'_>, view: &View) -> QueryResult<OutgoingFile> {
    let located = |path: String| view.located(&path);
    let put = match row.get(5)? {
        false => None,
        true => Some(PlacedFile {
            place: row.get(6)?,
            name: row.get(7)?,
            octets: row.get::<_, Option<i64>>(8)?.map(|octets| octets as u64),
            named: if row.get(13)? { Named::No } else { Named::Perhaps },
        }),
    };
    let problem: Option<String> = row.get(11)?;
    let problem = problem.map(|text| reasons::of_row(row, 14, &text)).transpose()?;
    Ok(OutgoingFile {
        id: row.get(0)?,
        path: located(row.get(1)?),
        location: located(row.get(2)?),
        records: row.get(3)?,
        failures: row.get(4)?,
        put,
        is_named: row.get(9)?,
        is_due: row.get(10)?,
        problem,
        input: row.get::<_, Option<i64>>(12)?.map(JobId),
    })
}

/// Notes that a file is complete at the remote place, or is being put there if its size is unknown.
pub(super) fn note_put(db: &Connection, id: i64, put: &PlacedFile) -> QueryResult<()> {
    db.prepare_cached(
        "UPDATE delivery SET state = 'put', place = ?, name = ?, octets = ?, unnamed = ?, at_ms = ? WHERE id = ?",
    )?
    .execute(params![
        put.place,
        put.name,
        put.octets.map(|octets| octets as i64),
        put.named == Named::No,
        now_ms(),
        id
    ])
    .map(drop)
}

/// Notes that nothing of a file is at the remote place.
pub(super) fn note_not_put(db: &Connection, id: i64) -> QueryResult<()> {
    db.prepare_cached(
        "UPDATE delivery SET state = 'waiting', place = NULL, name = NULL, octets = NULL, unnamed = 0, at_ms = ?
         WHERE id = ?",
    )?
    .execute(params![now_ms(), id])
    .map(drop)
}

/// Notes that a file has arrived, its state, and the path at which it stays on this machine.
pub(super) fn note_arrived(
    db: &Connection,
    id: i64,
    state: &str,
    name: &str,
    location: Option<&str>,
) -> QueryResult<()> {
    db.prepare_cached(
        "UPDATE delivery SET state = ?, name = ?, lies = ifnull(?, iif(?1 = 'sent', lies, NULL)), at_ms = ?,
             failures = 0, failed_ms = NULL, due_ms = 0, problem = NULL, reason_id = NULL, reason_values = NULL
         WHERE id = ?",
    )?
    .execute(params![state, name, location, now_ms(), id])
    .map(drop)
}

/// Notes a failure of a file and the wait before the next try.
pub(super) fn note_failed(
    db: &Connection,
    id: i64,
    wait: Duration,
    problem: &Reason,
) -> QueryResult<()> {
    let (now_ms, put_off_ms) = (now_ms(), milliseconds(wait));
    let reasons::Columns { text, id: reason, values } = reasons::columns(db, problem)?;
    db.prepare_cached(
        "UPDATE delivery SET failures = failures + 1, failed_ms = ifnull(failed_ms, ?1), due_ms = ?2, put_off_ms = ?3,
             problem = ?4, reason_id = ?6, reason_values = ?7
         WHERE id = ?5",
    )?
    .execute(params![
        now_ms,
        now_ms.saturating_add(put_off_ms),
        put_off_ms,
        text,
        id,
        reason,
        values
    ])
    .map(drop)
}

/// Notes that a receiver cannot be reached. All waiting files count as failed from now on.
pub(super) fn note_out_of_reach(db: &Connection, system: &str) -> QueryResult<()> {
    db.prepare_cached(
        "UPDATE delivery SET failed_ms = ?
         WHERE post_processing_system = ? AND state IN ('waiting', 'put') AND failed_ms IS NULL",
    )?
    .execute(params![now_ms(), system])
    .map(drop)
}

/// Notes that a receiver can be reached. Files that were not tried themselves have not failed.
pub(super) fn note_in_reach(db: &Connection, system: &str) -> QueryResult<()> {
    db.prepare_cached(
        "UPDATE delivery SET failed_ms = NULL
         WHERE post_processing_system = ? AND state IN ('waiting', 'put') AND failures = 0
             AND failed_ms IS NOT NULL",
    )?
    .execute([system])
    .map(drop)
}

/// Returns the waiting files of a receiver that have failed since a time or longer.
pub(super) fn failed_since(
    db: &Connection,
    view: &View,
    system: &str,
    since_ms: i64,
) -> QueryResult<Vec<OutgoingFile>> {
    let mut select = db.prepare_cached(&format!(
        "SELECT id, path, ifnull(lies, path), records, failures, state = 'put', place, name, octets, 1, 1, problem,
                {INPUT}, unnamed, {SELECTED}
         FROM delivery
         WHERE post_processing_system = ? AND state IN ('waiting', 'put') AND failed_ms <= ? ORDER BY id",
    ))?;
    select.query_map(params![system, since_ms], |row| outgoing_file(row, view))?.collect()
}

/// Notes that a file was given up, and the path to which it will be moved.
pub(super) fn note_dead(
    db: &Connection,
    (id, system): (i64, &str),
    location: &str,
    problem: &Reason,
    named: Named,
) -> QueryResult<()> {
    let reasons::Columns { text, id: reason, values } = reasons::columns(db, problem)?;
    db.prepare_cached(
        "UPDATE delivery SET state = 'dead', lies = ?, problem = ?, reason_id = ?, reason_values = ?, at_ms = ?,
             place = iif(?, NULL, place)
         WHERE id = ?",
    )?
    .execute(params![location, text, reason, values, now_ms(), named == Named::No, id])?;
    alarm_of_dead(db, system)?;
    clear_orphaned(db, system)?;
    clear_failing(db, system)
}

/// Clears the failure alarm of a receiver if no file is tried any more. No other code would clear
/// it.
fn clear_failing(db: &Connection, system: &str) -> QueryResult<()> {
    let mut select = db.prepare_cached(
        "SELECT 1 FROM delivery WHERE post_processing_system = ? AND state IN ('waiting', 'put')",
    )?;
    match select.exists([system])? {
        true => Ok(()),
        false => alarm::clear(db, now_ms(), AlarmKey { kind: FAILING, subject: system }),
    }
}

/// Clears the alarm of a receiver that left the flow if no file waits for it any more.
pub(super) fn clear_orphaned(db: &Connection, system: &str) -> QueryResult<()> {
    match waiting_for(db)?.iter().any(|(of, _)| of == system) {
        true => Ok(()),
        false => alarm::clear(db, now_ms(), AlarmKey { kind: ORPHANED, subject: system }),
    }
}

/// Raises or clears the alarm of files that were given up for a receiver.
pub(crate) fn alarm_of_dead(db: &Connection, system: &str) -> QueryResult<()> {
    let key = AlarmKey { kind: GIVEN_UP, subject: system };
    let (files, last): (i64, Option<(String, String)>) = (
        db.prepare_cached(
            "SELECT count(*) FROM delivery
             WHERE post_processing_system = ? AND state = 'dead' AND discarded IS NULL",
        )?
        .query_row([system], |row| row.get(0))?,
        db.prepare_cached(
            "SELECT path, ifnull(problem, '') FROM delivery
             WHERE post_processing_system = ? AND state = 'dead' AND discarded IS NULL ORDER BY id DESC LIMIT 1",
        )?
        .query_row([system], |row| Ok((row.get(0)?, row.get(1)?)))
        .optional()?,
    );
    let Some((path, problem)) = last else { return alarm::clear(db, now_ms(), key) };
    let file = Path::new(&path).file_name().unwrap_or_default().to_string_lossy();
    let text = format!(
        "{system}: {} given up, the last \"{file}\": {problem}; \"tollgate deliveries\" lists them, and puts them back or discards them",
        match files {
            1 => "1 file was".to_owned(),
            files => format!("{files} files were"),
        }
    );
    alarm::raise(db, now_ms(), key, &text)
}

/// A file that was delivered and not acknowledged.
#[derive(Clone, Debug)]
pub(super) struct Sent {
    pub(super) id: i64,
    pub(super) name: String,
    pub(super) path: PathBuf,
    /// Its current path.
    pub(super) location: PathBuf,
    pub(super) at_ms: i64,
}

/// Returns the files that a receiver did not acknowledge yet.
pub(super) fn sent(db: &Connection, view: &View, system: &str) -> QueryResult<Vec<Sent>> {
    let mut select = db.prepare_cached(
        "SELECT id, name, path, ifnull(lies, path), at_ms FROM delivery
         WHERE post_processing_system = ? AND state = 'sent' ORDER BY id",
    )?;
    let found = select.query_map([system], |row| {
        Ok(Sent {
            id: row.get(0)?,
            name: row.get(1)?,
            path: view.located(&row.get::<_, String>(2)?),
            location: view.located(&row.get::<_, String>(3)?),
            at_ms: row.get(4)?,
        })
    })?;
    found.collect()
}

/// Returns up to 100 files on this machine that were delivered before a time.
pub(super) fn delivered_before(
    db: &Connection,
    system: &str,
    before_ms: i64,
) -> QueryResult<Vec<(i64, String)>> {
    let mut select = db.prepare_cached(
        "SELECT id, lies FROM delivery
         WHERE post_processing_system = ? AND state = 'delivered' AND lies IS NOT NULL AND at_ms < ? ORDER BY at_ms
         LIMIT 100",
    )?;
    select.query_map(params![system, before_ms], |row| Ok((row.get(0)?, row.get(1)?)))?.collect()
}

/// Notes that delivered files were removed from this machine.
pub(super) fn note_removed(db: &Connection, ids: &[i64]) -> QueryResult<()> {
    let mut update = db.prepare_cached("UPDATE delivery SET lies = NULL WHERE id = ?")?;
    ids.iter().try_for_each(|id| update.execute([id]).map(drop))
}

/// Returns the number and state of the last delivery of a path, and the path to which its file is
/// moved.
pub(super) fn last_of(
    db: &Connection,
    path: &str,
) -> QueryResult<Option<(i64, String, Option<String>)>> {
    db.prepare_cached(
        "SELECT id, state, lies FROM delivery WHERE path = ? ORDER BY id DESC LIMIT 1",
    )?
    .query_row([path], |row| Ok((row.get(0)?, row.get(1)?, row.get(2)?)))
    .optional()
}

/// Returns whether an earlier delivery of this path was delivered.
pub(super) fn was_delivered_before(db: &Connection, id: i64, path: &str) -> QueryResult<bool> {
    db.prepare_cached(
        "SELECT 1 FROM delivery WHERE path = ? AND id < ? AND state IN ('sent', 'delivered')",
    )?
    .exists(params![path, id])
}

/// Returns the receivers that files wait for, with the number of files.
pub(super) fn waiting_for(db: &Connection) -> QueryResult<Vec<(String, i64)>> {
    let mut select = db.prepare_cached(
        "SELECT post_processing_system, count(*) FROM (
             SELECT post_processing_system FROM delivery WHERE state IN ('waiting', 'put')
             UNION ALL SELECT post_processing_system FROM slice WHERE delivery IS NULL
                 GROUP BY post_processing_system, path)
         GROUP BY post_processing_system",
    )?;
    select.query_map([], |row| Ok((row.get(0)?, row.get(1)?)))?.collect()
}

/// Deletes finished deliveries older than a time that were put together from slices, once all those
/// slices are gone.
pub fn prune(db: &Connection, before_ms: i64) -> QueryResult<()> {
    const OF_SLICES: &str = "DELETE FROM delivery
         WHERE file IS NULL AND ((state = 'delivered' AND lies IS NULL) OR discarded IS NOT NULL) AND at_ms < ?
             AND NOT EXISTS (SELECT 1 FROM slice WHERE slice.delivery = delivery.id)";
    db.prepare_cached(OF_SLICES)?.execute([before_ms]).map(drop)
}
