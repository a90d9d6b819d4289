//! The context of a record that was found. The trace of its file does not have it: suspense, the record's group, and
//! the later outcomes of the record.

use runtime::time::shown;
use store::{OptionalExtension as _, Row, params};

use super::after_packing::as_delivered;
use super::cursor::{Found, Wanted};
use super::find::{Fault, Finder};
use super::job::{JOB, Job};
use super::report::{InSuspense, Part, Place, Traced};
use lineage::{Line, Step};
use state::groups::{StoredGroup, StoredGroups, StoredRecord, group_of_record};

/// Whether to include the later outcomes of a record.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Later {
    Too,
    Not,
}

impl Finder<'_> {
    /// Returns the path of a record that was found.
    pub(super) fn traced(&self, job: &Job, found: Found, later: Later) -> Result<Traced, Fault> {
        let Found { record, line: Line { position, path, .. }, mut outputs } = found;
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
        let is_set_aside = path.iter().any(|step| {
            matches!(step, Step::Suspended { .. } | Step::Duplicate { .. } | Step::Unreadable)
        });
        let may_be_in_group = job.is_expiry
            || path.iter().any(|step| {
                matches!(step, Step::Held { .. } | Step::Made { .. } | Step::Released { .. })
            });
        let group = if may_be_in_group { self.group(job, position)? } else { None };
        let mut later_traces = Vec::new();
        if later == Later::Too {
            if is_set_aside {
                later_traces.extend(self.retried(job, position)?);
            }
            later_traces.extend(self.released(job, group.as_ref())?);
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
            path,
            outputs,
            suspense: if is_set_aside { self.suspense(source, position)? } else { Vec::new() },
            group: group.map_or(Ok(Vec::new()), |group| self.parts(&group))?,
            later: later_traces,
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
            path: Vec::new(),
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
                state: suspense::State::of(row.get_ref(1)?.as_str()?),
                node: row.get(2)?,
                reason: row.get(3)?,
            })
        };
        let records = select.query_map(params![job.id, position as i64], record)?;
        Ok(records.collect::<Result<_, _>>()?)
    }

    /// Returns the group that a record is in, or that a job for groups ended, if the journal has it.
    fn group(&self, job: &Job, position: u64) -> Result<Option<StoredGroup>, Fault> {
        let id = match job.is_expiry {
            true => Some(position as i64),
            false => group_of_record(self.db, job.id, position)?,
        };
        let group = id.map(|id| StoredGroups::default().group(self.db, id)).transpose()?;
        Ok(group.flatten())
    }

    /// Returns the records of a group.
    fn parts(&self, group: &StoredGroup) -> Result<Vec<Part>, Fault> {
        let mut select = self.db.prepare_cached(
            "SELECT ifnull(original.name, file.name)
             FROM file LEFT JOIN file AS original ON original.id = file.retry_of WHERE file.id = ?",
        )?;
        let part = |record: &StoredRecord| {
            Ok(Part {
                group: group.id,
                node: group.node().to_owned(),
                key: group.key.clone(),
                file: select.query_row([record.job], |row| row.get(0)).optional()?,
                record: record.record as i64,
                offset: record.offset as i64,
            })
        };
        group.records.iter().map(part).collect()
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
    fn released(&self, job: &Job, group: Option<&StoredGroup>) -> Result<Option<Traced>, Fault> {
        let Some(group) = group else { return Ok(None) };
        let by = group.release.and_then(|release| release.by).filter(|by| *by != job.id);
        let Some(by) = by.map(|by| Job::of(self.db, by)).transpose()?.flatten() else {
            return Ok(None);
        };
        let position = match by.is_expiry {
            true => Some(group.id as u64),
            // The last record of that job made the group complete.
            false => {
                let records = group.records.iter().rev();
                records.clone().find(|record| record.job == by.id).map(|record| record.offset)
            }
        };
        let Some(position) = position.filter(|_| by.row.is_some()) else { return Ok(None) };
        let found = self.find(&by, Wanted::Begins(position))?;
        found.ok().map(|found| self.traced(&by, found, Later::Not)).transpose()
    }
}
