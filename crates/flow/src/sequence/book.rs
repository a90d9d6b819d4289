//! The ledgers in the journal: brought up to date in the transaction in which a file becomes done. There is one
//! transaction at a time, so that files which workers finish at the same time and in any order find them right.

use std::ops::Range;

use store::{Answer, Connection, OptionalExtension, params};

use super::gather::{Gathered, Numbered, Series, Totalled};
use super::ledger::{Counter, Event, GAPS_MAX, Ledger};
use super::silence;
use crate::alarm::{self, Subject};

/// Most counters of a network element: their series come from files, and may be anything.
const COUNTERS_MAX: i64 = 100_000;

/// Most stretches of missing numbers in an alarm; the report has all.
const STRETCHES_SHOWN_MAX: usize = 10;

/// A file that is done.
#[derive(Clone, Copy)]
pub(crate) struct DoneFile<'d> {
    pub(crate) network_element: &'d str,
    pub(crate) name: &'d str,
    pub(crate) at_ms: i64,
}

/// What is counted.
#[derive(Clone, Copy)]
enum Of {
    Files,
    Records,
}

impl Of {
    /// As tables have it, and as people say it.
    fn name(self) -> &'static str {
        match self {
            Of::Files => "file",
            Of::Records => "record",
        }
    }
}

/// Notes what was gathered of a file.
pub(crate) fn note(db: &Connection, file: DoneFile<'_>, gathered: &Gathered) -> Answer<()> {
    if gathered.is_listened_for {
        heard(db, file)?;
    }
    if let Some(files) = &gathered.files {
        numbered(db, file, Of::Files, files)?;
    }
    if let Some(records) = &gathered.records {
        numbered(db, file, Of::Records, records)?;
    }
    totals(db, file, &gathered.totals)
}

/// Notes that a network element was heard of.
fn heard(db: &Connection, file: DoneFile<'_>) -> Answer<()> {
    db.prepare_cached(
        "INSERT INTO heard (network_element, at_ms) VALUES (?, ?)
         ON CONFLICT DO UPDATE SET at_ms = max(at_ms, excluded.at_ms)",
    )?
    .execute(params![file.network_element, file.at_ms])?;
    alarm::clear(db, file.at_ms, silence::about(file.network_element))
}

fn numbered(db: &Connection, file: DoneFile<'_>, of: Of, numbered: &Numbered) -> Answer<()> {
    let mut left_out = numbered.left_out;
    for series in &numbered.series {
        let name = shown_series(&series.name);
        match counter(db, file, of, &name, numbered)? {
            Some((id, ledger)) => take(db, file, (of, &name), id, ledger, series)?,
            None => left_out += 1,
        }
    }
    unnumbered(db, file, of, numbered.unnumbered, left_out)
}

/// The counter of a series, made when its first number comes; none where there are too many.
fn counter(
    db: &Connection,
    file: DoneFile<'_>,
    of: Of,
    series: &str,
    numbered: &Numbered,
) -> Answer<Option<(i64, Ledger)>> {
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

/// The newest open gaps, in order.
fn open_gaps(db: &Connection, counter: i64) -> Answer<Vec<Range<i64>>> {
    let mut select = db.prepare_cached(
        "SELECT start, end FROM gap WHERE counter = ? AND closed_ms IS NULL
         ORDER BY start DESC LIMIT ?",
    )?;
    let gaps =
        select.query_map(params![counter, GAPS_MAX as i64], |row| Ok(row.get(0)?..row.get(1)?))?;
    let mut gaps: Vec<Range<i64>> = gaps.collect::<Answer<_>>()?;
    gaps.reverse();
    Ok(gaps)
}

/// Takes the numbers of a series into its ledger.
fn take(
    db: &Connection,
    file: DoneFile<'_>,
    (of, name): (Of, &str),
    id: i64,
    mut ledger: Ledger,
    series: &Series,
) -> Answer<()> {
    let mut events = Vec::new();
    series.runs.iter().for_each(|run| ledger.take(*run, &mut events));
    events.iter().try_for_each(|event| write(db, file, id, event))?;
    db.prepare_cached("UPDATE counter SET began = ?, next = ? WHERE id = ?")?.execute(params![
        ledger.began(),
        ledger.next(),
        id
    ])?;
    let subject = match name {
        "" => format!("{} {}s", file.network_element, of.name()),
        name => format!("{} {}s of {name}", file.network_element, of.name()),
    };
    alarms(db, file, &subject, &ledger, &events)
}

fn write(db: &Connection, file: DoneFile<'_>, counter: i64, event: &Event) -> Answer<()> {
    let (what, range) = match event {
        Event::Missing(gap) => return open(db, file, counter, gap),
        Event::Taken(range) => ("new", range.clone()),
        Event::Closed(range) => {
            close(db, file, counter, range)?;
            ("late", range.clone())
        }
        Event::Repeated(range) => ("repeated", range.clone()),
        Event::Restarted { at, .. } => ("restarted", *at..at + 1),
    };
    db.prepare_cached(
        "INSERT INTO arrival (counter, at_ms, file, what, start, end) VALUES (?, ?, ?, ?, ?, ?)",
    )?
    .execute(params![counter, file.at_ms, file.name, what, range.start, range.end])
    .map(drop)
}

fn open(db: &Connection, file: DoneFile<'_>, counter: i64, gap: &Range<i64>) -> Answer<()> {
    db.prepare_cached(
        "INSERT INTO gap (counter, start, end, opened_ms, opened_by) VALUES (?, ?, ?, ?, ?)",
    )?
    .execute(params![counter, gap.start, gap.end, file.at_ms, file.name])
    .map(drop)
}

/// Closes what came of a gap; what is left of it on both sides stays open as it was.
fn close(db: &Connection, file: DoneFile<'_>, counter: i64, came: &Range<i64>) -> Answer<()> {
    let (row, start, end): (i64, i64, i64) = db
        .prepare_cached(
            "SELECT rowid, start, end FROM gap
             WHERE counter = ? AND start <= ? AND end >= ? AND closed_ms IS NULL",
        )?
        .query_row(params![counter, came.start, came.end], |row| {
            Ok((row.get(0)?, row.get(1)?, row.get(2)?))
        })?;
    for rest in [start..came.start, came.end..end] {
        if !rest.is_empty() {
            db.prepare_cached(
                "INSERT INTO gap (counter, start, end, opened_ms, opened_by)
                 SELECT counter, ?, ?, opened_ms, opened_by FROM gap WHERE rowid = ?",
            )?
            .execute(params![rest.start, rest.end, row])?;
        }
    }
    db.prepare_cached(
        "UPDATE gap SET start = ?, end = ?, closed_ms = ?, closed_by = ? WHERE rowid = ?",
    )?
    .execute(params![came.start, came.end, file.at_ms, file.name, row])
    .map(drop)
}

/// Raises and clears what the numbers of a file say of their counter.
fn alarms(
    db: &Connection,
    file: DoneFile<'_>,
    subject: &str,
    ledger: &Ledger,
    events: &[Event],
) -> Answer<()> {
    let counter = ledger.counter();
    let has_gaps_changed =
        events.iter().any(|event| matches!(event, Event::Missing(_) | Event::Closed(_)));
    if has_gaps_changed {
        let missing = (!ledger.gaps().is_empty()).then(|| {
            let numbers = missing_numbers(counter, ledger.gaps());
            format!("{subject}: missing {numbers}")
        });
        set(db, file, Subject { kind: "sequence-gap", subject }, missing)?;
        let full = (ledger.gaps().len() == GAPS_MAX).then(|| {
            format!(
                "{subject}: {GAPS_MAX} gaps are open; what is late for older ones is not seen to be"
            )
        });
        set(db, file, Subject { kind: "sequence-full", subject }, full)?;
    }
    let repeated = events.iter().find_map(|event| match event {
        Event::Repeated(range) => Some(format!(
            "{subject}: \"{}\" has {}, which came before",
            file.name,
            shown(counter, range)
        )),
        _ => None,
    });
    set(db, file, Subject { kind: "sequence-repeat", subject }, repeated)?;
    let restarted = events.iter().find_map(|event| match event {
        Event::Restarted { expected, at } => Some(format!(
            "{subject}: begins anew at {} with \"{}\", where {} was expected",
            counter.number(*at),
            file.name,
            counter.number(*expected)
        )),
        _ => None,
    });
    set(db, file, Subject { kind: "sequence-restart", subject }, restarted)
}

/// Raises an alarm that there is a text for, and clears one that there is none for.
fn set(
    db: &Connection,
    file: DoneFile<'_>,
    about: Subject<'_>,
    text: Option<String>,
) -> Answer<()> {
    match text {
        Some(text) => alarm::raise(db, file.at_ms, about, &text),
        None => alarm::clear(db, file.at_ms, about),
    }
}

fn unnumbered(
    db: &Connection,
    file: DoneFile<'_>,
    of: Of,
    without: i64,
    left_out: i64,
) -> Answer<()> {
    let (element, of) = (file.network_element, of.name());
    let subject = format!("{element} {of}s");
    let name = file.name;
    let text = match (of, without) {
        (_, 0) => None,
        ("file", _) => Some(format!("{subject}: \"{name}\" has no number")),
        _ => Some(format!("{subject}: {without} of \"{name}\" have no number")),
    };
    set(db, file, Subject { kind: "sequence-unnumbered", subject: &subject }, text)?;
    let beyond = (left_out > 0).then(|| {
        format!("{subject}: {left_out} of \"{name}\" are not counted: too many stretches or series")
    });
    set(db, file, Subject { kind: "sequence-left-out", subject: &subject }, beyond)?;
    if without + left_out == 0 {
        return Ok(());
    }
    db.prepare_cached(
        "INSERT INTO unnumbered (network_element, of, at_ms, file, count) VALUES (?, ?, ?, ?, ?)",
    )?
    .execute(params![element, of, file.at_ms, name, without + left_out])
    .map(drop)
}

fn totals(db: &Connection, file: DoneFile<'_>, totals: &[Totalled]) -> Answer<()> {
    let mut wrong = Vec::new();
    for total in totals {
        let Totalled { name, said, found } = total;
        db.prepare_cached(
            "INSERT INTO total (network_element, at_ms, file, name, said, found, agrees)
             VALUES (?, ?, ?, ?, ?, ?, ?)",
        )?
        .execute(params![
            file.network_element,
            file.at_ms,
            file.name,
            name,
            said,
            found,
            total.agrees()
        ])?;
        if !total.agrees() {
            let said = said.map_or("not said".into(), |said| format!("said to be {said}"));
            let found = found.map_or("beyond 64 bits".into(), |found| found.to_string());
            wrong.push(format!("{name} is {said}, found {found}"));
        }
    }
    if totals.is_empty() {
        return Ok(());
    }
    let subject = file.network_element;
    let text = (!wrong.is_empty())
        .then(|| format!("{subject}: in \"{}\", {}", file.name, wrong.join("; ")));
    set(db, file, Subject { kind: "totals", subject }, text)
}

/// Numbers of positions: `17`, `20 to 21`.
pub(super) fn shown(counter: &Counter, range: &Range<i64>) -> String {
    match (counter.number(range.start), counter.number(range.end - 1)) {
        (first, last) if first == last => first.to_string(),
        (first, last) => format!("{first} to {last}"),
    }
}

fn missing_numbers(counter: &Counter, gaps: &[Range<i64>]) -> String {
    let shown_gaps = gaps.iter().take(STRETCHES_SHOWN_MAX).map(|gap| shown(counter, gap));
    let mut text = shown_gaps.collect::<Vec<_>>().join(", ");
    let more = gaps.len().saturating_sub(STRETCHES_SHOWN_MAX);
    if more > 0 {
        text.push_str(&format!(" and {more} more stretches"));
    }
    let count: i64 = gaps.iter().map(|gap| gap.end - gap.start).sum();
    format!("{text} ({count} in all)")
}

/// The name of a series as people read it: its characters, or hexadecimal digits.
fn shown_series(name: &[u8]) -> String {
    match std::str::from_utf8(name) {
        Ok(text) if !text.chars().any(char::is_control) => text.to_owned(),
        _ => name.iter().map(|octet| format!("{octet:02x}")).collect(),
    }
}
