//! A single record in suspense: shows all that is known of it, and corrects it.

use std::path::Path;

use diagnostics::Diagnostic;
use format::EditError;
use format::coding::{Excerpt, Input};
use journal::audit_trail::Action;
use record::Shape;
use runtime::time::shown;
use serde::Serialize;
use store::{Answer, Connection, OptionalExtension as _, params};
use utoipa::ToSchema;

use flow::flow_journal;
use flow::flow_journal::JournalError;
use gateway::compile::prepare::{Parts, prepare};
use gateway::plan::Plan;
use state::groups;
use state::groups::NoEntrance;
use state::timers::emitted;
use suspense::change::replace_octets;
use suspense::{SELECT, State, Suspended, Waited, digits, filter};

/// All that is known of a record.
#[derive(Debug)]
pub struct Shown {
    /// The record as lists show it.
    pub record: Suspended,
    /// The octets as it came, if it was edited.
    pub original: Option<Vec<u8>>,
    /// The record as JSON (JER, X.697); or why it cannot be read.
    pub json: Result<String, NotShown>,
    /// The allowed content, if the flow knows it.
    pub shape: Option<Shape>,
    /// Its history, the oldest event first.
    pub history: Vec<Event>,
}

/// An action on a record in suspense.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, ToSchema)]
#[serde(deny_unknown_fields)]
#[schema(as = SuspendedDeed)]
pub struct Event {
    /// When the action was requested, such as `2026-11-21T14:05:00Z`.
    pub at: String,
    /// The user or token.
    pub who: String,
    /// The action, as the command that does it: `suspense edit`.
    pub action: String,
    /// The reason that the user gave; empty for a retry.
    pub because: String,
    /// The outcome of a retry: `delivered`, `filtered`, `suspended`, or `divided` if several
    /// records were found in the octets.
    pub outcome: Option<String>,
    /// The node and error of a retry that failed.
    pub reason: Option<String>,
}

/// The corrected record.
#[derive(Clone, Copy, Debug)]
pub enum Correction<'c> {
    /// These octets.
    Octets(&'c [u8]),
    /// The record as JSON (JER, X.697). It is written in the encoding it came in.
    Json(&'c [u8]),
}

/// A record after an edit.
#[derive(Debug)]
pub struct Edited {
    /// Its octets.
    pub octets: Vec<u8>,
    /// An error if they are not one record.
    pub is_record: Result<(), NotShown>,
}

/// Why a record is not shown or edited.
#[derive(Debug, thiserror::Error)]
pub enum CorrectError {
    /// The journal failed.
    #[error(transparent)]
    Journal(#[from] JournalError),
    /// No record has this number.
    #[error("there is no record {0} in suspense")]
    Unknown(i64),
    /// It has left suspense.
    #[error("record {0} is no longer open: nothing was changed")]
    Closed(i64),
    /// A retry of it is requested.
    #[error("record {0} is to be retried, as somebody asked: nothing was changed")]
    RetryRequested(i64),
    /// Another user has edited it meanwhile.
    #[error("record {0} was corrected by somebody else meanwhile: nothing was changed")]
    Overtaken(i64),
    /// The octets were damaged in the journal, so they are not what came.
    #[error(
        "the octets of record {0} were damaged in the journal: give all of them by --octets, as its file has them; nothing \
         was changed"
    )]
    Damaged(i64),
    /// The correction changes nothing.
    #[error("record {0} is so already: nothing was changed")]
    Same(i64),
    /// The flow cannot read or write its records.
    #[error(transparent)]
    Flow(NotShown),
    /// The input is no record.
    #[error("this is no record: {0}")]
    Json(EditError),
}

/// Why a record is not shown as JSON.
#[derive(Debug, thiserror::Error)]
pub enum NotShown {
    /// The flow cannot be read.
    #[error("the flow has mistakes; the first is\n\n{first}")]
    Mistakes {
        /// The first mistake, as it is shown.
        first: String,
    },
    /// The network element that the record came from is not in the flow.
    #[error("the flow has no network element \"{0}\" any more")]
    NoElement(String),
    /// It waited in a node that cannot take it back.
    #[error(transparent)]
    NoEntrance(#[from] NoEntrance),
    /// Its octets are not one record.
    #[error(transparent)]
    Octets(#[from] EditError),
}

/// A record as the journal has it.
struct Stored {
    record: Suspended,
    original: Option<Vec<u8>>,
    context: Vec<u8>,
    /// Where it waited, if it goes back there.
    waited: Option<Waited>,
}

/// How a record is read, or why it cannot be.
type Read<'f> = Result<&'f dyn Input, NotShown>;

/// The flow, or what is wrong with it.
struct Flow(Result<Plan, Vec<Diagnostic>>);

/// Shows a record, decoded by the flow as its files are now.
pub fn show(path: &Path, parts: Parts<'_>, id: i64) -> Result<Shown, CorrectError> {
    let flow = Flow::read(path, parts);
    let (found, history) =
        flow_journal::read(path, |db| Ok((flow.stored(db, id)?, history(db, id)?)))?;
    let (stored, input) = found.ok_or(CorrectError::Unknown(id))?;
    let shape = input.as_ref().ok().and_then(|input| input.shape());
    let json = input
        .and_then(|input| shown_by(input, &stored, &stored.record.octets))
        .map(|json| String::from_utf8_lossy(&json).into_owned());
    Ok(Shown { record: stored.record, original: stored.original, json, shape, history })
}

/// Corrects an open record. The original octets are kept, and the audit trail says who changed what. Fails if the
/// record no longer has the `expected` octets, since another user has then corrected it.
pub fn edit(
    path: &Path,
    parts: Parts<'_>,
    id: i64,
    correction: Correction<'_>,
    expected: Option<&[u8]>,
    who: &str,
    because: &str,
) -> Result<Edited, CorrectError> {
    let flow = Flow::read(path, parts);
    let found = flow_journal::read(path, |db| flow.stored(db, id))?;
    let (stored, input) = found.ok_or(CorrectError::Unknown(id))?;
    let before = &stored.record.octets;
    if expected.is_some_and(|expected| expected != before) {
        return Err(CorrectError::Overtaken(id));
    }
    let octets = match correction {
        Correction::Octets(octets) => octets.to_vec(),
        Correction::Json(_) if !stored.record.is_sound => return Err(CorrectError::Damaged(id)),
        Correction::Json(json) => {
            let reader = match input {
                Ok(reader) => reader,
                Err(why) => return Err(CorrectError::Flow(why)),
            };
            let corrected = reader.correct(&stored.piece(before), json);
            corrected.map_err(CorrectError::Json)?
        }
    };
    if octets == *before {
        return Err(CorrectError::Same(id));
    }
    let is_record = input.and_then(|input| shown_by(input, &stored, &octets)).map(drop);
    flow_journal::change(path, |db| change(db, id, before, &octets, who, because))??;
    Ok(Edited { octets, is_record })
}

fn shown_by(input: &dyn Input, stored: &Stored, octets: &[u8]) -> Result<Vec<u8>, NotShown> {
    Ok(input.show(&stored.piece(octets))?)
}

fn change(
    db: &Connection,
    id: i64,
    before: &[u8],
    after: &[u8],
    who: &str,
    because: &str,
) -> Answer<Result<(), CorrectError>> {
    let Some(now) = stored(db, id)? else { return Ok(Err(CorrectError::Unknown(id))) };
    let refused = match now.record {
        Suspended { is_retry_requested: true, .. } => Some(CorrectError::RetryRequested(id)),
        Suspended { state, .. } if state != State::Open => Some(CorrectError::Closed(id)),
        Suspended { octets, .. } if octets != before => Some(CorrectError::Overtaken(id)),
        _ => None,
    };
    if let Some(refused) = refused {
        return Ok(Err(refused));
    }
    let (before, digits) = (digits(before), digits(after));
    let change = Some((before.as_str(), digits.as_str()));
    let subject = filter::subject(id);
    Action { who, action: "suspense edit", subject: &subject, reason: because, change }
        .record(db)?;
    replace_octets(db, id, after).map(Ok)
}

fn stored(db: &Connection, id: i64) -> Answer<Option<Stored>> {
    let record = db
        .prepare(&format!("{SELECT} WHERE suspense.id = ?"))?
        .query_row([id], Suspended::of)
        .optional()?;
    let Some(record) = record else { return Ok(None) };
    let besides =
        "SELECT came, context, waited_in, layout FROM set_aside AS suspense JOIN file ON file.id = suspense.file
         WHERE suspense.id = ?";
    db.query_row(besides, [id], |row| {
        let context = row.get::<_, Option<Vec<u8>>>(1)?.unwrap_or_default();
        let waited = Waited::of((row.get(2)?, row.get(3)?));
        Ok(Some(Stored { record, original: row.get(0)?, context, waited }))
    })
}

fn history(db: &Connection, id: i64) -> Answer<Vec<Event>> {
    let mut select = db.prepare(
        "SELECT at_ms, who, action, trail.reason, outcome, node, retry.reason
         FROM trail LEFT JOIN retry ON retry.asked = trail.id AND retry.record = ?1
         WHERE (action IN ('suspense edit', ?3) AND subject = ?2) OR retry.record IS NOT NULL
            OR trail.id IN (SELECT discarded FROM suspense WHERE suspense.id = ?1)
            OR trail.id IN (SELECT reopened FROM suspense WHERE suspense.id = ?1)
         ORDER BY trail.id",
    )?;
    let events = select.query_map(params![id, filter::subject(id), filter::REOPEN], |row| {
        let (node, reason): (Option<String>, Option<String>) = (row.get(5)?, row.get(6)?);
        let at = node.filter(|node| !node.is_empty()).map_or(String::new(), |n| format!("{n}: "));
        Ok(Event {
            at: shown(row.get(0)?),
            who: row.get(1)?,
            action: row.get(2)?,
            because: row.get(3)?,
            outcome: row.get(4)?,
            reason: reason.filter(|reason| !reason.is_empty()).map(|reason| at + &reason),
        })
    })?;
    events.collect()
}

impl Stored {
    fn piece<'k>(&'k self, octets: &'k [u8]) -> Excerpt<'k> {
        Excerpt { context: &self.context, octets }
    }
}

impl Flow {
    fn read(path: &Path, parts: Parts<'_>) -> Self {
        Flow(prepare(path, parts).sound())
    }

    /// Returns a record, and how it is read, or why it cannot be.
    fn stored(&self, db: &Connection, id: i64) -> Answer<Option<(Stored, Read<'_>)>> {
        let Some(stored) = stored(db, id)? else { return Ok(None) };
        let input = self.input(&stored, db)?;
        Ok(Some((stored, input)))
    }

    fn input(&self, stored: &Stored, db: &Connection) -> Answer<Read<'_>> {
        let flow = match &self.0 {
            Ok(flow) => flow,
            Err(mistakes) => {
                let first = mistakes.iter().find(|mistake| mistake.is_error());
                let first = first.map_or(String::new(), ToString::to_string);
                return Ok(Err(NotShown::Mistakes { first }));
            }
        };
        if let Some(waited) = &stored.waited {
            let entrance = match emitted::stream(&flow.topology, waited) {
                Some(of) => emitted::input(&flow.emitted_formats, of, waited, db)?,
                None => groups::input(&flow.topology, &flow.keepings, waited, db)?
                    .map(|(_, input)| input),
            };
            return Ok(entrance.map_err(NotShown::from));
        }
        let name = &stored.record.network_element;
        let element = flow.topology.elements.iter().find(|element| element.name == *name);
        Ok(element.map(|element| &*element.input).ok_or_else(|| NotShown::NoElement(name.clone())))
    }
}
