//! Asking for what only the one may do who runs a flow, and waiting until it is done: the gateway does it at its next look,
//! or, where none runs, who asks.
//!
//! What is asked for is marked in the journal, in a transaction of its own with the entry of the trail. Who is interrupted
//! while he waits has asked all the same: the next gateway does it.

use std::path::{Path, PathBuf};
use std::thread;
use std::time::Duration;

use store::{Answer, Connection};

use crate::commit::Transactions;
use crate::compile::prepare::{Parts, prepare};
use crate::definition::flow_journal;
use crate::definition::flow_journal::JournalError;
use crate::execute::options::RunOptions;
use crate::plan::Plan;
use crate::service::reload;
use crate::service::reload::{ReloadError, reload, running};
use crate::service::run::{RunError, only_asked};

/// How often is looked whether it is done.
const LOOK_AGAIN: Duration = Duration::from_millis(100);

/// How long is waited before it is said what for.
const SAID_AFTER: Duration = Duration::from_secs(5);

/// Why nothing was asked for, or it is not done.
#[derive(Debug, thiserror::Error)]
pub enum AskError {
    /// The flow has mistakes.
    #[error(transparent)]
    Flow(#[from] RunError),
    /// Nobody in the flow could do it.
    #[error(
        "\"{0}\" has no network elements: what came by one can only be processed where the flow has it"
    )]
    NoElements(String),
    /// The journal refuses.
    #[error(transparent)]
    Journal(#[from] JournalError),
    /// The gateway that runs the flow did not say that it runs as its files are.
    #[error(transparent)]
    Reload(#[from] ReloadError),
    /// That gateway has found mistakes in it.
    #[error("the gateway that runs the flow finds mistakes in it:\n\n{0}")]
    Mistakes(String),
}

/// A flow of which somebody asks something.
pub(crate) struct Asked<'a> {
    path: &'a Path,
    parts: Parts<'a>,
    state: PathBuf,
    /// As its files are; none where the gateway does it by the flow that it has.
    pub(crate) flow: Option<Plan>,
}

impl<'a> Asked<'a> {
    /// Has the gateway that runs the flow, if one does, take it as its files are now: what somebody has just corrected is to
    /// be what it does it by.
    pub(crate) fn new(path: &'a Path, parts: Parts<'a>) -> Result<Self, AskError> {
        let asked = Self::of_files(path, parts)?;
        match reload(path) {
            Ok(reload::Answer::Mistakes { mistakes, .. }) => {
                Err(AskError::Mistakes(mistakes.join("\n\n")))
            }
            Ok(_) | Err(ReloadError::NotRunning(_)) => Ok(asked),
            Err(error) => Err(error.into()),
        }
    }

    /// Leaves the gateway that runs the flow, if one does, the flow that it has: what is asked for is the same by any, and
    /// does not wait until somebody who is at work on the flow's files is through with them.
    pub(crate) fn as_it_runs(path: &'a Path, parts: Parts<'a>) -> Result<Self, AskError> {
        match running(path)? {
            Some(state) => Ok(Asked { path, parts, state, flow: None }),
            None => Self::of_files(path, parts),
        }
    }

    fn of_files(path: &'a Path, parts: Parts<'a>) -> Result<Self, AskError> {
        let flow = ready(path, parts)?;
        Ok(Asked { path, parts, state: flow.topology.state.clone(), flow: Some(flow) })
    }

    /// Asks in the journal; returns what is so far when all is done that was asked for; or not all is, where it was told to
    /// stop or something is in the way, which comes with it.
    pub(crate) fn wait<A, T>(
        &self,
        ask: impl FnOnce(&Connection) -> Answer<A>,
        so_far: impl Fn(&Connection, &A) -> Answer<(T, Waiting)>,
        options: &RunOptions,
    ) -> Result<(A, T, Vec<String>), AskError> {
        let all = |plan: Plan, journal: &Transactions| {
            let report = only_asked(plan, journal, options).map_err(JournalError::from)?;
            Ok([report.problems, report.set_aside].concat())
        };
        self.wait_until(ask, so_far, all, options)
    }

    /// As [`wait`](Self::wait); where no gateway runs the flow, it is done by `act`, which says what is in the way.
    pub(crate) fn wait_until<A, T>(
        &self,
        ask: impl FnOnce(&Connection) -> Answer<A>,
        so_far: impl Fn(&Connection, &A) -> Answer<(T, Waiting)>,
        act: impl Fn(Plan, &Transactions) -> Result<Vec<String>, JournalError>,
        options: &RunOptions,
    ) -> Result<(A, T, Vec<String>), AskError> {
        let Asked { path, parts, state, .. } = self;
        let asked = flow_journal::change(path, ask)?;
        let (mut problems, mut waited) = (Vec::new(), Duration::ZERO);
        loop {
            let (done, waiting) = flow_journal::read(path, |db| so_far(db, &asked))?;
            let is_over = waiting == Waiting(0) || !problems.is_empty();
            if is_over || options.stop.is_set() {
                return Ok((asked, done, problems));
            }
            match Transactions::open((path, state), true, options.clock) {
                Ok(journal) => {
                    // What its nodes remember it takes from the journal: once.
                    let plan = ready(path, *parts)?;
                    problems = act(plan, &journal)?;
                }
                Err(JournalError::InUse { .. }) => {
                    thread::sleep(LOOK_AGAIN);
                    waited += LOOK_AGAIN;
                    if waited == SAID_AFTER {
                        tracing::info!(
                            target: "flow::asking",
                            "waiting for the gateway, which has files in work or says what is in the way; \
                             what is asked for stays so when this is interrupted",
                        );
                    }
                }
                Err(error) => return Err(error.into()),
            }
        }
    }
}

/// How much is not done yet of what was asked for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Waiting(pub(crate) u64);

/// The flow as its files are.
fn ready(path: &Path, parts: Parts<'_>) -> Result<Plan, AskError> {
    let plan = prepare(path, parts).sound().map_err(RunError::Mistakes)?;
    if plan.topology.elements.is_empty() {
        return Err(AskError::NoElements(path.display().to_string()));
    }
    Ok(plan)
}
