//! Selects the files to run: those of a time span, from the archive, or from where they were collected if they are
//! still there.

use std::collections::HashMap;
use std::path::Path;

use store::{QueryResult, Row, params};

use super::{ReplayContents, ReplayFile};
use crate::records;
use crate::records::{CollectedAt, RecordsError};
use archive::report::{ArchiveError, ArchiveQuery, ArchivedFile, archived};
use archive::{ArchiveSettings, Source};
use flow::flow_journal;
use gateway::compile::prepare::Parts;
use gateway::plan::Plan;

/// The most files that are looked for, newest first: many may be gone. Older ones are only counted.
const LOOKED_AT_MAX: usize = 20_000;

impl From<ArchivedFile> for ReplayFile {
    fn from(file: ArchivedFile) -> Self {
        ReplayFile {
            network_element: file.network_element.clone(),
            name: file.file.clone(),
            contents: ReplayContents::Archived(Box::new(file)),
        }
    }
}

/// Returns the files that are in the archive, the oldest first.
pub fn replay_archived(flow: &Path, query: &ArchiveQuery) -> Result<Vec<ReplayFile>, ArchiveError> {
    let found = archived(flow, query)?.into_iter().filter(|file| file.state == "archived");
    Ok(found.map(ReplayFile::from).collect())
}

/// The files to select.
#[derive(Clone, Debug)]
pub struct ReplayChoice {
    /// The network elements that they were collected from; all, if none is named.
    pub network_elements: Vec<String>,
    /// The earliest time at which they were done, in milliseconds since 1970.
    pub from_ms: i64,
    /// The time before which they were done, in milliseconds since 1970.
    pub to_ms: i64,
    /// The most files; the newest are taken.
    pub files_most: usize,
    /// The most octets of all files, as they came.
    pub octets_most: u64,
}

/// Files that are still there.
#[derive(Clone, Debug, Default)]
pub struct ReplayFiles {
    /// The files, the oldest first.
    pub files: Vec<ReplayFile>,
    /// Their octets, as they came.
    pub octets: u64,
    /// When the oldest one was done, in milliseconds since 1970.
    pub first_ms: Option<i64>,
    /// The number of files that are left out because there are too many.
    pub left_out: usize,
    /// The number of files that are gone.
    pub gone: usize,
}

/// Selects the newest files that are still there. It leaves out duplicate files, which make nothing, and files that are
/// due to be moved into the archive.
pub fn replay_files(
    flow: &Path,
    parts: Parts<'_>,
    choice: &ReplayChoice,
) -> Result<ReplayFiles, RecordsError> {
    let plan = records::plan(flow, parts)?;
    let is_known =
        |name: &&String| plan.topology.elements.iter().any(|element| element.name == **name);
    if let Some(unknown) = choice.network_elements.iter().find(|name| !is_known(name)) {
        return Err(RecordsError::Unknown(format!(
            "the flow has no network element \"{unknown}\""
        )));
    }
    let elements: Vec<&str> = match choice.network_elements.as_slice() {
        [] => plan.topology.elements.iter().map(|element| element.name.as_str()).collect(),
        named => named.iter().map(String::as_str).collect(),
    };
    let (last, all) = newest(flow, choice, &elements)?;
    let mut in_archive = archived_files(flow, choice, &last)?;
    let mut found = ReplayFiles { left_out: all.saturating_sub(last.len()), ..Default::default() };
    let mut is_full = false;
    for candidate in last {
        let octets = found.octets.saturating_add(candidate.size);
        is_full |= found.files.len() == choice.files_most
            || (octets > choice.octets_most && !found.files.is_empty());
        if is_full {
            found.left_out += 1;
            continue;
        }
        let file = match in_archive.remove(&candidate.job) {
            Some(file) => Some(file.into()),
            None => collected(flow, &plan, &candidate),
        };
        match file {
            Some(file) => {
                found.files.push(file);
                found.octets = octets;
                found.first_ms = Some(candidate.done_ms);
            }
            None => found.gone += 1,
        }
    }
    found.files.reverse();
    Ok(found)
}

/// A collected file in the journal.
struct Candidate {
    job: i64,
    network_element: String,
    name: String,
    path: String,
    size: u64,
    modified_ns: i64,
    /// Whether the file is due to be archived.
    is_due: bool,
    done_ms: i64,
}

/// Returns the newest files of these network elements, the newest first, and how many there are in all.
fn newest(
    flow: &Path,
    choice: &ReplayChoice,
    elements: &[&str],
) -> Result<(Vec<Candidate>, usize), RecordsError> {
    let elements = serde_json::to_string(elements).expect("names");
    let found = flow_journal::read(flow, |db| {
        let of = "FROM file LEFT JOIN archive ON archive.file = file.id
             WHERE retry_of IS NULL AND expired_in IS NULL AND duplicate_of IS NULL
                 AND file.done_ms >= ?1 AND file.done_ms < ?2
                 AND file.network_element IN (SELECT value FROM json_each(?3))";
        let mut select = db.prepare(&format!(
            "SELECT file.id, file.network_element, file.name, file.path, file.size, file.modified_ns,
                    archive.state IS 'due', file.done_ms
             {of} ORDER BY file.id DESC LIMIT {LOOKED_AT_MAX}"
        ))?;
        let candidate = |row: &Row<'_>| {
            Ok(Candidate {
                job: row.get(0)?,
                network_element: row.get(1)?,
                name: row.get(2)?,
                path: row.get(3)?,
                size: row.get::<_, i64>(4)? as u64,
                modified_ns: row.get(5)?,
                is_due: row.get(6)?,
                done_ms: row.get(7)?,
            })
        };
        let parameters = params![choice.from_ms, choice.to_ms, elements];
        let last =
            select.query_map(parameters, candidate)?.collect::<QueryResult<Vec<Candidate>>>()?;
        let all = match last.len() < LOOKED_AT_MAX {
            true => last.len() as i64,
            false => {
                db.query_row(&format!("SELECT count(*) {of}"), parameters, |row| row.get(0))?
            }
        };
        Ok((last, all as usize))
    });
    Ok(found?)
}

/// Returns the archived files of the time of these, by job; none if there is no archive.
fn archived_files(
    flow: &Path,
    choice: &ReplayChoice,
    last: &[Candidate],
) -> Result<HashMap<i64, ArchivedFile>, RecordsError> {
    let first_ms = last.iter().map(|candidate| candidate.done_ms).min();
    let query = ArchiveQuery {
        network_element: None,
        files: None,
        from_ms: first_ms.unwrap_or(choice.from_ms),
        to_ms: choice.to_ms,
    };
    match archived(flow, &query) {
        Ok(files) => {
            let there = files.into_iter().filter(|file| file.state == "archived");
            Ok(there.map(|file| (file.job, file)).collect())
        }
        Err(ArchiveError::None(_)) => Ok(HashMap::new()),
        Err(ArchiveError::Journal(error)) => Err(error.into()),
    }
}

/// Returns a file where it was collected, if it is still there.
fn collected(flow: &Path, plan: &Plan, candidate: &Candidate) -> Option<ReplayFile> {
    let Candidate { network_element, name, path, size, modified_ns, is_due, .. } = candidate;
    let goes_away = |archive: &ArchiveSettings| archive.source == Source::Removed;
    if *is_due && plan.archive.as_ref().is_some_and(goes_away) {
        return None;
    }
    let mut sources = plan.collection.sources.iter();
    let source = sources.find(|source| source.network_element == *network_element)?;
    let at = CollectedAt { path, name, size: *size, modified_ns: *modified_ns };
    let path = records::collected(flow, source, &at).ok()??;
    Some(ReplayFile {
        network_element: network_element.clone(),
        name: name.clone(),
        contents: ReplayContents::Path(path),
    })
}
