//! Finds the way of records: from what was made of them back to where they came from, and on from there.

use std::io;
use std::path::{Path, PathBuf};

use store::{Connection, NoAnswer, OptionalExtension as _, Row, params};

use super::block::Line;
use super::column::NoColumn;
use super::report::{InSuspense, Part, Place, TraceError, TraceQuery, Traced};
use super::row::TraceRow;
use super::seen::{Found, Seen, Wanted};
use super::shelf::Shelf;
use super::sliced::{MadeFile, as_delivered};
use super::step::Step;
use crate::file;
use crate::journal::{self, JournalError};
use crate::time::shown;

/// Finds the way of records, whether a gateway runs the flow or not. What the flow is now does not matter: the trace has
/// what it was then.
pub fn trace(flow: &Path, query: &TraceQuery) -> Result<Vec<Traced>, TraceError> {
    look(flow, |search| match query {
        TraceQuery::Source { file, network_element, places } => {
            search.source(file, network_element.as_deref(), places)
        }
        TraceQuery::Output { file, places } => search.output(file, places),
    })
}

/// Finds the way of records of a file that was collected, by its number in the journal and theirs in it, which are in order.
pub(super) fn of_job(flow: &Path, job: i64, records: &[u64]) -> Result<Vec<Traced>, TraceError> {
    look(flow, |search| {
        let Some(job) = search.job(job)? else { return Ok(Vec::new()) };
        let found = search.find_all(&job, records)?;
        found.into_iter().map(|found| search.traced(&job, found, Later::Too)).collect()
    })
}

fn look<T>(
    flow: &Path,
    search: impl FnOnce(Search<'_>) -> Result<T, Fault>,
) -> Result<T, TraceError> {
    let cause = |cause| JournalError::Flow { flow: flow.into(), cause };
    let shelf = Shelf::new(&file::outline(flow).map_err(cause)?.state);
    let found = journal::look(flow, |db| match search(Search { db, shelf: &shelf }) {
        Ok(found) => Ok(Ok(found)),
        Err(Fault::NoAnswer(error)) => Err(error),
        Err(Fault::Error(error)) => Ok(Err(error)),
    });
    found?
}

/// Why a search has ended.
#[derive(Debug)]
enum Fault {
    NoAnswer(NoAnswer),
    Error(TraceError),
}

impl From<NoAnswer> for Fault {
    fn from(error: NoAnswer) -> Self {
        Fault::NoAnswer(error)
    }
}

impl From<TraceError> for Fault {
    fn from(error: TraceError) -> Self {
        Fault::Error(error)
    }
}

struct Search<'s> {
    db: &'s Connection,
    shelf: &'s Shelf,
}

/// A file that is done, or a job without one.
struct Job {
    id: i64,
    network_element: String,
    name: String,
    done_ms: i64,
    retry_of: Option<i64>,
    is_expiry: bool,
    duplicate_of: Option<i64>,
    row: Option<TraceRow>,
    /// By system: the file that was made.
    outputs: Vec<(String, PathBuf)>,
}

const JOB: &str = "SELECT file.id, network_element, name, done_ms, retry_of, expired_in IS NOT NULL, duplicate_of, row
     FROM file LEFT JOIN trace ON trace.file = file.id";

impl Search<'_> {
    fn source(
        &self,
        name: &str,
        network_element: Option<&str>,
        places: &[Place],
    ) -> Result<Vec<Traced>, Fault> {
        // What somebody writes behind a folder is its name all the same.
        let name = Path::new(name).file_name().map_or(name.into(), |name| name.to_string_lossy());
        let jobs = self.jobs(
            &format!(
                "{JOB} WHERE name = ?1 AND (?2 IS NULL OR network_element = ?2)
                     AND retry_of IS NULL AND expired_in IS NULL ORDER BY file.id"
            ),
            params![name, network_element],
        )?;
        if jobs.is_empty() {
            return Err(TraceError::NoSource(name.into()).into());
        }
        let mut traced = Vec::new();
        for place in places {
            for job in &jobs {
                if job.duplicate_of.is_some() {
                    traced.push(self.of_duplicate(job, *place)?);
                    continue;
                }
                let wanted = match place {
                    Place::Record(record) => Wanted::Record(*record),
                    Place::Offset(offset) => Wanted::Within(*offset),
                };
                let found = self.find(job, wanted)?.map_err(|has| none(&job.name, *place, &has))?;
                traced.push(self.traced(job, found, Later::Too)?);
            }
        }
        Ok(traced)
    }

    fn output(&self, given: &str, places: &[Place]) -> Result<Vec<Traced>, Fault> {
        let name = Path::new(given).file_name().map_or(given.into(), |name| name.to_string_lossy());
        let mut made = MadeFile::named(self.db, &name)?;
        // Of several of one name, that which is meant.
        if made.iter().any(|made| given.ends_with(made.path.as_str())) {
            made.retain(|made| given.ends_with(made.path.as_str()));
        }
        let Some(last) = made.last() else {
            return Err(TraceError::NoOutput(given.into()).into());
        };
        let mut traced = Vec::new();
        for place in places {
            let before = traced.len();
            for of in &made {
                let Some(within) = of.place(*place) else { continue };
                let Some(job) = self.job(of.job)? else { continue };
                let wanted = Wanted::Made { system: &of.system, place: within };
                let found = self.find(&job, wanted)?.map_err(|has| none(&of.path, *place, &has))?;
                traced.push(self.traced(&job, found, Later::Not)?);
            }
            if let Some(has) = last.has(*place).filter(|_| traced.len() == before) {
                return Err(none(&last.path, *place, &has).into());
            }
        }
        Ok(traced)
    }

    fn jobs(&self, select: &str, by: impl store::Params) -> Result<Vec<Job>, Fault> {
        let mut select = self.db.prepare(select)?;
        let mut rows = select.query(by)?;
        let mut jobs = Vec::new();
        while let Some(row) = rows.next()? {
            let octets: Option<Vec<u8>> = row.get(7)?;
            let trace = octets.map(|octets| postcard::from_bytes(&octets)).transpose();
            jobs.push(Job {
                id: row.get(0)?,
                network_element: row.get(1)?,
                name: row.get(2)?,
                done_ms: row.get(3)?,
                retry_of: row.get(4)?,
                is_expiry: row.get(5)?,
                duplicate_of: row.get(6)?,
                row: trace.map_err(|_| TraceError::Damaged)?,
                outputs: self.outputs(row.get(0)?)?,
            });
        }
        Ok(jobs)
    }

    fn job(&self, id: i64) -> Result<Option<Job>, Fault> {
        Ok(self.jobs(&format!("{JOB} WHERE file.id = ?"), [id])?.pop())
    }

    fn outputs(&self, job: i64) -> Result<Vec<(String, PathBuf)>, Fault> {
        let mut select = self.db.prepare_cached(
            "SELECT post_processing_system, path FROM output
             WHERE file = ? AND post_processing_system IS NOT NULL",
        )?;
        let output = |row: &Row<'_>| Ok((row.get(0)?, PathBuf::from(row.get::<_, String>(1)?)));
        let outputs = select.query_map([job], output)?.collect::<Result<_, _>>()?;
        Ok(outputs)
    }

    /// What the trace of a job has of a record; or how much there is of what was asked for.
    fn find(&self, job: &Job, wanted: Wanted<'_>) -> Result<Result<Found, String>, Fault> {
        let row = job.row.as_ref().ok_or_else(|| TraceError::NoTrace(job.name.clone()))?;
        let mut seen = Seen::new(row, &job.outputs);
        let mut found = Ok(None);
        let read = row.read(self.shelf, |octets| {
            found = seen.look(octets, wanted);
            Ok(matches!(found, Ok(None)))
        });
        read.map_err(|error| unread(job, error))?;
        let damaged = |NoColumn| TraceError::Damaged;
        let found = match found.map_err(damaged)? {
            Some(found) => Some(found),
            None => seen.candidate(wanted).map_err(damaged)?,
        };
        Ok(found.ok_or_else(|| seen.has(wanted)))
    }

    /// What the trace of a job has of records, whose numbers are in order.
    fn find_all(&self, job: &Job, records: &[u64]) -> Result<Vec<Found>, Fault> {
        let row = job.row.as_ref().ok_or_else(|| TraceError::NoTrace(job.name.clone()))?;
        let mut seen = Seen::new(row, &job.outputs);
        let (mut found, mut left) = (Vec::new(), Ok(records));
        let read = row.read(self.shelf, |octets| {
            if let Ok(numbers) = left {
                left = seen.all(octets, numbers, &mut found);
            }
            Ok(matches!(left, Ok([_, ..])))
        });
        read.map_err(|error| unread(job, error))?;
        match left.map_err(|NoColumn| TraceError::Damaged)? {
            [] => Ok(found),
            [missing, ..] => {
                let has = seen.has(Wanted::Record(*missing));
                Err(none(&job.name, Place::Record(*missing), &has).into())
            }
        }
    }

    fn traced(&self, job: &Job, found: Found, later: Later) -> Result<Traced, Fault> {
        let Found { record, line: Line { position, way, .. }, mut outputs } = found;
        outputs.iter_mut().try_for_each(|made| as_delivered(self.db, job.id, made))?;
        let original = job.retry_of.map(|file| self.job(file)).transpose()?.flatten();
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

    /// Of a file that came before nobody read a record but to count it.
    fn of_duplicate(&self, job: &Job, place: Place) -> Result<Traced, Fault> {
        let original = job.duplicate_of.map(|file| self.job(file)).transpose()?.flatten();
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

    /// The records of the group that a record is in, or of the group itself.
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

    /// What became of a record each time it was put through again.
    fn retried(&self, job: &Job, position: u64) -> Result<Vec<Traced>, Fault> {
        let of = job.retry_of.unwrap_or(job.id);
        let select = format!("{JOB} WHERE retry_of = ? AND file.id > ? ORDER BY file.id");
        let mut retried = Vec::new();
        for retry in self.jobs(&select, params![of, job.id])? {
            if retry.row.is_none() {
                continue;
            }
            if let Ok(found) = self.find(&retry, Wanted::Begins(position))? {
                retried.push(self.traced(&retry, found, Later::Not)?);
            }
        }
        Ok(retried)
    }

    /// What became of a group that another job ended.
    fn released(&self, job: &Job, group: &[Part]) -> Result<Option<Traced>, Fault> {
        let Some(Part { group, .. }) = group.first() else { return Ok(None) };
        let by = "SELECT released_by FROM held_group WHERE id = ?";
        let by: Option<i64> = self.db.prepare_cached(by)?.query_row([group], |row| row.get(0))?;
        let Some(by) = by.filter(|by| *by != job.id).map(|by| self.job(by)).transpose()?.flatten()
        else {
            return Ok(None);
        };
        let position = match by.is_expiry {
            true => Some(*group),
            // The last that it brought made the group complete.
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

/// Whether it is told what became of a record later.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Later {
    Too,
    Not,
}

/// A piece of the trace that somebody removed is no trace any more.
fn unread(job: &Job, error: io::Error) -> TraceError {
    match error.kind() {
        io::ErrorKind::NotFound => TraceError::NoTrace(job.name.clone()),
        _ => TraceError::Read(error),
    }
}

fn none(file: &str, place: Place, has: &str) -> TraceError {
    let place = match place {
        Place::Record(record) => format!("record {record}"),
        Place::Offset(offset) => format!("record at octet {offset}"),
    };
    TraceError::NoRecord { file: file.into(), place, has: has.into() }
}
