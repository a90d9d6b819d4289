//! File operations of the gateway: scanning the folders of network elements, syncing and renaming outputs, marking
//! inputs. They run in this process or in processes of their own, so that a disk that hangs or fails affects only
//! those.

use std::borrow::Borrow;
use std::collections::{BTreeMap, BTreeSet};
use std::io;
use std::path::{Path, PathBuf};

use runtime::durable::sync_folder;
use runtime::parallel;
use serde::{Deserialize, Serialize};
use transport::{Mark, Written};

use collection::scan::{LastScan, Look, look};
use collection::sources::{Collection, FileJob};
use collection::versions::{Lies, versions};
use commit_protocol::NotMarked;

/// Where file operations run.
#[derive(Clone, Copy)]
pub(crate) enum FileOps<'w> {
    /// In the calling process.
    Here(&'w Collection),
    /// In a process of their own.
    There(&'w dyn OperationProcess),
}

/// A process of its own that runs file operations.
pub(crate) trait OperationProcess: Sync {
    /// Starts it.
    fn begin(&self);

    /// Has an operation run. On an error it is unknown whether it ran.
    fn run(&self, operation: Errand) -> Result<Reply, NotRun>;
}

/// Why a process did not run an operation.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error, Serialize, Deserialize)]
#[error("{problem}")]
pub(crate) struct NotRun {
    pub(crate) problem: String,
}

/// Why a file operation failed. It comes from another process too, so a cause is a text.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error, Serialize, Deserialize)]
pub(crate) enum FileError {
    /// An output is not on the disk.
    #[error("could not write \"{}\": {cause}", path.display())]
    Write { path: PathBuf, cause: String },
    /// The names in a folder are not on the disk.
    #[error("could not write the folder \"{}\": {cause}", path.display())]
    Folder { path: PathBuf, cause: String },
    /// An output does not have its final name.
    #[error("could not deliver \"{}\": {cause}", path.display())]
    Deliver { path: PathBuf, cause: String },
    /// An input is not marked. If it is not there any more, another program may have taken it.
    #[error(
        "could not mark \"{}\" as done: {cause}; it is processed, and will not be again{}",
        path.display(),
        if *is_there { "" } else { "; does another program take files from its folder?" }
    )]
    Mark { path: PathBuf, cause: String, is_there: bool },
    /// The process that runs operations did not.
    #[error(transparent)]
    NotRun(#[from] NotRun),
}

impl FileError {
    fn write(path: &Path, cause: &io::Error) -> Self {
        FileError::Write { path: path.into(), cause: cause.to_string() }
    }
}

/// An operation to run. If it is interrupted, it is unknown whether it was done.
#[derive(Debug, Serialize, Deserialize)]
pub(crate) enum Errand {
    Look(Vec<usize>),
    Sync(Vec<PathBuf>),
    Deliver(Vec<PathBuf>),
    Mark(Vec<(FileJob, Mark)>),
    Versions(Vec<PathBuf>),
}

/// The result of an operation.
#[derive(Debug, Serialize, Deserialize)]
pub(crate) enum Reply {
    Looked(Box<Look>),
    Each(Vec<Result<(), FileError>>),
    Marked(Vec<Result<PathBuf, NotMarked<FileError>>>),
    Versions(Vec<Lies>),
}

impl<'w> FileOps<'w> {
    /// Starts the process early, so that the first operation need not wait for it. If the start fails, the first
    /// operation returns the error.
    pub(crate) fn begin(self) {
        if let FileOps::There(process) = self {
            process.begin();
        }
    }

    /// Scans the folders of network elements. A process of its own remembers the last scan itself.
    pub(crate) fn look(self, elements: &[usize], last_scan: &mut LastScan) -> Look {
        match self {
            FileOps::Here(collection) => look(collection, elements, last_scan),
            FileOps::There(process) => {
                let ask = || process.run(Errand::Look(elements.into()));
                // A killed process gives no result: the next one scans again.
                match ask().or_else(|_| ask()) {
                    Ok(Reply::Looked(look)) => *look,
                    other => Look::failed(elements, not_run(other).to_string()),
                }
            }
        }
    }

    /// Syncs outputs and their folders.
    pub(crate) fn sync(self, outputs: &[&Written]) -> Vec<Result<(), FileError>> {
        match self {
            FileOps::Here(_) => {
                sync(outputs, |written| written.target(), |written| synced(written))
            }
            FileOps::There(process) => {
                let targets = outputs.iter().map(|written| written.target().clone()).collect();
                each(process.run(Errand::Sync(targets)), outputs.len())
            }
        }
    }

    /// Renames outputs to their final names, unless they have them already.
    pub(crate) fn deliver(self, outputs: &[&PathBuf]) -> Vec<Result<(), FileError>> {
        match self {
            FileOps::Here(_) => deliver(outputs),
            FileOps::There(_) if outputs.is_empty() => Vec::new(),
            FileOps::There(process) => {
                let targets = || outputs.iter().copied().cloned().collect();
                let ask = || process.run(Errand::Deliver(targets()));
                // If interrupted, it runs again: an output that has its name already is left alone.
                each(ask().or_else(|_| ask()), outputs.len())
            }
        }
    }

    /// Marks inputs. Returns their new paths.
    pub(crate) fn mark(
        self,
        inputs: &[(&FileJob, Mark)],
    ) -> Vec<Result<PathBuf, NotMarked<FileError>>> {
        match self {
            FileOps::Here(collection) => mark(collection, inputs),
            FileOps::There(_) if inputs.is_empty() => Vec::new(),
            FileOps::There(process) => {
                let owned = inputs.iter().map(|(input, how)| (FileJob::clone(input), *how));
                match process.run(Errand::Mark(owned.collect())) {
                    Ok(Reply::Marked(each)) if each.len() == inputs.len() => each,
                    // The next scan finds those that are not marked.
                    other => {
                        let problem = FileError::from(not_run(other));
                        let not = NotMarked { problem, is_there: false };
                        vec![Err(not); inputs.len()]
                    }
                }
            }
        }
    }

    /// Returns the current state of files.
    pub(crate) fn versions(self, paths: &[PathBuf]) -> Vec<Lies> {
        match self {
            FileOps::Here(_) => versions(paths),
            FileOps::There(_) if paths.is_empty() => Vec::new(),
            FileOps::There(process) => match process.run(Errand::Versions(paths.to_vec())) {
                Ok(Reply::Versions(all)) if all.len() == paths.len() => all,
                _ => vec![Lies::Unknown; paths.len()],
            },
        }
    }
}

/// Runs an operation in the process of its own.
pub(crate) fn run(collection: &Collection, last_scan: &mut LastScan, errand: Errand) -> Reply {
    match errand {
        Errand::Look(elements) => Reply::Looked(Box::new(look(collection, &elements, last_scan))),
        Errand::Sync(targets) => {
            Reply::Each(sync(&targets, |target| target, |target| reopened(target)))
        }
        Errand::Deliver(outputs) => Reply::Each(deliver(&outputs)),
        Errand::Mark(inputs) => Reply::Marked(mark(collection, &inputs)),
        Errand::Versions(paths) => Reply::Versions(versions(&paths)),
    }
}

/// Returns why an operation did not run.
fn not_run(reply: Result<Reply, NotRun>) -> NotRun {
    let other = || NotRun { problem: "a process answered what was not asked".into() };
    reply.err().unwrap_or_else(other)
}

/// Returns the result for each file.
fn each(reply: Result<Reply, NotRun>, files: usize) -> Vec<Result<(), FileError>> {
    match reply {
        Ok(Reply::Each(each)) if each.len() == files => each,
        other => vec![Err(not_run(other).into()); files],
    }
}

fn synced(written: &Written) -> Result<(), FileError> {
    written.sync().map_err(|error| FileError::write(written.target(), &error))
}

/// Syncs an output that another process has written.
fn reopened(target: &Path) -> Result<(), FileError> {
    let written = Written::reopen(target).map_err(|error| FileError::write(target, &error))?;
    let synced = synced(&written);
    // Only the gateway removes it.
    written.keep();
    synced
}

fn sync<T: Sync>(
    outputs: &[T],
    target: impl Fn(&T) -> &PathBuf,
    synced: impl Fn(&T) -> Result<(), FileError> + Sync,
) -> Vec<Result<(), FileError>> {
    let contents = parallel::map(outputs, synced);
    let names = outputs.iter().map(|output| Ok(vec![folder(target(output))])).collect();
    let names = with_folders(names).into_iter();
    contents.into_iter().zip(names).map(|(contents, name)| contents.and(name)).collect()
}

fn deliver(outputs: &[impl AsRef<Path>]) -> Vec<Result<(), FileError>> {
    let deliver = |output: &Path| match transport::deliver(output) {
        Ok(()) => Ok(vec![folder(output)]),
        Err(error) => Err(FileError::Deliver { path: output.into(), cause: error.to_string() }),
    };
    with_folders(outputs.iter().map(|output| deliver(output.as_ref())).collect())
}

fn mark(
    collection: &Collection,
    inputs: &[(impl Borrow<FileJob>, Mark)],
) -> Vec<Result<PathBuf, NotMarked<FileError>>> {
    let marked: Vec<_> =
        inputs.iter().map(|(input, how)| mark_one(collection, input.borrow(), *how)).collect();
    let folders =
        |(input, marked): (&(_, Mark), &Result<PathBuf, NotMarked<FileError>>)| match marked {
            Ok(to) => Ok(vec![folder(&Borrow::<FileJob>::borrow(&input.0).found.path), folder(to)]),
            Err(not) => Err(not.problem.clone()),
        };
    let synced = with_folders(inputs.iter().zip(&marked).map(folders).collect());
    let with_sync =
        |(marked, synced): (Result<PathBuf, NotMarked<FileError>>, Result<(), FileError>)| {
            let to = marked?;
            synced.map(|()| to).map_err(|problem| NotMarked { problem, is_there: false })
        };
    marked.into_iter().zip(synced).map(with_sync).collect()
}

/// Marks an input. Returns its new path.
fn mark_one(
    collection: &Collection,
    FileJob { element, found }: &FileJob,
    mark: Mark,
) -> Result<PathBuf, NotMarked<FileError>> {
    if found.has_changed().unwrap_or(false) {
        tracing::warn!(
            target: "flow::errands",
            network_element = collection.sources[*element].network_element,
            file = found.name,
            "\"{}\" was written to after it was read: what was added is not processed",
            found.path.display()
        );
    }
    collection.sources[*element].collect.mark(found, mark).map_err(|error| {
        // The missing path may be the target folder, not the file.
        let is_there = !matches!(found.path.try_exists(), Ok(false));
        let (path, cause) = (found.path.clone(), error.to_string());
        NotMarked { problem: FileError::Mark { path, cause, is_there }, is_there }
    })
}

fn folder(file: &Path) -> PathBuf {
    file.parent().unwrap_or(Path::new("")).into()
}

/// Syncs the folders in which files changed names. An operation on a file is done when its folders are synced.
fn with_folders(done: Vec<Result<Vec<PathBuf>, FileError>>) -> Vec<Result<(), FileError>> {
    let folders: BTreeSet<&PathBuf> = done.iter().flatten().flatten().collect();
    let folders: Vec<&PathBuf> = folders.into_iter().collect();
    let synced = parallel::map(&folders, |folder| {
        let could_not = |error: io::Error| FileError::Folder {
            path: PathBuf::clone(folder),
            cause: error.to_string(),
        };
        sync_folder(folder).map_err(could_not)
    });
    let synced: BTreeMap<&PathBuf, Result<(), FileError>> =
        folders.into_iter().zip(synced).collect();
    let of_folders = |folders: &Vec<PathBuf>| folders.iter().try_for_each(|at| synced[at].clone());
    done.iter().map(|done| done.as_ref().map_err(FileError::clone).and_then(of_folders)).collect()
}
