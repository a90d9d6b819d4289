//! The context of a record that was found. The trace of its file does not have it: suspense, the record's group, and
//! what became of the record later.

use runtime::time::shown;
use store::{OptionalExtension as _, Row, params};

use super::after_packing::as_delivered;
use super::cursor::{Found, Wanted};
use super::find::{Fault, Search};
use super::job::{JOB, Job};
use super::report::{InSuspense, Part, Place, Traced};
use lineage::{Line, Step};

/// Whether to include what became of a record later.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Later {
    Too,
    Not,
}

impl Search<'_> {
    /// Returns the path of a record that was found.
    pub(super) fn traced(&self, job: &Job, found: Found, later: Later) -> Result<Traced, Fault> {
        let Found { record, line: Line { position, way, .. }, mut outputs } = found;
        outputs.iter_mut().try_for_each(|made| as_delivered(self.db, job.id, made))?;
        let original = job.retry_of.map(|file| Job::of(self.db, file)).transpose()?.flatten();
        let source = original.as_ref().unwrap_or(job);
        let number = match original.as_ref() {
            None => Some(record).filter(|_| !job.is_expiry),
            Some(original) if original.row.is_some() => {
                self.find(original, Wanted::Begins(position))?.ok().map(|found| found.record)
            }
            Some(_) => None,
        };
        let is_set_aside = way.iter().any(|step| {
            matches!(step, Step::Suspended { .. } | Step::Duplicate { .. } | Step::Unreadable)
        });
        let may_be_in_group = job.is_expiry
            || way.iter().any(|step| {
                matches!(step, Step::Held { .. } | Step::Made { .. } | Step::Released { .. })
            });
        let group = if may_be_in_group { self.group(job, position)? } else { Vec::new() };
        let mut became = Vec::new();
        if later == Later::Too {
            if is_set_aside {
                became.extend(self.retried(job, position)?);
            }
            became.extend(self.released(job, &group)?);
        }
        Ok(Traced {
            network_element: source.network_element.clone(),
            file: source.name.clone(),
            record: number,
            offset: Some(position).filter(|_| !job.is_expiry),
            done: shown(job.done_ms),
            job: job.id,
            retried: job.retry_of.is_some(),
            duplicate_of: None,
            way,
            outputs,
            suspense: if is_set_aside { self.suspense(source, position)? } else { Vec::new() },
            group,
            later: became,
        })
    }

    /// Returns the path of a record of a duplicate file. Such records are only counted.
    pub(super) fn of_duplicate(&self, job: &Job, place: Place) -> Result<Traced, Fault> {
        let original = job.duplicate_of.map(|file| Job::of(self.db, file)).transpose()?.flatten();
        let (record, offset) = match place {
            Place::Record(record) => (Some(record), None),
            Place::Offset(offset) => (None, Some(offset)),
        };
        Ok(Traced {
            network_element: job.network_element.clone(),
            file: job.name.clone(),
            record,
            offset,
            done: shown(job.done_ms),
            job: job.id,
            retried: false,
            duplicate_of: original.map(|original| original.name),
            way: Vec::new(),
            outputs: Vec::new(),
            suspense: Vec::new(),
            group: Vec::new(),
            later: Vec::new(),
        })
    }

    fn suspense(&self, job: &Job, position: u64) -> Result<Vec<InSuspense>, Fault> {
        let mut select = self.db.prepare_cached(
            "SELECT id, state, node, reason FROM set_aside WHERE file = ? AND offset = ? ORDER BY id",
        )?;
        let record = |row: &Row<'_>| {
            Ok(InSuspense {
                id: row.get(0)?,
                state: row.get(1)?,
                node: row.get(2)?,
                reason: row.get(3)?,
            })
        };
        let records = select.query_map(params![job.id, position as i64], record)?;
        Ok(records.collect::<Result<_, _>>()?)
    }

    /// Returns the records of the group that a record is in, or of the group itself.
    fn group(&self, job: &Job, position: u64) -> Result<Vec<Part>, Fault> {
        let position = position as i64;
        let group: Option<i64> = match job.is_expiry {
            true => Some(position),
            false => self
                .db
                .prepare_cached(
                    "SELECT in_group FROM held_part WHERE file = ? AND offset = ?
                     ORDER BY in_group DESC LIMIT 1",
                )?
                .query_row(params![job.id, position], |row| row.get(0))
                .optional()?,
        };
        let mut select = self.db.prepare_cached(
            "SELECT in_group, node, key, ifnull(original.name, file.name), held_part.record, held_part.offset
             FROM held_part JOIN held_group ON held_group.id = in_group
                 LEFT JOIN file ON file.id = held_part.file
                 LEFT JOIN file AS original ON original.id = file.retry_of
             WHERE in_group = ? ORDER BY place",
        )?;
        let part = |row: &Row<'_>| {
            Ok(Part {
                group: row.get(0)?,
                node: row.get(1)?,
                key: row.get(2)?,
                file: row.get(3)?,
                record: row.get(4)?,
                offset: row.get(5)?,
            })
        };
        Ok(select.query_map([group], part)?.collect::<Result<_, _>>()?)
    }

    /// Returns the path of each retry of a record.
    fn retried(&self, job: &Job, position: u64) -> Result<Vec<Traced>, Fault> {
        let of = job.retry_of.unwrap_or(job.id);
        let select = format!("{JOB} WHERE retry_of = ? AND file.id > ? ORDER BY file.id");
        let mut retried = Vec::new();
        for retry in Job::all(self.db, &select, params![of, job.id])? {
            if retry.row.is_none() {
                continue;
            }
            if let Ok(found) = self.find(&retry, Wanted::Begins(position))? {
                retried.push(self.traced(&retry, found, Later::Not)?);
            }
        }
        Ok(retried)
    }

    /// Returns the path of a group that another job ended.
    fn released(&self, job: &Job, group: &[Part]) -> Result<Option<Traced>, Fault> {
        let Some(Part { group, .. }) = group.first() else { return Ok(None) };
        let by = "SELECT released_by FROM held_group WHERE id = ?";
        let by: Option<i64> = self.db.prepare_cached(by)?.query_row([group], |row| row.get(0))?;
        let Some(by) =
            by.filter(|by| *by != job.id).map(|by| Job::of(self.db, by)).transpose()?.flatten()
        else {
            return Ok(None);
        };
        let position = match by.is_expiry {
            true => Some(*group),
            // The last record of that job made the group complete.
            false => self
                .db
                .prepare_cached(
                    "SELECT offset FROM held_part WHERE in_group = ? AND file = ?
                     ORDER BY place DESC LIMIT 1",
                )?
                .query_row([*group, by.id], |row| row.get(0))
                .optional()?,
        };
        let Some(position) = position.filter(|_| by.row.is_some()) else { return Ok(None) };
        let found = self.find(&by, Wanted::Begins(position as u64))?;
        found.ok().map(|found| self.traced(&by, found, Later::Not)).transpose()
    }
}
