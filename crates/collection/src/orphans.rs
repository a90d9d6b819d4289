//! Raises alarms for orphaned files: their network element is no longer in the flow, or its files now come another way.
//! No scan collects what is in its in buffer, and the mark for its files that wait for the archive is unknown.

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};

use alarm::{Condition, EventType, Kind, Severity};
use diagnostics::counted;
use journal::Journal;
use store::{Connection, StoreError};
use transport::{DUPLICATE, FOLDER_DEPTH_MAX};

use crate::push::buffers;
use crate::sources::Collection;
use flow::topology::Topology;

const ORPHANED: &Kind = &Kind::new(
    "files-orphaned",
    Severity::Major,
    EventType::Processing,
    "configurationOrCustomizationError",
);

/// The kinds of alarms that are raised here.
pub const ALARMS: &[&Kind] = &[ORPHANED];

/// Returns the names of a flow's network elements as a JSON list for the journal.
pub fn known(flow: &Topology) -> String {
    let names: Vec<&str> = flow.elements.iter().map(|element| element.name.as_str()).collect();
    serde_json::to_string(&names).expect("names are text")
}

/// Raises alarms for orphaned files, and clears those of files that are gone or whose network element is back.
/// `to_be_archived` has the number of orphaned files that wait for the archive, by network element.
pub fn look(
    flow: &Topology,
    collection: &Collection,
    to_be_archived: Vec<(String, usize)>,
    journal: &Journal,
    reader: &Connection,
) -> Result<(), StoreError> {
    let mut messages = in_buffers(flow, collection);
    for (element, files) in to_be_archived {
        let wait = if files == 1 { "waits" } else { "wait" };
        let text = format!("{} that {wait} to be archived", counted(files, "file"));
        messages.entry(element).or_default().push(text);
    }
    let wrong = messages.into_iter().map(|(subject, files)| {
        let text = format!(
            "{}: they are not processed, since the flow has no network element \"{subject}\" any more. Give one this name \
             again, then they go on; or take the files away",
            files.join(", and ")
        );
        Condition { kind: ORPHANED, subject, text }
    });
    let raised = journal.answer(alarm::raised(reader, &[ORPHANED]))?;
    alarm::reconcile(wrong, &raised, journal)
}

/// Returns messages about in buffers that are not collected from, by name of the buffer.
fn in_buffers(flow: &Topology, collection: &Collection) -> BTreeMap<String, Vec<String>> {
    let mut messages: BTreeMap<String, Vec<String>> = BTreeMap::new();
    for entry in fs::read_dir(buffers(&flow.state)).into_iter().flatten().flatten() {
        let folder = entry.path();
        let mut sources = collection.sources.iter();
        let is_collected =
            sources.any(|source| source.collect.is_buffer() && source.collect.dir == folder);
        if is_collected || !entry.file_type().is_ok_and(|kind| kind.is_dir()) {
            continue;
        }
        let files = files_below(&folder);
        let Some(first) = files.iter().min() else { continue };
        let (count, first) = (counted(files.len(), "file"), first.display());
        let lie = if files.len() == 1 { "lies" } else { "lie" };
        let text = format!("{count} {lie} in \"{}\", such as \"{first}\"", folder.display());
        messages.insert(entry.file_name().to_string_lossy().into_owned(), vec![text]);
    }
    messages
}

/// Returns the files below a folder, with paths relative to it. It skips hidden files, which are not complete, and
/// duplicates.
fn files_below(folder: &Path) -> Vec<PathBuf> {
    let (mut files, mut folders) = (Vec::new(), vec![(folder.to_owned(), 0)]);
    while let Some((within, depth)) = folders.pop() {
        for entry in fs::read_dir(within).into_iter().flatten().flatten() {
            let name = entry.file_name();
            let name = name.to_string_lossy();
            match entry.file_type() {
                Ok(kind) if kind.is_dir() && depth < FOLDER_DEPTH_MAX => {
                    folders.push((entry.path(), depth + 1));
                }
                Ok(kind)
                    if kind.is_file() && !name.starts_with('.') && !name.contains(DUPLICATE) =>
                {
                    let path = entry.path();
                    files.push(path.strip_prefix(folder).map_or(path.clone(), Path::to_owned));
                }
                _ => {}
            }
        }
    }
    files
}
