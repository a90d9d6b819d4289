//! What is done in folders for the gateway: looking into those of network elements, and seeing to outputs and inputs. It
//! is done here, or in processes of its own, so that a disk which hangs, or what goes wrong with it, is theirs alone.

use std::collections::BTreeSet;
use std::io;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicUsize, Ordering};
use std::thread;

use serde::{Deserialize, Serialize};
use transport::{Mark, Written, sync_folder};

use crate::job::{FileJob, could_not_write};
use crate::look::{Look, SeenOf, look};
use crate::prepare::Prepared;
use crate::processes::Remote;

/// Files and folders that are synced at the same time.
const SIDE_BY_SIDE: usize = 16;

/// Who does it.
#[derive(Clone, Copy)]
pub(crate) enum Errands<'w> {
    /// Whoever asks.
    Here(&'w Prepared),
    /// A process beside.
    There(&'w Remote<'w>),
}

/// What is to be done. Where it is interrupted, nobody knows whether it was.
#[derive(Debug, Serialize, Deserialize)]
pub(crate) enum Errand {
    Look(Vec<usize>),
    Sync(Vec<PathBuf>),
    SyncFolders(Vec<PathBuf>),
    Deliver(PathBuf),
    Mark(FileJob, Mark),
}

/// What came of it.
#[derive(Debug, Serialize, Deserialize)]
pub(crate) enum Reply {
    Looked(Look),
    Each(Vec<Result<(), String>>),
    Marked(Result<[PathBuf; 2], String>),
}

impl<'w> Errands<'w> {
    /// Looks into the folders of network elements; whoever looks knows what was there before.
    pub(crate) fn look(self, elements: &[usize], seen: &mut SeenOf) -> Look {
        match self {
            Errands::Here(flow) => look(flow, elements, seen),
            Errands::There(process) => match process.errand(Errand::Look(elements.into())) {
                Ok(Reply::Looked(look)) => look,
                other => Look::failed(elements, refused(other)),
            },
        }
    }

    /// Writes the contents of outputs to the disk.
    pub(crate) fn sync(self, outputs: &[&Written]) -> Vec<Result<(), String>> {
        match self {
            Errands::Here(_) => side_by_side(outputs, |written| synced(written)),
            Errands::There(process) => {
                let targets = outputs.iter().map(|written| written.target().clone()).collect();
                match process.errand(Errand::Sync(targets)) {
                    Ok(Reply::Each(each)) if each.len() == outputs.len() => each,
                    other => vec![Err(refused(other)); outputs.len()],
                }
            }
        }
    }

    /// Puts the names on the disk of the folders that some files are in.
    pub(crate) fn sync_folders<'p>(
        self,
        files: impl Iterator<Item = &'p Path>,
    ) -> Result<(), String> {
        let folders: BTreeSet<&Path> = files.filter_map(Path::parent).collect();
        let folders: Vec<PathBuf> = folders.into_iter().map(Path::to_path_buf).collect();
        match self {
            _ if folders.is_empty() => Ok(()),
            Errands::Here(_) => sync_folders(&folders).into_iter().collect(),
            Errands::There(process) => each(process.errand(Errand::SyncFolders(folders))),
        }
    }

    /// Gives an output its name, unless it has it.
    pub(crate) fn deliver(self, output: &Path) -> Result<(), String> {
        match self {
            Errands::Here(_) => deliver(output),
            Errands::There(process) => {
                let ask = || process.errand(Errand::Deliver(output.into()));
                // Interrupted, it is asked for once more: an output that has its name already is left alone.
                each(ask().or_else(|_| ask()))
            }
        }
    }

    /// Marks an input; returns both of its names.
    pub(crate) fn mark(self, input: &FileJob, how: Mark) -> Result<[PathBuf; 2], String> {
        match self {
            Errands::Here(flow) => mark(flow, input, how),
            Errands::There(process) => match process.errand(Errand::Mark(input.clone(), how)) {
                Ok(Reply::Marked(marked)) => marked,
                other => Err(refused(other)),
            },
        }
    }
}

/// Runs an errand in the process that was sent.
pub(crate) fn run(flow: &Prepared, seen: &mut SeenOf, errand: Errand) -> Reply {
    match errand {
        Errand::Look(elements) => Reply::Looked(look(flow, &elements, seen)),
        Errand::Sync(targets) => Reply::Each(side_by_side(&targets, |target| {
            let written =
                Written::reopen(target).map_err(|error| could_not_write(target, &error))?;
            let synced = synced(&written);
            // It is the gateway's to take away.
            written.keep();
            synced
        })),
        Errand::SyncFolders(folders) => Reply::Each(sync_folders(&folders)),
        Errand::Deliver(output) => Reply::Each(vec![deliver(&output)]),
        Errand::Mark(input, how) => Reply::Marked(mark(flow, &input, how)),
    }
}

/// What is said where an errand was not run.
fn refused(reply: Result<Reply, String>) -> String {
    reply.err().unwrap_or_else(|| "a process answered what was not asked".into())
}

fn each(reply: Result<Reply, String>) -> Result<(), String> {
    match reply {
        Ok(Reply::Each(each)) => each.into_iter().collect(),
        other => Err(refused(other)),
    }
}

fn synced(written: &Written) -> Result<(), String> {
    written.sync().map_err(|error| could_not_write(written.target(), &error))
}

fn sync_folders(folders: &[PathBuf]) -> Vec<Result<(), String>> {
    side_by_side(folders, |folder| {
        let could_not =
            |error| format!("could not write the folder \"{}\": {error}", folder.display());
        sync_folder(folder).map_err(could_not)
    })
}

fn deliver(output: &Path) -> Result<(), String> {
    transport::deliver(output)
        .map_err(|error| format!("could not deliver \"{}\": {error}", output.display()))
}

fn mark(
    flow: &Prepared,
    FileJob { element, found }: &FileJob,
    mark: Mark,
) -> Result<[PathBuf; 2], String> {
    if found.has_changed().unwrap_or(false) {
        tracing::warn!(
            "\"{}\" was written to after it was read: what was added is not processed",
            found.path.display()
        );
    }
    match flow.elements[*element].collect.mark(found, mark) {
        Ok(to) => Ok([found.path.clone(), to]),
        Err(error) => {
            let by_whom = match error.kind() {
                io::ErrorKind::NotFound => "; does another program take files from its folder?",
                _ => "",
            };
            Err(format!(
                "could not mark \"{}\" as done: {error}; it is processed, and will not be again{by_whom}",
                found.path.display()
            ))
        }
    }
}

/// Does the same with several things at the same time; returns what came of each.
pub(crate) fn side_by_side<T: Sync, R: Send>(things: &[T], act: impl Fn(&T) -> R + Sync) -> Vec<R> {
    let next = AtomicUsize::new(0);
    let some = || {
        let mut done = Vec::new();
        while let place = next.fetch_add(1, Ordering::Relaxed)
            && let Some(thing) = things.get(place)
        {
            done.push((place, act(thing)));
        }
        done
    };
    let mut done = thread::scope(|scope| {
        let others: Vec<_> =
            (1..things.len().min(SIDE_BY_SIDE)).map(|_| scope.spawn(some)).collect();
        let mut done = some();
        for other in others {
            match other.join() {
                Ok(others) => done.extend(others),
                Err(panic) => std::panic::resume_unwind(panic),
            }
        }
        done
    });
    done.sort_unstable_by_key(|(place, _)| *place);
    done.into_iter().map(|(_, result)| result).collect()
}
