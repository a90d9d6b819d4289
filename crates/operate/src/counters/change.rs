//! Changes counters by request of a user.

use flow::flow_journal::JournalError;
use gateway::commit::Transactions;
use gateway::plan::Plan;
use people::Role;
use serde::{Deserialize, Serialize};
use state::counters::change::{ChangeRefused, Counted, CountersDeed, keyed_now, refusal};
use state::counters::requests::{CounterRequest, RequestOutcome, add, carry_out, outcome};
use store::Connection;
use utoipa::ToSchema;

use crate::context::Context;
use crate::operation::Operation;
use crate::refusal::{PossibleRefusal, ReasonError, Refusal, RefusalKind, reason};
use crate::refusals;
use crate::request::{AskError, RequestTarget, Waiting};

/// Moves, accepts or forgets the counters of a node.
///
/// The gateway makes the change between two files. The request returns when it is done, or after
/// five seconds with `waiting`; then the gateway makes the change later.
#[derive(Clone, Debug, Deserialize, ToSchema)]
pub struct ChangeCounters {
    /// The change.
    pub deed: CountersAction,
    /// The node that counted.
    pub node: String,
    /// The node to move the counters to. Required for `move`, refused otherwise.
    pub to: Option<String>,
    /// The reason, for the audit trail. It must not be empty.
    pub because: String,
}

/// `move`: they move to another node, because the node was renamed; counts in both nodes are added
/// up. `accept`: they stay, because the subscribers are the same. `forget`: they are dropped; of a
/// node that the flow still has, only those that were counted before the node changed.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize, Serialize, ToSchema)]
#[serde(rename_all = "kebab-case")]
pub enum CountersAction {
    /// They move to another node, since the node was renamed. The two counts are added up.
    Move,
    /// They stay, although the node now determines the subscriber differently: the subscribers are
    /// the same.
    Accept,
    /// They are dropped: all of a node that the flow no longer has; of another node, those from
    /// before it determined the subscriber differently.
    Forget,
}

/// The result of a change of counters.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, ToSchema)]
pub struct ChangedCounters {
    /// Whether the change is not done yet. The gateway makes it as soon as the files in work are
    /// done. The other numbers are 0 then.
    pub waiting: bool,
    /// The number of subscribers whose counters were moved, accepted or forgotten.
    pub subscribers: u64,
    /// The part of them that had counters in both nodes.
    pub added_up: u64,
    /// The number of subscribers whose counters were not forgotten, because they were counted after
    /// the change too.
    pub left: u64,
}

refusals! {
    /// Why counters are not changed.
    pub enum ChangeCountersError {
        /// The request does not say where to move the counters.
        NoTarget => Wrong "counters-target-missing" "say to which node the counters are moved",
        /// The request names a second node, but moves nothing.
        Target => Wrong "counters-target-unexpected"
            "only counters that are moved go to another node",
        /// The request has no reason.
        Reason(ReasonError) => [Wrong],
        /// The gateway refuses the change when it comes to the request.
        RefusedLater { /** Why. */ reason: String } => Conflict "counters-change-refused"
            "the gateway refuses the change: {reason}",
        /// The change is not possible.
        Refused(ChangeRefused) => [Unknown, Conflict],
        /// The flow has mistakes, or its gateway does not answer.
        Request(AskError) => [Conflict, NotReady],
        /// The journal fails.
        Journal(JournalError) => [],
    }
}

impl Refusal for ChangeRefused {
    fn kind(&self) -> RefusalKind {
        match self {
            ChangeRefused::None { .. } => RefusalKind::Unknown,
            _ => RefusalKind::Conflict,
        }
    }

    fn code(&self) -> &'static str {
        match self {
            ChangeRefused::None { .. } => "counters-unknown",
            ChangeRefused::InUse(_) => "counters-in-use",
            ChangeRefused::NoNode(_) => "node-keeps-no-counters",
            ChangeRefused::Accepted(_) => "counters-accepted",
            ChangeRefused::Unreadable { .. } => "counters-unreadable",
            ChangeRefused::Otherwise(_) => "node-changed-meanwhile",
        }
    }

    fn possible() -> Vec<PossibleRefusal> {
        let conflicts = [
            ("counters-in-use", "the node is in the flow, and its counters count"),
            ("node-keeps-no-counters", "the flow has no such node that keeps counters"),
            ("counters-accepted", "the counters count already, so there is nothing to accept"),
            ("counters-unreadable", "the counters cannot be read"),
            ("node-changed-meanwhile", "the node has changed since the request"),
        ];
        let unknown = ("counters-unknown", "the journal has no counters of the node");
        let of = |kind| move |text| PossibleRefusal { kind, text: Some(text) };
        let conflicts = conflicts.into_iter().map(of(RefusalKind::Conflict));
        conflicts.chain([of(RefusalKind::Unknown)(unknown)]).collect()
    }
}

impl Operation for ChangeCounters {
    type Response = ChangedCounters;
    type Error = ChangeCountersError;

    const NAME: &'static str = "tariff counters change";
    const ROLE: Role = Role::Operator;
    const ACTIONS: &[&str] = &["counters move", "counters forget", "counters accept"];
    const IS_LONG: bool = true;

    /// Requests the change. The gateway that runs the flow makes it between two files, since files
    /// change counters; if none runs, this call does. After a stop, the change may wait: the next
    /// gateway makes it.
    fn perform(self, context: &Context<'_>) -> Result<ChangedCounters, ChangeCountersError> {
        let ChangeCounters { deed, node, to, because } = self;
        let deed = match (deed, to) {
            (CountersAction::Move, Some(to)) => CountersDeed::Move { from: node, to },
            (CountersAction::Move, None) => return Err(ChangeCountersError::NoTarget),
            (_, Some(_)) => return Err(ChangeCountersError::Target),
            (CountersAction::Accept, None) => CountersDeed::Accept(node),
            (CountersAction::Forget, None) => CountersDeed::Forget(node),
        };
        let because = reason(&because)?;
        // By the flow as it is now, which a user may just have corrected.
        let target = RequestTarget::new(context.flow, context.parts)?;
        let flow = target.flow.as_ref().map(|plan| &plan.topology);
        let now_by = flow.and_then(|flow| keyed_now(flow, deed.node()));
        // Read outside the write transaction, for which the gateway waits.
        let refusal = context.read(|db| flow.map_or(Ok(None), |flow| refusal(flow, db, &deed)))?;
        if let Some(refusal) = refusal {
            return Err(refusal.into());
        }
        let request = CounterRequest { deed, now_by };
        // The change makes the entry of the audit trail, in the transaction that makes the change.
        let ask = |db: &Connection| add(db, &request, (context.who, because));
        let so_far = |db: &Connection, id: &i64| {
            let outcome = outcome(db, *id)?;
            let waiting = Waiting(outcome.is_none().into());
            Ok((outcome, waiting))
        };
        let act = |plan: Plan, journal: &Transactions| {
            carry_out(&plan.topology, journal).map_err(JournalError::from)?;
            journal.tell_alarms();
            Ok(Vec::new())
        };
        let (_, outcome, _) = target.wait_until(ask, so_far, act, &context.run_options())?;
        match outcome {
            None => Ok(ChangedCounters { waiting: true, subscribers: 0, added_up: 0, left: 0 }),
            Some(RequestOutcome::Done(Counted { subscribers, added_up, left })) => {
                Ok(ChangedCounters { waiting: false, subscribers, added_up, left })
            }
            Some(RequestOutcome::Refused(reason)) => {
                Err(ChangeCountersError::RefusedLater { reason })
            }
        }
    }
}
