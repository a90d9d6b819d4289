//! What lies in the folders of the network elements, and what is said of what cannot be taken.

use std::collections::{BTreeMap, BTreeSet, HashMap, VecDeque};
use std::path::PathBuf;
use std::sync::atomic::Ordering;
use std::time::Duration;

use diagnostics::counted;
use serde::{Deserialize, Serialize};
use store::{Connection, StoreError};
use transport::Found;

use crate::alarm::{self, Wrong};
use crate::batch::{Obstacles, Waits};
use crate::job::FileJob;
use crate::journal::Journal;
use crate::prepare::Prepared;
use crate::queue::Behind;

/// How long nobody writes to a file before it is taken to be complete.
pub(crate) const COMPLETE_AFTER: Duration = Duration::from_millis(500);

const WAITING: &str = "files-waiting";
const NOT_RETRIED: &str = "retries-waiting";
const BEHIND: &str = "files-behind";
const UNREADABLE: &str = "folder-unreadable";
const POISON: &str = "poison-files";
const UNNAMED: &str = "outputs-waiting";

/// The alarms of files that came, or may have, and are not in the journal.
pub(crate) const OF_INPUTS: [&str; 4] = [WAITING, BEHIND, UNREADABLE, POISON];

/// What was seen of a network element when its folder was last looked into.
#[derive(Default)]
pub(crate) struct Seen {
    /// What its files looked like.
    files: HashMap<PathBuf, Found>,
    /// Whether all of it could be read.
    is_whole: bool,
}

/// The same, by the names of network elements.
pub(crate) type SeenOf = HashMap<String, Seen>;

/// What a look into folders found.
#[derive(Debug, Default, Serialize, Deserialize)]
pub(crate) struct Look {
    pub(crate) jobs: VecDeque<FileJob>,
    pub(crate) problems: Vec<String>,
    /// The places of the network elements whose folders cannot be read, and why.
    pub(crate) unreadable: Vec<(usize, String)>,
    /// The files that were set aside since nobody survived them, with the places of their network elements.
    pub(crate) poison: Vec<(usize, PathBuf)>,
    /// Whether a file was written to just now.
    pub(crate) is_fresh: bool,
    /// Whether nobody knows yet which of the files that are there are complete: their folder was not looked into before, or
    /// could not be.
    pub(crate) is_first: bool,
}

impl Look {
    /// Where nobody could look.
    pub(crate) fn failed(elements: &[usize], problem: String) -> Self {
        let unreadable = elements.iter().map(|element| (*element, problem.clone())).collect();
        Look { unreadable, problems: vec![problem], ..Look::default() }
    }
}

/// The files of network elements that are there and complete: those that were fetched, and those that did not change
/// since the last look; others may still be written to.
pub(crate) fn look(flow: &Prepared, elements: &[usize], seen: &mut SeenOf) -> Look {
    let mut look = Look::default();
    for place in elements.iter().copied() {
        let element = &flow.elements[place];
        let found = element.collect.find();
        let is_whole = found.problems.is_empty();
        let unreadable = found.problems.iter().min().map(|first| (place, first.clone()));
        look.unreadable.extend(unreadable);
        look.problems.extend(found.problems);
        look.poison.extend(found.poison.into_iter().map(|path| (place, path)));
        if element.is_fetched {
            let found = found.files.into_iter();
            look.jobs.extend(found.map(|found| FileJob { element: place, found }));
            continue;
        }
        let before = seen.remove(&element.name).unwrap_or_default();
        look.is_first |= is_whole && !before.is_whole && !found.files.is_empty();
        let mut now = Seen { is_whole, ..Seen::default() };
        for found in found.files {
            let quiet = element.collect.quiet();
            look.is_fresh |= found.is_fresh(quiet.max(COMPLETE_AFTER));
            let is_quiet = quiet.is_zero() || !found.is_fresh(quiet);
            if before.files.get(&found.path) == Some(&found) && is_quiet {
                look.jobs.push_back(FileJob { element: place, found: found.clone() });
            }
            now.files.insert(found.path.clone(), found);
        }
        seen.insert(element.name.clone(), now);
    }
    look
}

/// Raises alarms while there are files that could not be processed, whatever the reason, records that could
/// not be retried, other files that wait for one to keep their order, or folders that could not be read.
pub(crate) fn alarm_of_inputs(
    flow: &Prepared,
    obstacles: &Obstacles,
    journal: &Journal,
    reader: &Connection,
) -> Result<(), StoreError> {
    let Obstacles { known, waiting, not_retried, behind, unreadable, poison, .. } = obstacles;
    let mut waiting_of = BTreeMap::<&str, BTreeSet<&str>>::new();
    for Waits { network_element, problem } in waiting {
        waiting_of.entry(network_element).or_default().insert(problem);
    }
    let waiting = waiting_of.into_iter().filter_map(|(element, problems)| {
        let first = first_of(problems)?;
        let text =
            format!("{element}: files could not be processed, and stay where they are: {first}");
        Some(Wrong { kind: WAITING, subject: element.to_owned(), text })
    });
    let not_retried = first_of(not_retried.iter().map(String::as_str).collect()).map(|first| {
        let text = format!(
            "records that are to be retried could not be, and stay in suspense: {first}; that is tried again with \
             every look, until \"tollgate suspense retry --take-back\" takes it back"
        );
        Wrong { kind: NOT_RETRIED, subject: String::new(), text }
    });
    let behind = behind.iter().map(|Behind { element, first }| {
        let (file, element) = (first.display().to_string(), &flow.elements[*element].name);
        let text = format!(
            "the files of \"{element}\" wait for \"{file}\", since their order matters to a node; to go on \
             without it, put a dot before its name"
        );
        Wrong { kind: BEHIND, subject: file, text }
    });
    let unreadable = unreadable.iter().map(|(element, problem)| {
        let element = &flow.elements[*element].name;
        let text = format!("{element}: {problem}");
        Wrong { kind: UNREADABLE, subject: element.clone(), text }
    });
    let poison = flow.elements.iter().enumerate().filter_map(|(place, element)| {
        let files = poison.iter().filter(|(of, _)| *of == place).map(|(_, path)| path);
        let files: BTreeSet<&PathBuf> = files.collect();
        let (subject, first) = (element.name.clone(), files.first()?.display());
        let files = counted(files.len(), "file");
        let text = format!(
            "{subject}: {files} set aside, since the worker that had it in hand broke off twice, or it cannot be unpacked, \
             as the log says: \"{first}\"; to have it processed again, give it its name back"
        );
        Some(Wrong { kind: POISON, subject, text })
    });
    let unnamed = journal.has_unfinished.load(Ordering::Relaxed).then(|| {
        let text = "outputs could not be given their names, so that nobody is given them: the log says why; that is \
                    tried again each second";
        Wrong { kind: UNNAMED, subject: String::new(), text: text.into() }
    });
    let kinds = [WAITING, NOT_RETRIED, BEHIND, UNREADABLE, POISON, UNNAMED];
    let raised = journal.answer(alarm::raised(reader, &kinds))?;
    let wrong = waiting.chain(not_retried).chain(behind).chain(unreadable);
    alarm::stand_as_far_as(*known, wrong.chain(poison).chain(unnamed), &raised, journal)
}

/// The first of some problems, and whether there are others: in which order they were met, and how many there are, may be
/// otherwise with each look.
pub(crate) fn first_of(problems: BTreeSet<&str>) -> Option<String> {
    let others = if problems.len() > 1 { "; and others" } else { "" };
    problems.first().map(|first| format!("{first}{others}"))
}
