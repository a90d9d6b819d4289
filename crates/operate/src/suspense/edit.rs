//! Edits a record in suspense.

use ::suspense::change::replace_octets;
use ::suspense::{State, Suspended, filter};
use diagnostics::hexadecimal;
use flow::flow_journal::JournalError;
use format::EditError;
use journal::audit_trail::{Author, Change};
use people::Role;
use serde::{Deserialize, Serialize};
use serde_json::value::RawValue;
use store::{Connection, QueryResult};
use utoipa::ToSchema;

use super::stored::{FlowReader, NotShown, RecordUnknown, Stored};
use crate::context::Context;
use crate::octets::Octets;
use crate::operation::Operation;
use crate::privacy::SubscriberDataError;
use crate::refusal::{ReasonError, reason};
use crate::refusals;

/// Edits an open record in suspense.
///
/// The gateway keeps the octets that arrived. The record stays in suspense until it is retried.
#[derive(Clone, Debug, Deserialize, ToSchema)]
pub struct EditRecord {
    /// The number of the record.
    pub id: i64,
    /// The corrected record in JSON (JER, X.697), in the form of `json` in the answer to GET. Give
    /// either this or `octets`.
    #[schema(value_type = Option<Object>)]
    pub json: Option<Box<RawValue>>,
    /// The corrected octets, in hexadecimal.
    #[schema(value_type = Option<String>)]
    pub octets: Option<Octets>,
    /// The octets that the edit began with, in hexadecimal. The request is refused if the record has
    /// others by now.
    #[schema(value_type = Option<String>)]
    pub based_on: Option<Octets>,
    /// The reason, for the audit trail. It must not be empty.
    pub because: String,
}

/// The record after the edit.
#[derive(Debug, Serialize, ToSchema)]
pub struct EditedRecord {
    /// The record's octets, in hexadecimal.
    #[schema(value_type = String)]
    pub octets: Octets,
    /// Why the octets are no record of the flow. Absent if they are one.
    pub problem: Option<String>,
}

refusals! {
    /// Why a record is not edited.
    pub enum EditRecordError {
        /// The request has no content, or two.
        Content => Wrong "record-content-missing"
            "say what the record is to be: json, or octets",
        /// The flow cannot read the record, so it cannot be written from JSON.
        NotReadable { /** Why. */ why: NotShown } => Wrong "record-not-readable"
            "the record cannot be edited as JSON: {why}",
        /// The JSON is no record.
        NoRecord { /** Why. */ why: EditError } => Wrong "record-not-valid"
            "this is no record: {why}",
        /// It has left suspense.
        Closed { /** Its number. */ id: i64 } => Conflict "record-not-open"
            "record {id} is no longer open: nothing was changed",
        /// A retry of it is requested.
        RetryRequested { /** Its number. */ id: i64 } => Conflict "record-to-be-retried"
            "a retry of record {id} is requested: nothing was changed",
        /// It has changed since the edit began.
        Overtaken { /** Its number. */ id: i64 } => Conflict "record-changed-meanwhile"
            "record {id} was corrected by another user meanwhile: nothing was changed",
        /// Its octets were damaged in the journal, so they are not those that arrived.
        Damaged { /** Its number. */ id: i64 } => Conflict "record-damaged"
            "the octets of record {id} were damaged in the journal: give all of them by octets, \
             as its file has them; nothing was changed",
        /// The edit changes nothing.
        Same { /** Its number. */ id: i64 } => Conflict "record-unchanged"
            "record {id} is so already: nothing was changed",
        /// There is no such record.
        Unknown(RecordUnknown) => [Unknown],
        /// The request has no reason.
        Reason(ReasonError) => [Wrong],
        /// The role does not see subscriber data, so it would write masked values into the record.
        SubscriberData(SubscriberDataError) => [Forbidden],
        /// The journal fails.
        Journal(JournalError) => [],
    }
}

/// What a record is to be.
enum Correction<'c> {
    Octets(Vec<u8>),
    Json(&'c RawValue),
}

impl Operation for EditRecord {
    type Response = EditedRecord;
    type Error = EditRecordError;

    const NAME: &'static str = "suspense edit";
    const ROLE: Role = Role::Operator;
    const ACTIONS: &[&str] = &[Self::NAME];

    fn perform(self, context: &Context<'_>) -> Result<EditedRecord, EditRecordError> {
        let EditRecord { id, json, octets, based_on, because } = self;
        context.subscriber_access().allow("an edit of a record")?;
        let because = reason(&because)?;
        let correction = match (&json, octets) {
            (Some(json), None) => Correction::Json(json),
            (None, Some(Octets(octets))) => Correction::Octets(octets),
            _ => return Err(EditRecordError::Content),
        };
        let flow = FlowReader::new(context);
        let found = context.read(|db| flow.stored(db, id))?;
        let (stored, reader) = found.ok_or(RecordUnknown::Unknown { id })?;
        let before = &stored.record.octets;
        if based_on.is_some_and(|Octets(expected)| expected != *before) {
            return Err(EditRecordError::Overtaken { id });
        }
        let octets = match correction {
            Correction::Octets(octets) => octets,
            Correction::Json(_) if !stored.record.is_sound => {
                return Err(EditRecordError::Damaged { id });
            }
            Correction::Json(json) => {
                let reader = match reader {
                    Ok(reader) => reader,
                    Err(why) => return Err(EditRecordError::NotReadable { why }),
                };
                reader
                    .correct(&stored.piece(before), json.get().as_bytes())
                    .map_err(|why| EditRecordError::NoRecord { why })?
            }
        };
        if octets == *before {
            return Err(EditRecordError::Same { id });
        }
        let read = reader.and_then(|reader| stored.json(reader, &octets));
        let problem = read.err().map(|why| why.to_string());
        context.change(Self::NAME, |db, author| {
            replace(db, id, Edit { before, after: &octets }, author, because)
        })??;
        Ok(EditedRecord { octets: Octets(octets), problem })
    }
}

/// The octets of a record before and after an edit.
#[derive(Clone, Copy)]
struct Edit<'o> {
    before: &'o [u8],
    after: &'o [u8],
}

fn replace(
    db: &Connection,
    id: i64,
    Edit { before, after }: Edit<'_>,
    author: &Author<'_>,
    because: &str,
) -> QueryResult<Result<(), EditRecordError>> {
    let Some(now) = Stored::read(db, id)? else {
        return Ok(Err(RecordUnknown::Unknown { id }.into()));
    };
    let refused = match now.record {
        Suspended { is_retry_requested: true, .. } => Some(EditRecordError::RetryRequested { id }),
        Suspended { state, .. } if state != State::Open => Some(EditRecordError::Closed { id }),
        Suspended { octets, .. } if octets != before => Some(EditRecordError::Overtaken { id }),
        _ => None,
    };
    if let Some(refused) = refused {
        return Ok(Err(refused));
    }
    let change = Change { before: &hexadecimal(before), after: &hexadecimal(after) };
    author.record_change(db, &filter::subject(id), because, change)?;
    replace_octets(db, id, after).map(Ok)
}
