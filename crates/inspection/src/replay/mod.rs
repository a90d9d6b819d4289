//! Replay: runs files through a flow as it is, and as it may become, beside the gateway, to show what would change.
//!
//! Each of the two is like a gateway of its own: it has its own folders, with a journal and copies of the files, and
//! delivers nothing. So all that a flow does (duplicates, groups, counters, sums) happens here too; its nodes start
//! without any state. The trace of each file then has, record by record, what both made of it, and that is compared.
//!
//! ```text
//! archive ─▶ some files ─┬─▶ the flow        ─▶ outputs, journal, trace ─┬─▶ compared ─▶ differences, sums
//!                        └─▶ the candidate   ─▶ outputs, journal, trace ─┘
//! ```

mod alerts;
mod compare;
mod files;
mod groups;
pub mod layout;
mod overlay;
mod report;
pub mod run;
pub(crate) mod subprocess;
mod texts;

use std::collections::HashSet;
use std::fs;
use std::io;
use std::path::{Path, PathBuf};
use std::sync::OnceLock;
use std::time::{Duration, SystemTime};

pub use alerts::{AlertDifference, AlertTotals, RuleAlerts};
pub use files::{ReplayChoice, ReplayFiles, replay_archived, replay_files};
pub use overlay::{OverlayError, overlay};
pub use report::{
    Change, Counted, CountedRecords, FieldDifference, FileTotals, OutcomeKind, ReceiverDifference,
    ReceiverTotals, RecordDifference, RecordOutcome, ReplayTotals, Sum,
};
pub use subprocess::{ReplayEnd, ReplayMessage, ReplayOrder, replay_beside, replay_process};
pub use texts::overlay_texts;

use diagnostics::plain;

use archive::report::{ArchivedFile, archived_contents};
use gateway::compile::prepare::{Parts, prepare};
use gateway::execute::options::RunOptions;
use gateway::service::run::RunError;
use groups::Groups;
use run::Side;

/// The most files that are run at once, and the most octets of them: what both flows make of them is on the disk until
/// it is compared.
const FILES_AT_ONCE: usize = 200;
const OCTETS_AT_ONCE: u64 = 256 << 20;

/// How often these are halved for the first part, so that the user soon sees progress. Each part is twice as large as
/// the one before.
const FIRST_PART: u32 = 4;

/// A file to run.
#[derive(Clone, Debug)]
pub struct ReplayFile {
    /// The network element that it was collected from, or is treated as if.
    pub network_element: String,
    /// Its name.
    pub name: String,
    /// Where it is.
    pub contents: ReplayContents,
}

/// Where the contents of a file are.
#[derive(Clone, Debug)]
pub enum ReplayContents {
    /// In the archive.
    Archived(Box<ArchivedFile>),
    /// In a file at this path.
    Path(PathBuf),
}

/// Why a replay failed.
#[derive(Debug, thiserror::Error)]
pub enum ReplayError {
    /// A flow has mistakes, or does not run.
    #[error("{which} does not run")]
    Run {
        /// Which of the two.
        which: &'static str,
        /// Why.
        #[source]
        cause: RunError,
    },
    /// One of the flows could not process a file.
    #[error("{which} could not process all files: {problem}")]
    NotProcessed {
        /// Which of the two.
        which: &'static str,
        /// Why.
        problem: String,
    },
    /// A file cannot be read.
    #[error("could not read \"{file}\"")]
    File {
        /// Its name.
        file: String,
        /// Why.
        #[source]
        cause: io::Error,
    },
    /// The results cannot be read.
    #[error("could not read what {which} has made: {problem}")]
    Made {
        /// Which of the two.
        which: &'static str,
        /// Why.
        problem: String,
    },
    /// The working folder cannot be used.
    #[error("could not write to \"{}\"", folder.display())]
    Folder {
        /// The folder.
        folder: PathBuf,
        /// Why.
        #[source]
        cause: io::Error,
    },
    /// The replay was interrupted.
    #[error("interrupted")]
    Stopped,
    /// The receiver of differences failed.
    #[error("could not tell what differs")]
    Output(#[source] io::Error),
}

/// A report while files are compared.
pub enum ReplayEvent<'t> {
    /// A record with another outcome.
    Record(&'t RecordDifference),
    /// The totals of a file with differences.
    File(&'t FileTotals),
    /// A key about which only one of the flows has alerts.
    Alert(&'t AlertDifference),
    /// The number of files that are compared.
    Progress(usize),
}

/// Runs files through a flow and a candidate, in a folder of its own, and reports what differs. The first `warm_up` files give nodes
/// their state, and are not compared. `live` is the flow of the gateway, whose journal has the decisions of people.
pub fn replay(
    ((flow, candidate), live): ((&Path, &Path), &Path),
    parts: Parts<'_>,
    (files, warm_up): (&[ReplayFile], usize),
    folder: &Path,
    options: &RunOptions,
    tell: &mut dyn FnMut(ReplayEvent<'_>) -> io::Result<()>,
) -> Result<ReplayTotals, ReplayError> {
    let options = &RunOptions { clock: standing, ..options.clone() };
    let mut before = Side::new("the flow", flow, &folder.join("before"));
    let mut after = Side::new("the candidate", candidate, &folder.join("after"));
    let mut totals = ReplayTotals::default();
    let mut left = files;
    let mut done = 0;
    let mut marks = (0, 0);
    let mut part = FIRST_PART;
    while !left.is_empty() {
        // Files that are compared are not in a part with others.
        let of_kind = if done < warm_up { &left[..warm_up - done] } else { left };
        let (some, rest) =
            left.split_at(some(of_kind, FILES_AT_ONCE >> part, OCTETS_AT_ONCE >> part));
        left = rest;
        part = part.saturating_sub(1);
        let unusable = |cause| ReplayError::Folder { folder: folder.into(), cause };
        for file in some {
            put(file, &before, &after)?;
        }
        before.run(parts, options)?;
        after.run(parts, options)?;
        let (before_view, after_view) = (before.open()?, after.open()?);
        for file in some {
            if done >= warm_up {
                let of_file = compare::file(file, &before_view, &after_view, tell)?;
                if of_file.differs() {
                    tell(ReplayEvent::File(&of_file)).map_err(ReplayError::Output)?;
                }
                totals.add(of_file);
            }
            done += 1;
            tell(ReplayEvent::Progress(done)).map_err(ReplayError::Output)?;
        }
        if done <= warm_up {
            marks = (alerts::last(&before_view)?, alerts::last(&after_view)?);
        }
        before.groups.note(&before_view)?;
        after.groups.note(&after_view)?;
        if left.is_empty() {
            let views = ((&before_view, marks.0), (&after_view, marks.1));
            totals.alerts = alerts::compare(views, live, tell)?;
        }
        drop((before_view, after_view));
        before.clear().map_err(unusable)?;
        after.clear().map_err(unusable)?;
        if options.stop.is_set() {
            return Err(ReplayError::Stopped);
        }
    }
    Groups::compare(&before.groups, &after.groups, &mut totals, tell)?;
    Ok(totals)
}

/// Returns how far back the rules of a flow look: so much of the time before must be run, for the same alerts as in the gateway.
pub fn warm_up(flow: &Path, parts: Parts<'_>) -> Duration {
    let plan = prepare(flow, parts).plan;
    let nodes = plan.iter().flat_map(|plan| &plan.topology.graph.nodes);
    let judges = nodes.filter_map(|node| node.template.judge());
    judges.map(|judge| judge.looks_back()).max().unwrap_or_default()
}

/// The clock of both flows. It stands still, so that a record that waits by the clock waits in both, however long
/// either takes.
fn standing() -> SystemTime {
    static BEGUN: OnceLock<SystemTime> = OnceLock::new();
    *BEGUN.get_or_init(SystemTime::now)
}

/// Returns how many of the files to run at once, within these limits.
fn some(files: &[ReplayFile], files_most: usize, octets_most: u64) -> usize {
    let (mut octets, mut names) = (0, HashSet::new());
    for (place, file) in files.iter().enumerate().take(files_most) {
        octets += match &file.contents {
            ReplayContents::Archived(archived) => archived.size,
            ReplayContents::Path(path) => fs::metadata(path).map_or(0, |metadata| metadata.len()),
        };
        // Two files of one name have the same path, so they run one after the other.
        let is_new = names.insert((&file.network_element, &file.name));
        if place > 0 && (octets > octets_most || !is_new) {
            return place;
        }
    }
    files.len().min(files_most)
}

/// Puts a file where both flows find it, with its size and time when it was collected.
fn put(file: &ReplayFile, before: &Side, after: &Side) -> Result<(), ReplayError> {
    let could_not = |cause| ReplayError::File { file: file.name.clone(), cause };
    let target = before.input(file);
    let folder = |path: &Path| fs::create_dir_all(path.parent().unwrap_or(Path::new("")));
    folder(&target).map_err(could_not)?;
    let mut to = fs::File::create(&target).map_err(could_not)?;
    match &file.contents {
        ReplayContents::Archived(archived) => {
            let mut octets = archived_contents(archived).map_err(could_not)?;
            io::copy(&mut octets, &mut to).map_err(could_not)?;
            let modified = runtime::time::at_ns(archived.modified_ns);
            to.set_modified(modified).map_err(could_not)?;
        }
        ReplayContents::Path(path) => {
            let mut octets = plain::open(path).map_err(could_not)?;
            io::copy(&mut octets, &mut to).map_err(could_not)?;
            let modified = octets.metadata().and_then(|metadata| metadata.modified());
            to.set_modified(modified.map_err(could_not)?).map_err(could_not)?;
        }
    }
    let other = after.input(file);
    folder(&other).map_err(could_not)?;
    fs::hard_link(&target, &other)
        .or_else(|_| fs::copy(&target, &other).map(drop))
        .map_err(could_not)
}
