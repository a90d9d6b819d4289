//! Requests for what only the process that runs a flow may do. The gateway carries them out at its next look; if none
//! runs, the caller does.
//!
//! A request is marked in the journal, in a transaction of its own, with the entry of the audit trail. It stays valid
//! if the caller is interrupted while it waits: the next gateway carries it out.

use std::path::{Path, PathBuf};
use std::thread;
use std::time::Duration;

use store::{Connection, QueryResult};

use crate::refusal::{PossibleRefusal, Refusal, RefusalKind};
use flow::flow_journal;
use flow::flow_journal::JournalError;
use gateway::commit::Transactions;
use gateway::compile::prepare::{Parts, prepare};
use gateway::execute::options::RunOptions;
use gateway::plan::Plan;
use gateway::service::reload;
use gateway::service::reload::{ReloadError, reload, running};
use gateway::service::run::carry_out_requests;

/// The time between two checks whether it is done.
const LOOK_AGAIN: Duration = Duration::from_millis(100);

/// How long to wait before the wait is reported.
const LOG_AFTER: Duration = Duration::from_secs(5);

/// Why a request failed.
#[derive(Debug, thiserror::Error)]
pub enum AskError {
    /// The files of the flow have mistakes.
    #[error("the flow has mistakes; nothing was changed:\n\n{0}")]
    Flow(String),
    /// The flow has no network elements.
    #[error(
        "\"{0}\" has no network elements: what came by one can only be processed where the flow has it"
    )]
    NoElements(String),
    /// The journal failed.
    #[error(transparent)]
    Journal(#[from] JournalError),
    /// The gateway that runs the flow did not confirm that it runs the present files.
    #[error(transparent)]
    Reload(#[from] ReloadError),
    /// That gateway has found mistakes in the flow.
    #[error("the gateway that runs the flow finds mistakes in it:\n\n{0}")]
    Mistakes(String),
}

impl Refusal for AskError {
    fn kind(&self) -> RefusalKind {
        match self {
            AskError::Flow(_) | AskError::NoElements(_) | AskError::Mistakes(_) => {
                RefusalKind::Conflict
            }
            AskError::Journal(error) => error.kind(),
            AskError::Reload(_) => RefusalKind::NotReady,
        }
    }

    fn code(&self) -> &'static str {
        match self {
            AskError::Flow(_) => "flow-has-mistakes",
            AskError::NoElements(_) => "flow-has-no-network-elements",
            AskError::Journal(error) => error.code(),
            AskError::Reload(_) => "gateway-does-not-answer",
            AskError::Mistakes(_) => "gateway-finds-mistakes",
        }
    }

    fn possible() -> Vec<PossibleRefusal> {
        let of =
            |code, text| PossibleRefusal { kind: RefusalKind::Conflict, text: Some((code, text)) };
        let own = vec![
            of("flow-has-mistakes", "the flow has mistakes"),
            of(
                "flow-has-no-network-elements",
                "\"{flow}\" has no network elements: what came by one can only be processed where the flow has it",
            ),
            of("gateway-finds-mistakes", "the gateway that runs the flow finds mistakes in it"),
        ];
        [own, ReloadError::possible(), JournalError::possible()].concat()
    }
}

/// A flow that gets a request.
pub struct RequestTarget<'a> {
    path: &'a Path,
    parts: Parts<'a>,
    state: PathBuf,
    /// The flow as its files are. None if the gateway uses the flow that it runs.
    pub flow: Option<Plan>,
}

impl<'a> RequestTarget<'a> {
    /// Makes the gateway that runs the flow, if any, read its files first, so that it uses what a user has just
    /// corrected.
    pub fn new(path: &'a Path, parts: Parts<'a>) -> Result<Self, AskError> {
        let own = Self::of_files(path, parts)?;
        match reload(path) {
            Ok(reload::Answer::Mistakes { mistakes, .. }) => {
                Err(AskError::Mistakes(mistakes.join("\n\n")))
            }
            Ok(_) | Err(ReloadError::NotRunning(_)) => Ok(own),
            Err(error) => Err(error.into()),
        }
    }

    /// Lets the gateway that runs the flow, if any, use the flow that it has. The request does not depend on the flow,
    /// so it need not wait for a user who is editing its files.
    pub(crate) fn as_it_runs(path: &'a Path, parts: Parts<'a>) -> Result<Self, AskError> {
        match running(path)? {
            Some(state) => Ok(RequestTarget { path, parts, state, flow: None }),
            None => Self::of_files(path, parts),
        }
    }

    fn of_files(path: &'a Path, parts: Parts<'a>) -> Result<Self, AskError> {
        let flow = ready(path, parts)?;
        Ok(RequestTarget { path, parts, state: flow.topology.state.clone(), flow: Some(flow) })
    }

    /// Makes the request in the journal and waits until it is done. Returns the state then, with any problem. After a
    /// stop or a problem, part may not be done.
    pub fn wait<A, T>(
        &self,
        ask: impl FnOnce(&Connection) -> QueryResult<A>,
        so_far: impl Fn(&Connection, &A) -> QueryResult<(T, Waiting)>,
        options: &RunOptions,
    ) -> Result<(A, T, Vec<String>), AskError> {
        let all = |plan: Plan, journal: &Transactions| {
            let report = carry_out_requests(plan, journal, options).map_err(JournalError::from)?;
            Ok([report.problems, report.set_aside].concat())
        };
        self.wait_until(ask, so_far, all, options)
    }

    /// As [`wait`](Self::wait). If no gateway runs the flow, `act` carries the request out and returns the problems.
    pub fn wait_until<A, T>(
        &self,
        ask: impl FnOnce(&Connection) -> QueryResult<A>,
        so_far: impl Fn(&Connection, &A) -> QueryResult<(T, Waiting)>,
        act: impl Fn(Plan, &Transactions) -> Result<Vec<String>, JournalError>,
        options: &RunOptions,
    ) -> Result<(A, T, Vec<String>), AskError> {
        let RequestTarget { path, parts, state, .. } = self;
        let requested = flow_journal::change(path, ask)?;
        let (mut problems, mut waited) = (Vec::new(), Duration::ZERO);
        loop {
            let (done, waiting) = flow_journal::read(path, |db| so_far(db, &requested))?;
            let is_over = waiting == Waiting(0) || !problems.is_empty();
            if is_over || options.stop.is_set() {
                return Ok((requested, done, problems));
            }
            match Transactions::open((path, state), true, options.clock) {
                Ok(journal) => {
                    // It restores the nodes' state from the journal, only once.
                    let plan = ready(path, *parts)?;
                    problems = act(plan, &journal)?;
                }
                Err(JournalError::InUse { .. }) => {
                    thread::sleep(LOOK_AGAIN);
                    waited += LOOK_AGAIN;
                    if waited == LOG_AFTER {
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

/// How much of a request is not done yet.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Waiting(pub u64);

/// Returns the flow as its files are.
fn ready(path: &Path, parts: Parts<'_>) -> Result<Plan, AskError> {
    let plan = prepare(path, parts).sound().map_err(|mistakes| {
        let texts: Vec<String> = mistakes.iter().map(ToString::to_string).collect();
        AskError::Flow(texts.join("\n\n"))
    })?;
    if plan.topology.elements.is_empty() {
        return Err(AskError::NoElements(path.display().to_string()));
    }
    Ok(plan)
}
