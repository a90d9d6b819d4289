//! Suspense: records that were set aside, with the reasons, until a user retries or discards them.
//!
//! [`staging`] holds the records that a job sets aside until the journal has the job; [`of_group`] writes those of a
//! group. A [`Filter`] selects records, [`list`] and [`page`] return them, and [`counted`] counts them by their reason.
//! [`change`] edits their octets and requests retries, [`discard()`] and [`reopen()`] change their state. The gateway
//! takes each requested retry as a [`RetryJob`]. [`ALARMS`] are for old records, and for too large a share of records.
#![forbid(unsafe_code)]

mod age;
pub mod change;
pub mod checksum;
pub(crate) mod clusters;
mod common_values;
mod discard;
pub mod filter;
mod known;
pub mod of_group;
mod reopen;
pub(crate) mod retry_job;
mod share;
pub mod staging;

use std::path::Path;

use alarm::Kind;
use runtime::time::shown;
use serde::{Serialize, Serializer};
use store::{Connection, QueryResult};
use utoipa::ToSchema;

pub use age::Age;
pub use checksum::octets;
pub use clusters::{Alike, Counted, SuspendedAt, counted, suspended_at};
pub use common_values::{CommonValue, CommonValues};
pub use discard::{Discarded, discard};
pub use filter::{Filter, IS_CHOSEN, others, to_be_retried};
use flow::flow_journal;
use flow::flow_journal::JournalError;
use flow::reasons;
pub use flow::reasons::ReasonValue;
pub use known::known;
pub use reopen::reopen;
pub use retry_job::{
    End, Ends, Loaded, Piece, RequestedRecords, RetryJob, RetryOutcome, Stretch, Waited,
};
pub use share::Shares;
pub use staging::{
    JobsAside, Row, Rows, SetAside, Spill, TakesRows, forget_broken_off, prune_files,
};

pub use flow::outcome::Why;

/// The kinds of alarms of this room.
pub const ALARMS: &[&Kind] = &[age::OLD, share::SUSPENDED];

/// The state of a record in suspense: `retried` once a retry succeeded, `discarded` once a user
/// gave the record up.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, ToSchema)]
#[serde(rename_all = "kebab-case")]
#[schema(as = SuspendedState)]
pub enum State {
    /// The record is neither retried nor discarded yet.
    Open,
    /// A retry of the record succeeded.
    Retried,
    /// A user gave the record up.
    Discarded,
}

impl State {
    /// Returns the word in the journal and for users.
    pub fn word(self) -> &'static str {
        match self {
            State::Open => "open",
            State::Retried => "retried",
            State::Discarded => "discarded",
        }
    }

    /// Returns the state for a word of the journal. An unknown word counts as open.
    pub fn of(word: &str) -> Self {
        match word {
            "retried" => State::Retried,
            "discarded" => State::Discarded,
            _ => State::Open,
        }
    }
}

/// A record in suspense.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, ToSchema)]
#[schema(as = SuspendedRecord)]
pub struct Suspended {
    /// The record's number in suspense.
    pub id: i64,
    /// Why the record is in suspense.
    pub why: Why,
    /// When the record was set aside, such as `2026-11-21T14:05:00Z`.
    pub since: String,
    /// The network element whose file the record came in.
    pub network_element: String,
    /// The file that the record came in.
    pub file: String,
    /// The record's number in the file, from 1.
    pub record: i64,
    /// The offset of the record's first octet in the file.
    pub offset: i64,
    /// The node or system that refused the record. Empty if the record could not be decoded.
    pub node: String,
    /// The error.
    pub reason: String,
    /// The code of the error. Empty if the record comes from a version without codes.
    pub code: String,
    /// The values in the error.
    pub values: Vec<ReasonValue>,
    /// The matching node in which the record waited, if it was set aside with its group. A retry
    /// puts it back there.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(nullable = false)]
    pub waited_in: Option<String>,
    /// The state of the record.
    pub state: State,
    /// Whether a retry of the record is requested and not done yet.
    #[serde(rename = "asked")]
    pub is_retry_requested: bool,
    /// Whether the record was edited.
    pub edited: bool,
    /// How often the record was retried.
    pub retries: i64,
    /// The record's octets as they are now; in JSON they are in hexadecimal. Lists of the API leave them out.
    #[serde(serialize_with = "hexadecimal")]
    #[schema(value_type = String)]
    pub octets: Vec<u8>,
    /// Whether the octets match their digest; if not, the reason says so.
    #[serde(skip)]
    pub is_sound: bool,
}

fn hexadecimal<S: Serializer>(octets: &[u8], serializer: S) -> Result<S::Ok, S::Error> {
    serializer.serialize_str(&diagnostics::hexadecimal(octets))
}

/// The most records of one read. Between reads no transaction is open, so a slow caller does not hold up the journal.
const PAGE_RECORDS: usize = 1_000;

/// The most octets of records in one read, since they are in memory; a larger record is read alone.
const PAGE_OCTETS: usize = 16 << 20;

/// Gives records of a flow that are set aside, in the order they came, until `give` fails. A gateway may run the flow
/// meanwhile. The choice of records is one snapshot; each page of records is read in a later one.
pub fn list<E>(
    flow: &Path,
    filter: &Filter,
    mut give: impl FnMut(Suspended) -> Result<(), E>,
) -> Result<Result<(), E>, JournalError> {
    let chosen = flow_journal::read(flow, |db| filter.choose(db))?;
    let chosen: Vec<i64> = serde_json::from_str(&chosen).expect("a list of numbers");
    let mut left = chosen.as_slice();
    while !left.is_empty() {
        let wanted = &left[..left.len().min(PAGE_RECORDS)];
        let numbers = serde_json::to_string(wanted).expect("numbers");
        let (records, is_whole) = flow_journal::read(flow, |db| read(db, &numbers, "ASC"))?;
        // The records of some numbers may have been deleted meanwhile.
        let last = records.last().map_or(i64::MAX, |record| record.id);
        let given = if is_whole { wanted.len() } else { wanted.partition_point(|id| *id <= last) };
        left = &left[given..];
        if let Err(error) = records.into_iter().try_for_each(&mut give) {
            return Ok(Err(error));
        }
    }
    Ok(Ok(()))
}

/// Returns the records of a page, and whether there are more. A page of large records has fewer than its limit.
pub fn page(
    db: &Connection,
    filter: &Filter,
    page: store::Page,
) -> QueryResult<(Vec<Suspended>, bool)> {
    let chosen = filter.choose_page(db, page)?;
    let (records, is_whole) = read(db, &chosen, page.order())?;
    let (records, are_more) = page.cut(records);
    Ok((records, are_more || !is_whole))
}

/// Reads records by their numbers, a list in JSON, in an order, up to [`PAGE_OCTETS`]. Returns whether these are all.
fn read(db: &Connection, numbers: &str, order: &str) -> QueryResult<(Vec<Suspended>, bool)> {
    let select = format!("{SELECT} WHERE {IS_CHOSEN} ORDER BY suspense.id {order}");
    let mut select = db.prepare(&select)?;
    let mut rows = select.query([numbers])?;
    let (mut records, mut octets) = (Vec::new(), 0);
    while let Some(row) = rows.next()? {
        if octets >= PAGE_OCTETS {
            return Ok((records, false));
        }
        let record = Suspended::of(row)?;
        octets += record.octets.len();
        records.push(record);
    }
    Ok((records, true))
}

/// The columns of a listed record.
pub const SELECT: &str = "SELECT suspense.id, why, done_ms, network_element, name, record, offset, node, reason, octets,
    octets_digest, state, asked IS NOT NULL, came IS NOT NULL, (SELECT count(*) FROM retry WHERE retry.record = suspense.id),
    waited_in, (SELECT code FROM reason WHERE id = reason_id), (SELECT template FROM reason WHERE id = reason_id),
    reason_values
    FROM set_aside AS suspense JOIN file ON file.id = suspense.file";

impl Suspended {
    /// Reads a row of [`SELECT`]. Octets that do not match their digest are no error: see [`is_sound`](Self::is_sound).
    pub fn of(row: &store::Row<'_>) -> QueryResult<Self> {
        let (octets, is_sound) = octets(row, 9)?;
        let reason: String = row.get(8)?;
        let (code, values) = reasons::code_and_values(row, 16)?;
        Ok(Suspended {
            id: row.get(0)?,
            why: Why::of(row.get_ref(1)?.as_str()?),
            since: shown(row.get(2)?),
            network_element: row.get(3)?,
            file: row.get(4)?,
            record: row.get(5)?,
            offset: row.get(6)?,
            node: row.get(7)?,
            reason: if is_sound { reason } else { checksum::damage(&reason) },
            octets,
            is_sound,
            state: State::of(row.get_ref(11)?.as_str()?),
            is_retry_requested: row.get(12)?,
            edited: row.get(13)?,
            retries: row.get(14)?,
            waited_in: row.get(15)?,
            code,
            values,
        })
    }
}

#[cfg(test)]
mod tests {
    use std::convert::Infallible;

    use super::staging::tests::{RECORDS, end, journal, set_aside};
    use super::*;

    #[test]
    fn who_reads_slowly_does_not_keep_the_log_from_being_begun_anew() {
        let folder = tempfile::tempdir().unwrap();
        let flow = folder.path().join("flow.toml");
        std::fs::write(&flow, "").unwrap();
        let journal = journal(folder.path());
        end(&journal, set_aside(&journal));
        let mut given = Vec::new();
        let give = |record: Suspended| {
            if given.is_empty() {
                journal
                    .journal
                    .commit(|db| db.execute_batch("UPDATE file SET marked = 1"))
                    .unwrap();
                let db = Connection::open(folder.path().join("flow.state/journal.db")).unwrap();
                let left = db.query_row("PRAGMA wal_checkpoint(PASSIVE)", [], |row| {
                    Ok(row.get::<_, i64>(1)? - row.get::<_, i64>(2)?)
                });
                assert_eq!(left, Ok(0), "pages of the log that cannot go to the database");
            }
            given.push(record.id);
            Ok::<(), Infallible>(())
        };
        let Ok(()) = list(&flow, &Filter::default(), give).unwrap();
        assert_eq!(given, (1..=RECORDS as i64).collect::<Vec<_>>());
    }

    #[test]
    fn a_page_has_the_oldest_that_are_chosen_and_no_more_octets_than_fit_in_memory() {
        let folder = tempfile::tempdir().unwrap();
        let journal = journal(folder.path());
        end(&journal, set_aside(&journal));
        let db = Connection::open(folder.path().join("flow.state/journal.db")).unwrap();
        let numbers = |limit, rows: store::Page| {
            let filter = Filter { limit, ..Filter::default() };
            let (records, more) = page(&db, &filter, rows).unwrap();
            (records.iter().map(|record| record.id).collect::<Vec<_>>(), more)
        };
        let newest = store::Page::newest(3);
        let last = RECORDS as i64;
        assert_eq!(numbers(None, newest), (vec![last, last - 1, last - 2], true));
        assert_eq!(numbers(Some(2), newest), (vec![2, 1], false));
        let oldest = store::Page { after: Some(1), ..newest };
        assert_eq!(numbers(Some(4), oldest), (vec![2, 3, 4], false));
        let large = "UPDATE suspense SET octets = zeroblob(?) WHERE id > 1 AND id < 5";
        db.execute(large, [PAGE_OCTETS as i64 / 2]).unwrap();
        assert_eq!(numbers(None, oldest), (vec![2, 3], true));
        let rest = store::Page { after: Some(3), ..oldest };
        assert_eq!(numbers(None, rest), (vec![4, 5, 6], true));
    }
}
