//! Files whose names say that they were processed, or are duplicates, of which the journal knows nothing: whoever sends files
//! gives them such names too, or another gateway did. They are never collected, so somebody is told.

use std::collections::{BTreeMap, BTreeSet};
use std::path::PathBuf;

use diagnostics::{counted, visible};
use store::{Answer, Connection, OptionalExtension as _, StoreError, params};
use transport::Marked;

use crate::alarm::{self, Known, Wrong};
use crate::errands::{Errands, Lies};
use crate::journal::Journal;
use crate::prepare::Prepared;

pub(crate) const UNKNOWN: &str = "marks-unknown";

/// Most such files of a network element that are remembered: they are told as a number.
const REMEMBERED_MAX: usize = 1_000;

/// Such files, by their network elements.
#[derive(Debug, Default)]
pub(crate) struct Strangers(BTreeMap<String, BTreeSet<PathBuf>>);

impl Strangers {
    /// Takes in files that looks into folders have found since the last time, and has alarms stand for those that the journal
    /// does not know and that are still there.
    pub(crate) fn look(
        &mut self,
        flow: &Prepared,
        found: Vec<(usize, Marked)>,
        known: Known,
        (journal, reader, folders): (&Journal, &Connection, Errands<'_>),
    ) -> Result<(), StoreError> {
        if !journal.book.is_kept {
            return Ok(());
        }
        for (element, marked) in found {
            let name = &flow.elements[element].name;
            let strangers = self.0.entry(name.clone()).or_default();
            if strangers.len() < REMEMBERED_MAX
                && !journal.answer(is_known(reader, name, &marked.name))?
                && !is_of_forgotten_time(reader, journal, folders, &marked.path)?
            {
                strangers.insert(marked.path);
            }
        }
        self.forget_gone(flow, folders);
        let raised = journal.answer(alarm::raised(reader, &[UNKNOWN]))?;
        alarm::stand_as_far_as(known, self.wrong(), &raised, journal)
    }

    fn forget_gone(&mut self, flow: &Prepared, folders: Errands<'_>) {
        self.0.retain(|name, _| flow.elements.iter().any(|element| element.name == *name));
        for strangers in self.0.values_mut() {
            let paths: Vec<PathBuf> = strangers.iter().cloned().collect();
            let gone = paths.iter().zip(folders.versions(&paths));
            for (path, _) in gone.filter(|(_, lies)| *lies == Lies::Gone) {
                strangers.remove(path);
            }
        }
        self.0.retain(|_, strangers| !strangers.is_empty());
    }

    fn wrong(&self) -> impl Iterator<Item = Wrong> {
        self.0.iter().filter_map(|(element, strangers)| {
            let first = strangers.first()?.display().to_string();
            let (count, files) = (strangers.len(), counted(strangers.len(), "file"));
            let more = if count == REMEMBERED_MAX { " or more" } else { "" };
            let text = format!(
                "{element}: {files}{more} not collected, such as \"{}\": the name says that it was processed, and the journal \
                 does not know it; give it another name, or set \"done\" to an end that no file has",
                visible(&first)
            );
            Some(Wrong { kind: UNKNOWN, subject: element.clone(), text })
        })
    }
}

/// Whether the journal has a file of a network element that had this name.
fn is_known(db: &Connection, network_element: &str, name: &str) -> Answer<bool> {
    for which in ["IS NULL", "IS NOT NULL"] {
        let select = format!(
            "SELECT 1 FROM file WHERE network_element = ? AND name = ? AND duplicate_of {which}"
        );
        if db.prepare_cached(&select)?.exists([network_element, name])? {
            return Ok(true);
        }
    }
    Ok(false)
}

/// Whether a file is as old as what the journal has forgotten: then nobody knows.
fn is_of_forgotten_time(
    db: &Connection,
    journal: &Journal,
    folders: Errands<'_>,
    path: &PathBuf,
) -> Result<bool, StoreError> {
    let until = || -> Answer<Option<i64>> {
        db.prepare_cached("SELECT until_ms FROM forgotten")?
            .query_row(params![], |row| row.get(0))
            .optional()
    };
    let Some(until_ms) = journal.answer(until())? else { return Ok(false) };
    Ok(match folders.versions(std::slice::from_ref(path))[..] {
        [Lies::As((_, modified_ns))] => modified_ns / 1_000_000 <= until_ms,
        _ => true,
    })
}
