//! Scans the folders of the network elements, and raises alarms for files that cannot be taken.

use std::collections::{BTreeMap, BTreeSet, HashMap, VecDeque};
use std::path::PathBuf;
use std::time::{Duration, Instant};

use alarm::{Completeness, Condition, EventType, Kind, Severity};
use diagnostics::{counted, visible};
use journal::Journal;
use serde::{Deserialize, Serialize};
use store::{Connection, StoreError};
use transport::{FoundFile, KnownMarks, MarkedFile};

use crate::added;
use crate::refused;

use crate::sources::{Collection, FileJob, Source};
use crate::strangers;
use flow::backlog::{Backlog, Behind, Waits, first_of};
use flow::topology::Topology;

/// How long a file must stay unchanged to count as complete.
pub const COMPLETE_AFTER: Duration = Duration::from_millis(500);

const WAITING: &Kind =
    &Kind::new("files-waiting", Severity::Major, EventType::Processing, "fileError");
const NOT_RETRIED: &Kind =
    &Kind::new("retries-waiting", Severity::Minor, EventType::Processing, "fileError");
const BEHIND: &Kind =
    &Kind::new("files-behind", Severity::Major, EventType::Quality, "queueSizeExceeded");
const UNREADABLE: &Kind =
    &Kind::new("folder-unreadable", Severity::Major, EventType::Equipment, "inputDeviceError");
const LINKED: &Kind = &Kind::new(
    "links-not-followed",
    Severity::Minor,
    EventType::Processing,
    "configurationOrCustomizationError",
);
const LEFT_ALONE: &Kind = &Kind::new(
    "files-left-alone",
    Severity::Minor,
    EventType::Processing,
    "configurationOrCustomizationError",
);
const UNSETTLED: &Kind =
    &Kind::new("files-unsettled", Severity::Minor, EventType::Time, "delayedInformation");
const UNMARKED: &Kind =
    &Kind::new("inputs-unmarked", Severity::Major, EventType::Equipment, "outputDeviceError");
const POISON: &Kind = &Kind::new(
    "poison-files",
    Severity::Major,
    EventType::Processing,
    "softwareProgramAbnormallyTerminated",
);
const UNNAMED: &Kind =
    &Kind::new("outputs-waiting", Severity::Major, EventType::Equipment, "outputDeviceError");

/// A file is reported if it keeps changing for this many times `quiet`, and for at least this long. A process that
/// appends all day keeps the file from ever being taken.
const UNSETTLED_QUIETS: u32 = 10;
const UNSETTLED_AFTER: Duration = Duration::from_secs(10 * 60);

/// The alarms of files that came, or may have come, and are not in the journal.
pub const OF_INPUTS: [&Kind; 9] = [
    WAITING,
    BEHIND,
    UNREADABLE,
    POISON,
    LINKED,
    LEFT_ALONE,
    UNSETTLED,
    added::ADDED,
    strangers::UNKNOWN,
];

/// The kinds of alarms that are raised here.
pub const ALARMS: &[&Kind] = &[
    WAITING,
    UNMARKED,
    NOT_RETRIED,
    BEHIND,
    UNREADABLE,
    LINKED,
    LEFT_ALONE,
    UNSETTLED,
    POISON,
    UNNAMED,
];

/// The result of the last scan of a network element's folder.
#[derive(Default)]
pub struct FolderListing {
    /// The files as they were found.
    files: HashMap<PathBuf, ListedFile>,
    /// The marked files that were returned already.
    marked: KnownMarks,
    /// Whether the whole folder could be read.
    is_whole: bool,
}

/// A file over several scans.
struct ListedFile {
    found: FoundFile,
    /// When the file last changed, and when it was first found.
    since: Instant,
    first: Instant,
}

/// The results of the last scan, by network element.
pub type LastScan = HashMap<String, FolderListing>;

/// The result of a scan.
#[derive(Debug, Default, Serialize, Deserialize)]
pub struct Look {
    /// The files that are complete, to be processed.
    pub jobs: VecDeque<FileJob>,
    /// All problems with the folders, for the report: unreadable places, links and other things.
    pub problems: Vec<String>,
    /// The network elements whose folders cannot be read, by place, with the reason.
    pub unreadable: Vec<(usize, String)>,
    /// The network elements with links in their folders that would be collected as files, by place, with a message.
    pub linked: Vec<(usize, String)>,
    /// The network elements with other things in their folders that are not collected, by place, with a message.
    pub left_alone: Vec<(usize, String)>,
    /// The files that may still be written to, with the places of their network elements.
    pub unsettled: Vec<(usize, PathBuf)>,
    /// The network elements with files that have been written to for long, by place, with a message.
    pub unsettled_long: Vec<(usize, String)>,
    /// The files with marks of processed files that no earlier scan has returned.
    pub marked: Vec<(usize, MarkedFile)>,
    /// The files that were set aside because they killed each process that read them, with the places of their network
    /// elements.
    pub poison: Vec<(usize, PathBuf)>,
    /// Whether a file was written to a moment ago.
    pub is_fresh: bool,
    /// Whether it is unknown which files are complete: their folder was not scanned before, or could not be.
    pub is_first: bool,
}

impl Look {
    /// Makes the result of a scan that failed.
    pub fn failed(elements: &[usize], problem: String) -> Self {
        let unreadable = elements.iter().map(|element| (*element, problem.clone())).collect();
        Look { unreadable, problems: vec![problem], ..Look::default() }
    }
}

/// Scans for files that are complete: those that were fetched, and those that did not change since the last scan.
pub fn look(collection: &Collection, elements: &[usize], last_scan: &mut LastScan) -> Look {
    let mut look = Look::default();
    for place in elements.iter().copied() {
        let source = &collection.sources[place];
        let mut before = last_scan.remove(&source.network_element).unwrap_or_default();
        let found = source.collect.find(&mut before.marked);
        look.marked.extend(found.marked.into_iter().map(|marked| (place, marked)));
        let is_whole = found.problems.is_empty();
        let unreadable = found.problems.iter().min().map(|first| (place, first.clone()));
        look.unreadable.extend(unreadable);
        look.problems.extend(found.problems);
        look.problems.extend(found.not_followed.clone());
        look.linked.extend(found.not_followed.map(|links| (place, links)));
        look.problems.extend(found.ignored.clone());
        look.left_alone.extend(found.ignored.map(|others| (place, others)));
        look.poison.extend(found.poison.into_iter().map(|path| (place, path)));
        if source.is_fetched {
            let found = found.files.into_iter();
            look.jobs.extend(found.map(|found| FileJob { element: place, found }));
            last_scan.insert(source.network_element.clone(), before);
            continue;
        }
        look.is_first |= is_whole && !before.is_whole && !found.files.is_empty();
        let marked = std::mem::take(&mut before.marked);
        let mut now = FolderListing { is_whole, marked, ..FolderListing::default() };
        let mut unsettled = Vec::new();
        for found in found.files {
            let sight = see(found, &before);
            let quiet = source.collect.quiet();
            look.is_fresh |= sight.found.is_fresh(quiet.max(COMPLETE_AFTER));
            match sight.is_at_rest(&before, quiet) {
                true => look.jobs.push_back(FileJob { element: place, found: sight.found.clone() }),
                false => unsettled.push(sight.found.path.clone()),
            }
            now.files.insert(sight.found.path.clone(), sight);
        }
        let message = unsettled_message(&now, source, &unsettled);
        look.unsettled_long.extend(message.map(|message| (place, message)));
        look.unsettled.extend(unsettled.into_iter().map(|path| (place, path)));
        last_scan.insert(source.network_element.clone(), now);
    }
    look
}

/// Updates the entry of a file.
fn see(found: FoundFile, before: &FolderListing) -> ListedFile {
    let now = Instant::now();
    match before.files.get(&found.path) {
        None => ListedFile { found, since: now, first: now },
        Some(ListedFile { found: was, since, first }) => {
            ListedFile { since: if *was == found { *since } else { now }, first: *first, found }
        }
    }
}

impl ListedFile {
    /// Returns whether a file has not changed since the last scan, nor for `quiet`. The file's own time decides. If
    /// that is in the future or set by the sender, the scans decide.
    fn is_at_rest(&self, before: &FolderListing, quiet: Duration) -> bool {
        let is_as_it_was =
            before.files.get(&self.found.path).is_some_and(|before| before.found == self.found);
        is_as_it_was
            && (quiet.is_zero() || !self.found.is_fresh(quiet) || self.since.elapsed() >= quiet)
    }
}

/// Returns the message about files that have been written to for long.
fn unsettled_message(
    now: &FolderListing,
    source: &Source,
    unsettled: &[PathBuf],
) -> Option<String> {
    let long = UNSETTLED_AFTER.max(source.collect.quiet() * UNSETTLED_QUIETS);
    let is_long =
        |path: &&PathBuf| now.files.get(*path).is_some_and(|sight| sight.first.elapsed() >= long);
    let files: Vec<&PathBuf> = unsettled.iter().filter(is_long).collect();
    let first = files.iter().min()?.display().to_string();
    let (count, are) = (counted(files.len(), "file"), if files.len() == 1 { "is" } else { "are" });
    Some(format!(
        "{count} not taken, such as \"{}\", since there {are} still being written to",
        visible(&first)
    ))
}

/// Raises alarms for files that could not be processed or marked, for records that could not be retried, for files that
/// wait for another to keep their order, for folders that could not be read, and for outputs without their names.
pub fn alarm_of_inputs(
    flow: &Topology,
    obstacles: &Backlog,
    journal: &Journal,
    reader: &Connection,
    has_unfinished: bool,
) -> Result<(), StoreError> {
    let Backlog { is_all, waiting, not_retried, behind, unreadable, linked, poison, .. } =
        obstacles;
    let waiting =
        of_elements(waiting, WAITING, "files could not be processed, and stay where they are");
    let unmarked = of_elements(
        &obstacles.unmarked,
        UNMARKED,
        "files are processed and could not be marked as done, and fill their folder",
    );
    let not_retried = first_of(not_retried.iter().map(String::as_str).collect()).map(|first| {
        let text = format!(
            "records that are to be retried could not be, and stay in suspense: {first}; that is tried again with \
             every look, until \"tollgate suspense retry --take-back\" takes it back"
        );
        Condition { kind: NOT_RETRIED, subject: String::new(), text }
    });
    let behind = behind.iter().map(|Behind { element, first }| {
        let (file, element) = (first.display().to_string(), &flow.elements[*element].name);
        let text = format!(
            "the files of \"{element}\" wait for \"{file}\", since their order matters to a node; to go on \
             without it, put a dot before its name"
        );
        Condition { kind: BEHIND, subject: file, text }
    });
    let of_folder = |kind: &'static Kind, (element, problem): &(usize, String)| {
        let element = &flow.elements[*element].name;
        let text = format!("{element}: {problem}");
        Condition { kind, subject: element.clone(), text }
    };
    let unreadable = unreadable.iter().map(|found| of_folder(UNREADABLE, found));
    let linked = linked.iter().map(|found| of_folder(LINKED, found));
    let left_alone = obstacles.left_alone.iter().map(|found| of_folder(LEFT_ALONE, found));
    let unsettled = obstacles.unsettled_long.iter().map(|found| of_folder(UNSETTLED, found));
    let mut set_aside = Vec::new();
    for (place, element) in flow.elements.iter().enumerate() {
        let files = poison.iter().filter(|(of, _)| *of == place).map(|(_, path)| path);
        set_aside.extend(alarm_of_poison(&element.name, files.collect(), journal, reader)?);
    }
    let unnamed = has_unfinished.then(|| {
        let text = "outputs could not be given their names, so they are not delivered: the log says why; that is tried \
                    again each second";
        Condition { kind: UNNAMED, subject: String::new(), text: text.into() }
    });
    let raised = journal.answer(alarm::raised(reader, ALARMS))?;
    let wrong = waiting.into_iter().chain(unmarked).chain(not_retried).chain(behind);
    let wrong = wrong.chain(unreadable).chain(linked).chain(left_alone).chain(unsettled);
    let known = if *is_all { Completeness::Complete } else { Completeness::Partial };
    alarm::reconcile_partly(known, wrong.chain(set_aside).chain(unnamed), &raised, journal)
}

/// Returns an alarm of this kind for each network element in the list.
fn of_elements(all: &[Waits], kind: &'static Kind, what: &str) -> Vec<Condition> {
    let mut of = BTreeMap::<&str, BTreeSet<&str>>::new();
    for Waits { network_element, problem } in all {
        of.entry(network_element).or_default().insert(problem);
    }
    let wrong = of.into_iter().filter_map(|(element, problems)| {
        let text = format!("{element}: {what}: {}", first_of(problems)?);
        Some(Condition { kind, subject: element.to_owned(), text })
    });
    wrong.collect()
}

/// Returns the alarm of a network element's files that are set aside.
fn alarm_of_poison(
    element: &str,
    files: BTreeSet<&PathBuf>,
    journal: &Journal,
    reader: &Connection,
) -> Result<Option<Condition>, StoreError> {
    let Some(first) = files.first() else { return Ok(None) };
    let noted = journal.view.noted(first);
    let reason = journal.answer(refused::reason_of_set_aside(reader, &noted))?;
    let (shown, files) = (first.display().to_string(), counted(files.len(), "file"));
    let shown = visible(&shown);
    let text = match reason {
        Some(reason) => format!(
            "{element}: {files} set aside, such as \"{shown}\": {reason}; \"tollgate files refused\" lists them, each with the \
             code of its reason; to have one processed again, give it its name back"
        ),
        None => format!(
            "{element}: {files} not collected, such as \"{shown}\": the name says that it was set aside, and this gateway did \
             not do that; give it another name to have it processed"
        ),
    };
    Ok(Some(Condition { kind: POISON, subject: element.to_owned(), text }))
}
