//! The entries of groups in the journal: found by number, and read page by page.
//!
//! Entries never change, so what was read of them once is right until they are deleted.

use std::borrow::Cow;
use std::sync::Arc;

use node::groups::page::{self, DamagedEntry};
use node::{EntryNumber, GroupEntry, JobEntry, Sum, key_digest};
use store::{Connection, OptionalExtension as _, QueryError, QueryResult, Row, ValueRef, params};

/// The entries that a job wrote in a node.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Batch {
    /// The number of the first.
    pub first: EntryNumber,
    /// How many there are.
    pub entries: i64,
    /// The node.
    pub node: String,
    /// The network element of the job.
    pub network_element: String,
    /// The job. None for entries that were made from rows of an earlier version: their records name jobs.
    pub job: Option<JobEntry>,
    /// When it was committed, in milliseconds since 1970.
    pub at_ms: i64,
    /// The sums that the entries have.
    pub sums: Vec<Sum>,
}

/// An entry with its place.
#[derive(Clone, Debug)]
pub(super) struct StoredEntry {
    /// Its number.
    pub number: EntryNumber,
    /// The batch that it is in.
    pub batch: Arc<Batch>,
    /// The entry.
    pub entry: GroupEntry,
}

/// Reads entries. It has the last page and batch in memory, since entries that are read one after the other are often
/// written one after the other.
#[derive(Debug, Default)]
pub(super) struct EntryReader {
    page: Option<Page>,
    batch: Option<Arc<Batch>>,
}

/// A page of entries.
#[derive(Debug)]
pub(super) struct Page {
    /// The number of its first entry.
    pub(super) first: EntryNumber,
    octets: Octets,
}

#[derive(Debug)]
enum Octets {
    Entries(Vec<u8>),
    /// A single entry in text form.
    Text(String),
}

/// An entry of the journal cannot be read. The database itself does not detect such damage.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("the octets of a record that waits were damaged in the journal: entry {number} of groups")]
pub(super) struct Damaged {
    number: EntryNumber,
}

const BATCH: &str =
    "SELECT first, entries, node, network_element, job, at_ms, sums FROM group_batch";

impl EntryReader {
    /// Returns the entry of a number. None if it is not there any more.
    pub(super) fn entry(
        &mut self,
        db: &Connection,
        number: EntryNumber,
    ) -> QueryResult<Option<StoredEntry>> {
        let Some(batch) = self.batch(db, number)? else { return Ok(None) };
        let is_in = |page: &&Page| page.place(number).is_some_and(|place| page.has(place));
        if self.page.as_ref().filter(is_in).is_none() {
            let select =
                "SELECT first, octets FROM group_page WHERE first <= ? ORDER BY first DESC LIMIT 1";
            self.page = db.prepare_cached(select)?.query_row([number], Page::of).optional()?;
        }
        if let Some(page) = &self.page
            && let Some(entry) = page.place(number).and_then(|place| page.octets(place))
        {
            return Ok(Some(StoredEntry { number, batch, entry: page.read(number, entry)? }));
        }
        // It may have been deleted since the batch was read.
        self.batch = None;
        match self.batch(db, number)? {
            Some(_) => Err(damaged(number)),
            None => Ok(None),
        }
    }

    /// Returns the batch in which an entry is. None if it is not there any more.
    pub(super) fn batch(
        &mut self,
        db: &Connection,
        number: EntryNumber,
    ) -> QueryResult<Option<Arc<Batch>>> {
        if self.batch.as_ref().is_none_or(|batch| !batch.has(number)) {
            let select = format!("{BATCH} WHERE first <= ? ORDER BY first DESC LIMIT 1");
            let batch = db.prepare_cached(&select)?.query_row([number], Batch::of).optional()?;
            self.batch = batch.filter(|batch| batch.has(number)).map(Arc::new);
        }
        Ok(self.batch.clone())
    }
}

impl Batch {
    fn of(row: &Row<'_>) -> QueryResult<Self> {
        let sums: Vec<Sum> =
            serde_json::from_str(row.get_ref(6)?.as_str()?).map_err(store::unreadable)?;
        Ok(Batch {
            first: row.get(0)?,
            entries: row.get(1)?,
            node: row.get(2)?,
            network_element: row.get(3)?,
            job: row.get(4)?,
            at_ms: row.get(5)?,
            sums,
        })
    }

    fn has(&self, number: EntryNumber) -> bool {
        (self.first..self.first + self.entries).contains(&number)
    }

    /// Returns the batches of a job.
    pub(super) fn of_job(db: &Connection, job: JobEntry) -> QueryResult<Vec<Arc<Batch>>> {
        let mut select = db.prepare_cached(&format!("{BATCH} WHERE job = ? ORDER BY first"))?;
        select.query_map([job], |row| Self::of(row).map(Arc::new))?.collect()
    }

    /// Returns the batches of later jobs, in the order of the jobs.
    pub(super) fn after_job(db: &Connection, job: JobEntry) -> QueryResult<Vec<Arc<Batch>>> {
        let mut select =
            db.prepare_cached(&format!("{BATCH} WHERE job > ? ORDER BY job, first"))?;
        select.query_map([job], |row| Self::of(row).map(Arc::new))?.collect()
    }

    /// Passes the batches that were made from rows of an earlier version to `take`. There may be millions.
    pub(super) fn for_each_of_rows(
        db: &Connection,
        mut take: impl FnMut(Arc<Batch>) -> QueryResult<()>,
    ) -> QueryResult<()> {
        let mut select = db.prepare_cached(&format!("{BATCH} WHERE job IS NULL ORDER BY first"))?;
        let mut rows = select.query([])?;
        while let Some(row) = rows.next()? {
            take(Arc::new(Self::of(row)?))?;
        }
        Ok(())
    }

    /// Returns the batches of a node since a time, the latest first.
    pub(super) fn since(db: &Connection, node: &str, at_ms: i64) -> QueryResult<Vec<Arc<Batch>>> {
        let select = format!("{BATCH} WHERE node = ? AND at_ms >= ? ORDER BY first DESC");
        let mut select = db.prepare_cached(&select)?;
        select.query_map(params![node, at_ms], |row| Self::of(row).map(Arc::new))?.collect()
    }

    /// Passes its entries to `take`.
    pub(super) fn for_each(
        self: &Arc<Self>,
        db: &Connection,
        mut take: impl FnMut(StoredEntry) -> QueryResult<()>,
    ) -> QueryResult<()> {
        let numbers = (self.first, self.first + self.entries);
        for_each_page(db, numbers, |page| {
            page.entries().try_for_each(|(number, octets)| {
                let entry = page.read(number, octets)?;
                take(StoredEntry { number, batch: Arc::clone(self), entry })
            })
        })
    }
}

/// Passes the pages that begin within a range of numbers to `take`.
pub(super) fn for_each_page(
    db: &Connection,
    (first, end): (EntryNumber, EntryNumber),
    mut take: impl FnMut(&Page) -> QueryResult<()>,
) -> QueryResult<()> {
    let select =
        "SELECT first, octets FROM group_page WHERE first >= ? AND first < ? ORDER BY first";
    let mut select = db.prepare_cached(select)?;
    let mut rows = select.query([first, end])?;
    while let Some(row) = rows.next()? {
        take(&Page::of(row)?)?;
    }
    Ok(())
}

/// Returns the page of this first number.
pub(super) fn page(db: &Connection, first: EntryNumber) -> QueryResult<Option<Page>> {
    let select = "SELECT first, octets FROM group_page WHERE first = ?";
    db.prepare_cached(select)?.query_row([first], Page::of).optional()
}

/// Notes when groups with these entries of earlier jobs ended, and the latest record time of them. The numbers are in
/// ascending order.
pub(super) fn note_ended(
    db: &Connection,
    mut numbers: &[EntryNumber],
    (at_ms, last_ms): (i64, Option<i64>),
) -> QueryResult<()> {
    let select = "SELECT first, first + entries FROM group_batch WHERE first <= ? ORDER BY first DESC LIMIT 1";
    let mut select = db.prepare_cached(select)?;
    let update = "UPDATE group_batch SET released_ms = max(ifnull(released_ms, ?1), ?1),
                      last_ms = max(ifnull(last_ms, ?2), ?2)
                  WHERE first = ?3";
    let mut update = db.prepare_cached(update)?;
    while let Some(number) = numbers.first() {
        let (first, end): (i64, i64) =
            select.query_row([number], |row| Ok((row.get(0)?, row.get(1)?)))?;
        update.execute(params![at_ms, last_ms, first])?;
        numbers = &numbers[numbers.partition_point(|number| *number < end).max(1)..];
    }
    Ok(())
}

/// Returns the first number that no entry has yet. No number is given twice, since the last batch is never deleted.
pub(super) fn next_number(db: &Connection) -> QueryResult<EntryNumber> {
    let select = "SELECT first + entries FROM group_batch ORDER BY first DESC LIMIT 1";
    let next: Option<i64> =
        db.prepare_cached(select)?.query_row([], |row| row.get(0)).optional()?;
    Ok(next.unwrap_or(1))
}

impl Page {
    fn of(row: &Row<'_>) -> QueryResult<Self> {
        let octets = match row.get_ref(1)? {
            ValueRef::Text(_) => Octets::Text(row.get(1)?),
            _ => Octets::Entries(row.get(1)?),
        };
        Ok(Page { first: row.get(0)?, octets })
    }

    /// Returns the place in the page of an entry, from 0, if the page has so many.
    fn place(&self, number: EntryNumber) -> Option<usize> {
        usize::try_from(number - self.first).ok()
    }

    fn has(&self, place: usize) -> bool {
        self.octets(place).is_some()
    }

    fn octets(&self, place: usize) -> Option<Result<&[u8], DamagedEntry>> {
        self.entries().nth(place).map(|(_, octets)| octets)
    }

    /// Returns its entries, each with its number.
    pub(super) fn entries(
        &self,
    ) -> impl Iterator<Item = (EntryNumber, Result<&[u8], DamagedEntry>)> {
        let (octets, text) = match &self.octets {
            Octets::Entries(octets) => (octets.as_slice(), None),
            Octets::Text(text) => (&[][..], Some(Ok(text.as_bytes()))),
        };
        (self.first..).zip(text.into_iter().chain(page::entries(octets)))
    }

    /// Returns the key of one of its entries, if it begins a group.
    pub(super) fn first_key<'p>(
        &self,
        number: EntryNumber,
        octets: Result<&'p [u8], DamagedEntry>,
    ) -> QueryResult<Option<Cow<'p, str>>> {
        match &self.octets {
            Octets::Entries(_) => {
                let key = octets.and_then(page::read_first_key);
                key.map(|key| key.map(Cow::Borrowed)).map_err(|_| damaged(number))
            }
            // An earlier version had one row for all of a group.
            Octets::Text(_) => self.read(number, octets).map(|entry| Some(Cow::Owned(entry.key))),
        }
    }

    /// Reads one of its entries.
    pub(super) fn read(
        &self,
        number: EntryNumber,
        octets: Result<&[u8], DamagedEntry>,
    ) -> QueryResult<GroupEntry> {
        let octets = octets.map_err(|_| damaged(number))?;
        match &self.octets {
            Octets::Entries(_) => page::read_entry(octets).map_err(|_| damaged(number)),
            Octets::Text(_) => {
                let entry: GroupEntry =
                    serde_json::from_slice(octets).map_err(store::unreadable)?;
                is_sound(&entry).then_some(entry).ok_or_else(|| damaged(number))
            }
        }
    }
}

/// Returns the error for an entry that is not there although it should be, or cannot be read.
pub(super) fn damaged(number: EntryNumber) -> QueryError {
    store::unreadable(Damaged { number })
}

/// Returns whether the records of an entry in text form are as they were put there. It has no checksum of its own.
fn is_sound(entry: &GroupEntry) -> bool {
    entry.records.iter().all(|record| match (&record.octets, record.digest) {
        (Some(octets), Some(digest)) => key_digest(octets) == digest,
        _ => true,
    })
}
