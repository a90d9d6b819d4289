//! Traces records: from an output back to their source, and on from there.

use std::io;
use std::path::Path;

use store::{Connection, QueryError, params};

use super::after_packing::MadeFile;
use super::context::Later;
use super::cursor::{Amount, Cursor, Found, Wanted};
use super::job::{JOB, Job};
use super::report::{Place, TraceError, TraceQuery, Traced};
use flow::file;
use flow::flow_journal;
use flow::flow_journal::JournalError;
use lineage::{NoColumn, Shelf};

/// Traces records, whether a gateway runs the flow or not. It uses the trace alone: the present flow does not matter.
pub fn trace(flow: &Path, query: &TraceQuery) -> Result<Vec<Traced>, TraceError> {
    look(flow, |search| match query {
        TraceQuery::Source { file, network_element, places } => {
            search.source(file, network_element.as_deref(), places)
        }
        TraceQuery::Output { file, places } => search.output(file, places),
    })
}

/// Traces records of a collected file, by its number in the journal and their sorted numbers in it.
pub(super) fn of_job(flow: &Path, job: i64, records: &[u64]) -> Result<Vec<Traced>, TraceError> {
    look(flow, |search| {
        let Some(job) = Job::of(search.db, job)? else { return Ok(Vec::new()) };
        let found = search.find_all(&job, records)?;
        found.into_iter().map(|found| search.traced(&job, found, Later::Too)).collect()
    })
}

fn look<T>(
    flow: &Path,
    search: impl FnOnce(Finder<'_>) -> Result<T, Fault>,
) -> Result<T, TraceError> {
    let cause = |cause| JournalError::Flow { flow: flow.into(), cause };
    let shelf = Shelf::new(&file::outline(flow).map_err(cause)?.state);
    let found = flow_journal::read(flow, |db| match search(Finder { db, shelf: &shelf }) {
        Ok(found) => Ok(Ok(found)),
        Err(Fault::QueryError(error)) => Err(error),
        Err(Fault::Error(error)) => Ok(Err(error)),
    });
    found?
}

/// Why a search has ended.
#[derive(Debug)]
pub(super) enum Fault {
    QueryError(QueryError),
    Error(TraceError),
}

impl From<QueryError> for Fault {
    fn from(error: QueryError) -> Self {
        Fault::QueryError(error)
    }
}

impl From<TraceError> for Fault {
    fn from(error: TraceError) -> Self {
        Fault::Error(error)
    }
}

pub(super) struct Finder<'s> {
    pub(super) db: &'s Connection,
    shelf: &'s Shelf,
}

impl Finder<'_> {
    fn source(
        &self,
        name: &str,
        network_element: Option<&str>,
        places: &[Place],
    ) -> Result<Vec<Traced>, Fault> {
        // A path is accepted too: the name is its last part.
        let name = Path::new(name).file_name().map_or(name.into(), |name| name.to_string_lossy());
        let jobs = Job::all(
            self.db,
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
            let mut answers = Answers::default();
            for job in &jobs {
                answers.add(self.of_source(job, *place))?;
            }
            traced.extend(answers.all()?);
        }
        Ok(traced)
    }

    fn of_source(&self, job: &Job, place: Place) -> Result<Traced, Fault> {
        if job.duplicate_of.is_some() {
            return self.of_duplicate(job, place);
        }
        let wanted = match place {
            Place::Record(record) => Wanted::Record(record),
            Place::Offset(offset) => Wanted::Within(offset),
        };
        let found = self.find(job, wanted)?.map_err(|has| none(&job.name, place, has))?;
        self.traced(job, found, Later::Too)
    }

    fn output(&self, given: &str, places: &[Place]) -> Result<Vec<Traced>, Fault> {
        let name = Path::new(given).file_name().map_or(given.into(), |name| name.to_string_lossy());
        let mut made = MadeFile::named(self.db, &name)?;
        // If several have the name, a path selects the right one.
        if made.iter().any(|made| given.ends_with(made.path.as_str())) {
            made.retain(|made| given.ends_with(made.path.as_str()));
        }
        let Some(last) = made.last() else {
            return Err(TraceError::NoOutput(given.into()).into());
        };
        let mut traced = Vec::new();
        for place in places {
            let mut answers = Answers::default();
            for of in &made {
                let Some(within) = of.place(*place) else { continue };
                let Some(job) = Job::of(self.db, of.job)? else { continue };
                answers.add(self.of_output(&job, of, (*place, within)))?;
            }
            let answers = answers.all()?;
            if let Some(has) = last.has(*place).filter(|_| answers.is_empty()) {
                return Err(none(&last.path, *place, has).into());
            }
            traced.extend(answers);
        }
        Ok(traced)
    }

    /// Traces a record of an output. `named` is the place in the file that the user named, `within` that in the job's
    /// output.
    fn of_output(
        &self,
        job: &Job,
        of: &MadeFile,
        (named, within): (Place, Place),
    ) -> Result<Traced, Fault> {
        let wanted = Wanted::Made { system: &of.system, place: within };
        let found = self.find(job, wanted)?.map_err(|has| none(&of.path, named, has))?;
        self.traced(job, found, Later::Not)
    }

    /// Returns a record from the trace of a job, or how many records or octets there are if the record is not among
    /// them.
    pub(super) fn find(
        &self,
        job: &Job,
        wanted: Wanted<'_>,
    ) -> Result<Result<Found, Amount>, Fault> {
        let row = job.row.as_ref().ok_or_else(|| TraceError::NoTrace(job.name.clone()))?;
        let mut cursor = Cursor::new(row, &job.outputs);
        let mut found = Ok(None);
        let read = row.read(self.shelf, |octets| {
            found = cursor.look(octets, wanted);
            Ok(matches!(found, Ok(None)))
        });
        read.map_err(|error| unread(job, error))?;
        let damaged = |NoColumn| TraceError::Damaged;
        let found = match found.map_err(damaged)? {
            Some(found) => Some(found),
            None => cursor.candidate(wanted).map_err(damaged)?,
        };
        Ok(found.ok_or_else(|| cursor.has(wanted)))
    }

    /// Returns the records of these numbers from the trace of a job. The numbers are sorted.
    fn find_all(&self, job: &Job, records: &[u64]) -> Result<Vec<Found>, Fault> {
        let row = job.row.as_ref().ok_or_else(|| TraceError::NoTrace(job.name.clone()))?;
        let mut cursor = Cursor::new(row, &job.outputs);
        let (mut found, mut left) = (Vec::new(), Ok(records));
        let read = row.read(self.shelf, |octets| {
            if let Ok(numbers) = left {
                left = cursor.all(octets, numbers, &mut found);
            }
            Ok(matches!(left, Ok([_, ..])))
        });
        read.map_err(|error| unread(job, error))?;
        match left.map_err(|NoColumn| TraceError::Damaged)? {
            [] => Ok(found),
            [missing, ..] => {
                let has = cursor.has(Wanted::Record(*missing));
                Err(none(&job.name, Place::Record(*missing), has).into())
            }
        }
    }
}

/// The answers of all jobs whose files have a name. If one file lacks the record, or has no trace any more, the others
/// still count.
#[derive(Default)]
struct Answers {
    traced: Vec<Traced>,
    why_not: Option<TraceError>,
}

impl Answers {
    fn add(&mut self, answer: Result<Traced, Fault>) -> Result<(), Fault> {
        match answer {
            Ok(traced) => self.traced.push(traced),
            Err(Fault::Error(error @ TraceError::NoRecord { .. })) => self.why_not = Some(error),
            // An error that a file has too few records says more than that one.
            Err(Fault::Error(error @ TraceError::NoTrace(_))) => {
                self.why_not.get_or_insert(error);
            }
            Err(fault) => return Err(fault),
        }
        Ok(())
    }

    /// Returns all answers, or the error if there are none.
    fn all(self) -> Result<Vec<Traced>, TraceError> {
        match self.why_not.filter(|_| self.traced.is_empty()) {
            Some(error) => Err(error),
            None => Ok(self.traced),
        }
    }
}

/// Returns the error for a trace that cannot be read. If a piece of it was removed, there is no trace any more.
fn unread(job: &Job, error: io::Error) -> TraceError {
    match error.kind() {
        io::ErrorKind::NotFound => TraceError::NoTrace(job.name.clone()),
        _ => TraceError::Read(error),
    }
}

fn none(file: &str, place: Place, has: Amount) -> TraceError {
    let place = match place {
        Place::Record(record) => format!("record {record}"),
        Place::Offset(offset) => format!("record at octet {offset}"),
    };
    TraceError::NoRecord { file: file.into(), place, has: has.to_string() }
}
