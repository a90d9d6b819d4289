//! Requests for counters. A file in hand claims the counters of its subscribers, so requests wait
//! until all files are committed: the gateway pauses, as for a changed flow, carries out the
//! requests, and continues.

use journal::Journal;
use journal::audit_trail::Author;
use serde::{Deserialize, Serialize};
use store::{Connection, OptionalExtension as _, QueryResult, StoreError, params};

use super::alarms::check_counters;
use super::change::{Counted, CountersDeed, PreparedChange};
use super::keyed::KeyedBy;
use flow::topology::Topology;

/// The number of finished requests that stay in the journal, for clients that have not read the
/// outcome yet.
const FINISHED_MAX: i64 = 100;

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
    /// How the node formed its keys at the request, if the flow had it. The request covers no other
    /// keys.
    pub now_by: Option<KeyedBy>,
}

/// A request.
pub struct OpenRequest {
    id: i64,
    /// The user, as the audit trail names users.
    pub who: String,
    /// The reason that the user gave.
    pub reason: String,
    /// `None` if another version of this program made it, in a format that this one does not know.
    pub request: Option<CounterRequest>,
    /// Whether it is done, except for the update of alarms.
    is_done: bool,
}

/// Adds a request and returns its number.
pub fn add(
    db: &Connection,
    request: &CounterRequest,
    (who, reason): (&str, &str),
) -> QueryResult<i64> {
    let old =
        "DELETE FROM kept_asked WHERE is_over = 1 AND id <= (SELECT max(id) FROM kept_asked) - ?";
    db.execute(old, [FINISHED_MAX])?;
    let deed = serde_json::to_string(request).expect("it is names and numbers");
    let insert = "INSERT INTO kept_asked (who, reason, deed) VALUES (?, ?, ?)";
    db.execute(insert, params![who, reason, deed])?;
    Ok(db.last_insert_rowid())
}

/// Returns the outcome of a request, if it is finished.
pub fn outcome(db: &Connection, id: i64) -> QueryResult<Option<RequestOutcome>> {
    let select = "SELECT is_over, answer FROM kept_asked WHERE id = ?";
    let answered = db.query_row(select, [id], |row| Ok((row.get(0)?, row.get(1)?))).optional()?;
    let read = |answer: Option<String>| {
        let answer = answer.and_then(|answer| serde_json::from_str(&answer).ok());
        answer.unwrap_or_else(|| {
            RequestOutcome::Refused("a gateway of another version finished the request".into())
        })
    };
    Ok(match answered {
        Some((false, _)) => None,
        Some((true, answer)) => Some(read(answer)),
        None => {
            let text = "the outcome is no longer stored; see the audit trail";
            Some(RequestOutcome::Refused(text.into()))
        }
    })
}

/// Returns whether there is an open request.
pub fn is_any_open(db: &Connection) -> QueryResult<bool> {
    db.prepare_cached("SELECT 1 FROM kept_asked WHERE is_over = 0")?.exists([])
}

/// Returns all open requests in order.
pub fn open(db: &Connection) -> QueryResult<Vec<OpenRequest>> {
    let select = "SELECT id, who, reason, deed, answer IS NOT NULL FROM kept_asked WHERE is_over = 0 ORDER BY id";
    let request = |row: &store::Row<'_>| {
        let deed: String = row.get(3)?;
        Ok(OpenRequest {
            id: row.get(0)?,
            who: row.get(1)?,
            reason: row.get(2)?,
            request: serde_json::from_str(&deed).ok(),
            is_done: row.get(4)?,
        })
    };
    db.prepare(select)?.query_map([], request)?.collect()
}

/// Carries out the open requests for the current flow. No file may be in hand.
pub fn carry_out(flow: &Topology, journal: &Journal) -> Result<(), StoreError> {
    let reader = journal.reader()?;
    let requests = journal.answer(open(&reader))?;
    let Some(last) = requests.last().map(|request| request.id) else { return Ok(()) };
    for request in requests.into_iter().filter(|request| !request.is_done) {
        carry_out_one(flow, journal, &reader, request)?;
    }
    // The client gets the outcome once the alarms are updated.
    check_counters(flow, journal)?;
    let finish =
        "UPDATE kept_asked SET is_over = 1 WHERE is_over = 0 AND answer IS NOT NULL AND id <= ?";
    journal.commit(move |db| db.execute(finish, [last]).map(drop))
}

fn carry_out_one(
    flow: &Topology,
    journal: &Journal,
    reader: &Connection,
    OpenRequest { id, who, reason, request, .. }: OpenRequest,
) -> Result<(), StoreError> {
    let prepared = match &request {
        Some(request) => {
            let prepared = journal.answer(PreparedChange::of(flow, reader, request))?;
            prepared.map_err(|refusal| refusal.to_string())
        }
        None => Err("another version of this program made the request".to_owned()),
    };
    let why = match prepared {
        Ok(prepared) => {
            let by = (who.clone(), reason.clone());
            match journal.commit(move |db| apply(db, id, &prepared, by)) {
                Ok(subject) => {
                    tracing::info!(target: "flow::kept", "{who} requested {subject}");
                    return Ok(());
                }
                Err(error) if !journal.can_be_written() => return Err(error),
                // The disk may have room only for the refusal.
                Err(error) => format!("{error}; nothing was changed"),
            }
        }
        Err(why) => why,
    };
    tracing::warn!(target: "flow::kept", "a request of {who} for counters is refused: {why}");
    journal.commit(move |db| {
        Author::new(&who, "counters refused").record(db, &why, &reason)?;
        set_outcome(db, id, &RequestOutcome::Refused(why.clone()))
    })
}

/// Carries out a request and adds an entry to the audit trail. Returns a description of the change.
fn apply(
    db: &Connection,
    id: i64,
    prepared: &PreparedChange,
    (who, reason): (String, String),
) -> QueryResult<String> {
    let (counted, (action, subject)) = prepared.apply(db)?;
    Author::new(&who, action).record(db, &subject, &reason)?;
    set_outcome(db, id, &RequestOutcome::Done(counted))?;
    Ok(format!("{action}: {subject}"))
}

fn set_outcome(db: &Connection, id: i64, outcome: &RequestOutcome) -> QueryResult<()> {
    let answer = serde_json::to_string(outcome).expect("it is numbers and a text");
    let update = "UPDATE kept_asked SET answer = ? WHERE id = ?";
    db.execute(update, params![answer, id]).map(drop)
}
