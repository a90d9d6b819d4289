//! The ledgers in the journal.
//!
//! The findings of a file are inserted in the transaction in which the file becomes done. The ledgers take them when
//! all files that were there are done, in the order in which the files were written. Workers finish files in any order,
//! and a number that only this order overtook is neither missing nor late. An event has the time at which a ledger
//! takes it, so the report of a past period gets no more lines.

use std::ops::Range;

use alarm::AlarmKey;
use store::{Connection, OptionalExtension, QueryResult, params};

use super::alarms::{LEFT_OUT, TOTALS, UNNUMBERED};
use super::counter::Counter;
use super::extract::{Gathered, Numbered, Series, Totalled};
use super::ledger::{Event, GAPS_MAX, Ledger};
use super::news::News;
use super::silence;
use crate::drift;
use crate::drift::Learning;

/// The most counters of a network element: their series come from files and may be anything.
const COUNTERS_MAX: i64 = 100_000;

/// The files per transaction, so that none takes long.
const FILES_AT_ONCE: usize = 1_000;

/// A processed file.
#[derive(Clone, Copy)]
pub struct DoneFile<'d> {
    /// The network element that sent it.
    pub network_element: &'d str,
    /// Its name. Of retried records, it is the name of the file that brought them.
    pub name: &'d str,
    /// When it was done or taken into the ledgers, in milliseconds since 1970.
    pub at_ms: i64,
}

/// What is counted.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Of {
    /// Files.
    Files,
    /// Records.
    Records,
}

impl Of {
    /// Returns the name for tables and users.
    pub fn name(self) -> &'static str {
        match self {
            Of::Files => "file",
            Of::Records => "record",
        }
    }
}

/// Inserts the findings of a file that was written at this time.
pub fn note(
    db: &Connection,
    file: DoneFile<'_>,
    written_ns: i64,
    gathered: &Gathered,
) -> QueryResult<()> {
    let gathered = serde_json::to_string(gathered).expect("numbers and text only");
    db.prepare_cached(
        "INSERT INTO pending (network_element, written_ns, file, done_ms, gathered)
         VALUES (?, ?, ?, ?, ?)",
    )?
    .execute(params![file.network_element, written_ns, file.name, file.at_ms, gathered])
    .map(drop)
}

/// Returns the network elements with pending files. The query goes from each element to the next, so it reads no row
/// per file.
pub(super) fn behind(db: &Connection) -> QueryResult<Vec<String>> {
    let select = "WITH RECURSIVE behind(element) AS (
            SELECT min(network_element) FROM pending UNION ALL
            SELECT (SELECT min(network_element) FROM pending WHERE network_element > behind.element)
            FROM behind WHERE behind.element IS NOT NULL)
        SELECT element FROM behind WHERE element IS NOT NULL";
    db.prepare_cached(select)?.query_map([], |row| row.get(0))?.collect()
}

/// Whether the ledgers have all files of a network element.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum CaughtUp {
    Wholly,
    InPart,
}

/// Takes some of the pending files of a network element into its ledgers, in one transaction.
pub(super) fn catch_up(db: &Connection, element: &str, now_ms: i64) -> QueryResult<CaughtUp> {
    let mut news = News::default();
    let mut caught_up = CaughtUp::InPart;
    let mut learning = Learning::default();
    for _ in 0..FILES_AT_ONCE {
        let Some(pending) = first_pending(db, element)? else {
            caught_up = CaughtUp::Wholly;
            break;
        };
        let Pending { id, network_element, name, written_ns, done_ms, gathered } = &pending;
        let file = DoneFile { network_element, name, at_ms: now_ms };
        if gathered.is_listened_for {
            heard(db, network_element, *done_ms)?;
            news.is_so(silence::about(network_element), None);
        }
        if let Some(files) = &gathered.files {
            numbered(db, file, Of::Files, files, &mut news)?;
        }
        if let Some(records) = &gathered.records {
            numbered(db, file, Of::Records, records, &mut news)?;
        }
        totals(db, file, &gathered.totals, &mut news)?;
        if let Some(profile) = &gathered.profile {
            drift::take(db, &mut learning, (element, name), (*written_ns, now_ms), profile)?;
        }
        db.prepare_cached("DELETE FROM pending WHERE id = ?")?.execute([id])?;
    }
    learning.write(db, element)?;
    news.tell(db, now_ms).map(|()| caught_up)
}

/// Returns the pending file of a network element that was written first. Only one is in memory at a time: it may have
/// many numbers.
fn first_pending(db: &Connection, element: &str) -> QueryResult<Option<Pending>> {
    db.prepare_cached(
        "SELECT id, network_element, file, written_ns, done_ms, gathered FROM pending
         WHERE network_element = ? ORDER BY written_ns, file, id LIMIT 1",
    )?
    .query_row([element], |row| {
        let gathered: String = row.get(5)?;
        Ok(Pending {
            id: row.get(0)?,
            network_element: row.get(1)?,
            name: row.get(2)?,
            written_ns: row.get(3)?,
            done_ms: row.get(4)?,
            gathered: serde_json::from_str(&gathered).map_err(store::unreadable)?,
        })
    })
    .optional()
}

/// A file that the ledgers do not have yet.
struct Pending {
    id: i64,
    network_element: String,
    name: String,
    written_ns: i64,
    done_ms: i64,
    gathered: Gathered,
}

/// Notes when a network element was last heard of.
fn heard(db: &Connection, network_element: &str, at_ms: i64) -> QueryResult<()> {
    db.prepare_cached(
        "INSERT INTO heard (network_element, at_ms) VALUES (?, ?)
         ON CONFLICT DO UPDATE SET at_ms = max(at_ms, excluded.at_ms)",
    )?
    .execute(params![network_element, at_ms])
    .map(drop)
}

fn numbered(
    db: &Connection,
    file: DoneFile<'_>,
    of: Of,
    numbered: &Numbered,
    news: &mut News,
) -> QueryResult<()> {
    let mut left_out = numbered.left_out;
    for series in &numbered.series {
        let name = shown_series(&series.name);
        match counter(db, file, of, &name, numbered)? {
            Some((id, ledger)) => {
                let (ledger, events) = take(db, file, id, ledger, series)?;
                let subject = subject(file.network_element, of, &name);
                let missing = match ledger.gaps() {
                    [] => Vec::new(),
                    _ => missing(db, id)?,
                };
                news.is_missing(&subject, ledger.counter(), &missing);
                news.is_full(&subject, ledger.gaps().len() == GAPS_MAX);
                news.add_events(&subject, ledger.counter(), file.name, &events);
                left_out += events.iter().map(Event::left_out).sum::<i64>();
            }
            None => left_out += 1,
        }
    }
    unnumbered(db, file, of, (numbered.unnumbered, left_out), news)
}

/// Returns the counter of a series, and makes it at its first number. Returns `None` if there are too many.
fn counter(
    db: &Connection,
    file: DoneFile<'_>,
    of: Of,
    series: &str,
    numbered: &Numbered,
) -> QueryResult<Option<(i64, Ledger)>> {
    let Counter { from, to, .. } = numbered.counter;
    let known = db
        .prepare_cached(
            "SELECT id, began, next FROM counter
             WHERE network_element = ? AND of = ? AND series = ? AND first = ? AND last = ?",
        )?
        .query_row(params![file.network_element, of.name(), series, from, to], |row| {
            Ok((row.get(0)?, row.get(1)?, row.get(2)?))
        })
        .optional()?;
    if let Some((id, began, next)) = known {
        let gaps = open_gaps(db, id)?;
        return Ok(Some((id, Ledger::resume(numbered.counter, began, next, gaps))));
    }
    let count: i64 = db
        .prepare_cached("SELECT count(*) FROM counter WHERE network_element = ?")?
        .query_row([file.network_element], |row| row.get(0))?;
    let first = numbered.series.iter().find(|known| shown_series(&known.name) == series);
    let Some(first) = first.and_then(|series| series.runs.first()).filter(|_| count < COUNTERS_MAX)
    else {
        return Ok(None);
    };
    let ledger = Ledger::begin(numbered.counter, first.first);
    db.prepare_cached(
        "INSERT INTO counter (network_element, of, series, first, last, began, next)
         VALUES (?, ?, ?, ?, ?, ?, ?)",
    )?
    .execute(params![
        file.network_element,
        of.name(),
        series,
        from,
        to,
        ledger.began(),
        ledger.next()
    ])?;
    Ok(Some((db.last_insert_rowid(), ledger)))
}

/// Returns the newest open gaps, in order.
fn open_gaps(db: &Connection, counter: i64) -> QueryResult<Vec<Range<i64>>> {
    let mut select = db.prepare_cached(
        "SELECT start, end FROM gap WHERE counter = ? AND closed_ms IS NULL
         ORDER BY start DESC LIMIT ?",
    )?;
    let gaps =
        select.query_map(params![counter, GAPS_MAX as i64], |row| Ok(row.get(0)?..row.get(1)?))?;
    let mut gaps: Vec<Range<i64>> = gaps.collect::<QueryResult<_>>()?;
    gaps.reverse();
    Ok(gaps)
}

/// Returns all open gaps that are not accepted, in order.
pub fn missing(db: &Connection, counter: i64) -> QueryResult<Vec<Range<i64>>> {
    db.prepare_cached(
        "SELECT start, end FROM gap
         WHERE counter = ? AND closed_ms IS NULL AND accepted_ms IS NULL ORDER BY start",
    )?
    .query_map([counter], |row| Ok(row.get(0)?..row.get(1)?))?
    .collect()
}

/// Takes the numbers of a series into its ledger.
fn take(
    db: &Connection,
    file: DoneFile<'_>,
    id: i64,
    mut ledger: Ledger,
    series: &Series,
) -> QueryResult<(Ledger, Vec<Event>)> {
    let mut events = Vec::new();
    series.runs.iter().for_each(|run| ledger.take(*run, &mut events));
    events.iter().try_for_each(|event| write(db, file, id, event))?;
    db.prepare_cached("UPDATE counter SET began = ?, next = ? WHERE id = ?")?.execute(params![
        ledger.began(),
        ledger.next(),
        id
    ])?;
    Ok((ledger, events))
}

/// Returns the subject of a counter's alarms.
pub fn subject(network_element: &str, of: Of, series: &str) -> String {
    match series {
        "" => format!("{network_element} {}s", of.name()),
        series => format!("{network_element} {}s of {series}", of.name()),
    }
}

fn write(db: &Connection, file: DoneFile<'_>, counter: i64, event: &Event) -> QueryResult<()> {
    let (what, range) = match event {
        Event::Missing(gap) => return open(db, file, counter, gap),
        Event::Taken(range) => ("new", range.clone()),
        Event::Closed(range) => {
            close(db, file, counter, range)?;
            ("late", range.clone())
        }
        Event::Repeated(range) => ("repeated", range.clone()),
        Event::Restarted { at, .. } => ("restarted", *at..at + 1),
        Event::LeftOut(_) => return Ok(()),
    };
    db.prepare_cached(
        "INSERT INTO arrival (counter, at_ms, file, what, start, end) VALUES (?, ?, ?, ?, ?, ?)",
    )?
    .execute(params![counter, file.at_ms, file.name, what, range.start, range.end])
    .map(drop)
}

fn open(db: &Connection, file: DoneFile<'_>, counter: i64, gap: &Range<i64>) -> QueryResult<()> {
    db.prepare_cached(
        "INSERT INTO gap (counter, start, end, opened_ms, opened_by) VALUES (?, ?, ?, ?, ?)",
    )?
    .execute(params![counter, gap.start, gap.end, file.at_ms, file.name])
    .map(drop)
}

/// Closes the part of a gap that came. The rest on both sides stays open.
fn close(
    db: &Connection,
    file: DoneFile<'_>,
    counter: i64,
    received: &Range<i64>,
) -> QueryResult<()> {
    let (row, gap) = db
        .prepare_cached(
            "SELECT rowid, start, end FROM gap
             WHERE counter = ? AND start <= ? AND end >= ? AND closed_ms IS NULL",
        )?
        .query_row(params![counter, received.start, received.end], |row| {
            Ok((row.get(0)?, row.get(1)?..row.get(2)?))
        })?;
    cut(db, row, &gap, received)?;
    db.prepare_cached("UPDATE gap SET closed_ms = ?, closed_by = ? WHERE rowid = ?")?
        .execute(params![file.at_ms, file.name, row])
        .map(drop)
}

/// Cuts the row of a gap down to this part, and inserts rows for the rest on both sides.
pub fn cut(db: &Connection, row: i64, gap: &Range<i64>, part: &Range<i64>) -> QueryResult<()> {
    for rest in [gap.start..part.start, part.end..gap.end] {
        if !rest.is_empty() {
            db.prepare_cached(
                "INSERT INTO gap (counter, start, end, opened_ms, opened_by,
                     accepted_ms, accepted_by, accepted_for)
                 SELECT counter, ?, ?, opened_ms, opened_by, accepted_ms, accepted_by, accepted_for
                 FROM gap WHERE rowid = ?",
            )?
            .execute(params![rest.start, rest.end, row])?;
        }
    }
    db.prepare_cached("UPDATE gap SET start = ?, end = ? WHERE rowid = ?")?
        .execute(params![part.start, part.end, row])
        .map(drop)
}

fn unnumbered(
    db: &Connection,
    file: DoneFile<'_>,
    of: Of,
    (without, left_out): (i64, i64),
    news: &mut News,
) -> QueryResult<()> {
    let (element, of) = (file.network_element, of.name());
    let subject = format!("{element} {of}s");
    let name = file.name;
    let text = match (of, without) {
        (_, 0) => None,
        ("file", _) => Some(format!("\"{name}\" has no number")),
        _ => Some(format!("{without} of \"{name}\" have no number")),
    };
    news.happened(AlarmKey { kind: UNNUMBERED, subject: &subject }, text);
    let beyond = (left_out > 0)
        .then(|| format!("{left_out} of \"{name}\" are not counted: too many stretches or series"));
    news.happened(AlarmKey { kind: LEFT_OUT, subject: &subject }, beyond);
    if without + left_out == 0 {
        return Ok(());
    }
    db.prepare_cached(
        "INSERT INTO unnumbered (network_element, of, at_ms, file, count) VALUES (?, ?, ?, ?, ?)",
    )?
    .execute(params![element, of, file.at_ms, name, without + left_out])
    .map(drop)
}

fn totals(
    db: &Connection,
    file: DoneFile<'_>,
    totals: &[Totalled],
    news: &mut News,
) -> QueryResult<()> {
    let mut wrong = Vec::new();
    for total in totals {
        let Totalled { name, stated, found } = total;
        db.prepare_cached(
            "INSERT INTO total (network_element, at_ms, file, name, said, found, agrees)
             VALUES (?, ?, ?, ?, ?, ?, ?)",
        )?
        .execute(params![
            file.network_element,
            file.at_ms,
            file.name,
            name,
            stated,
            found,
            total.agrees()
        ])?;
        if !total.agrees() {
            let stated = stated.map_or("not said".into(), |stated| format!("said to be {stated}"));
            let found = found.map_or("beyond 64 bits".into(), |found| found.to_string());
            wrong.push(format!("{name} is {stated}, found {found}"));
        }
    }
    if totals.is_empty() {
        return Ok(());
    }
    let subject = file.network_element;
    let text = (!wrong.is_empty()).then(|| format!("in \"{}\", {}", file.name, wrong.join("; ")));
    news.happened(AlarmKey { kind: TOTALS, subject }, text);
    Ok(())
}

/// Returns the name of a series for users: its characters, or hexadecimal digits.
fn shown_series(name: &[u8]) -> String {
    match std::str::from_utf8(name) {
        Ok(text) if !text.chars().any(char::is_control) => text.to_owned(),
        _ => name.iter().map(|octet| format!("{octet:02x}")).collect(),
    }
}
