//! `tollgate archive`: the collected files in the archive.

use std::fs::{self, File};
use std::io::{self, Read as _, Write};
use std::path::{Path, PathBuf};

use archive::{ArchivedFile, archived_contents};
use diagnostics::visible;

use crate::archived::Which;
use crate::execute::Execute;
use crate::json;
use crate::outcome::{CommandError, Outcome};
use crate::output;
use crate::progress::Progress;
use crate::rows::Rows;
use crate::table::{Cell, Column, cell, cell_of, free, number, text};
use crate::terminal::Look;

/// See to the archive of collected files
#[derive(Debug, clap::Parser)]
#[command(name = "archive")]
pub(crate) enum Archive {
    /// List the files, the oldest first
    #[command(
        after_help = "Example:\n  tollgate archive list flow.toml --files \"boston-*\" --from 2026-11-21"
    )]
    List(ArchiveSelection),
    /// Write files as they were collected into a folder
    #[command(
        after_help = "Example:\n  tollgate archive fetch flow.toml --files boston-00001.ber --into again"
    )]
    Fetch(Fetch),
    /// Read all of them, and hold each against what was processed
    #[command(after_help = "Example:\n  tollgate archive verify flow.toml")]
    Verify(ArchiveSelection),
}

impl Execute for Archive {
    fn run(self) -> Result<Outcome, CommandError> {
        match self {
            Archive::List(command) => command.list(),
            Archive::Fetch(command) => command.run(),
            Archive::Verify(command) => command.verify(),
        }
    }
}

/// Arguments of `tollgate archive list`, and of `verify`.
#[derive(Debug, clap::Args)]
pub(crate) struct ArchiveSelection {
    #[command(flatten)]
    which: Which,
    /// One JSON object a line
    #[arg(long)]
    json: bool,
}

impl ArchiveSelection {
    fn list(self) -> Result<Outcome, CommandError> {
        let mut rows = Rows::begin(self.json, &COLUMNS);
        for file in &self.which.archived()? {
            rows.row(file, row)?;
        }
        rows.end()?;
        Ok(Outcome::Clean)
    }

    fn verify(self) -> Result<Outcome, CommandError> {
        let mut out = output::list();
        let (mut right, mut wrong) = (0, 0);
        let mut files = self.which.archived()?;
        files.retain(|file| file.state != "due");
        let (_progress, done) = Progress::of(files.len() as u64, "files are read");
        for file in &files {
            done.count();
            let read = archived_contents(file)
                .and_then(|mut octets| io::copy(&mut octets, &mut io::sink()));
            let Err(error) = read else {
                right += 1;
                continue;
            };
            wrong += 1;
            let problem = error.to_string();
            match self.json {
                true => {
                    json::line(&mut out, &serde_json::json!({"file": file, "problem": problem}))?
                }
                false => {
                    let name = visible(&file.file);
                    writeln!(out, "{}/{name}, job {}: {problem}", file.network_element, file.job)?;
                }
            }
        }
        match self.json {
            true => json::line(&mut out, &serde_json::json!({"right": right, "wrong": wrong}))?,
            false => writeln!(out, "{right} right, {wrong} wrong")?,
        }
        out.flush()?;
        Ok(if wrong == 0 { Outcome::Clean } else { Outcome::Faults })
    }
}

const COLUMNS: [Column; 7] = [
    number("job"),
    text("done"),
    free("file"),
    text("state"),
    number("octets").extra(),
    number("archived octets").extra(),
    free("path").extra(),
];

fn row(file: &ArchivedFile) -> [Cell; 7] {
    let ArchivedFile { job, network_element, file: name, done, state, size, octets, path, .. } =
        file;
    let look = if *state == "gone" { Look::Bad } else { Look::Plain };
    [
        cell(job),
        cell(done),
        cell(format!("{network_element}/{name}")),
        cell(state).look(look),
        cell(size),
        cell_of(*octets),
        cell_of(path.as_ref().map(|path| path.display())),
    ]
}

/// Arguments of `tollgate archive fetch`.
#[derive(Debug, clap::Args)]
pub(crate) struct Fetch {
    #[command(flatten)]
    which: Which,
    /// That of this job alone, as `list` shows it
    #[arg(long, value_name = "NUMBER")]
    job: Option<i64>,
    /// The folder, made if it is not there: a folder in it for each network element
    #[arg(long, value_name = "FOLDER")]
    into: PathBuf,
    /// One JSON object a line, with the path of the file
    #[arg(long)]
    json: bool,
}

impl Fetch {
    fn run(self) -> Result<Outcome, CommandError> {
        let mut files = self.which.archived()?;
        files.retain(|file| file.state == "archived" && self.job.is_none_or(|job| job == file.job));
        if files.is_empty() {
            return Err(CommandError::Mistakes("the archive has no such file".into()));
        }
        let (_progress, done) = Progress::of(files.len() as u64, "files are written");
        for file in &files {
            done.count();
            let name = transport::file_name(&file.file);
            let folder = self.into.join(transport::file_name(&file.network_element));
            let target = folder.join(name);
            fetch(file, &folder, &target).map_err(|cause| {
                let (job, target) = (file.job, target.display());
                CommandError::Mistakes(format!(
                    "could not fetch job {job} to \"{target}\": {cause}"
                ))
            })?;
            match self.json {
                true => json::line(
                    &mut output::lines(),
                    &serde_json::json!({"file": file, "path": target}),
                )?,
                false => say!("{}", target.display())?,
            }
        }
        Ok(Outcome::Clean)
    }
}

/// Writes a file under a temporary name, then renames it, so that the target is complete or absent. Fails if it exists.
pub(super) fn fetch(file: &ArchivedFile, folder: &Path, target: &Path) -> io::Result<()> {
    if target.try_exists()? {
        return Err(io::Error::new(io::ErrorKind::AlreadyExists, "a file of this name is there"));
    }
    fs::create_dir_all(folder)?;
    let mut part = target.as_os_str().to_owned();
    part.push(".part");
    let part = PathBuf::from(part);
    let written = archived_contents(file).and_then(|mut octets| {
        let mut to = File::create(&part)?;
        let mut some = vec![0; 256 << 10];
        loop {
            match octets.read(&mut some)? {
                0 => return to.sync_all(),
                read => to.write_all(&some[..read])?,
            }
        }
    });
    written.and_then(|()| fs::rename(&part, target)).inspect_err(|_| {
        let _ = fs::remove_file(&part);
    })
}
