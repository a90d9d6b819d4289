//! Files of network elements that the flow has no more, or that come another way now: nobody collects what lies in their in
//! buffers, and nobody knows how those that wait for the archive were marked. That is an alarm.

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};

use alarm::{Condition, EventType, Kind, Severity};
use diagnostics::counted;
use journal::Journal;
use store::{Answer, Connection, StoreError};
use transport::{DUPLICATE, FOLDER_DEPTH_MAX};

use crate::listening::buffers;
use crate::prepare::Prepared;

const ORPHANED: &Kind = &Kind::new(
    "files-orphaned",
    Severity::Major,
    EventType::Processing,
    "configurationOrCustomizationError",
);

/// The kinds of alarms that are raised here.
pub(crate) const ALARMS: &[&Kind] = &[ORPHANED];

/// The names of a flow's network elements, as a list for the journal.
pub(crate) fn known(flow: &Prepared) -> String {
    let names: Vec<&str> = flow.elements.iter().map(|element| element.name.as_str()).collect();
    serde_json::to_string(&names).expect("names are text")
}

/// Raises the alarms of such files, and clears those of what is gone, or whose network element is there again.
pub(crate) fn look(
    flow: &Prepared,
    journal: &Journal,
    reader: &Connection,
) -> Result<(), StoreError> {
    let mut said = in_buffers(flow);
    for (element, files) in journal.answer(to_be_archived(flow, reader))? {
        let wait = if files == 1 { "waits" } else { "wait" };
        let text = format!("{} that {wait} to be archived", counted(files, "file"));
        said.entry(element).or_default().push(text);
    }
    let wrong = said.into_iter().map(|(subject, files)| {
        let text = format!(
            "{}: nobody sees to them, since the flow has no network element \"{subject}\" any more whose they are. Give one \
             this name again, then they go on; or take the files away",
            files.join(", and ")
        );
        Condition { kind: ORPHANED, subject, text }
    });
    let raised = journal.answer(alarm::raised(reader, &[ORPHANED]))?;
    alarm::reconcile(wrong, &raised, journal)
}

/// What lies in in buffers that nobody collects from, by their names.
fn in_buffers(flow: &Prepared) -> BTreeMap<String, Vec<String>> {
    let mut said: BTreeMap<String, Vec<String>> = BTreeMap::new();
    for entry in fs::read_dir(buffers(&flow.state)).into_iter().flatten().flatten() {
        let folder = entry.path();
        let is_collected = flow
            .elements
            .iter()
            .any(|element| element.collect.is_buffer() && element.collect.dir == folder);
        if is_collected || !entry.file_type().is_ok_and(|kind| kind.is_dir()) {
            continue;
        }
        let files = files_below(&folder);
        let Some(first) = files.iter().min() else { continue };
        let (count, first) = (counted(files.len(), "file"), first.display());
        let lie = if files.len() == 1 { "lies" } else { "lie" };
        let text = format!("{count} {lie} in \"{}\", such as \"{first}\"", folder.display());
        said.insert(entry.file_name().to_string_lossy().into_owned(), vec![text]);
    }
    said
}

/// The files in a folder and in those within, by their names there: but those that are hidden, which are not whole, and those
/// that came before.
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

/// How many files are to be archived whose network elements the flow has not.
fn to_be_archived(flow: &Prepared, reader: &Connection) -> Answer<Vec<(String, usize)>> {
    if flow.archive.is_none() {
        return Ok(Vec::new());
    }
    let mut select = reader.prepare_cached(
        "SELECT network_element, count(*) FROM archive
         WHERE (state = 'due' OR removal = 'due')
             AND network_element NOT IN (SELECT value FROM json_each(?))
         GROUP BY network_element",
    )?;
    let files = |row: &store::Row<'_>| Ok((row.get(0)?, row.get::<_, i64>(1)? as usize));
    select.query_map([known(flow)], files)?.collect()
}
