//! Requests retries of records, and waits until they are done.

use ::suspense::change::{request, withdraw};
use ::suspense::{Alike, Filter, IS_CHOSEN, State, counted, octets};
use flow::flow_journal::JournalError;
use journal::audit_trail::Author;
use people::Role;
use serde::{Deserialize, Serialize};
use store::{Connection, QueryResult};
use utoipa::ToSchema;

use super::filter::{ChoiceError, ChosenRecords, known};
use super::hidden::hide_alike;
use crate::context::Context;
use crate::operation::Operation;
use crate::refusals;
use crate::request::{AskError, RequestTarget, Waiting};

/// The result of a retry.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub struct RetriedRecords {
    /// The number of records in suspense that were requested, with the other open records of their
    /// groups.
    #[serde(rename = "asked")]
    pub requested: u64,
    /// The number of records that were processed. It is greater than that of the retried entries if
    /// undecodable octets turned out to be several records.
    pub records: u64,
    /// Records delivered to a post-processing system.
    pub delivered: u64,
    /// Records that no node or system took.
    pub filtered: u64,
    /// Records that wait in a matching node.
    pub held: u64,
    /// Records that are in suspense again.
    pub suspended: u64,
    /// Records that are duplicates and were set aside as such.
    pub duplicate: u64,
    /// The reasons of the records that are in suspense again.
    pub reasons: Vec<Alike>,
    /// Requested records that the gateway has not retried yet.
    pub waiting: u64,
    /// Requested records whose retry was cancelled meanwhile.
    pub taken_back: u64,
    /// Duplicates that were not retried, because the request did not include duplicates.
    pub left: u64,
    /// The numbers of the records that were not retried, because their octets are damaged in the
    /// journal.
    pub damaged: Vec<i64>,
    /// The problems.
    #[serde(skip)]
    pub problems: Vec<String>,
}

/// Retries open records.
///
/// They go through the flow as its files are now. If a record was set aside with its group, the whole group is retried.
/// The request returns when all records are done, or after five seconds; the gateway retries the rest (`waiting`)
/// later.
#[derive(Clone, Debug, Default, Deserialize, ToSchema)]
pub struct RetryRecords {
    /// The records.
    #[serde(flatten)]
    pub chosen: ChosenRecords,
    /// Whether to retry duplicates too.
    #[serde(default)]
    pub duplicates: bool,
}

/// Takes back requests for retries that are not done yet.
///
/// The records stay open.
#[derive(Clone, Debug, Default, Deserialize, ToSchema)]
pub struct TakeBackRetries {
    /// The records.
    #[serde(flatten)]
    pub chosen: ChosenRecords,
}

/// The result of taking retries back.
#[derive(Clone, Copy, Debug, Serialize, ToSchema)]
pub struct TakenBack {
    /// The number of records that are not to be retried any more.
    pub taken_back: usize,
}

refusals! {
    /// Why records are not retried.
    pub enum RetryRecordsError {
        /// The request does not say which records, or is for other records.
        Choice(ChoiceError) => [Wrong, Forbidden],
        /// The flow has mistakes, or its gateway does not answer.
        Request(AskError) => [Conflict, NotReady],
        /// A name in the filter is unknown, or the journal fails.
        Journal(JournalError) => [Unknown],
    }
}

impl Operation for RetryRecords {
    type Response = RetriedRecords;
    type Error = RetryRecordsError;

    const NAME: &'static str = "suspense retry";
    const ROLE: Role = Role::Operator;
    const ACTIONS: &[&str] = &[Self::NAME];
    const IS_LONG: bool = true;

    /// Requests the retries, and waits until the gateway that runs the flow has done them, or does them if none runs.
    /// After a stop or a problem, some may be left: the next gateway retries those.
    fn perform(self, context: &Context<'_>) -> Result<RetriedRecords, RetryRecordsError> {
        let RetryRecords { chosen, duplicates } = self;
        let access = context.subscriber_access();
        let filter = chosen.in_state(State::Open, &access)?;
        known(context, &filter)?;
        let ask = |db: &Connection| {
            context.record(db, Self::NAME, |author| ask(db, &filter, duplicates, author))
        };
        let so_far = |db: &Connection, asking: &Asking| {
            let retried = so_far(db, &asking.entries)?;
            let waiting = Waiting(retried.waiting);
            Ok((retried, waiting))
        };
        let target = RequestTarget::new(context.flow, context.parts)?;
        let (asking, retried, problems) = target.wait(ask, so_far, &context.run_options())?;
        let not_done = asking.records.saturating_sub(retried.requested);
        let since = match not_done {
            0 => Vec::new(),
            _ => context.read(|db| damaged_since(db, &asking.chosen))?,
        };
        let since = Vec::from_iter(since.into_iter().filter(|id| !asking.damaged.contains(id)));
        let taken_back = not_done.saturating_sub(since.len() as u64);
        let damaged = [asking.damaged, since].concat();
        let mut reasons = context.read(|db| reasons(db, &asking.entries))?;
        if let Some(mask) = access.mask() {
            reasons.iter_mut().for_each(|alike| hide_alike(mask, alike));
        }
        let left = asking.left;
        Ok(RetriedRecords { taken_back, left, damaged, problems, reasons, ..retried })
    }
}

impl Operation for TakeBackRetries {
    type Response = TakenBack;
    type Error = RetryRecordsError;

    const NAME: &'static str = "suspense retry --take-back";
    const ROLE: Role = Role::Operator;
    const ACTIONS: &[&str] = &[Self::NAME];
    const IS_LONG: bool = true;

    fn perform(self, context: &Context<'_>) -> Result<TakenBack, RetryRecordsError> {
        let filter = self.chosen.in_state(State::Open, &context.subscriber_access())?;
        known(context, &filter)?;
        let taken_back = context.change(Self::NAME, |db, author| take_back(db, &filter, author))?;
        Ok(TakenBack { taken_back })
    }
}

/// A request.
struct Asking {
    /// The numbers of the records, as a list in JSON.
    chosen: String,
    /// The numbers of the entries of the audit trail, as a list in JSON. Records of an earlier request that still wait
    /// have other entries than new ones.
    entries: String,
    /// How many records they request.
    records: u64,
    /// How many duplicates are left.
    left: u64,
    /// The numbers of those whose octets were damaged.
    damaged: Vec<i64>,
}

/// Requests retries.
fn ask(
    db: &Connection,
    filter: &Filter,
    duplicates: bool,
    author: &Author<'_>,
) -> QueryResult<Asking> {
    let chosen = Filter { state: Some(State::Open), ..filter.clone() }.choose(db)?;
    let chosen = with_their_groups(db, &chosen)?;
    let select = format!(
        "SELECT id, why = 'duplicate', octets, octets_digest FROM suspense
         WHERE {IS_CHOSEN} AND asked IS NULL ORDER BY id"
    );
    let mut select = db.prepare(&select)?;
    let mut rows = select.query([&chosen])?;
    let (mut ids, mut damaged, mut left) = (Vec::new(), Vec::new(), 0);
    while let Some(row) = rows.next()? {
        let id: i64 = row.get(0)?;
        let is_duplicate: bool = row.get(1)?;
        match octets(row, 2)? {
            (_, false) => damaged.push(id),
            _ if is_duplicate && !duplicates => left += 1,
            _ => ids.push(id),
        }
    }
    if !ids.is_empty() {
        let entry = author.record(db, &filter.subject(&ids), "")?;
        request(db, &ids, entry)?;
    }
    let entries = format!(
        "SELECT json_group_array(DISTINCT asked) FROM suspense
         WHERE {IS_CHOSEN} AND asked IS NOT NULL"
    );
    let entries: String = db.query_row(&entries, [&chosen], |row| row.get(0))?;
    let records = so_far(db, &entries)?.requested;
    Ok(Asking { chosen, entries, records, left, damaged })
}

/// Returns the open records that are not requested because their octets were damaged.
fn damaged_since(db: &Connection, chosen: &str) -> QueryResult<Vec<i64>> {
    let select = format!(
        "SELECT id, octets, octets_digest FROM suspense
         WHERE {IS_CHOSEN} AND state = 'open' AND asked IS NULL ORDER BY id"
    );
    let mut select = db.prepare(&select)?;
    let rows = select.query_map([chosen], |row| Ok((row.get(0)?, octets(row, 1)?.1)))?;
    let rows = rows.collect::<QueryResult<Vec<(i64, bool)>>>()?;
    Ok(rows.into_iter().filter(|(_, is_sound)| !is_sound).map(|(id, _)| id).collect())
}

/// Withdraws retries that have not been done yet. Returns how many.
fn take_back(db: &Connection, filter: &Filter, author: &Author<'_>) -> QueryResult<usize> {
    let chosen = with_their_groups(db, &filter.choose(db)?)?;
    let ids = withdraw(db, &chosen)?;
    if !ids.is_empty() {
        author.record(db, &filter.subject(&ids), "")?;
    }
    Ok(ids.len())
}

/// Adds the open records of all groups of the chosen ones: a single part would go out alone.
fn with_their_groups(db: &Connection, chosen: &str) -> QueryResult<String> {
    let select = "SELECT json_group_array(id) FROM (
             SELECT value AS id FROM json_each(?1) UNION
             SELECT other.id FROM json_each(?1) JOIN suspense ON suspense.id = value
             JOIN suspense AS other ON other.of_group = suspense.of_group AND other.state = 'open')";
    db.query_row(select, [chosen], |row| row.get(0))
}

/// Returns why records of some entries are in suspense again.
fn reasons(db: &Connection, entries: &str) -> QueryResult<Vec<Alike>> {
    let mut select = db.prepare(
        "WITH done AS
             (SELECT record, outcome FROM retry WHERE asked IN (SELECT value FROM json_each(?)))
         SELECT record FROM done WHERE outcome IN ('suspended', 'duplicate') UNION ALL
         SELECT id FROM suspense WHERE part_of IN (SELECT record FROM done WHERE outcome = 'divided')",
    )?;
    let failed = select.query_map([entries], |row| row.get(0))?.collect::<QueryResult<_>>()?;
    let failed = Filter { ids: Some(failed), ..Filter::default() };
    Ok(counted(db, &failed, usize::MAX)?.groups)
}

/// Returns the numbers of the records of some entries so far. They are read again and again while a caller waits.
fn so_far(db: &Connection, entries: &str) -> QueryResult<RetriedRecords> {
    let sums: [i64; 8] = db.query_row(
        "WITH entry AS (SELECT value FROM json_each(?))
         SELECT ifnull(sum(records), 0), ifnull(sum(delivered), 0), ifnull(sum(filtered), 0),
             ifnull(sum(held), 0), ifnull(sum(suspended), 0), ifnull(sum(duplicate), 0), (SELECT count(*) FROM suspense WHERE asked IN entry),
             (SELECT count(*) FROM retry WHERE asked IN entry)
         FROM file WHERE id IN (SELECT job FROM retry WHERE asked IN entry)",
        [entries],
        |row| {
            let mut sums = [0; 8];
            for (place, sum) in sums.iter_mut().enumerate() {
                *sum = row.get(place)?;
            }
            Ok(sums)
        },
    )?;
    let [records, delivered, filtered, held, suspended, duplicate, waiting, done] =
        sums.map(|count| count as u64);
    Ok(RetriedRecords {
        requested: done + waiting,
        records,
        delivered,
        filtered,
        held,
        suspended,
        duplicate,
        reasons: Vec::new(),
        waiting,
        taken_back: 0,
        left: 0,
        damaged: Vec::new(),
        problems: Vec::new(),
    })
}
