//! Shows a record in suspense.

use ::suspense::{RetryOutcome, Suspended, filter};
use flow::flow_journal::JournalError;
use inspection::masking::Mask;
use people::Role;
use runtime::time::shown;
use serde::{Deserialize, Serialize};
use serde_json::value::RawValue;
use store::{Connection, QueryResult, params};
use utoipa::ToSchema;

use super::content::{RecordType, types};
use super::edit::EditRecord;
use super::hidden::{hide, hide_action};
use super::stored::{FlowReader, RecordUnknown};
use crate::context::Context;
use crate::octets::Octets;
use crate::operation::Operation;
use crate::privacy::{SubscriberDataError, is_whole};
use crate::refusals;

/// Returns a record in suspense with its content and its history.
///
/// It is decoded by the flow as its files are now. For a role that does not see subscriber data, its
/// values are masked and octets are left out.
#[derive(Clone, Copy, Debug, Deserialize, ToSchema)]
pub struct ShowRecord {
    /// The number of the record.
    pub id: i64,
}

/// A record in suspense.
#[derive(Debug, Serialize, ToSchema)]
#[schema(as = SuspendedRecordDetail)]
pub struct RecordDetail {
    /// The record, as in the list.
    pub record: Suspended,
    /// The record's octets as they are now, in hexadecimal. Empty if subscriber data is masked.
    #[schema(value_type = String)]
    pub octets: Octets,
    /// The octets as they arrived, in hexadecimal. Absent if the record was not edited, or if
    /// subscriber data is masked.
    #[schema(value_type = Option<String>)]
    pub came: Option<Octets>,
    /// The record in JSON (JER, X.697), with the fields of its type in the flow's ASN.1 modules.
    /// Absent if it cannot be decoded.
    #[schema(value_type = Option<Object>)]
    pub json: Option<Box<RawValue>>,
    /// The types of the values that `json` may contain; the first is the type of the record. Absent
    /// if the record cannot be decoded, or if its type is unknown.
    pub types: Option<Vec<RecordType>>,
    /// Why the record cannot be decoded. Absent if it can.
    pub problem: Option<String>,
    /// The actions on the record, the oldest first.
    pub history: Vec<RecordAction>,
    /// `true` if subscriber data is masked. Absent otherwise.
    #[serde(skip_serializing_if = "is_whole")]
    pub masked: bool,
}

/// An action on a record in suspense.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, ToSchema)]
#[serde(deny_unknown_fields)]
#[schema(as = SuspendedRecordAction)]
pub struct RecordAction {
    /// When the action was requested, such as `2026-11-21T14:05:00Z`.
    pub at: String,
    /// The user or token.
    pub who: String,
    /// The action, as the command that does it: `suspense edit`.
    pub action: String,
    /// The reason that the user gave; empty for a retry.
    pub because: String,
    /// The outcome, if the action is a retry that is done.
    pub outcome: Option<RetryOutcome>,
    /// The node and error of a retry that failed.
    pub reason: Option<String>,
}

refusals! {
    /// Why a record is not shown.
    pub enum ShowRecordError {
        /// There is no such record.
        Unknown(RecordUnknown) => [Unknown],
        /// The journal fails.
        Journal(JournalError) => [],
        /// The view cannot be recorded.
        SubscriberData(SubscriberDataError) => [NotReady],
    }
}

impl Operation for ShowRecord {
    type Response = RecordDetail;
    type Error = ShowRecordError;

    const NAME: &'static str = "suspense show";
    const ROLE: Role = Role::Viewer;

    fn perform(self, context: &Context<'_>) -> Result<RecordDetail, ShowRecordError> {
        let ShowRecord { id } = self;
        let access = context.subscriber_access();
        let flow = FlowReader::new(context);
        let (found, history) = context.read(|db| Ok((flow.stored(db, id)?, history(db, id)?)))?;
        let (stored, reader) = found.ok_or(RecordUnknown::Unknown { id })?;
        let shape = reader.as_ref().ok().and_then(|reader| reader.shape());
        let json = reader.and_then(|reader| stored.json(reader, &stored.record.octets));
        let json = match (json, stored.record.is_sound) {
            // Fields are corrected in the decoded octets, so the user has to give intact octets first.
            (_, false) => Err(DAMAGED.to_owned()),
            (Err(why), true) => Err(why.to_string()),
            (Ok(json), true) => raw(&json).map_err(|error| error.to_string()),
        };
        let types = json.is_ok().then_some(shape).flatten().map(types);
        let (json, problem) = match json {
            Ok(json) => (Some(json), None),
            Err(problem) => (None, Some(problem)),
        };
        let octets = Octets(stored.record.octets.clone());
        let came = stored.original.map(Octets);
        let record = stored.record;
        let masked = access.is_masked();
        let mut shown =
            RecordDetail { record, octets, came, json, types, problem, history, masked };
        context.record_view(&access, Self::NAME, &filter::subject(id))?;
        if let Some(mask) = access.mask() {
            shown.hide(mask);
        }
        Ok(shown)
    }
}

impl RecordDetail {
    /// Masks subscriber data.
    fn hide(&mut self, mask: &Mask) {
        hide(mask, &mut self.record);
        (self.octets, self.came) = (Octets::default(), None);
        self.history.iter_mut().for_each(|action| hide_action(mask, action));
        self.problem = self.problem.as_deref().map(|problem| mask.reason(problem));
        // What cannot be masked is left out.
        let json = self.json.take().map(|json| RawValue::from_string(mask.json(&json)));
        self.json = json.and_then(Result::ok);
    }
}

const DAMAGED: &str = "its octets were damaged in the journal: give those that its file has";

fn raw(json: &[u8]) -> serde_json::Result<Box<RawValue>> {
    RawValue::from_string(String::from_utf8_lossy(json).trim().to_owned())
}

/// The entries of the audit trail about a record. Each part finds them by an index; one condition of them all would read
/// the whole trail.
const HISTORY: &str = "WITH entry (id) AS (
         SELECT id FROM trail WHERE subject = ?2 AND action IN (?3, ?4)
         UNION SELECT asked FROM retry WHERE record = ?1
         UNION SELECT discarded FROM suspense WHERE id = ?1
         UNION SELECT reopened FROM suspense WHERE id = ?1)
     SELECT at_ms, who, action, trail.reason, outcome, node, retry.reason
     FROM entry JOIN trail USING (id)
     LEFT JOIN retry ON retry.asked = trail.id AND retry.record = ?1
     ORDER BY trail.id";

fn history(db: &Connection, id: i64) -> QueryResult<Vec<RecordAction>> {
    let mut select = db.prepare(HISTORY)?;
    let of_one = params![id, filter::subject(id), EditRecord::NAME, filter::REOPEN];
    let actions = select.query_map(of_one, |row| {
        let (node, reason): (Option<String>, Option<String>) = (row.get(5)?, row.get(6)?);
        let at = node.filter(|node| !node.is_empty()).map_or(String::new(), |n| format!("{n}: "));
        Ok(RecordAction {
            at: shown(row.get(0)?),
            who: row.get(1)?,
            action: row.get(2)?,
            because: row.get(3)?,
            outcome: row.get_ref(4)?.as_str_or_null()?.and_then(RetryOutcome::of),
            reason: reason.filter(|reason| !reason.is_empty()).map(|reason| at + &reason),
        })
    })?;
    actions.collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::context::testing::with_journal;

    #[test]
    fn the_history_of_a_record_does_not_read_the_whole_trail() {
        with_journal(|context| {
            let steps = context.read(|db| {
                let mut plan = db.prepare(&format!("EXPLAIN QUERY PLAN {HISTORY}"))?;
                let of_one = params![7, filter::subject(7), EditRecord::NAME, filter::REOPEN];
                let steps = plan.query_map(of_one, |row| row.get::<_, String>(3))?;
                steps.collect::<QueryResult<Vec<_>>>()
            });
            let steps = steps.expect("a plan");
            let whole = ["SCAN trail", "SCAN retry", "SCAN suspense"];
            let is_whole = |step: &String| whole.iter().any(|scan| step.starts_with(scan));
            assert!(!steps.iter().any(is_whole), "{steps:#?}");
        });
    }
}
