//! How far a channel has been sent the events, in the journal.

use runtime::time::shown;
use store::{Connection, OptionalExtension as _, QueryResult, params};

use super::{ChannelSettings, Event, Source};
use crate::{Severity, Transition};

/// The most events that wait for a channel. Older ones are left out: after so long without messages, people look at the
/// list of alarms.
const WAITING_MAX: i64 = 10_000;

/// The cursor of a channel: numbers of events.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Cursor {
    /// The last one when the channel was new. Up to it, only events of alarms that are still raised are sent.
    began: i64,
    /// The last one that was sent.
    sent: i64,
    /// The last one of a message that may be on its way.
    sending: Option<i64>,
}

/// What a channel is to be sent next.
#[derive(Debug, Default)]
pub(super) struct Batch {
    /// In the order in which they happened; empty if the channel wants none of them.
    pub(super) events: Vec<Event>,
    /// The last event that this is about.
    pub(super) until: i64,
    /// When the first happened, in milliseconds since 1970.
    pub(super) since_ms: i64,
    /// Whether it was tried before.
    pub(super) is_repeated: bool,
    /// How many events were left out.
    pub(super) left_out: i64,
}

/// Returns the cursor of a channel; `None` if the channel is new.
pub(super) fn cursor(db: &Connection, channel: &str) -> QueryResult<Option<Cursor>> {
    db.prepare_cached("SELECT began, told, sending FROM notified WHERE channel = ?")?
        .query_row([channel], |row| {
            Ok(Cursor { began: row.get(0)?, sent: row.get(1)?, sending: row.get(2)? })
        })
        .optional()
}

/// Notes a channel that is new.
pub(super) fn begin(db: &Connection, channel: &str) -> QueryResult<()> {
    db.prepare_cached(
        "INSERT OR IGNORE INTO notified (channel, began, told)
         SELECT ?, ifnull(max(id), 0), 0 FROM alarm_event",
    )?
    .execute([channel])
    .map(drop)
}

/// Returns what a channel is to be sent next, no more events than it takes in a message.
pub(super) fn next(
    db: &Connection,
    (source, channel): (Source<'_>, &ChannelSettings),
    cursor: Cursor,
) -> QueryResult<Option<Batch>> {
    let journal: String = db.query_row("SELECT id FROM identity", [], |row| row.get(0))?;
    let newest: Option<i64> =
        db.query_row("SELECT max(id) FROM alarm_event", [], |row| row.get(0))?;
    let after = cursor.sent.max(newest.unwrap_or(0) - WAITING_MAX);
    let mut select = db.prepare_cached(
        "SELECT event.id, event.alarm, event.what, event.at_ms, event.kind, event.subject, event.text, event.who,
             event.remark
         FROM alarm_event AS event LEFT JOIN alarm ON alarm.id = event.alarm
         WHERE event.id > ?1 AND event.id <= ?2
             AND (event.id > ?3 OR (alarm.id IS NOT NULL AND alarm.cleared_ms IS NULL))
         ORDER BY event.id",
    )?;
    let until = cursor.sending.unwrap_or(i64::MAX);
    let mut rows = select.query(params![after, until, cursor.began])?;
    let mut batch = Batch { is_repeated: cursor.sending.is_some(), ..Batch::default() };
    while let Some(row) = rows.next()? {
        let (id, at_ms): (i64, i64) = (row.get(0)?, row.get(3)?);
        let (transition, name): (String, String) = (row.get(2)?, row.get(4)?);
        let transition = Transition::of(&transition);
        let kind = source.registry.kind(&name);
        let is_wanted = channel.wants(&name, kind.severity)
            && (channel.changes || transition != Transition::Changed);
        if !is_wanted {
            batch.until = id;
            continue;
        }
        if batch.events.len() == channel.channel.events_max() {
            break;
        }
        if batch.events.is_empty() {
            batch.since_ms = at_ms;
        }
        batch.until = id;
        let is_over = transition == Transition::Cleared;
        batch.events.push(Event {
            id: format!("{journal}-{id}"),
            service: source.service.to_owned(),
            event: transition.word(),
            at: shown(at_ms),
            alarm: row.get(1)?,
            subject: row.get(5)?,
            severity: if is_over { Severity::Cleared } else { kind.severity },
            raised_severity: kind.severity,
            event_type: kind.event_type.word(),
            probable_cause: kind.probable_cause,
            kind: name,
            text: row.get(6)?,
            who: row.get(7)?,
            remark: row.get(8)?,
        });
    }
    if batch.until == 0 {
        // The message that was on its way is of no interest any more.
        batch.until = cursor.sending.unwrap_or(0);
    }
    batch.left_out = if cursor.sent >= cursor.began { (after - cursor.sent).max(0) } else { 0 };
    Ok((batch.until > 0).then_some(batch))
}

/// Notes that a message is about to be sent.
pub(super) fn sending(db: &Connection, channel: &str, until: i64) -> QueryResult<()> {
    db.prepare_cached("UPDATE notified SET sending = ? WHERE channel = ?")?
        .execute(params![until, channel])
        .map(drop)
}

/// Notes that a message was sent.
pub(super) fn sent(db: &Connection, channel: &str, until: i64) -> QueryResult<()> {
    db.prepare_cached(
        "UPDATE notified SET told = ?, sending = NULL, failing_ms = NULL WHERE channel = ?",
    )?
    .execute(params![until, channel])
    .map(drop)
}

/// Notes that a channel fails. Returns since when, in milliseconds since 1970: not later than now, if the clock was ahead then.
pub(super) fn failing(db: &Connection, channel: &str, now_ms: i64) -> QueryResult<i64> {
    db.prepare_cached(
        "UPDATE notified SET failing_ms = min(ifnull(failing_ms, ?1), ?1) WHERE channel = ?2 RETURNING failing_ms",
    )?
    .query_row(params![now_ms, channel], |row| row.get(0))
}

/// Shifts the times since when channels fail.
pub(crate) fn shift_times(db: &Connection, shift: journal::clock::Shift) -> QueryResult<()> {
    shift.apply(db, ("notified", "failing_ms"), "true")
}

/// Returns whether there are cursors of channels with other names.
pub(super) fn has_others(db: &Connection, channels: &[String]) -> QueryResult<bool> {
    let names = serde_json::json!(channels).to_string();
    db.prepare_cached(
        "SELECT 1 FROM notified WHERE channel NOT IN (SELECT value FROM json_each(?))",
    )?
    .exists([names])
}

/// Deletes the cursors of channels with other names.
pub(super) fn delete_others(db: &Connection, channels: &[String]) -> QueryResult<()> {
    let names = serde_json::json!(channels).to_string();
    db.prepare_cached("DELETE FROM notified WHERE channel NOT IN (SELECT value FROM json_each(?))")?
        .execute([names])
        .map(drop)
}
