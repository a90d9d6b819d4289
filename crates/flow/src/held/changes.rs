//! What a job changed of the groups that wait, on its way into the journal: in the transaction that finishes the job.

use journal::Entry;
use node::{Aside, CamePart, ChangedGroup, HeldChanges, Part, Release, Times};
use store::{Answer, Connection, params};

use super::sums::Sums;
use super::{late, missing};
use crate::suspense::note_digests_of_group;

/// Why records are in suspense whose group was set aside.
const OVER: &str = "its group was not complete when its time was over";

/// Notes what a job changed in a node at some time.
pub(crate) fn note(
    db: &Connection,
    Entry(file): Entry,
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
        db.prepare_cached(
            "INSERT INTO watermark (node, network_element, time_ms) VALUES (?, ?, ?)
             ON CONFLICT DO UPDATE SET time_ms = max(time_ms, excluded.time_ms)",
        )?
        .execute(params![node, element, time])?;
    }
    let now = Now { db, node, file, element: &element, at_ms };
    let (mut opened, mut sums) = (0, Sums::new(db, of)?);
    for group in groups {
        let (id, more) = now.group(group)?;
        sums.add(id, group)?;
        opened += more;
    }
    sums.note(Entry(file), node)?;
    if opened != 0 {
        // An update first: what is inserted is checked as it stands, and fewer than none is refused.
        let update = "UPDATE held_node SET open = open + ? WHERE node = ?";
        if db.prepare_cached(update)?.execute(params![opened, node])? == 0 {
            let insert = "INSERT INTO held_node (open, node) VALUES (?, ?)";
            db.prepare_cached(insert)?.execute(params![opened, node])?;
        }
    }
    Ok(())
}

/// The transaction in which a job is noted.
struct Now<'n> {
    db: &'n Connection,
    node: &'n str,
    file: i64,
    element: &'n str,
    at_ms: i64,
}

impl Now<'_> {
    /// Notes a group; returns its number, and by how many there are more open ones.
    fn group(&self, group: &ChangedGroup) -> Answer<(i64, i64)> {
        let ChangedGroup { id, key, times, began_late, came, released, .. } = group;
        let (first, last) = times.map(|times| (times.first_ms, times.last_ms)).unzip();
        let (id, begun) = match *id {
            Some(id) => {
                let update = "UPDATE held_group SET first_ms = ?, last_ms = ? WHERE id = ?";
                self.db.prepare_cached(update)?.execute(params![first, last, id])?;
                (id, 0)
            }
            None => {
                self.db
                    .prepare_cached(
                        "INSERT INTO held_group (node, key, network_element, first_ms, last_ms, came_ms, began_late)
                         VALUES (?, ?, ?, ?, ?, ?, ?)",
                    )?
                    .execute(params![
                        self.node, key, self.element, first, last, self.at_ms, began_late
                    ])?;
                (self.db.last_insert_rowid(), 1)
            }
        };
        let is_kept = matches!(released, None | Some(Release::Suspended(_)));
        came.iter().try_for_each(|part| self.part(id, part, is_kept))?;
        match released {
            Some(release) => self.release((id, key, *times), release).map(|()| (id, begun - 1)),
            None => Ok((id, begun)),
        }
    }

    fn part(&self, group: i64, came: &CamePart, is_kept: bool) -> Answer<()> {
        let CamePart { record, offset, part, digest, is_held, .. } = came;
        let Part { time_ms, octets } = part;
        let octets = is_kept.then_some(octets);
        let (record, offset) = (*record as i64, *offset as i64);
        self.db
            .prepare_cached(
                "INSERT INTO held_part (in_group, place, file, record, offset, time_ms, is_held, octets, digest)
                 VALUES (?1, (SELECT ifnull(max(place), 0) + 1 FROM held_part WHERE in_group = ?1),
                     ?2, ?3, ?4, ?5, ?6, ?7, ?8)",
            )?
            .execute(params![group, self.file, record, offset, time_ms, is_held, octets, digest])
            .map(drop)
    }

    fn release(
        &self,
        (group, key, times): (i64, &str, Option<Times>),
        release: &Release,
    ) -> Answer<()> {
        if let Release::Suspended(aside) = release {
            self.set_aside(group, aside.as_ref())?;
            missing::note_group(self.db, self.file, (self.node, key, group), times)?;
        }
        let column = match release {
            Release::Complete | Release::Expired => "released",
            Release::Dropped => "dropped",
            Release::Suspended(_) => "suspended",
        };
        self.db
            .prepare_cached(&format!(
                "UPDATE held SET waiting = waiting - of_file, {column} = {column} + of_file
                 FROM (SELECT file AS job, count(*) AS of_file FROM held_part
                       WHERE in_group = ? AND is_held GROUP BY file)
                 WHERE held.file = job AND held.node = ?"
            ))?
            .execute(params![group, self.node])?;
        let update = "UPDATE held_part SET octets = NULL WHERE in_group = ? AND octets IS NOT NULL";
        self.db.prepare_cached(update)?.execute([group])?;
        let update =
            "UPDATE held_group SET release = ?, released_ms = ?, released_by = ? WHERE id = ?";
        self.db
            .prepare_cached(update)?
            .execute(params![release.word(), self.at_ms, self.file, group])
            .map(drop)
    }

    /// Sets the records of a group aside, as they waited: they go back to the node, not to their network element, since
    /// what else became of them there stays.
    fn set_aside(&self, group: i64, aside: Option<&Aside>) -> Answer<()> {
        let (by, reason) = aside.map_or((self.node, OVER), |Aside { node, reason }| (node, reason));
        let insert = "INSERT OR IGNORE INTO kept_layout (layout)
                      SELECT layout FROM held_form WHERE node = ?";
        self.db.prepare_cached(insert)?.execute([self.node])?;
        self.db
            .prepare_cached(
                "INSERT INTO suspense (file, why, record, offset, node, reason, octets, waited_in, layout, of_group)
                 SELECT ifnull(retry_of, file.id), 'suspended', record, offset, ?3, ?4, octets, ?1,
                     (SELECT kept_layout.id FROM held_form JOIN kept_layout USING (layout) WHERE held_form.node = ?1),
                     in_group
                 FROM held_part JOIN file ON file.id = held_part.file
                 WHERE in_group = ?2 AND is_held ORDER BY place",
            )?
            .execute(params![self.node, group, by, reason])?;
        note_digests_of_group(self.db, group)
    }
}
