//! What somebody has asked to become of counters. A file in hand has the counters of its subscribers for itself, so nothing is
//! done to them before all are settled: whoever runs the flow ends the work, as for a flow that has changed, does what is
//! asked for, and goes on.

use serde::{Deserialize, Serialize};
use store::{Answer, Connection, OptionalExtension as _, StoreError, params};

use super::alarms::look_at_counters;
use super::change::{Counted, CountersDeed, Ready};
use crate::journal::Journal;
use crate::prepare::Prepared;
use crate::trail::Deed;

/// How many of those that are over are kept, for who asked and has not heard yet.
const OVER_MAX: i64 = 100;

/// What became of it.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub(super) enum Became {
    Done(Counted),
    /// Why nothing did.
    Refused(String),
}

/// Something that is asked for.
pub(super) struct Wanted {
    id: i64,
    pub(super) who: String,
    pub(super) reason: String,
    /// None where another version of this program has asked, in words that this one does not know.
    pub(super) deed: Option<CountersDeed>,
    /// Whether it is done, and only the alarms are not looked at yet.
    is_done: bool,
}

/// Asks for it; returns its number.
pub(super) fn ask(
    db: &Connection,
    deed: &CountersDeed,
    (who, because): (&str, &str),
) -> Answer<i64> {
    let old =
        "DELETE FROM kept_asked WHERE is_over = 1 AND id <= (SELECT max(id) FROM kept_asked) - ?";
    db.execute(old, [OVER_MAX])?;
    let deed = serde_json::to_string(deed).expect("it is names alone");
    let insert = "INSERT INTO kept_asked (who, reason, deed) VALUES (?, ?, ?)";
    db.execute(insert, params![who, because, deed])?;
    Ok(db.last_insert_rowid())
}

/// What became of it, if it is over.
pub(super) fn became(db: &Connection, id: i64) -> Answer<Option<Became>> {
    let select = "SELECT answer FROM kept_asked WHERE id = ? AND is_over = 1";
    let answer: Option<String> = db.query_row(select, [id], |row| row.get(0)).optional()?;
    let read = |answer: String| {
        let of_another = |_| Became::Refused("a gateway of another version has answered".into());
        serde_json::from_str(&answer).unwrap_or_else(of_another)
    };
    Ok(answer.map(read))
}

/// Whether anything is asked for.
pub(crate) fn is_asked(db: &Connection) -> Answer<bool> {
    db.prepare_cached("SELECT 1 FROM kept_asked WHERE is_over = 0")?.exists([])
}

/// All that is asked for, as it was asked.
pub(super) fn wanted(db: &Connection) -> Answer<Vec<Wanted>> {
    let select = "SELECT id, who, reason, deed, answer IS NOT NULL FROM kept_asked WHERE is_over = 0 ORDER BY id";
    let of = |row: &store::Row<'_>| {
        let deed: String = row.get(3)?;
        Ok(Wanted {
            id: row.get(0)?,
            who: row.get(1)?,
            reason: row.get(2)?,
            deed: serde_json::from_str(&deed).ok(),
            is_done: row.get(4)?,
        })
    };
    db.prepare(select)?.query_map([], of)?.collect()
}

/// Does what is asked for, by what the flow says now. No file is in hand.
pub(crate) fn do_asked(flow: &Prepared, journal: &Journal) -> Result<(), StoreError> {
    let reader = journal.reader()?;
    let asked = journal.answer(wanted(&reader))?;
    let Some(last) = asked.last().map(|asked| asked.id) else { return Ok(()) };
    for wanted in asked.into_iter().filter(|wanted| !wanted.is_done) {
        do_one(flow, journal, &reader, wanted)?;
    }
    // Who waits is told when the alarms are over that it was about.
    look_at_counters(flow, journal)?;
    let over =
        "UPDATE kept_asked SET is_over = 1 WHERE is_over = 0 AND answer IS NOT NULL AND id <= ?";
    journal.commit(move |db| db.execute(over, [last]).map(drop))?;
    journal.tell_alarms();
    Ok(())
}

fn do_one(
    flow: &Prepared,
    journal: &Journal,
    reader: &Connection,
    Wanted { id, who, reason, deed, .. }: Wanted,
) -> Result<(), StoreError> {
    let ready = match &deed {
        Some(deed) => journal.answer(Ready::of(flow, reader, deed))?.map_err(|why| why.to_string()),
        None => Err("another version of this program has asked for it".to_owned()),
    };
    let told = journal.commit(move |db| {
        let (became, told) = match &ready {
            Ok(ready) => {
                let (counted, (action, subject)) = ready.act(db)?;
                let deed =
                    Deed { who: &who, action, subject: &subject, reason: &reason, change: None };
                deed.note(db)?;
                (Became::Done(counted), format!("{who} asked for {action}: {subject}"))
            }
            Err(why) => (Became::Refused(why.clone()), format!("{who} asked of counters: {why}")),
        };
        let answer = serde_json::to_string(&became).expect("it is numbers and a text");
        db.execute("UPDATE kept_asked SET answer = ? WHERE id = ?", params![answer, id])?;
        Ok(told)
    })?;
    tracing::info!("{told}");
    Ok(())
}
