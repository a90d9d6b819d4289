//! One of the two flows that are compared, and what it has made.

use std::collections::{BTreeMap, HashMap};
use std::fs::{self, File};
use std::io::{self, BufReader, Read as _};
use std::path::{Path, PathBuf};

use store::{Connection, OptionalExtension as _, QueryResult, Readers, Row, params};

use super::groups::Groups;
use super::{ReplayError, ReplayFile};
use crate::trace::JobLines;
use flow::report::COUNTS;
use gateway::compile::prepare::{Parts, Sandbox, path_of};
use gateway::execute::options::RunOptions;
use gateway::service::run::run_elsewhere;
use lineage::{Line, Shelf, TraceRow};

/// A flow that runs in a folder of its own.
pub(super) struct Side<'s> {
    which: &'static str,
    flow: &'s Path,
    elsewhere: Sandbox,
    /// The groups that ended because their time was over.
    pub(super) groups: Groups,
}

/// The results of a side between two runs.
pub(super) struct SideView<'s> {
    pub(super) which: &'static str,
    flow: &'s Path,
    pub(super) db: Connection,
    shelf: Shelf,
}

/// What was made of a file.
pub(super) struct FileResults {
    id: i64,
    /// The counts, in the order of [`COUNTS`].
    pub(super) counts: Vec<u64>,
    lines: JobLines,
    outputs: HashMap<String, BufReader<File>>,
    /// The octets before the first record of each output, by system.
    pub(super) headers: BTreeMap<String, Vec<u8>>,
}

/// A record, and what was made of it.
pub(super) struct Made {
    pub(super) line: Line,
    /// The output records, each with its system.
    pub(super) written: Vec<(String, Vec<u8>)>,
}

impl<'s> Side<'s> {
    pub(super) fn new(which: &'static str, flow: &'s Path, folder: &Path) -> Self {
        let elsewhere = Sandbox { folder: folder.into() };
        Side { which, flow, elsewhere, groups: Groups::default() }
    }

    /// Returns where this side finds a file.
    pub(super) fn input(&self, file: &ReplayFile) -> PathBuf {
        self.elsewhere.input(&file.network_element).join(path_of(&file.name))
    }

    /// Runs the flow over the files that are there.
    pub(super) fn run(&self, parts: Parts<'_>, options: &RunOptions) -> Result<(), ReplayError> {
        let which = self.which;
        let could_not =
            |cause| ReplayError::Folder { folder: self.elsewhere.folder.clone(), cause };
        fs::create_dir_all(self.elsewhere.folder.join("in")).map_err(could_not)?;
        let report = run_elsewhere(self.flow, parts, options, &self.elsewhere)
            .map_err(|cause| ReplayError::Run { which, cause })?;
        if options.stop.is_set() {
            return Err(ReplayError::Stopped);
        }
        match report.problems.into_iter().next() {
            None => Ok(()),
            Some(problem) => Err(ReplayError::NotProcessed { which, problem }),
        }
    }

    /// Removes the files, outputs and traces of a run. The state of the nodes stays.
    pub(super) fn clear(&self) -> io::Result<()> {
        for name in ["in", "out", "state/trace"] {
            match fs::remove_dir_all(self.elsewhere.folder.join(name)) {
                Err(error) if error.kind() != io::ErrorKind::NotFound => return Err(error),
                _ => {}
            }
        }
        Ok(())
    }

    /// Opens the results.
    pub(super) fn open(&self) -> Result<SideView<'s>, ReplayError> {
        let state = self.elsewhere.folder.join("state");
        let made = |problem: String| ReplayError::Made { which: self.which, problem };
        let db = Readers::of(&state.join("journal.db")).open();
        let db = db.map_err(|error| made(error.to_string()))?;
        Ok(SideView { which: self.which, flow: self.flow, db, shelf: Shelf::new(&state) })
    }
}

impl SideView<'_> {
    fn wrong(&self, problem: impl ToString) -> ReplayError {
        ReplayError::Made { which: self.which, problem: problem.to_string() }
    }

    pub(super) fn check<T>(&self, answer: QueryResult<T>) -> Result<T, ReplayError> {
        answer.map_err(|error| self.wrong(error))
    }

    /// Returns the results of a file, if the flow has processed it.
    pub(super) fn job(&self, file: &ReplayFile) -> Result<Option<FileResults>, ReplayError> {
        let newest =
            "SELECT id FROM file WHERE network_element = ? AND name = ? AND retry_of IS NULL
             AND expired_in IS NULL ORDER BY id DESC LIMIT 1";
        let id = self.db.prepare_cached(newest).and_then(|mut select| {
            let by = params![file.network_element, file.name];
            select.query_row(by, |row| row.get::<_, i64>(0)).optional()
        });
        self.check(id)?.map_or(Ok(None), |id| self.job_of(id))
    }

    /// Returns the results of a job, by its number in the journal.
    pub(super) fn job_of(&self, id: i64) -> Result<Option<FileResults>, ReplayError> {
        let select = format!(
            "SELECT {}, row FROM file LEFT JOIN trace ON trace.file = file.id WHERE file.id = ?",
            COUNTS.join(", ")
        );
        let columns = |row: &Row<'_>| {
            let counts = (0..COUNTS.len()).map(|column| row.get::<_, i64>(column));
            let counts = counts.map(|count| count.map(|count| count as u64));
            Ok((
                counts.collect::<QueryResult<Vec<u64>>>()?,
                row.get::<_, Option<Vec<u8>>>(COUNTS.len())?,
            ))
        };
        let found = self.db.prepare_cached(&select);
        let found = found.and_then(|mut select| select.query_row([id], columns).optional());
        let Some((counts, row)) = self.check(found)? else { return Ok(None) };
        let row: TraceRow = match row {
            Some(row) => postcard::from_bytes(&row).map_err(|error| self.wrong(error))?,
            None => TraceRow::default(),
        };
        let (mut outputs, mut headers) = (HashMap::new(), BTreeMap::new());
        for (system, path) in self.check(outputs_of(&self.db, id))? {
            let path = self.flow.parent().unwrap_or(Path::new("")).join(path);
            let unreadable =
                |error: io::Error| self.wrong(format!("\"{}\": {error}", path.display()));
            let mut file = BufReader::new(File::open(&path).map_err(unreadable)?);
            let mut header = vec![0; row.before(&system) as usize];
            file.read_exact(&mut header).map_err(unreadable)?;
            headers.insert(system.clone(), header);
            outputs.insert(system, file);
        }
        Ok(Some(FileResults { id, counts, lines: JobLines::new(row), outputs, headers }))
    }

    /// Returns the next record of a file.
    pub(super) fn next(&self, job: &mut FileResults) -> Result<Option<Made>, ReplayError> {
        let line = job.lines.next(&self.shelf).map_err(|error| self.wrong(error))?;
        let Some(line) = line else { return Ok(None) };
        let mut written = Vec::with_capacity(line.written.len());
        for (system, octets) in &line.written {
            let mut made = vec![0; *octets as usize];
            let file = job.outputs.get_mut(system);
            let file = file.ok_or_else(|| self.wrong(format!("no file for \"{system}\"")))?;
            file.read_exact(&mut made).map_err(|error| self.wrong(error))?;
            written.push((system.clone(), made));
        }
        Ok(Some(Made { line, written }))
    }

    /// Returns why a record was set aside.
    pub(super) fn reason(
        &self,
        job: &FileResults,
        offset: u64,
    ) -> Result<Option<String>, ReplayError> {
        let select = "SELECT reason FROM set_aside WHERE file = ? AND offset = ? LIMIT 1";
        let reason = self.db.prepare_cached(select).and_then(|mut select| {
            select.query_row(params![job.id, offset as i64], |row| row.get(0)).optional()
        });
        let reason: Option<String> = self.check(reason)?;
        Ok(reason.map(|reason| self.as_named(&reason)))
    }

    /// Writes the files in a reason as the flow names them: the working folder means nothing to the user.
    pub(super) fn as_named(&self, reason: &str) -> String {
        without_folder(reason, self.flow.parent().unwrap_or(Path::new("")))
    }

    /// Returns the sums of a file, each with what it is of.
    pub(super) fn sums(&self, job: &FileResults) -> Result<Vec<(String, i128)>, ReplayError> {
        let sums = self
            .db
            .prepare_cached("SELECT at, side, name, high, low FROM amount WHERE file = ?")
            .and_then(|mut select| {
                let sum = |row: &Row<'_>| {
                    let at: String = row.get(0)?;
                    let (side, name): (String, String) = (row.get(1)?, row.get(2)?);
                    let what = [&at, &side, &name].map(String::as_str).join(" ");
                    let (high, low): (i64, i64) = (row.get(3)?, row.get(4)?);
                    Ok((what.trim_start().to_owned(), (i128::from(high) << 32) + i128::from(low)))
                };
                select.query_map([job.id], sum)?.collect()
            });
        self.check(sums)
    }
}

/// Removes a folder from the paths in a text that begin with it.
fn without_folder(text: &str, folder: &Path) -> String {
    if folder.as_os_str().is_empty() {
        return text.to_owned();
    }
    let folder = format!("{}/", folder.display());
    let is_of_path = |sign: char| sign.is_alphanumeric() || matches!(sign, '/' | '.' | '-' | '_');
    let mut found = String::with_capacity(text.len());
    for piece in text.split_inclusive(&folder) {
        found.push_str(piece);
        if let Some(before) = piece.strip_suffix(&folder)
            && !before.ends_with(is_of_path)
        {
            found.truncate(found.len() - folder.len());
        }
    }
    found
}

fn outputs_of(db: &Connection, job: i64) -> QueryResult<Vec<(String, String)>> {
    let mut select = db.prepare_cached(
        "SELECT post_processing_system, path FROM output
         WHERE file = ? AND post_processing_system IS NOT NULL",
    )?;
    select.query_map([job], |row| Ok((row.get(0)?, row.get(1)?)))?.collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn files_are_named_without_the_folder_that_their_paths_begin_with() {
        for (folder, text, named) in [
            ("/tmp/now", "/tmp/now/scripts/a.dup:4:21: no", "scripts/a.dup:4:21: no"),
            ("/tmp/now", "\"/tmp/now/a.csv\", /tmp/now/../b", "\"a.csv\", ../b"),
            ("new", "new/a.dup:1:1: renew/b, x/new/c", "a.dup:1:1: renew/b, x/new/c"),
            ("", "scripts/a.dup:4:21: no", "scripts/a.dup:4:21: no"),
        ] {
            assert_eq!(without_folder(text, Path::new(folder)), named);
        }
    }
}
