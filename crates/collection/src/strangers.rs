//! Raises alarms for marked files that the journal does not know. Their names say that they were processed or are
//! duplicates, but the sender or another gateway chose these names. Such files are never collected.

use std::collections::{BTreeMap, BTreeSet, HashSet};
use std::path::PathBuf;

use alarm::{Completeness, Condition, EventType, Kind, Severity};
use diagnostics::{counted, visible};
use journal::Journal;
use store::{Connection, OptionalExtension as _, QueryResult, StoreError, params};
use transport::MarkedFile;

use crate::versions::Lies;

/// The alarm for marked files that the journal does not know.
pub const UNKNOWN: &Kind = &Kind::new(
    "marks-unknown",
    Severity::Minor,
    EventType::Processing,
    "configurationOrCustomizationError",
);

/// The kinds of alarms that are raised here.
pub const ALARMS: &[&Kind] = &[UNKNOWN];

/// The most unknown files that are kept for a network element. They are reported as a number.
const REMEMBERED_MAX: usize = 1_000;

/// The most marked files of a network element that wait for a look-up in the journal: 20 scans with 10,000 each.
/// Further files are never looked up, since no scan returns a file twice. A journal that does not answer for so long
/// has an alarm of its own.
const WAITING_MAX: usize = 200_000;

/// Returns the current versions of files, in the order of their paths.
type Versions<'v> = &'v dyn Fn(&[PathBuf]) -> Vec<Lies>;

/// The journal, a reader of it, and the versions on the disk.
type OnDisk<'d> = (&'d Journal, &'d Connection, Versions<'d>);

/// The unknown files by network element.
#[derive(Debug, Default)]
pub struct Strangers {
    by_element: BTreeMap<String, BTreeSet<PathBuf>>,
    /// The marked files by network element that wait for a look-up in the journal.
    waiting: BTreeMap<String, Vec<MarkedFile>>,
}

impl Strangers {
    /// Adds a marked file from a scan.
    pub fn take_in(&mut self, network_element: &str, marked: MarkedFile) {
        let waiting = self.waiting.entry(network_element.to_owned()).or_default();
        if waiting.len() < WAITING_MAX {
            waiting.push(marked);
        }
    }

    /// Looks up the added files in the journal. Raises alarms for those that it does not know and that still exist.
    pub fn look(
        &mut self,
        network_elements: &HashSet<&str>,
        known: Completeness,
        (journal, reader, versions): OnDisk<'_>,
    ) -> Result<(), StoreError> {
        if !journal.view.is_written {
            self.waiting.clear();
            return Ok(());
        }
        let is_over = |name: &String| !network_elements.contains(name.as_str());
        self.waiting.retain(|name, _| !is_over(name));
        self.by_element.retain(|name, _| !is_over(name));
        self.look_up((journal, reader, versions))?;
        self.forget_gone(versions);
        let raised = journal.answer(alarm::raised(reader, &[UNKNOWN]))?;
        alarm::reconcile_partly(known, self.wrong(), &raised, journal)
    }

    /// Keeps the waiting files that the journal does not know. After an error all of them wait for the next call.
    fn look_up(&mut self, (journal, reader, versions): OnDisk<'_>) -> Result<(), StoreError> {
        let (mut unknown, mut paths) = (Vec::new(), Vec::new());
        for (element, waiting) in self.waiting.iter().filter(|(element, _)| self.has_room(element))
        {
            for marked in waiting {
                if !journal.answer(is_known(reader, element, &marked.name))? {
                    unknown.push((element.clone(), marked.clone()));
                    paths.push(marked.path.clone());
                }
            }
        }
        let forgotten_ms = journal.answer(forgotten_until(reader))?;
        let lies = forgotten_ms.map(|until_ms| (until_ms, versions(&paths)));
        self.waiting.clear();
        for (place, (element, marked)) in unknown.into_iter().enumerate() {
            match &lies {
                Some((_, lies)) if lies[place] == Lies::Unknown => {
                    self.waiting.entry(element).or_default().push(marked);
                }
                Some((until_ms, lies)) if is_of_forgotten_time(lies[place], *until_ms) => {}
                _ if self.has_room(&element) => {
                    self.by_element.entry(element).or_default().insert(marked.path);
                }
                _ => {}
            }
        }
        Ok(())
    }

    fn has_room(&self, element: &str) -> bool {
        self.by_element.get(element).is_none_or(|files| files.len() < REMEMBERED_MAX)
    }

    fn forget_gone(&mut self, versions: Versions<'_>) {
        for strangers in self.by_element.values_mut() {
            let paths: Vec<PathBuf> = strangers.iter().cloned().collect();
            let gone = paths.iter().zip(versions(&paths));
            for (path, _) in gone.filter(|(_, lies)| *lies == Lies::Gone) {
                strangers.remove(path);
            }
        }
        self.by_element.retain(|_, strangers| !strangers.is_empty());
    }

    fn wrong(&self) -> impl Iterator<Item = Condition> {
        self.by_element.iter().filter_map(|(element, strangers)| {
            let first = strangers.first()?.display().to_string();
            let (count, files) = (strangers.len(), counted(strangers.len(), "file"));
            let more = if count == REMEMBERED_MAX { " or more" } else { "" };
            let text = format!(
                "{element}: {files}{more} not collected, such as \"{}\": the name says that it was processed, and the journal \
                 does not know it; give it another name, or set \"done\" to an end that no file has",
                visible(&first)
            );
            Some(Condition { kind: UNKNOWN, subject: element.clone(), text })
        })
    }
}

/// Returns whether the journal has a file of this network element and name.
fn is_known(db: &Connection, network_element: &str, name: &str) -> QueryResult<bool> {
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

/// Returns the time up to which the journal has dropped files.
fn forgotten_until(db: &Connection) -> QueryResult<Option<i64>> {
    db.prepare_cached("SELECT until_ms FROM forgotten")?
        .query_row(params![], |row| row.get(0))
        .optional()
}

/// Returns whether a file may be one that the journal has dropped: it is as old as those, is gone, or cannot be read.
fn is_of_forgotten_time(lies: Lies, until_ms: i64) -> bool {
    match lies {
        Lies::As((_, modified_ns)) => modified_ns / 1_000_000 <= until_ms,
        Lies::Gone | Lies::Unknown => true,
    }
}

#[cfg(test)]
mod tests {

    use super::*;

    #[test]
    fn a_marked_file_waits_until_the_journal_and_the_folder_answer() {
        let folder = tempfile::tempdir().expect("a folder");
        let at = |name: &str| folder.path().join(name);
        let journal =
            flow::flow_journal::open(&at("flow.toml"), &at("state"), std::time::SystemTime::now);
        let journal = journal.expect("a journal");
        let reader = journal.reader().expect("a reader");
        let forgotten = "INSERT INTO forgotten VALUES (1, 1, 1000)";
        journal.commit(move |db| db.execute(forgotten, []).map(drop)).expect("there is room");
        let broken = Connection::open_in_memory().expect("there is memory");
        let mut strangers = Strangers::default();
        let marked = MarkedFile { path: at("a.x.done"), name: "a.x".into() };
        strangers.take_in("boston", marked);
        let mut look = |reader: &Connection, lies: Lies| {
            let versions = |paths: &[PathBuf]| vec![lies; paths.len()];
            let of = HashSet::from(["boston"]);
            strangers.look(&of, Completeness::Complete, (&journal, reader, &versions))?;
            journal.answer(alarm::raised(reader, &[UNKNOWN])).map(|raised| raised.len())
        };
        let is_there = Lies::As((1, 2_000_000_000));
        assert!(look(&broken, is_there).is_err());
        assert_eq!(look(&reader, Lies::Unknown).expect("an answer"), 0);
        assert_eq!(look(&reader, is_there).expect("an answer"), 1);
        assert_eq!(look(&reader, Lies::Gone).expect("an answer"), 0);
    }
}
