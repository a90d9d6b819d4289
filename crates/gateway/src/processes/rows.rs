//! The results of a worker in another process, as sent to the gateway: all that is committed, and of files the names.

use std::io;
use std::path::PathBuf;
use std::sync::Arc;

use journal::JobId;
use node::{ChangedValue, Committed, GroupChanges, StateChanges, TimerChanges};
use serde::{Deserialize, Serialize};
use transport::{Mark, Written};

use super::process::Fate;
use crate::execute::job::{
    Claim, Completed, MadeOutput, OutputError, ProcessedFile, Results, Task,
};
use crate::execute::running::Running;
use crate::execute::worker::{Expired, Retried};
use assurance::control_totals::AmountRow;
use assurance::sequence::Gathered;
use collection::duplicate_files::Original;
use collection::input::Digest;
use distribution::Cuts;
use flow::graph::GraphNode;
use flow::report::{FileAccount, NodeAccount};
use flow::topology::{System, Topology};
use lineage::TraceRow;
use state::changes::NodeChanges;
use state::counters::KeyedBy;
use state::groups::expiry::ExpiryJob;
use state::timers::due::TimerJob;
use state::timers::emitted::EmittedRow;
use suspense::{Ends, Row, SetAside};

/// The outcome of a task.
#[derive(Debug, Serialize, Deserialize)]
pub(crate) enum Outcome {
    /// It was given up, or there was nothing to do.
    Nothing,
    /// It panics in each worker.
    Poison,
    /// It was done before; only the input must be marked.
    Mark(JobId, Mark),
    Made(Box<MadeFile>, Common),
    Retried(Box<RetriedRecords>, Common),
    Expired(Box<ExpiredGroups>, Common),
}

/// The results of every kind of task.
#[derive(Debug, Serialize, Deserialize)]
pub(crate) struct Common {
    accounts: Vec<NodeAccount>,
    amounts: Vec<AmountRow>,
    outputs: Vec<Output>,
    noted: Vec<ChangesThere>,
    trace: TraceRow,
    /// The possible paths of its outputs.
    targets: Vec<PathBuf>,
}

#[derive(Debug, Serialize, Deserialize)]
pub(crate) struct MadeFile {
    contents: Option<u64>,
    digest: Digest,
    duplicate_of: Option<Original>,
    account: FileAccount,
    context: Vec<u8>,
    aside: Vec<Row>,
    gathered: Option<Box<Gathered>>,
}

#[derive(Debug, Serialize, Deserialize)]
pub(crate) struct RetriedRecords {
    account: FileAccount,
    gathered: Option<(String, Box<Gathered>)>,
    ends: Ends,
}

#[derive(Debug, Serialize, Deserialize)]
pub(crate) struct ExpiredGroups {
    name: String,
    set_aside: Option<String>,
    emitted: Vec<EmittedRow>,
    refused: Option<String>,
}

/// An output file under its temporary name.
#[derive(Debug, Serialize, Deserialize)]
struct Output {
    /// The place of its system.
    system: usize,
    target: PathBuf,
    records: u64,
    cuts: Option<Cuts>,
}

/// The state changes of a node, as the journal gets them.
#[derive(Debug, Serialize, Deserialize)]
struct ChangesThere {
    /// The place of the node.
    node: usize,
    form: String,
    keyed_by: KeyedBy,
    delta: Option<Vec<u8>>,
    groups: Option<GroupChanges>,
    values: Vec<ChangedValue>,
    timers: TimerChanges,
}

/// The state changes of nodes from a task, until it is committed.
pub(crate) type Memories = Vec<Box<dyn StateChanges>>;

impl Outcome {
    /// Splits a result: into what is sent to the gateway, and what stays here until the commit.
    pub(crate) fn of(flow: &Topology, settle: Completed<'_>) -> (Self, Memories) {
        match settle {
            Completed::Mark(_, entry, mark) => (Outcome::Mark(entry, mark), Memories::new()),
            Completed::Made(made) => {
                let ProcessedFile {
                    contents,
                    digest,
                    duplicate_of,
                    account,
                    mut aside,
                    gathered,
                    ..
                } = *made;
                let (common, memories) = Common::of(flow, made.results, &made.claim);
                let (context, aside) = aside.take();
                let file =
                    MadeFile { contents, digest, duplicate_of, account, context, aside, gathered };
                (Outcome::Made(Box::new(file), common), memories)
            }
            Completed::Retried(retried) => {
                let Retried { account, results, gathered, ends, claim, .. } = *retried;
                let (common, memories) = Common::of(flow, results, &claim);
                let records = RetriedRecords { account, gathered, ends };
                (Outcome::Retried(Box::new(records), common), memories)
            }
            Completed::Expired(expired) => {
                let Expired { name, results, claim, set_aside, emitted, refused, .. } = *expired;
                let (common, memories) = Common::of(flow, results, &claim);
                let groups = ExpiredGroups { name, set_aside, emitted, refused };
                (Outcome::Expired(Box::new(groups), common), memories)
            }
        }
    }

    /// Returns whether nodes noted state changes. If so, the process must be told whether to keep them.
    pub(super) fn is_remembered(&self) -> bool {
        match self {
            Outcome::Made(_, common)
            | Outcome::Retried(_, common)
            | Outcome::Expired(_, common) => !common.noted.is_empty(),
            Outcome::Nothing | Outcome::Poison | Outcome::Mark(..) => false,
        }
    }
}

/// The gateway's part of a task that another process has done.
pub(super) struct There<'w> {
    pub(super) task: Task,
    /// The claim of its outputs, if it was taken before.
    pub(super) claim: Option<Claim<'w>>,
    /// The rejected records that came before it was done.
    pub(super) aside: SetAside<'w>,
    pub(super) fate: Option<Arc<Fate>>,
}

impl<'w> There<'w> {
    /// Returns what to commit, if anything; or why that is impossible.
    pub(super) fn settle(
        self,
        running: &'w Running,
        outcome: Outcome,
    ) -> Result<Option<Completed<'w>>, SettleError> {
        let There { task, claim, mut aside, fate } = self;
        Ok(Some(match (outcome, task) {
            (Outcome::Mark(entry, mark), Task::File(job)) => Completed::Mark(job, entry, mark),
            (Outcome::Made(made, common), Task::File(job)) => {
                let MadeFile { contents, digest, duplicate_of, account, .. } = *made;
                let MadeFile { context, aside: rows, gathered, .. } = *made;
                let (results, claim) = common.open(running, fate, claim)?;
                aside.context(&context);
                rows.into_iter().try_for_each(|row| aside.put(row)).map_err(SettleError::Aside)?;
                Completed::Made(Box::new(ProcessedFile {
                    job,
                    contents,
                    digest,
                    duplicate_of,
                    account,
                    results,
                    aside,
                    gathered,
                    claim,
                    turn: None,
                }))
            }
            (Outcome::Retried(retried, common), Task::Retry(job)) => {
                let RetriedRecords { account, gathered, ends } = *retried;
                let (results, claim) = common.open(running, fate, claim)?;
                Completed::Retried(Box::new(Retried {
                    job,
                    account,
                    results,
                    gathered,
                    ends,
                    claim,
                }))
            }
            (
                Outcome::Expired(expired, common),
                Task::Expiry(ExpiryJob { node, element, .. })
                | Task::Timers(TimerJob { node, element, .. }),
            ) => {
                let ExpiredGroups { name, set_aside, emitted, refused } = *expired;
                let (results, claim) = common.open(running, fate, claim)?;
                Completed::Expired(Box::new(Expired {
                    node: &running.plan.topology.graph.nodes[node].name,
                    network_element: &running.plan.topology.elements[element].name,
                    name,
                    results,
                    claim,
                    set_aside,
                    emitted,
                    refused,
                }))
            }
            (Outcome::Nothing, _) => return Ok(None),
            _ => return Err(SettleError::OfAnotherFlow),
        }))
    }
}

/// Why a task that another process has done is not committed.
#[derive(Debug, thiserror::Error)]
pub(super) enum SettleError {
    /// The answer does not fit the flow.
    #[error("its processing process answered what is not of this flow")]
    OfAnotherFlow,
    /// An output cannot be opened.
    #[error(transparent)]
    Output(#[from] OutputError),
    /// A rejected record cannot be put away.
    #[error(transparent)]
    Aside(io::Error),
}

impl Common {
    fn of(flow: &Topology, results: Results<'_>, claim: &Claim<'_>) -> (Self, Memories) {
        let Results { accounts, amounts, outputs, noted, trace } = results;
        let output = |output: MadeOutput<'_>| {
            let MadeOutput { post_processing_system, written, records, cuts } = output;
            let named = |system: &System| system.name == post_processing_system;
            let system = flow.systems.iter().position(named).unwrap_or(usize::MAX);
            Output { system, target: written.keep(), records, cuts }
        };
        let outputs = outputs.into_iter().map(output).collect();
        let mut memories = Memories::new();
        let mut there = |by: NodeChanges<'_>| {
            let NodeChanges { node, form, keyed_by, mut changes, judge: _ } = by;
            let named = |at: &GraphNode| at.name == node;
            let node = flow.graph.nodes.iter().position(named).unwrap_or(usize::MAX);
            let (delta, groups, values) = (changes.delta(), changes.groups(), changes.values());
            let timers = changes.timers();
            memories.push(changes);
            ChangesThere { node, form, keyed_by, delta, groups, values, timers }
        };
        let noted = noted.into_iter().map(&mut there).collect();
        let targets = claim.targets.clone();
        (Common { accounts, amounts, outputs, noted, trace, targets }, memories)
    }

    fn open<'w>(
        self,
        running: &'w Running,
        fate: Option<Arc<Fate>>,
        claim: Option<Claim<'w>>,
    ) -> Result<(Results<'w>, Claim<'w>), SettleError> {
        let Common { accounts, amounts, outputs, noted, trace, targets } = self;
        let claim = claim.unwrap_or_else(|| Claim::hold(&running.in_hand, targets));
        let flow = &running.plan.topology;
        let output = |Output { system, target, records, cuts }: Output| {
            let system = flow.systems.get(system).ok_or(SettleError::OfAnotherFlow)?;
            let written =
                Written::reopen(&target).map_err(|cause| OutputError::new(&target, cause))?;
            let post_processing_system = system.name.as_str();
            Ok::<_, SettleError>(MadeOutput { post_processing_system, written, records, cuts })
        };
        let opened = outputs.into_iter().map(output).collect::<Result<_, _>>();
        let outputs = opened.inspect_err(|_| {
            claim.targets.iter().for_each(|target| transport::forget_interrupted(target));
        })?;
        let by = |there: ChangesThere| {
            let ChangesThere { node, form, keyed_by, delta, groups, values, timers } = there;
            let at = flow.graph.nodes.get(node).ok_or(SettleError::OfAnotherFlow)?;
            let fate = fate.clone();
            let changes = Box::new(ChangesElsewhere { delta, groups, values, timers, fate });
            let (node, judge) = (at.name.as_str(), at.template.judge());
            Ok::<_, SettleError>(NodeChanges { node, form, keyed_by, changes, judge })
        };
        let noted = noted.into_iter().map(by).collect::<Result<_, _>>()?;
        Ok((Results { accounts, amounts, outputs, noted, trace }, claim))
    }
}

/// The state changes of a node in another process.
struct ChangesElsewhere {
    delta: Option<Vec<u8>>,
    groups: Option<GroupChanges>,
    values: Vec<ChangedValue>,
    timers: TimerChanges,
    fate: Option<Arc<Fate>>,
}

impl StateChanges for ChangesElsewhere {
    fn delta(&mut self) -> Option<Vec<u8>> {
        self.delta.take()
    }

    fn groups(&mut self) -> Option<GroupChanges> {
        self.groups.take()
    }

    fn values(&mut self) -> Vec<ChangedValue> {
        std::mem::take(&mut self.values)
    }

    fn timers(&mut self) -> TimerChanges {
        std::mem::take(&mut self.timers)
    }

    fn committed(self: Box<Self>, job: Committed) {
        if let Some(fate) = &self.fate {
            fate.committed(job);
        }
    }
}
