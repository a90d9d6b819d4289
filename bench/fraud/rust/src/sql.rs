//! The rules of `examples/fraud/rules` as queries of SQLite, in memory: each event becomes a row, and each rule about it counts rows.
//!
//! The windows are exact: they end with the second of the event, and do not slide in steps. No row is deleted.

use rusqlite::{Connection, OptionalExtension, Transaction, params};

use crate::Answer;
use crate::alert::Alert;
use crate::clock::{Clock, Took};
use crate::event::{Event, INDICATION};

/// The events of a transaction, as many as a large file has.
const AT_ONCE: usize = 20_000;

/// The indexes have what rules ask for alone, so that no other event costs more than its row.
const SCHEMA: &str = "
    PRAGMA journal_mode = OFF;
    PRAGMA synchronous = OFF;
    CREATE TABLE event (kind INTEGER, time INTEGER, caller INTEGER, called INTEGER);
    CREATE INDEX event_by_caller ON event (caller, time) WHERE kind = 6;
    CREATE INDEX event_by_pair ON event (caller, called, time) WHERE kind = 6;
    CREATE TABLE quiet (rule TEXT, caller INTEGER, called INTEGER, until INTEGER, PRIMARY KEY (rule, caller, called)) WITHOUT ROWID;
";

struct Rule {
    name: &'static str,
    is_about_pairs: bool,
    at_least: u32,
    /// The seconds of the window.
    within: u32,
    /// For how many seconds there is no other alert about the key.
    again: u32,
}

const RULES: [Rule; 3] = [
    Rule { name: "two-in-a-minute", is_about_pairs: false, at_least: 2, within: 60, again: 600 },
    Rule { name: "same-number-twice", is_about_pairs: true, at_least: 2, within: 60, again: 600 },
    Rule {
        name: "thousand-an-hour",
        is_about_pairs: false,
        at_least: 1_000,
        within: 3_600,
        again: 3_600,
    },
];

/// Judges events in the order of their times. Returns the alerts, and how long it took.
pub fn judge(events: &[Event]) -> Answer<(Vec<Alert>, Took)> {
    let mut database = Connection::open_in_memory()?;
    database.execute_batch(SCHEMA)?;
    let mut alerts = Vec::new();
    let clock = Clock::start();
    for events in events.chunks(AT_ONCE) {
        let transaction = database.transaction()?;
        for event in events {
            take(&transaction, event, &mut alerts)?;
        }
        transaction.commit()?;
    }
    Ok((alerts, clock.took()))
}

fn take(database: &Transaction<'_>, event: &Event, alerts: &mut Vec<Alert>) -> Answer<()> {
    let Event { kind, time, caller, called } = *event;
    let (caller_number, called_number) = (caller.cast_signed(), called.cast_signed());
    database.prepare_cached("INSERT INTO event VALUES (?, ?, ?, ?)")?.execute(params![
        kind,
        time,
        caller_number,
        called_number
    ])?;
    if kind != INDICATION {
        return Ok(());
    }
    for rule in &RULES {
        let after = time - rule.within;
        let count: u32 = if rule.is_about_pairs {
            let query = "SELECT count(*) FROM event WHERE kind = 6 AND caller = ? AND called = ? AND time > ?";
            let of = params![caller_number, called_number, after];
            database.prepare_cached(query)?.query_row(of, |row| row.get(0))?
        } else {
            let query = "SELECT count(*) FROM event WHERE kind = 6 AND caller = ? AND time > ?";
            database
                .prepare_cached(query)?
                .query_row(params![caller_number, after], |row| row.get(0))?
        };
        let of_pair = if rule.is_about_pairs { called_number } else { 0 };
        if count >= rule.at_least && !is_quiet(database, rule, (caller_number, of_pair), time)? {
            database
                .prepare_cached("INSERT OR REPLACE INTO quiet VALUES (?, ?, ?, ?)")?
                .execute(params![rule.name, caller_number, of_pair, time + rule.again])?;
            let called = rule.is_about_pairs.then_some(called);
            alerts.push(Alert { rule: rule.name, caller, called, at: time });
        }
    }
    Ok(())
}

/// Returns whether there was an alert about the key not long ago.
fn is_quiet(
    database: &Transaction<'_>,
    rule: &Rule,
    (caller, called): (i64, i64),
    time: u32,
) -> Answer<bool> {
    let query = "SELECT until FROM quiet WHERE rule = ? AND caller = ? AND called = ?";
    let until: Option<u32> = database
        .prepare_cached(query)?
        .query_row(params![rule.name, caller, called], |row| row.get(0))
        .optional()?;
    Ok(until.is_some_and(|until| time < until))
}
