//! Finds records by their content: it reads the collected files again, from where they lie or from the archive, and
//! traces the records that match an expression.

use std::collections::BTreeSet;
use std::io;
use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use diagnostics::Diagnostic;
use node::{Evaluator, Expression, Value};
use record::{Arena, Memory, Record, Types};
use store::{Connection, QueryResult, Row, params};

use super::find::of_job;
use super::query::{ElementReader, queried_elements};
use super::report::{TraceError, Traced};
use crate::records;
use crate::records::{At, Beginning, Placed, RecordsError, RecordsOf};
use archive::report::ArchiveQuery;
use flow::file::FlowFile;
use flow::flow_journal;
use flow::flow_journal::JournalError;
use gateway::compile::prepare::{Parts, Preparation};
use gateway::plan::Plan;

/// Most files for which the answer says why they were not searched; the others are only counted.
const PROBLEMS_MAX: usize = 20;

/// The cost to find and open a file, in octets read in the same time (about).
const OCTETS_A_FILE: u64 = 64 << 10;

/// A search for records by an expression.
#[derive(Clone, Debug)]
pub struct WhereQuery {
    /// An expression over `record`: records match for which it is TRUE, or not 0.
    pub expression: String,
    /// The files to search, whether they are in the archive or not.
    pub files: ArchiveQuery,
    /// The number of records at which the search ends.
    pub most: usize,
    /// About how many octets are read, so that an answer does not take long.
    pub octets_most: u64,
    /// Where the previous answer ended.
    pub from: Option<WhereFrom>,
    /// Set when the client waits no longer: what was found so far is enough.
    pub stop: Arc<AtomicBool>,
}

/// Where to continue: a record of a file.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct WhereFrom {
    /// The file, by the number of its job.
    pub job: i64,
    /// The record.
    pub at: Beginning,
}

/// What was searched, and how much matched.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct WhereFound {
    /// The number of files; the last one perhaps in part.
    pub files: usize,
    /// The number of their records.
    pub records: u64,
    /// The number of records that match.
    pub found: usize,
    /// Where to continue, if the search ended before the last file. There may be no more matches.
    pub next: Option<WhereFrom>,
    /// The first problems: files that could not be searched, and records that could not be traced.
    pub problems: Vec<String>,
    /// The number of further problems.
    pub problems_more: usize,
}

impl WhereFound {
    fn note(&mut self, problem: String) {
        match self.problems.len() < PROBLEMS_MAX {
            true => self.problems.push(problem),
            false => self.problems_more += 1,
        }
    }
}

/// Why a search fails.
#[derive(Debug, thiserror::Error)]
pub enum WhereError {
    /// The flow has mistakes, so it is not known how its files are read.
    #[error("{}", shown(.0))]
    Flow(Vec<Diagnostic>),
    /// The expression has mistakes.
    #[error("{}", shown(.0))]
    Expression(Vec<Diagnostic>),
    /// The flow has no network element of this name.
    #[error("no network element is named \"{0}\"")]
    UnknownElement(String),
    /// There is no journal.
    #[error(transparent)]
    Journal(#[from] JournalError),
    /// The records that fit could not be shown.
    #[error("could not show what was found")]
    Shown(#[source] io::Error),
}

fn shown(mistakes: &[Diagnostic]) -> String {
    mistakes.iter().map(ToString::to_string).collect::<Vec<_>>().join("\n")
}

/// Finds records by their content, in the order in which their files were done, and shows the path of each.
pub fn trace_where(
    flow: &Path,
    parts: Parts<'_>,
    query: &WhereQuery,
    show: &mut dyn FnMut(&Traced) -> io::Result<()>,
) -> Result<WhereFound, WhereError> {
    let mut found = None;
    let mut ask = |file: &FlowFile, types: &mut dyn Types| {
        found = Some(queried_elements(file, parts, types, query));
    };
    let plan = Preparation::new(flow, parts).with_types(&mut ask).prepare();
    let plan = plan.sound().map_err(|mut mistakes| {
        mistakes.retain(Diagnostic::is_error);
        WhereError::Flow(mistakes)
    })?;
    let (queried, left_out) = found.transpose()?.unwrap_or_default();
    let readings: Result<Vec<_>, _> =
        queried.into_iter().map(|element| element.reading(&*plan.topology.codecs)).collect();
    let readings = readings.map_err(WhereError::Flow)?;
    let mut search =
        FileSearch { flow, plan: &plan, query, octets: 0, found: WhereFound::default() };
    left_out.values().for_each(|why| search.found.note(why.clone()));
    let mut unknown = BTreeSet::new();
    for job in flow_journal::read(flow, |db| jobs(db, query))? {
        let reading = readings.iter().find(|reading| reading.element == job.network_element);
        let Some(reading) = reading else {
            if !left_out.contains_key(&job.network_element) {
                unknown.insert(job.network_element);
            }
            continue;
        };
        if search.is_enough(0) {
            search.found.next = Some(search.begins(&job));
            break;
        }
        match search.file(&job, reading, show) {
            Ok(()) if search.found.next.is_some() => break,
            Ok(()) => {}
            Err(Unsearched::Shown(cause)) => return Err(WhereError::Shown(cause)),
            Err(Unsearched::Because(why)) => {
                search.found.next = None;
                search.found.note(format!("{}: {why}", job.network_element));
            }
        }
    }
    for element in unknown {
        search.found.note(format!("the flow has no network element \"{element}\" any more"));
    }
    Ok(search.found)
}

/// A file that is done.
struct SearchedFile {
    id: i64,
    network_element: String,
    name: String,
}

/// Returns the files to search. Duplicate files are left out: their records went nowhere.
fn jobs(db: &Connection, query: &WhereQuery) -> QueryResult<Vec<SearchedFile>> {
    let ArchiveQuery { network_element, files, from_ms, to_ms } = &query.files;
    let mut select = db.prepare(
        "SELECT id, network_element, name FROM file
         WHERE retry_of IS NULL AND expired_in IS NULL AND duplicate_of IS NULL AND id >= ?1
             AND (?2 IS NULL OR network_element = ?2) AND done_ms >= ?3 AND done_ms < ?4
         ORDER BY id",
    )?;
    let job = |row: &Row<'_>| {
        Ok(SearchedFile { id: row.get(0)?, network_element: row.get(1)?, name: row.get(2)? })
    };
    let from = query.from.map_or(i64::MIN, |from| from.job);
    let jobs = select.query_map(params![from, network_element, from_ms, to_ms], job)?;
    let is_queried = |job: &SearchedFile| {
        files.as_ref().is_none_or(|pattern| transport::matches(pattern, &job.name))
    };
    jobs.filter(|job| job.as_ref().map_or(true, is_queried)).collect()
}

/// Why a file was not searched.
enum Unsearched {
    Because(String),
    /// The reader of the output is gone.
    Shown(io::Error),
}

impl From<RecordsError> for Unsearched {
    fn from(error: RecordsError) -> Self {
        Unsearched::Because(error.to_string())
    }
}

struct FileSearch<'s> {
    flow: &'s Path,
    plan: &'s Plan,
    query: &'s WhereQuery,
    /// About how many octets were read so far.
    octets: u64,
    found: WhereFound,
}

impl FileSearch<'_> {
    /// Returns whether the search can end. `more` is the number of matches that are not shown yet.
    fn is_enough(&self, more: usize) -> bool {
        self.found.found + more >= self.query.most
            || self.octets >= self.query.octets_most
            || self.is_stopped()
    }

    fn is_stopped(&self) -> bool {
        self.query.stop.load(Ordering::Relaxed)
    }

    /// Returns where reading a file begins.
    fn begins(&self, job: &SearchedFile) -> WhereFrom {
        let from = self.query.from.filter(|from| from.job == job.id);
        from.unwrap_or(WhereFrom { job: job.id, at: Beginning { record: 1, at: None } })
    }

    fn file(
        &mut self,
        job: &SearchedFile,
        reading: &ElementReader,
        show: &mut dyn FnMut(&Traced) -> io::Result<()>,
    ) -> Result<(), Unsearched> {
        self.octets += OCTETS_A_FILE;
        let placed = records::find(self.flow, self.plan, &RecordsOf::Collected(job.id))?;
        let placed = Placed { input: &*reading.input, ..placed };
        let numbers = self
            .fitting(job, &placed, &*reading.expression)
            .map_err(|cause| RecordsError::Read { file: job.name.clone(), cause })?;
        self.found.files += 1;
        if numbers.is_empty() {
            return Ok(());
        }
        let untold = |error: TraceError| Unsearched::Because(error.to_string());
        for traced in of_job(self.flow, job.id, &numbers).map_err(untold)? {
            show(&traced).map_err(Unsearched::Shown)?;
            self.found.found += 1;
        }
        Ok(())
    }

    /// Returns the numbers of the records that match, until the search can end.
    fn fitting(
        &mut self,
        job: &SearchedFile,
        placed: &Placed<'_>,
        expression: &dyn Expression,
    ) -> io::Result<Vec<u64>> {
        let WhereFrom { at: from, .. } = self.begins(job);
        let (mut reader, mut number) = records::begin(placed, from.at)?;
        let (mut arena, mut evaluator) = (Arena::new(), expression.evaluator());
        evaluator.stop_when(Arc::clone(&self.query.stop));
        let mut numbers = Vec::new();
        loop {
            let position = reader.position();
            let from_here = |number: u64| {
                let at = position.map(|offset| At { record: number, offset });
                WhereFrom { job: job.id, at: Beginning { record: number, at } }
            };
            if self.is_enough(numbers.len()) {
                self.found.next = Some(from_here(number));
                return Ok(numbers);
            }
            arena.reset();
            let Some(read) = reader.next(&mut arena)? else { return Ok(numbers) };
            if number >= from.record {
                self.found.records += 1;
                self.octets += read.octets.len() as u64;
                let (octets, record) = (read.octets, read.record);
                let is_found = record.is_ok_and(|record| {
                    fits(&mut *evaluator, &mut Memory::new(octets, &mut arena), record)
                });
                // If the evaluation was stopped within a record, it is not known whether that record matches.
                if self.is_stopped() {
                    self.found.records -= 1;
                    self.found.next = Some(from_here(number));
                    return Ok(numbers);
                }
                if is_found {
                    numbers.push(number);
                }
            }
            number = number.saturating_add(1);
        }
    }
}

/// Returns whether a record matches an expression. It does not if a part that the expression uses is missing.
fn fits(evaluator: &mut dyn Evaluator, memory: &mut Memory<'_>, record: Record) -> bool {
    let value = evaluator.evaluate(memory, record);
    matches!(value, Ok(Value::Integer(value)) if value != 0)
}
