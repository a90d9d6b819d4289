//! Requests for counters. A file in work holds the counters of its subscribers, so requests wait until all files are
//! committed: the gateway ends its work, as for a changed flow, carries out the requests, and goes on.

use journal::Journal;
use journal::audit_trail::Action;
use serde::{Deserialize, Serialize};
use store::{Answer, Connection, OptionalExtension as _, StoreError, params};

use super::alarms::look_at_counters;
use super::change::{Counted, CountersDeed, Ready};
use super::keyed::KeyedBy;
use flow::topology::Topology;

/// How many finished requests are kept, for clients that have not read the outcome yet.
const OVER_MAX: i64 = 100;

/// The outcome of a request.
#[derive(Clone, Debug, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum RequestOutcome {
    /// The request was carried out, for this many subscribers.
    Done(Counted),
    /// Why nothing was changed.
    Refused(String),
}

/// A request as the journal stores it. Its names are a format.
#[derive(Clone, Debug, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub struct CounterRequest {
    /// The action that the user wants.
    pub deed: CountersDeed,
    /// How the node formed its keys at the request, if the flow had it. The request covers no other keys.
    pub now_by: Option<KeyedBy>,
}

/// A request.
pub struct OpenRequest {
    id: i64,
    /// The user, as the audit trail names users.
    pub who: String,
    /// The reason that the user gave.
    pub reason: String,
    /// None if another version of this program made it, in words that this one does not know.
    pub wish: Option<CounterRequest>,
    /// Whether it is done, and only the alarms must still be updated.
    is_done: bool,
}

/// Adds a request and returns its number.
pub fn add(db: &Connection, wish: &CounterRequest, (who, because): (&str, &str)) -> Answer<i64> {
    let old =
        "DELETE FROM kept_asked WHERE is_over = 1 AND id <= (SELECT max(id) FROM kept_asked) - ?";
    db.execute(old, [OVER_MAX])?;
    let deed = serde_json::to_string(wish).expect("it is names and numbers");
    let insert = "INSERT INTO kept_asked (who, reason, deed) VALUES (?, ?, ?)";
    db.execute(insert, params![who, because, deed])?;
    Ok(db.last_insert_rowid())
}

/// Returns the outcome of a request, if it is over.
pub fn outcome(db: &Connection, id: i64) -> Answer<Option<RequestOutcome>> {
    let select = "SELECT is_over, answer FROM kept_asked WHERE id = ?";
    let answered = db.query_row(select, [id], |row| Ok((row.get(0)?, row.get(1)?))).optional()?;
    let read = |answer: Option<String>| {
        let answer = answer.and_then(|answer| serde_json::from_str(&answer).ok());
        answer.unwrap_or_else(|| {
            RequestOutcome::Refused("a gateway of another version has answered".into())
        })
    };
    Ok(match answered {
        Some((false, _)) => None,
        Some((true, answer)) => Some(read(answer)),
        None => {
            Some(RequestOutcome::Refused("what became of it is forgotten; the trail knows".into()))
        }
    })
}

/// Returns whether there is an open request.
pub fn is_any_open(db: &Connection) -> Answer<bool> {
    db.prepare_cached("SELECT 1 FROM kept_asked WHERE is_over = 0")?.exists([])
}

/// Returns all open requests in order.
pub fn open(db: &Connection) -> Answer<Vec<OpenRequest>> {
    let select = "SELECT id, who, reason, deed, answer IS NOT NULL FROM kept_asked WHERE is_over = 0 ORDER BY id";
    let of = |row: &store::Row<'_>| {
        let deed: String = row.get(3)?;
        Ok(OpenRequest {
            id: row.get(0)?,
            who: row.get(1)?,
            reason: row.get(2)?,
            wish: serde_json::from_str(&deed).ok(),
            is_done: row.get(4)?,
        })
    };
    db.prepare(select)?.query_map([], of)?.collect()
}

/// Carries out the open requests by the flow as it is now. No file may be in work.
pub fn carry_out(flow: &Topology, journal: &Journal) -> Result<(), StoreError> {
    let reader = journal.reader()?;
    let requests = journal.answer(open(&reader))?;
    let Some(last) = requests.last().map(|request| request.id) else { return Ok(()) };
    for request in requests.into_iter().filter(|request| !request.is_done) {
        do_one(flow, journal, &reader, request)?;
    }
    // The client gets its answer once the alarms are updated.
    look_at_counters(flow, journal)?;
    let over =
        "UPDATE kept_asked SET is_over = 1 WHERE is_over = 0 AND answer IS NOT NULL AND id <= ?";
    journal.commit(move |db| db.execute(over, [last]).map(drop))
}

fn do_one(
    flow: &Topology,
    journal: &Journal,
    reader: &Connection,
    OpenRequest { id, who, reason, wish, .. }: OpenRequest,
) -> Result<(), StoreError> {
    let ready = match &wish {
        Some(wish) => journal.answer(Ready::of(flow, reader, wish))?.map_err(|why| why.to_string()),
        None => Err("another version of this program has asked for it".to_owned()),
    };
    let why = match ready {
        Ok(ready) => {
            let by = (who.clone(), reason.clone());
            match journal.commit(move |db| done(db, id, &ready, by)) {
                Ok(subject) => {
                    tracing::info!(target: "flow::kept", "{who} asked for {subject}");
                    return Ok(());
                }
                Err(error) if !journal.can_be_written() => return Err(error),
                // There may be room only for the note that it was not done.
                Err(error) => format!("{error}; nothing was changed"),
            }
        }
        Err(why) => why,
    };
    tracing::warn!(target: "flow::kept", "{who} asked of counters what is not done: {why}");
    journal.commit(move |db| {
        let deed = Action {
            who: &who,
            action: "counters refused",
            subject: &why,
            reason: &reason,
            change: None,
        };
        deed.record(db)?;
        answer(db, id, &RequestOutcome::Refused(why.clone()))
    })
}

/// Carries out a request and adds its entry to the audit trail. Returns the answer.
fn done(
    db: &Connection,
    id: i64,
    ready: &Ready,
    (who, reason): (String, String),
) -> Answer<String> {
    let (counted, (action, subject)) = ready.act(db)?;
    let deed = Action { who: &who, action, subject: &subject, reason: &reason, change: None };
    deed.record(db)?;
    answer(db, id, &RequestOutcome::Done(counted))?;
    Ok(format!("{action}: {subject}"))
}

fn answer(db: &Connection, id: i64, outcome: &RequestOutcome) -> Answer<()> {
    let answer = serde_json::to_string(outcome).expect("it is numbers and a text");
    let update = "UPDATE kept_asked SET answer = ? WHERE id = ?";
    db.execute(update, params![answer, id]).map(drop)
}
