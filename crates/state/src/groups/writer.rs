//! Writes what a job changed of groups, in the transaction of the job.
//!
//! The one thread that writes the journal does this, so the worker has made the entries already, page by page. For each
//! group that ended, only a bit changes.

use std::collections::BTreeMap;

use journal::JobId;
use node::groups::page::EntryPage;
use node::groups::{Aside, AsideRecord, EndedRecords, GroupAmount, GroupAside};
use node::{EntryNumber, GroupChanges, JobEntry, ReleaseKind};
use reason::Reason;
use store::{Connection, OptionalExtension as _, QueryResult, params};

use assurance::control_totals::AmountRow;
use suspense::of_group::{AsideWriter, GroupRecord};

use super::entries::{self, next_number};
use super::key_index::sealed;
use super::reason::GroupReason;
use super::{late, missing, page_state, request};
use crate::event_time;

/// Writes the changes of a job in a node at a time.
pub fn note(
    db: &Connection,
    JobId(job): JobId,
    node: &str,
    changes: &GroupChanges,
    at_ms: i64,
) -> QueryResult<()> {
    let (element, name): (String, String) = db
        .prepare_cached("SELECT network_element, name FROM file WHERE id = ?")?
        .query_row([job], |row| Ok((row.get(0)?, row.get(1)?)))?;
    missing::note(db, job, node, &changes.missing)?;
    late::note(db, node, (&element, &name), (changes.came, changes.late))?;
    if changes.held > 0 {
        let insert = "INSERT INTO held (file, node, waiting) VALUES (?, ?, ?)";
        db.prepare_cached(insert)?.execute(params![job, node, changes.held as i64])?;
    }
    if let Some(time) = changes.watermark_ms {
        event_time::note(db, node, &element, time)?;
    }
    let job = Job { db, node, element: &element, job, at_ms };
    let first = job.pages(changes)?;
    job.groups(first, changes)?;
    job.ended(&changes.ended)?;
    for aside in &changes.set_aside {
        job.set_aside(first, aside)?;
    }
    for GroupAmount { side, name, value } in &changes.amounts {
        AmountRow::new(node, side.word(), name, *value).insert(db, JobId(job.job))?;
    }
    job.count(changes.opened)
}

/// A job whose changes of a node are written.
struct Job<'n> {
    db: &'n Connection,
    node: &'n str,
    element: &'n str,
    job: JobEntry,
    at_ms: i64,
}

impl Job<'_> {
    /// Writes the entries. Returns the number of the first.
    fn pages(&self, changes: &GroupChanges) -> QueryResult<EntryNumber> {
        let Job { db, node, element, job, at_ms } = *self;
        let first = next_number(db)?;
        let entries: i64 = changes.pages.iter().map(|page| i64::from(page.entries)).sum();
        if entries == 0 {
            return Ok(first);
        }
        let insert = "INSERT INTO group_batch (first, entries, node, network_element, job, at_ms, sums, released_ms, last_ms)
                      VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)";
        let sums = serde_json::to_string(&changes.sums).map_err(store::undone)?;
        let released_ms = changes.ended_last_ms.map(|_| at_ms);
        let last_ms = changes.ended_last_ms;
        let values = params![first, entries, node, element, job, at_ms, sums, released_ms, last_ms];
        db.prepare_cached(insert)?.execute(values)?;
        let mut insert =
            db.prepare_cached("INSERT INTO group_page (first, octets) VALUES (?, ?)")?;
        let mut number = first;
        for page in &changes.pages {
            let EntryPage { entries, octets, .. } = page;
            insert.execute(params![number, octets])?;
            page_state::begin(db, number, node, page, at_ms)?;
            number += i64::from(*entries);
        }
        sealed::seal(db, number)?;
        Ok(first)
    }

    /// Notes which groups of earlier jobs go on, and which have ended. `first` is the number of the job's first entry.
    fn groups(&self, first: EntryNumber, changes: &GroupChanges) -> QueryResult<()> {
        page_state::change(self.db, first, (&changes.linked, &changes.closed))?;
        entries::note_ended(self.db, &changes.closed, (self.at_ms, changes.ended_last_ms))?;
        request::close(self.db, &changes.closed)
    }

    /// Notes with the jobs that brought them that records wait no more.
    fn ended(&self, ended: &[EndedRecords]) -> QueryResult<()> {
        let mut by_job: BTreeMap<(JobEntry, &str), u64> = BTreeMap::new();
        for EndedRecords { job, kind, records } in ended {
            let column = match kind {
                ReleaseKind::Complete | ReleaseKind::Expired => "released",
                ReleaseKind::Dropped => "dropped",
                ReleaseKind::Suspended => "suspended",
            };
            *by_job.entry((job.unwrap_or(self.job), column)).or_default() += records;
        }
        by_job.into_iter().try_for_each(|((job, column), records)| {
            let update = format!(
                "UPDATE held SET waiting = waiting - ?1, {column} = {column} + ?1
                 WHERE file = ?2 AND node = ?3"
            );
            let values = params![records as i64, job, self.node];
            self.db.prepare_cached(&update)?.execute(values).map(drop)
        })
    }

    /// Sets the records of a group aside as they waited. `first` is the number of the job's first entry.
    fn set_aside(&self, first: EntryNumber, group: &GroupAside) -> QueryResult<()> {
        let GroupAside { id, entry, key, times, aside, records } = group;
        let id = id.unwrap_or(first + i64::from(*entry));
        let over = Reason::of(&GroupReason::Over);
        let (node, reason) =
            aside.as_ref().map_or((self.node, &over), |Aside { node, reason }| (node, reason));
        let of = suspense::of_group::GroupAside { group: id, waited_in: self.node, node, reason };
        let mut to = AsideWriter::new(self.db, of, self.layout()?)?;
        let original = "SELECT ifnull(retry_of, id) FROM file WHERE id = ?";
        let mut original = self.db.prepare_cached(original)?;
        for AsideRecord { job, record, offset, octets } in records {
            let file = original.query_row([job.unwrap_or(self.job)], |row| row.get(0))?;
            let (record, offset) = (*record as i64, *offset as i64);
            to.put(GroupRecord { file, record, offset, octets })?;
        }
        missing::note_group(self.db, self.job, (self.node, key, id), *times)
    }

    /// Returns the number under which the layout of the node's records is stored for records in suspense.
    fn layout(&self) -> QueryResult<Option<i64>> {
        let insert = "INSERT OR IGNORE INTO kept_layout (layout)
                      SELECT layout FROM held_form WHERE node = ?";
        self.db.prepare_cached(insert)?.execute([self.node])?;
        let select = "SELECT kept_layout.id FROM held_form JOIN kept_layout USING (layout) WHERE held_form.node = ?";
        self.db.prepare_cached(select)?.query_row([self.node], |row| row.get(0)).optional()
    }

    /// Counts the groups that wait in the node.
    fn count(&self, opened: i64) -> QueryResult<()> {
        if opened == 0 {
            return Ok(());
        }
        // The update goes first: SQLite checks the row of an insert as it is, and refuses a negative count.
        let update = "UPDATE held_node SET open = open + ? WHERE node = ?";
        if self.db.prepare_cached(update)?.execute(params![opened, self.node])? == 0 {
            let insert = "INSERT INTO held_node (open, node) VALUES (?, ?)";
            self.db.prepare_cached(insert)?.execute(params![opened, self.node])?;
        }
        Ok(())
    }
}
