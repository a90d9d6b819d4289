//! What lies in the folders of the network elements, and what is said of what cannot be taken.

use std::collections::{HashMap, VecDeque};
use std::path::PathBuf;
use std::time::Duration;

use store::{Connection, StoreError};
use transport::Found;

use crate::alarm::{self, Wrong};
use crate::job::FileJob;
use crate::journal::Journal;
use crate::prepare::Prepared;

/// How long nobody writes to a file before it is taken to be complete.
pub(crate) const COMPLETE_AFTER: Duration = Duration::from_millis(500);

/// What a file looked like when its folder was last looked into.
pub(crate) type Seen = HashMap<PathBuf, Found>;

/// What a look into all folders found.
pub(crate) struct Look {
    pub(crate) jobs: VecDeque<FileJob>,
    pub(crate) problems: Vec<String>,
    /// The network elements whose folders cannot be read, and why.
    pub(crate) unreadable: Vec<(String, String)>,
    /// Whether a file was written to just now.
    pub(crate) fresh: bool,
}

/// The files that are there and did not change since the last look; the others may still be written to.
pub(crate) fn look(flow: &Prepared, seen: &mut Seen) -> Look {
    let (mut jobs, mut problems, mut now) = (VecDeque::new(), Vec::new(), Seen::new());
    let (mut fresh, mut unreadable) = (false, Vec::new());
    for (place, element) in flow.elements.iter().enumerate() {
        let found = element.collect.find();
        if let Some(first) = found.problems.first() {
            unreadable.push((element.name.clone(), first.clone()));
        }
        problems.extend(found.problems);
        for found in found.files {
            let quiet = element.collect.quiet();
            fresh |= found.is_fresh(quiet.max(COMPLETE_AFTER));
            if seen.get(&found.path) == Some(&found) && (quiet.is_zero() || !found.is_fresh(quiet))
            {
                jobs.push_back(FileJob { element: place, found: found.clone() });
            }
            now.insert(found.path.clone(), found);
        }
    }
    *seen = now;
    Look { jobs, problems, unreadable, fresh }
}

/// Raises alarms while there are files that could not be processed, whatever the reason, records that could
/// not be retried, other files that wait for one to keep their order, or folders that could not be read.
pub(crate) fn alarm_of_inputs(
    (waiting, not_retried): (&[String], &[String]),
    behind: Vec<(String, String)>,
    unreadable: Vec<(String, String)>,
    journal: &Journal,
    reader: &Connection,
) -> Result<(), StoreError> {
    const WAITING: &str = "files-waiting";
    const NOT_RETRIED: &str = "retries-waiting";
    const BEHIND: &str = "files-behind";
    const UNREADABLE: &str = "folder-unreadable";
    let waiting = waiting.first().map(|first| {
        let text = format!("files could not be processed, and stay where they are: {first}");
        Wrong { kind: WAITING, subject: String::new(), text }
    });
    let not_retried = not_retried.first().map(|first| {
        let text = format!(
            "records that are to be retried could not be, and stay in suspense: {first}; that is tried again with \
             every look, until \"tollgate suspense retry --take-back\" takes it back"
        );
        Wrong { kind: NOT_RETRIED, subject: String::new(), text }
    });
    let behind = behind.into_iter().map(|(file, element)| {
        let text = format!(
            "the files of \"{element}\" wait for \"{file}\", since their order matters to a node; to go on \
             without it, put a dot before its name"
        );
        Wrong { kind: BEHIND, subject: file, text }
    });
    let unreadable = unreadable.into_iter().map(|(element, problem)| {
        let text = format!("{element}: {problem}");
        Wrong { kind: UNREADABLE, subject: element, text }
    });
    let raised =
        journal.answer(alarm::raised(reader, &[WAITING, NOT_RETRIED, BEHIND, UNREADABLE]))?;
    alarm::stand(
        waiting.into_iter().chain(not_retried).chain(behind).chain(unreadable),
        &raised,
        journal,
    )
}
