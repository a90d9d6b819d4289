//! Timers of nodes with keyed state: how they are written and read. [`due`] finds due timers.
//! Records that they emit and that are rejected are set aside ([`emitted`]).
//!
//! A timer is a row of the journal, which changes in the transaction of the job that sets, cancels
//! or fires it.

mod alarms;
pub mod due;
pub mod emitted;
#[cfg(test)]
mod tests;

use std::sync::Arc;

use journal::clock::Shift;
use journal::{JobId, Journal, View};
use node::{ChangedTimer, StateError, Time, Timer, TimerChanges, TimerEquipment, TimerReader};
use store::{Connection, OptionalExtension as _, QueryResult, Row, StoreError, params};

use crate::event_time;
use crate::in_memory::{RETENTION_WITHOUT_NODE, select_names};
use flow::topology::Topology;

pub use alarms::{ALARMS, alarm};

/// Octets of memory for a cache of timers, for all workers. A small one is enough, since a file
/// reads each timer once.
const CACHE_OCTETS: u64 = 4 << 20;

/// Returns the timer equipment of a node, if it has timers.
pub fn equipment(
    flow: &Topology,
    node: usize,
    view: &View,
) -> Result<Option<TimerEquipment>, StoreError> {
    let node = &flow.graph.nodes[node];
    if !node.template.has_timers() {
        return Ok(None);
    }
    let reader = view.cached_reader(CACHE_OCTETS)?;
    let reader = Box::new(JournalTimers { reader, node: node.name.clone() });
    let [latest, now] = [&view.clock; 2].map(Arc::clone);
    Ok(Some(TimerEquipment {
        reader,
        latest_ms: Box::new(move || latest.latest_ms()),
        now_ms: Box::new(move || now.now_ms()),
    }))
}

struct JournalTimers {
    reader: Connection,
    node: String,
}

impl TimerReader for JournalTimers {
    fn timer(&mut self, key: &str) -> Result<Option<Timer>, StateError> {
        let select = "SELECT at_ms, waits_for FROM state_timer WHERE node = ? AND key = ?";
        let found = self.reader.prepare_cached(select).and_then(|mut select| {
            let timer = |row: &Row<'_>| {
                let by = time_of(row.get_ref(1)?.as_str()?);
                Ok(Timer { at_ms: row.get(0)?, by })
            };
            select.query_row([&self.node, key], timer).optional()
        });
        found.map_err(StateError::journal)
    }

    fn watermark(&mut self, network_element: &str) -> Result<Option<i64>, StateError> {
        event_time::watermark(&self.reader, &self.node, network_element)
            .map_err(StateError::journal)
    }
}

/// Writes the timers that a job changed, after the row of the job.
pub(crate) fn note(
    db: &Connection,
    JobId(job): JobId,
    node: &str,
    TimerChanges { timers, watermark_ms }: &TimerChanges,
    set_ms: i64,
) -> QueryResult<()> {
    let network_element: String = db
        .prepare_cached("SELECT network_element FROM file WHERE id = ?")?
        .query_row([job], |row| row.get(0))?;
    if let Some(time_ms) = watermark_ms {
        event_time::note(db, node, &network_element, *time_ms)?;
    }
    // A replaced row gets a new number.
    let mut insert = db.prepare_cached(
        "INSERT OR REPLACE INTO state_timer (node, key, network_element, at_ms, waits_for, set_ms)
         VALUES (?, ?, ?, ?, ?, ?)",
    )?;
    let mut delete = db.prepare_cached("DELETE FROM state_timer WHERE node = ? AND key = ?")?;
    timers.iter().try_for_each(|ChangedTimer { key, timer }| {
        let noted = match timer {
            Some(Timer { at_ms, by }) => {
                insert.execute(params![node, key, network_element, at_ms, word(*by), set_ms])
            }
            None => delete.execute([node, key]),
        };
        noted.map(drop)
    })
}

/// Shifts the timers that wait for arrival time when a doubted clock is accepted: a timer that was
/// set meanwhile keeps its delay.
pub fn shift_times(db: &Connection, shift: Shift) -> QueryResult<()> {
    let (comparison, to_ms, than_ms) = match shift {
        Shift::Ahead { noted_ms, was_ms } => ("=", was_ms, noted_ms),
        Shift::Back { now_ms } => (">", now_ms, now_ms),
    };
    let update = format!(
        "UPDATE state_timer SET at_ms = at_ms - set_ms + ?1, set_ms = ?1
         WHERE waits_for = 'arrival' AND set_ms {comparison} ?2"
    );
    db.execute(&update, [to_ms, than_ms]).map(drop)
}

/// Deletes the timers of renamed and removed nodes after [`RETENTION_WITHOUT_NODE`].
pub fn forget(flow: &Topology, journal: &Journal) -> Result<(), StoreError> {
    let reader = journal.reader()?;
    let has_timers = |name: &String| {
        flow.graph.nodes.iter().any(|node| node.name == *name && node.template.has_timers())
    };
    let mut gone = journal.answer(nodes(&reader))?;
    gone.retain(|name| !has_timers(name));
    let retention_ms = i64::try_from(RETENTION_WITHOUT_NODE.as_millis()).unwrap_or(i64::MAX);
    let before_ms = journal.now_ms().saturating_sub(retention_ms);
    if !gone.is_empty() {
        journal.later(move |db| {
            let mut delete = db.prepare("DELETE FROM state_timer WHERE node = ? AND set_ms < ?")?;
            gone.iter().try_for_each(|node| delete.execute(params![node, before_ms]).map(drop))
        });
    }
    Ok(())
}

/// Returns the names of the nodes that have timers in the journal.
fn nodes(db: &Connection) -> QueryResult<Vec<String>> {
    db.prepare_cached(&select_names("state_timer"))?.query_map([], |row| row.get(0))?.collect()
}

/// Moves the timers of a node to another that takes over its state. If both have a timer for a key,
/// that of the other node stays.
pub(crate) fn move_timers(db: &Connection, from: &str, to: &str) -> QueryResult<()> {
    db.execute("UPDATE OR IGNORE state_timer SET node = ? WHERE node = ?", [to, from])?;
    db.execute("DELETE FROM state_timer WHERE node = ?", [from]).map(drop)
}

/// Deletes the timers of keys of a node that no longer have a value.
pub(crate) fn forget_without_value(db: &Connection, node: &str) -> QueryResult<()> {
    let delete = "DELETE FROM state_timer WHERE node = ?1
                      AND NOT EXISTS (SELECT 1 FROM kept WHERE kept.node = ?1 AND kept.key = state_timer.key)";
    db.execute(delete, [node]).map(drop)
}

fn word(time: Time) -> &'static str {
    match time {
        Time::Event => "event",
        Time::Arrival => "arrival",
    }
}

fn time_of(word: &str) -> Time {
    if word == "arrival" { Time::Arrival } else { Time::Event }
}
