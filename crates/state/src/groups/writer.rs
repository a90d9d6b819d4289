//! Writes what a job changed of waiting groups, in the transaction that finishes the job.
//!
//! The one thread that writes the journal does this for each waiting record. So it looks a statement up once a job,
//! writes a group's row when the group begins or ends, and counts ended records here to write them once a file.

use std::collections::BTreeMap;

use journal::JobId;
use node::{Aside, CamePart, ChangedGroup, HeldChanges, JobEntry, Part, Release, Times};
use store::{Answer, CachedStatement, Connection, OptionalExtension as _, params};

use super::by_key::digest;
use super::sums::Sums;
use super::{late, missing};
use crate::event_time;
use suspense;
use suspense::of_group::{GroupAside, GroupRecord};

/// The reason of records whose group was set aside.
const OVER: &str = "its group was not complete when its time was over";

/// Notes the changes of a job in a node at a time.
pub fn note(
    db: &Connection,
    JobId(file): JobId,
    node: &str,
    changes: &HeldChanges,
    at_ms: i64,
) -> Answer<()> {
    let (element, name): (String, String) = db
        .prepare_cached("SELECT network_element, name FROM file WHERE id = ?")?
        .query_row([file], |row| Ok((row.get(0)?, row.get(1)?)))?;
    let HeldChanges { groups, watermark_ms, came, late, missing, sums: of } = changes;
    missing::note(db, file, node, missing)?;
    late::note(db, node, (&element, &name), (*came, *late))?;
    let held = groups.iter().flat_map(|group| &group.came).filter(|came| came.is_held).count();
    if held > 0 {
        let insert = "INSERT INTO held (file, node, waiting) VALUES (?, ?, ?)";
        db.prepare_cached(insert)?.execute(params![file, node, held as i64])?;
    }
    if let Some(time) = watermark_ms {
        event_time::note(db, node, &element, *time)?;
    }
    let mut writer = GroupWriter::new(db, (node, &element), file, at_ms)?;
    let (mut opened, mut sums) = (0, Sums::new(db, of)?);
    for group in groups {
        let (id, more) = writer.group(group)?;
        sums.add(id, group)?;
        opened += more;
    }
    writer.note_ended()?;
    sums.note(JobId(file), node)?;
    if opened != 0 {
        // The update goes first: SQLite checks the row of an insert as it is, and refuses a negative count.
        let update = "UPDATE held_node SET open = open + ? WHERE node = ?";
        if db.prepare_cached(update)?.execute(params![opened, node])? == 0 {
            let insert = "INSERT INTO held_node (open, node) VALUES (?, ?)";
            db.prepare_cached(insert)?.execute(params![opened, node])?;
        }
    }
    Ok(())
}

/// Writes the groups of a job in a node.
struct GroupWriter<'n> {
    db: &'n Connection,
    node: &'n str,
    element: &'n str,
    file: JobEntry,
    at_ms: i64,
    begin: CachedStatement<'n>,
    part: CachedStatement<'n>,
    /// For each job and column of `held`, how many records no longer wait.
    ended: BTreeMap<(JobEntry, &'static str), i64>,
}

impl<'n> GroupWriter<'n> {
    fn new(
        db: &'n Connection,
        (node, element): (&'n str, &'n str),
        file: JobEntry,
        at_ms: i64,
    ) -> Answer<Self> {
        let begin = db.prepare_cached(
            "INSERT INTO held_group (node, key, network_element, first_ms, last_ms, came_ms, began_late,
                 release, released_ms, released_by, key_digest)
             VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)",
        )?;
        let part = db.prepare_cached(
            "INSERT INTO held_part (in_group, place, file, record, offset, time_ms, is_held, octets, digest)
             VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)",
        )?;
        Ok(GroupWriter { db, node, element, file, at_ms, begin, part, ended: BTreeMap::new() })
    }

    /// Writes a group; returns its number and the change in the number of open groups.
    fn group(&mut self, group: &ChangedGroup) -> Answer<(i64, i64)> {
        let (id, begun) = match group.id {
            Some(id) => (id, 0),
            None => (self.begin(group)?, 1),
        };
        self.parts(id, group)?;
        match &group.released {
            Some(release) => self.end(id, group, release).map(|()| (id, begun - 1)),
            None => Ok((id, begun)),
        }
    }

    /// Inserts a group; it may have ended already.
    fn begin(&mut self, group: &ChangedGroup) -> Answer<i64> {
        let ChangedGroup { key, times, began_late, released, .. } = group;
        let (first, last) = first_and_last(*times);
        let release = released.as_ref().map(Release::word);
        let (released_ms, by) = release.map(|_| (self.at_ms, self.file)).unzip();
        let (node, element, at_ms) = (self.node, self.element, self.at_ms);
        self.begin.insert(params![
            node,
            key,
            element,
            first,
            last,
            at_ms,
            began_late,
            release,
            released_ms,
            by,
            digest(node, key)
        ])
    }

    /// Writes the new records of a group, after those that it has.
    fn parts(&mut self, id: i64, group: &ChangedGroup) -> Answer<()> {
        let ChangedGroup { waited, came, released, .. } = group;
        let is_kept = matches!(released, None | Some(Release::Suspended(_)));
        for (place, came) in (waited.len() as i64 + 1..).zip(came) {
            let CamePart { record, offset, part, digest, is_held, .. } = came;
            let Part { time_ms, octets } = part;
            let octets = is_kept.then_some(octets);
            let (record, offset) = (*record as i64, *offset as i64);
            let file = self.file;
            self.part.execute(params![
                id, place, file, record, offset, time_ms, is_held, octets, digest
            ])?;
        }
        match (group.id, group.times, released) {
            (Some(_), Some(times), None) => self.take_times(id, times),
            _ => Ok(()),
        }
    }

    /// Updates the record times of a waiting group.
    fn take_times(&self, id: i64, Times { first_ms, last_ms }: Times) -> Answer<()> {
        let update = "UPDATE held_group SET first_ms = ?, last_ms = ? WHERE id = ?";
        self.db.prepare_cached(update)?.execute(params![first_ms, last_ms, id]).map(drop)
    }

    /// Ends a group.
    fn end(&mut self, id: i64, group: &ChangedGroup, release: &Release) -> Answer<()> {
        let ChangedGroup { key, times, waited, came, .. } = group;
        let is_suspended = if let Release::Suspended(aside) = release {
            self.set_aside(id, aside.as_ref())?;
            missing::note_group(self.db, self.file, (self.node, key, id), *times)?;
            true
        } else {
            false
        };
        self.count_ended(waited, came, release);
        if is_suspended || !waited.is_empty() {
            let update =
                "UPDATE held_part SET octets = NULL WHERE in_group = ? AND octets IS NOT NULL";
            self.db.prepare_cached(update)?.execute([id])?;
        }
        if group.id.is_some() {
            let (first, last) = first_and_last(*times);
            let update = "UPDATE held_group SET first_ms = ?, last_ms = ?,
                              release = ?, released_ms = ?, released_by = ? WHERE id = ?";
            self.db.prepare_cached(update)?.execute(params![
                first,
                last,
                release.word(),
                self.at_ms,
                self.file,
                id
            ])?;
        }
        Ok(())
    }

    /// Counts the records of an ended group that had to wait, by the jobs that brought them.
    fn count_ended(&mut self, waited: &[JobEntry], came: &[CamePart], release: &Release) {
        let column = match release {
            Release::Complete | Release::Expired => "released",
            Release::Dropped => "dropped",
            Release::Suspended(_) => "suspended",
        };
        let held = came.iter().filter(|came| came.is_held).map(|_| self.file);
        for job in waited.iter().copied().chain(held) {
            *self.ended.entry((job, column)).or_default() += 1;
        }
    }

    /// Writes these counts to the jobs that brought the records.
    fn note_ended(self) -> Answer<()> {
        let Self { db, node, ended, .. } = self;
        ended.into_iter().try_for_each(|((job, column), records)| {
            let update = format!(
                "UPDATE held SET waiting = waiting - ?1, {column} = {column} + ?1
                 WHERE file = ?2 AND node = ?3"
            );
            db.prepare_cached(&update)?.execute(params![records, job, node]).map(drop)
        })
    }

    /// Sets the records of a group aside as they waited.
    fn set_aside(&self, group: i64, aside: Option<&Aside>) -> Answer<()> {
        let (node, reason) =
            aside.map_or((self.node, OVER), |Aside { node, reason }| (node, reason));
        let of = GroupAside { group, waited_in: self.node, node, reason };
        let mut to = suspense::of_group::AsideWriter::new(self.db, of, self.layout()?)?;
        let mut parts = self.db.prepare_cached(
            "SELECT ifnull(retry_of, file.id), record, offset, octets
             FROM held_part JOIN file ON file.id = held_part.file
             WHERE in_group = ? AND is_held ORDER BY place",
        )?;
        let mut parts = parts.query([group])?;
        while let Some(part) = parts.next()? {
            let octets = part.get_ref(3)?.as_blob()?;
            let (file, record, offset) = (part.get(0)?, part.get(1)?, part.get(2)?);
            to.put(GroupRecord { file, record, offset, octets })?;
        }
        Ok(())
    }

    /// Returns the number under which the layout of the node's records is stored for records in suspense.
    fn layout(&self) -> Answer<Option<i64>> {
        let insert = "INSERT OR IGNORE INTO kept_layout (layout)
                      SELECT layout FROM held_form WHERE node = ?";
        self.db.prepare_cached(insert)?.execute([self.node])?;
        let select = "SELECT kept_layout.id FROM held_form JOIN kept_layout USING (layout) WHERE held_form.node = ?";
        self.db.prepare_cached(select)?.query_row([self.node], |row| row.get(0)).optional()
    }
}

fn first_and_last(times: Option<Times>) -> (Option<i64>, Option<i64>) {
    times.map(|times| (times.first_ms, times.last_ms)).unzip()
}
