//! Replays that users start in the interface: one at a time, in a process beside the gateway, in a folder of the state.
//! The last result stays until the next replay starts, or until the gateway ends.

mod report;

use std::fs;
use std::io;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::thread::{self, JoinHandle};

use gateway::Program;
use inspection::{ReplayEnd, ReplayMessage, ReplayOrder, replay_beside};
use runtime::time::{now_ms, shown};
use serde::Serialize;
use utoipa::ToSchema;

pub(crate) use report::ReplayReport;
use report::ReportBuilder;

use crate::served::Served;

/// The working folder of replays, in the state folder.
const FOLDER: &str = "replay";

/// A replay that runs or has ended.
#[derive(Clone, Debug, Serialize, ToSchema)]
pub(crate) struct Replay {
    /// The number of the replay since the start of the gateway, from 1.
    pub(crate) id: u64,
    pub(crate) state: ReplayProgress,
    /// The user who started it.
    pub(crate) who: String,
    /// When it was started.
    pub(crate) began: String,
    /// When it ended. Absent while it runs.
    pub(crate) ended: Option<String>,
    #[serde(flatten)]
    pub(crate) scope: ReplayScope,
    /// The number of files that it replays.
    pub(crate) files: usize,
    /// The size of these files in octets, as they arrived.
    pub(crate) octets: u64,
    /// Files of the period that were left out, because there are too many or they are too large.
    pub(crate) files_left_out: usize,
    /// Files of the period that no longer exist.
    pub(crate) files_gone: usize,
    /// The number of files that are compared already.
    pub(crate) files_done: usize,
    /// Why it failed. Absent unless the state is `failed`.
    pub(crate) problem: Option<String>,
    /// The user who cancelled it.
    pub(crate) cancelled_by: Option<String>,
    /// The result. Absent unless the state is `done`.
    pub(crate) report: Option<ReplayReport>,
}

/// The state of a replay: `done` if it ended with a result.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, ToSchema)]
#[serde(rename_all = "kebab-case")]
pub(crate) enum ReplayProgress {
    Running,
    Done,
    Cancelled,
    Failed,
}

/// The change that a replay tries, and the files that it tries it on.
#[derive(Clone, Debug, Default, Serialize, ToSchema)]
#[schema(as = Asked)]
pub(crate) struct ReplayScope {
    /// The version. Absent if drafts are tried.
    pub(crate) version: Option<i64>,
    /// The names of the files with drafts. The name of the flow file is empty.
    pub(crate) drafts: Vec<String>,
    /// The network elements whose files are used; all if the list is empty.
    pub(crate) network_elements: Vec<String>,
    /// The beginning of the period, inclusive, as requested.
    pub(crate) from: Option<String>,
    /// The end of the period, exclusive, as requested.
    pub(crate) to: Option<String>,
    /// The maximum number of files.
    pub(crate) files_most: usize,
}

/// The replays of a gateway.
pub(crate) struct Replays {
    /// The program to start; `None` if there is none.
    pub(crate) program: Option<Program>,
    pub(crate) folder: PathBuf,
    state: Mutex<State>,
    /// Set when the gateway ends.
    ends: AtomicBool,
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
pub(crate) struct ReplayRunning {
    who: String,
    since: String,
}

/// The place of the running replay. Dropping it frees the place and removes the folder.
pub(crate) struct Place<'r>(&'r Replays);

impl Drop for Place<'_> {
    fn drop(&mut self) {
        let _ = fs::remove_dir_all(&self.0.folder);
        self.0.state().taken = None;
    }
}

impl Replays {
    /// Creates the replays of the gateway with this state folder. It removes files that a killed gateway left there.
    pub(crate) fn new(state: &Path) -> Self {
        let folder = std::path::absolute(state).unwrap_or_else(|_| state.into()).join(FOLDER);
        let _ = fs::remove_dir_all(&folder);
        Replays { program: None, folder, state: Mutex::default(), ends: AtomicBool::new(false) }
    }

    fn state(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Returns the last replay.
    pub(crate) fn last(&self) -> Option<Replay> {
        self.state().last.clone()
    }

    /// Takes the place of the running replay.
    ///
    /// # Errors
    ///
    /// Another user has it.
    pub(crate) fn take(&self, who: &str) -> Result<Place<'_>, ReplayRunning> {
        let mut state = self.state();
        if let Some((who, since)) = state.taken.clone() {
            return Err(ReplayRunning { who, since });
        }
        state.taken = Some((who.to_owned(), shown(now_ms())));
        state.is_cancelled = Arc::default();
        Ok(Place(self))
    }

    /// Cancels the running replay. Returns the user who started it, or `None` if none runs.
    pub(crate) fn cancel(&self, who: &str) -> Option<String> {
        let mut state = self.state();
        let State { last, is_cancelled, .. } = &mut *state;
        let replay = last.as_mut().filter(|replay| replay.state == ReplayProgress::Running)?;
        replay.cancelled_by.get_or_insert_with(|| who.to_owned());
        is_cancelled.store(true, Ordering::Relaxed);
        Some(replay.who.clone())
    }

    /// Ends the running replay and waits for its thread. No other can run after that.
    pub(crate) fn end(&self) {
        self.ends.store(true, Ordering::Relaxed);
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
pub(crate) fn run(
    served: &Arc<Served>,
    program: Program,
    order: ReplayOrder,
    mut replay: Replay,
) -> io::Result<Replay> {
    let replays = &served.replays;
    let mut state = replays.state();
    state.count += 1;
    replay.id = state.count;
    let is_cancelled = Arc::clone(&state.is_cancelled);
    let runs = {
        let served = Arc::clone(served);
        move || {
            let replays = &served.replays;
            let place = Place(replays);
            let is_over = || {
                let flags = [&*is_cancelled, &replays.ends];
                let is_set = |flag: &&AtomicBool| flag.load(Ordering::Relaxed);
                served.stop.is_set() || flags.iter().any(is_set)
            };
            let mut report_builder = ReportBuilder::default();
            let end = replay_beside(&program, &order, &is_over, &mut |message| match message {
                ReplayMessage::Record(record) => report_builder.record(record),
                ReplayMessage::File(file) => report_builder.file(file),
                ReplayMessage::Progress(done) => replays.change(|replay| replay.files_done = done),
            });
            let end = match end {
                ReplayEnd::Done(totals) => match report_builder.report(totals) {
                    Ok(report) => Ok(report),
                    Err(error) => Err(Some(error.to_string())),
                },
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
            std::mem::forget(place);
        }
    };
    // The thread waits for the lock on the state, so it changes `last` only after this.
    state.thread = Some(thread::Builder::new().name("replay".into()).spawn(runs)?);
    state.last = Some(replay.clone());
    Ok(replay)
}

/// Removes the path of the working folder from a text, since it means nothing to the user.
pub(crate) fn without(text: String, folder: &Path) -> String {
    ["now", "candidate"]
        .iter()
        .fold(text, |text, name| text.replace(&format!("{}/", folder.join(name).display()), ""))
}
