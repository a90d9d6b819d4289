//! How far a channel was told, as the journal has it.

use runtime::time::shown;
use store::{Answer, Connection, OptionalExtension as _, params};

use super::{News, Source, Told};
use crate::{Severity, What};

/// Most events that wait for one channel. Of more, the oldest are left out: who is told nothing for so long looks at the
/// list of alarms.
const WAITING_MAX: i64 = 10_000;

/// What is known of a channel.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct State {
    began: i64,
    told: i64,
    sending: Option<i64>,
    pub(super) failing_ms: Option<i64>,
}

/// What a channel is to be told next.
#[derive(Debug, Default)]
pub(super) struct Next {
    /// In the order in which it happened; nothing where it does not want to know of it.
    pub(super) news: Vec<News>,
    /// The last event of it.
    pub(super) until: i64,
    /// When the first happened.
    pub(super) since_ms: i64,
    /// Whether it was tried before.
    pub(super) is_repeated: bool,
    /// How many events were left out.
    pub(super) left_out: i64,
}

/// What is known of a channel; one that is new begins with what is raised now.
pub(super) fn state(db: &Connection, channel: &str) -> Answer<Option<State>> {
    db.prepare_cached("SELECT began, told, sending, failing_ms FROM notified WHERE channel = ?")?
        .query_row([channel], |row| {
            Ok(State {
                began: row.get(0)?,
                told: row.get(1)?,
                sending: row.get(2)?,
                failing_ms: row.get(3)?,
            })
        })
        .optional()
}

/// Notes a channel that is new.
pub(super) fn begin(db: &Connection, channel: &str) -> Answer<()> {
    db.prepare_cached(
        "INSERT OR IGNORE INTO notified (channel, began, told)
         SELECT ?, ifnull(max(id), 0), 0 FROM alarm_event",
    )?
    .execute([channel])
    .map(drop)
}

/// What a channel is to be told next, of so many events at most that it wants.
pub(super) fn next(
    db: &Connection,
    (source, told): (Source<'_>, &Told),
    state: State,
) -> Answer<Option<Next>> {
    let journal: String = db.query_row("SELECT id FROM identity", [], |row| row.get(0))?;
    let newest: Option<i64> =
        db.query_row("SELECT max(id) FROM alarm_event", [], |row| row.get(0))?;
    let after = state.told.max(newest.unwrap_or(0) - WAITING_MAX);
    let mut select = db.prepare_cached(
        "SELECT event.id, event.alarm, event.what, event.at_ms, event.kind, event.subject, event.text, event.who,
             event.remark
         FROM alarm_event AS event LEFT JOIN alarm ON alarm.id = event.alarm
         WHERE event.id > ?1 AND event.id <= ?2
             AND (event.id > ?3 OR (alarm.id IS NOT NULL AND alarm.cleared_ms IS NULL))
         ORDER BY event.id",
    )?;
    let until = state.sending.unwrap_or(i64::MAX);
    let mut rows = select.query(params![after, until, state.began])?;
    let mut next = Next { is_repeated: state.sending.is_some(), ..Next::default() };
    while let Some(row) = rows.next()? {
        let (id, at_ms): (i64, i64) = (row.get(0)?, row.get(3)?);
        let (what, kind): (String, String) = (row.get(2)?, row.get(4)?);
        let what = What::of(&what);
        let of = source.registry.kind(&kind);
        let is_wanted = told.wants(&kind, of.severity) && (told.changes || what != What::Changed);
        if !is_wanted {
            next.until = id;
            continue;
        }
        if next.news.len() == told.channel.events_max() {
            break;
        }
        if next.news.is_empty() {
            next.since_ms = at_ms;
        }
        next.until = id;
        next.news.push(News {
            id: format!("{journal}-{id}"),
            flow: source.name.to_owned(),
            event: what.word(),
            at: shown(at_ms),
            alarm: row.get(1)?,
            subject: row.get(5)?,
            severity: if what == What::Cleared { Severity::Cleared } else { of.severity },
            raised_severity: of.severity,
            event_type: of.event_type.word(),
            probable_cause: of.probable_cause,
            kind,
            text: row.get(6)?,
            who: row.get(7)?,
            remark: row.get(8)?,
        });
    }
    if next.until == 0 {
        // What was being told is of no interest any more.
        next.until = state.sending.unwrap_or(0);
    }
    next.left_out = if state.told >= state.began { (after - state.told).max(0) } else { 0 };
    Ok((next.until > 0).then_some(next))
}

/// Notes that a message goes to a channel.
pub(super) fn sending(db: &Connection, channel: &str, until: i64) -> Answer<()> {
    db.prepare_cached("UPDATE notified SET sending = ? WHERE channel = ?")?
        .execute(params![until, channel])
        .map(drop)
}

/// Notes that a channel was told.
pub(super) fn told(db: &Connection, channel: &str, until: i64) -> Answer<()> {
    db.prepare_cached(
        "UPDATE notified SET told = ?, sending = NULL, failing_ms = NULL WHERE channel = ?",
    )?
    .execute(params![until, channel])
    .map(drop)
}

/// Notes that a channel cannot be told; returns since when.
pub(super) fn failing(db: &Connection, channel: &str, now_ms: i64) -> Answer<i64> {
    db.prepare_cached(
        "UPDATE notified SET failing_ms = ifnull(failing_ms, ?) WHERE channel = ? RETURNING failing_ms",
    )?
    .query_row(params![now_ms, channel], |row| row.get(0))
}
