//! The replays of a gateway: one at a time, in a process beside it, in a folder of its state. The last result stays until
//! the next replay starts, or until the gateway ends.

use std::fmt;
use std::fs;
use std::io;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::thread::{self, JoinHandle};

use diagnostics::counted;
use gateway::Program;
use inspection::{ReplayEnd, ReplayFiles, ReplayMessage, ReplayOrder, replay_beside};
use runtime::shutdown::Shutdown;
use runtime::time::{now_ms, shown};
use serde::Serialize;
use utoipa::ToSchema;

use super::report::{ReplayReport, ReportBuilder};
use crate::period::Period;

/// The working folder of replays, in the state folder.
const FOLDER: &str = "replay";

/// A replay that runs or has ended.
#[derive(Clone, Debug, Serialize, ToSchema)]
pub struct Replay {
    /// The number of the replay since the start of the gateway, from 1.
    pub id: u64,
    /// The state.
    pub state: ReplayProgress,
    /// The user who started it.
    pub who: String,
    /// When it was started.
    pub began: String,
    /// When it ended. Absent while it runs.
    pub ended: Option<String>,
    /// The change and the choice of files.
    #[serde(flatten)]
    pub scope: ReplayScope,
    /// The number of files that it replays.
    pub files: usize,
    /// The size of these files in octets, as they arrived.
    pub octets: u64,
    /// Files of the period that were left out, because there are too many or they are too large.
    pub files_left_out: usize,
    /// Files of the period that no longer exist.
    pub files_gone: usize,
    /// The number of files that are compared already.
    pub files_done: usize,
    /// Why it failed. Absent unless the state is `failed`.
    pub problem: Option<String>,
    /// The user who cancelled it.
    pub cancelled_by: Option<String>,
    /// The result. Absent unless the state is `done`.
    pub report: Option<ReplayReport>,
}

/// The state of a replay: `done` if it ended with a result.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, ToSchema)]
#[serde(rename_all = "kebab-case")]
pub enum ReplayProgress {
    /// It runs.
    Running,
    /// It ended with a result.
    Done,
    /// A user cancelled it.
    Cancelled,
    /// It ended without a result.
    Failed,
}

/// The change that a replay tries, and the files that it tries it on.
#[derive(Clone, Debug, Default, Serialize, ToSchema)]
pub struct ReplayScope {
    /// The version. Absent if drafts are tried.
    pub version: Option<i64>,
    /// The names of the files with drafts. The name of the flow file is empty.
    pub drafts: Vec<String>,
    /// The network elements whose files are used; all if the list is empty.
    pub network_elements: Vec<String>,
    /// The period in which the files were done.
    #[serde(flatten)]
    pub period: Period,
    /// The maximum number of files.
    pub files_most: usize,
}

impl Replay {
    pub(super) fn begun(
        (who, began_ms): (&str, i64),
        scope: ReplayScope,
        found: &ReplayFiles,
    ) -> Self {
        Replay {
            id: 0,
            state: ReplayProgress::Running,
            who: who.to_owned(),
            began: shown(began_ms),
            ended: None,
            scope,
            files: found.files.len(),
            octets: found.octets,
            files_left_out: found.left_out,
            files_gone: found.gone,
            files_done: 0,
            problem: None,
            cancelled_by: None,
            report: None,
        }
    }
}

impl ReplayScope {
    /// Returns the change and the number of files in words, for the audit trail.
    pub(super) fn in_words(&self, files: usize) -> String {
        let name = |name: &String| match name.as_str() {
            "" => "the flow file".to_owned(),
            name => name.to_owned(),
        };
        let change = match self.version {
            Some(version) => format!("version {version}"),
            None => self.drafts.iter().map(name).collect::<Vec<_>>().join(", "),
        };
        format!("{change}, {}", counted(files, "file"))
    }
}

/// The replays of a gateway.
pub struct Replays {
    /// The program to start; `None` if there is none.
    pub(super) program: Option<Program>,
    pub(super) folder: PathBuf,
    state: Mutex<State>,
    /// Set when the gateway ends.
    stop: Shutdown,
}

/// Omits the state.
impl fmt::Debug for Replays {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Replays").field("folder", &self.folder).finish_non_exhaustive()
    }
}

#[derive(Default)]
struct State {
    /// The user who holds the place, and since when.
    taken: Option<(String, String)>,
    last: Option<Replay>,
    count: u64,
    is_cancelled: Arc<AtomicBool>,
    thread: Option<JoinHandle<()>>,
}

/// Another user runs a replay.
#[derive(Debug, thiserror::Error)]
#[error("{who} tries a change since {since}: wait until that is done, or cancel it")]
pub struct ReplayRunning {
    who: String,
    since: String,
}

/// The place of the running replay. Dropping it removes the folder and frees the place.
pub(super) struct Place {
    replays: Arc<Replays>,
    /// Whether the place is free already: another replay may have it.
    is_free: bool,
}

impl Drop for Place {
    fn drop(&mut self) {
        if !self.is_free {
            let _ = fs::remove_dir_all(&self.replays.folder);
            self.replays.state().taken = None;
        }
    }
}

impl Replays {
    /// Creates the replays of the gateway with this state folder, which run a program. It removes files that a killed
    /// gateway left there.
    pub fn new(state: &Path, program: Option<Program>, stop: Shutdown) -> Self {
        let folder = std::path::absolute(state).unwrap_or_else(|_| state.into()).join(FOLDER);
        let _ = fs::remove_dir_all(&folder);
        Replays { program, folder, state: Mutex::default(), stop }
    }

    fn state(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Returns the last replay.
    pub(super) fn last(&self) -> Option<Replay> {
        self.state().last.clone()
    }

    /// Takes the place of the running replay.
    ///
    /// # Errors
    ///
    /// Another user has it.
    pub(super) fn take(this: &Arc<Self>, who: &str) -> Result<Place, ReplayRunning> {
        let mut state = this.state();
        if let Some((who, since)) = state.taken.clone() {
            return Err(ReplayRunning { who, since });
        }
        state.taken = Some((who.to_owned(), shown(now_ms())));
        state.is_cancelled = Arc::default();
        Ok(Place { replays: Arc::clone(this), is_free: false })
    }

    /// Returns the user who started the running replay; `None` if none runs.
    pub(super) fn running(&self) -> Option<String> {
        let state = self.state();
        let running = state.last.as_ref().filter(|last| last.state == ReplayProgress::Running);
        running.map(|replay| replay.who.clone())
    }

    /// Cancels the running replay, if one runs.
    pub(super) fn cancel(&self, who: &str) {
        let mut state = self.state();
        let State { last, is_cancelled, .. } = &mut *state;
        let running = last.as_mut().filter(|replay| replay.state == ReplayProgress::Running);
        if let Some(replay) = running {
            replay.cancelled_by.get_or_insert_with(|| who.to_owned());
            is_cancelled.store(true, Ordering::Relaxed);
        }
    }

    /// Ends the running replay and waits for its thread. No other can run after that.
    pub fn end(&self) {
        self.stop.set();
        let thread = self.state().thread.take();
        if let Some(thread) = thread {
            let _ = thread.join();
        }
    }

    fn change(&self, change: impl FnOnce(&mut Replay)) {
        if let Some(replay) = &mut self.state().last {
            change(replay);
        }
    }
}

/// Runs a replay in a thread of its own, in the place that was taken for it.
pub(super) fn run(
    place: Place,
    program: Program,
    order: ReplayOrder,
    mut replay: Replay,
) -> io::Result<Replay> {
    let replays = Arc::clone(&place.replays);
    let is_cancelled = {
        let mut state = replays.state();
        state.count += 1;
        replay.id = state.count;
        state.last = Some(replay.clone());
        Arc::clone(&state.is_cancelled)
    };
    let runs = {
        let replays = Arc::clone(&replays);
        move || {
            // The whole place, which is dropped at the end.
            let mut place = place;
            let is_over = || replays.stop.is_set() || is_cancelled.load(Ordering::Relaxed);
            let mut report_builder = ReportBuilder::default();
            let end = replay_beside(&program, &order, &is_over, &mut |message| match message {
                ReplayMessage::Record(record) => report_builder.record(&record),
                ReplayMessage::File(file) => report_builder.file(&file),
                ReplayMessage::Alert(alert) => report_builder.alert(&alert),
                ReplayMessage::Progress(done) => replays.change(|replay| replay.files_done = done),
            });
            let end = match end {
                ReplayEnd::Done(totals) => Ok(report_builder.report(&totals)),
                ReplayEnd::Stopped => Err(None),
                ReplayEnd::Failed(problem) => Err(Some(without(problem, &order.folder))),
            };
            let mut state = replays.state();
            if let Some(replay) = &mut state.last {
                replay.ended = Some(shown(now_ms()));
                replay.state = match &end {
                    Ok(_) => ReplayProgress::Done,
                    Err(None) => ReplayProgress::Cancelled,
                    Err(Some(_)) => ReplayProgress::Failed,
                };
                // A cancellation that came too late did not change anything.
                replay.cancelled_by = replay.cancelled_by.take().filter(|_| end.is_err());
                match end {
                    Ok(report) => replay.report = Some(report),
                    Err(problem) => replay.problem = problem,
                }
            }
            // The place is free as soon as the end is visible. The folder is gone already.
            state.taken = None;
            place.is_free = true;
        }
    };
    match thread::Builder::new().name("replay".into()).spawn(runs) {
        Ok(thread) => {
            replays.state().thread = Some(thread);
            Ok(replay)
        }
        Err(error) => {
            replays.state().last = None;
            Err(error)
        }
    }
}

/// Removes the path of the working folder from a text, since it means nothing to the user.
pub(super) fn without(text: String, folder: &Path) -> String {
    ["now", "candidate"]
        .iter()
        .fold(text, |text, name| text.replace(&format!("{}/", folder.join(name).display()), ""))
}
