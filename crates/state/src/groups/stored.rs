//! Groups as the journal has them: all of their entries together.

use std::ops::Range;
use std::sync::Arc;

use node::groups::entry::{EntryRecord, EntrySum, WaitingSum};
use node::{
    EntryNumber, GroupEntry, GroupId, JobEntry, OpenGroup, Part, PartDigest, ReleaseKind, Sum,
    Summed, Times, WaitingRecord, key_digest,
};
use store::{Connection, OptionalExtension as _, QueryResult, params};

use super::entries::{Batch, EntryReader, StoredEntry, damaged, next_number};
use super::key_index::{KeyIndex, digest};
use super::page_state::{self, StateReader};

/// A group of the journal.
#[derive(Clone, Debug)]
pub struct StoredGroup {
    /// Its number.
    pub id: GroupId,
    /// What its records have in common.
    pub key: String,
    /// When its first record came, in milliseconds since 1970.
    pub came_ms: i64,
    /// The times of its records, if the node knows them.
    pub times: Option<Times>,
    /// Whether its time was over when it began, and it takes more records that come late.
    pub began_late: bool,
    /// Its records, in the order in which they came.
    pub records: Vec<StoredRecord>,
    /// How it ended. None if it waits.
    pub release: Option<StoredRelease>,
    /// What is summed of its records, while they wait.
    pub sums: Vec<WaitingSum>,
    entries: Vec<EntryNumber>,
    /// The batch with its first entry.
    began: Arc<Batch>,
}

/// A record of a group.
#[derive(Clone, Debug)]
pub struct StoredRecord {
    /// The job that brought it.
    pub job: JobEntry,
    /// Its number in its file.
    pub record: u64,
    /// Where in the file it begins, in octets.
    pub offset: u64,
    /// When it was made, if the node knows that.
    pub time_ms: Option<i64>,
    /// Whether it had to wait.
    pub is_held: bool,
    /// Its octets. None if its group has ended.
    pub octets: Option<Vec<u8>>,
    digest: Option<PartDigest>,
}

/// How a group ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct StoredRelease {
    /// How.
    pub kind: ReleaseKind,
    /// When, in milliseconds since 1970.
    pub at_ms: i64,
    /// The job that ended it.
    pub by: Option<JobEntry>,
}

/// The limits before which groups of a node are forgotten.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct Forgotten {
    made_ms: Option<i64>,
    released_ms: Option<i64>,
}

/// Reads groups. It has what it read last in memory, so use one for all groups of a query.
#[derive(Debug, Default)]
pub struct StoredGroups {
    index: KeyIndex,
    entries: EntryReader,
}

impl StoredGroups {
    /// Returns the group of a number. None if there is none, or it is forgotten.
    pub fn group(&mut self, db: &Connection, id: GroupId) -> QueryResult<Option<StoredGroup>> {
        let Some(first) = self.entries.entry(db, id)? else { return Ok(None) };
        if first.entry.group.is_some() {
            return Ok(None);
        }
        let forgotten = Forgotten::of(db, &first.batch.node)?;
        let group = StoredGroup::read(db, &mut self.entries, &mut StateReader::default(), first)?;
        Ok(group.filter(|group| !forgotten.has(group)))
    }

    /// Returns the groups of a key in a node, the oldest first.
    pub fn of_key(
        &mut self,
        db: &Connection,
        node: &str,
        key: &str,
    ) -> QueryResult<Vec<StoredGroup>> {
        let next = next_number(db)?;
        // A query reads few keys: to read the index of all of them would take longer.
        let read = (&mut self.entries, &mut StateReader::default());
        of_key(db, (&self.index, 0), read, (node, key), next)
    }
}

/// A group that a job ended.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ReleasedGroup {
    /// The job.
    pub job: JobEntry,
    /// The number of the group.
    pub id: GroupId,
    /// Its node.
    pub node: String,
    /// What its records have in common.
    pub key: String,
    /// How it ended.
    pub kind: ReleaseKind,
}

/// Returns the groups that later jobs than this one have ended, in the order of the jobs.
pub fn released_since(db: &Connection, job: JobEntry) -> QueryResult<Vec<ReleasedGroup>> {
    let mut released = Vec::new();
    for batch in Batch::after_job(db, job)? {
        batch.for_each(db, |StoredEntry { number, batch, entry }| {
            if let (Some(ended), Some(job)) = (entry.released, batch.job) {
                let (id, node) = (entry.group.unwrap_or(number), batch.node.clone());
                released.push(ReleasedGroup { job, id, node, key: entry.key, kind: ended.kind });
            }
            Ok(())
        })?;
    }
    Ok(released)
}

/// Returns the last group that a record of a job is in, which begins at this octet of its file.
pub fn group_of_record(
    db: &Connection,
    job: JobEntry,
    offset: u64,
) -> QueryResult<Option<GroupId>> {
    let mut group = None;
    let mut look = |batch: Arc<Batch>| {
        batch.for_each(db, |StoredEntry { number, batch, entry }| {
            let is_it = |record: &EntryRecord| {
                record.job.or(batch.job) == Some(job) && record.offset == offset
            };
            if entry.records.iter().any(is_it) {
                group = group.max(Some(entry.group.unwrap_or(number)));
            }
            Ok(())
        })
    };
    Batch::of_job(db, job)?.into_iter().try_for_each(&mut look)?;
    Batch::for_each_of_rows(db, look)?;
    Ok(group)
}

/// Returns whether a group waits.
pub fn waits(db: &Connection, id: GroupId) -> QueryResult<bool> {
    page_state::waits(db, id)
}

/// Returns the numbers of groups that wait, in one node or all, the oldest first: those whose first record came in the period
/// `came` (in milliseconds since 1970), after `after`, `limit` at most.
pub fn numbers_open(
    db: &Connection,
    node: Option<&str>,
    came: &Range<i64>,
    after: GroupId,
    limit: usize,
) -> QueryResult<Vec<GroupId>> {
    let nodes =
        "SELECT node FROM held_node WHERE open > 0 AND node = ifnull(?, node) ORDER BY node";
    let mut nodes = db.prepare_cached(nodes)?;
    let mut numbers = Vec::new();
    for node in nodes.query_map([node], |row| row.get::<_, String>(0))? {
        numbers.extend(numbers_of(db, &node?, came, after, limit)?);
    }
    numbers.sort_unstable();
    numbers.truncate(limit);
    Ok(numbers)
}

/// The condition that the groups of a page came in a period.
pub(super) const CAME: &str = "came_ms >= ?3 AND came_ms < ?4";

/// Returns the numbers of groups that wait in a node.
fn numbers_of(
    db: &Connection,
    node: &str,
    came: &Range<i64>,
    after: GroupId,
    limit: usize,
) -> QueryResult<Vec<GroupId>> {
    let mut select = db.prepare_cached(&page_state::select_open_since(CAME))?;
    let mut rows = select.query(params![node, after, came.start, came.end])?;
    let mut numbers = Vec::new();
    while numbers.len() < limit
        && let Some(page) = page_state::next(&mut rows)?
    {
        page.groups(db, after, |group| {
            numbers.push(group.id);
            Ok(())
        })?;
    }
    Ok(numbers)
}

/// Returns the groups of a key in a node that are not forgotten, the oldest first. It finds those that began before the
/// entry `next`.
pub(super) fn of_key(
    db: &Connection,
    (index, index_octets): (&KeyIndex, u64),
    (entries, states): (&mut EntryReader, &mut StateReader),
    (node, key): (&str, &str),
    next: EntryNumber,
) -> QueryResult<Vec<StoredGroup>> {
    let numbers = index.numbers(db, digest(node, key), (index_octets, next))?;
    let mut groups: Vec<StoredGroup> = Vec::new();
    for number in numbers {
        let Some(found) = entries.entry(db, number)? else { continue };
        if found.entry.key != key || found.batch.node != node {
            continue;
        }
        groups.extend(StoredGroup::read(db, entries, states, found)?);
    }
    if groups.iter().any(|group| group.release.is_some()) {
        let forgotten = Forgotten::of(db, node)?;
        groups.retain(|group| !forgotten.has(group));
    }
    Ok(groups)
}

impl StoredGroup {
    /// Reads a group whose first entry is read. None if it is forgotten, so that entries after the first are deleted.
    fn read(
        db: &Connection,
        entries: &mut EntryReader,
        states: &mut StateReader,
        first: StoredEntry,
    ) -> QueryResult<Option<Self>> {
        let state = states.group(db, first.number)?;
        let mut group = StoredGroup::begin(first);
        for number in state.later {
            match entries.entry(db, number)? {
                Some(later) if later.entry.group == Some(group.id) => group.extend(later),
                // Entries of a group that waits are not deleted.
                None if !state.waits => {}
                _ => return Err(damaged(number)),
            }
        }
        Ok(Some(group).filter(|group| state.waits || group.release.is_some()))
    }

    /// Begins a group with its first entry.
    fn begin(StoredEntry { number, batch, entry }: StoredEntry) -> Self {
        let sum = |(sum, value): (&Sum, &EntrySum)| WaitingSum {
            sum: sum.clone(),
            value: Summed::from(*value),
            is_whole: true,
        };
        let mut group = StoredGroup {
            id: number,
            key: String::new(),
            came_ms: batch.at_ms,
            times: None,
            began_late: false,
            records: Vec::with_capacity(entry.records.len()),
            release: None,
            sums: batch.sums.iter().zip(&entry.sums).map(sum).collect(),
            entries: Vec::with_capacity(1),
            began: Arc::clone(&batch),
        };
        group.add(number, &batch, entry);
        group
    }

    /// Adds an entry after the first.
    fn extend(&mut self, StoredEntry { number, batch, entry }: StoredEntry) {
        self.add_sums(&batch, &entry);
        self.add(number, &batch, entry);
    }

    /// Returns its node.
    pub fn node(&self) -> &str {
        &self.began.node
    }

    /// Returns the network element of the job that began it.
    pub fn network_element(&self) -> &str {
        &self.began.network_element
    }

    /// Adds an entry.
    fn add(&mut self, number: EntryNumber, batch: &Batch, entry: GroupEntry) {
        let GroupEntry { key, times, began_late, records, released, .. } = entry;
        self.entries.push(number);
        self.key = key;
        self.times = times.or(self.times);
        self.began_late |= began_late;
        self.records.extend(records.into_iter().map(|record| StoredRecord::of(batch, record)));
        if let Some(released) = released {
            let (by, at_ms) = released.by.unwrap_or((batch.job, batch.at_ms));
            self.release = Some(StoredRelease { kind: released.kind, at_ms, by });
            self.records.iter_mut().for_each(|record| record.octets = None);
        }
    }

    /// Adds the sums of an entry after the first.
    fn add_sums(&mut self, batch: &Batch, entry: &GroupEntry) {
        for waiting in &mut self.sums {
            let place = batch.sums.iter().position(|sum| *sum == waiting.sum);
            match place.and_then(|place| entry.sums.get(place)) {
                Some(value) => waiting.value += Summed::from(*value),
                // The entry that ends a group has none.
                None => waiting.is_whole &= entry.released.is_some(),
            }
        }
    }

    /// Returns it as its node gets it.
    pub(super) fn into_open(self) -> OpenGroup {
        let records = self.records.into_iter().map(StoredRecord::into_waiting).collect();
        let StoredGroup { id, began_late, entries, sums, .. } = self;
        OpenGroup { id, began_late, entries, records, sums }
    }

    /// Returns the digests of its records. Those of an early form have none.
    pub(super) fn digests(&self) -> impl Iterator<Item = PartDigest> {
        self.records.iter().filter_map(|record| record.digest)
    }
}

impl StoredRecord {
    fn of(batch: &Batch, record: EntryRecord) -> Self {
        let EntryRecord { job, record, offset, time_ms, is_held, digest, octets } = record;
        let job = job.or(batch.job).unwrap_or_default();
        StoredRecord { job, record, offset, time_ms, is_held, octets, digest }
    }

    fn into_waiting(self) -> WaitingRecord {
        let StoredRecord { job, record, offset, time_ms, digest, octets, .. } = self;
        let octets = octets.unwrap_or_default();
        let digest = digest.unwrap_or_else(|| key_digest(&octets));
        WaitingRecord { part: Part { time_ms, octets }, digest, job, record, offset }
    }
}

/// Returns whether a time is before a limit, where both are known.
pub(super) fn is_before(time: Option<i64>, limit: Option<i64>) -> bool {
    time.zip(limit).is_some_and(|(time, limit)| time < limit)
}

impl Forgotten {
    /// Returns the limits of a node.
    pub(super) fn of(db: &Connection, node: &str) -> QueryResult<Self> {
        let select = "SELECT made_ms, released_ms FROM group_forgotten WHERE node = ?";
        let limits =
            |row: &store::Row<'_>| Ok(Forgotten { made_ms: row.get(0)?, released_ms: row.get(1)? });
        Ok(db.prepare_cached(select)?.query_row([node], limits).optional()?.unwrap_or_default())
    }

    fn has(self, group: &StoredGroup) -> bool {
        let Some(release) = group.release else { return false };
        is_before(Some(release.at_ms), self.released_ms)
            || is_before(group.times.map(|times| times.last_ms), self.made_ms)
    }
}
