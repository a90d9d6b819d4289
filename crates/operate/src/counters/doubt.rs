//! Lists the counters that alarms are about: a user must decide about them.

use flow::topology::Topology;
use gateway::compile::prepare::prepare;
use people::Role;
use runtime::time::shown;
use serde::{Deserialize, Serialize};
use state::counters::alarms::{KEYED_OTHERWISE, ORPHANED};
use state::counters::change::CountersDeed;
use state::counters::flow_nodes;
use state::counters::keyed::of_others;
use state::counters::requests::{OpenRequest, open};
use store::{Connection, QueryResult};
use utoipa::ToSchema;

use super::change::CountersAction;
use crate::context::Context;
use crate::operation::Operation;
use crate::refusal::ReadError;

/// Lists the counters that need a decision.
///
/// After a change of the flow, counters may be without a node, or may belong to other subscribers.
/// An alarm is raised for each node in this list.
#[derive(Clone, Copy, Debug, Default, Deserialize, ToSchema)]
pub struct ListCountersInDoubt {}

/// The counters that need a decision.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, ToSchema)]
#[schema(as = DoubtedCounters)]
pub struct CountersInDoubt {
    /// The nodes whose counters need a decision; empty if no counters do.
    pub nodes: Vec<NodeInDoubt>,
    /// The nodes that keep counters in the flow as its files are now. Counters can be moved to one
    /// of these. Empty if no counters need a decision.
    pub keeping: Vec<String>,
}

/// The counters of a node that are not in use, or that may belong to other subscribers.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, ToSchema)]
#[schema(as = DoubtedNode)]
pub struct NodeInDoubt {
    /// The node that counted.
    pub node: String,
    /// Why a user must decide.
    pub why: Doubt,
    /// The number of subscribers with counters. For `keyed-otherwise`: only those that were counted
    /// before the node changed.
    pub subscribers: u64,
    /// When the alarm about this was raised.
    pub since: String,
    /// The request that is not done yet.
    #[serde(rename = "asked")]
    pub request: Option<RequestedChange>,
}

/// `orphaned`: the flow no longer has a node of this name that keeps counters. `keyed-otherwise`:
/// the node now determines the subscriber of a record differently.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, ToSchema)]
#[serde(rename_all = "kebab-case")]
#[schema(as = DoubtReason)]
pub enum Doubt {
    /// The flow no longer has such a node that keeps counters.
    Orphaned,
    /// The node now determines the subscriber of a record differently.
    KeyedOtherwise,
}

/// A request for the counters of a node that waits.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, ToSchema)]
#[schema(as = RequestedCountersChange)]
pub struct RequestedChange {
    /// What the gateway does with them.
    pub deed: CountersAction,
    /// The target node of a move.
    pub to: Option<String>,
    /// The user or token.
    pub who: String,
    /// The reason that the user gave.
    pub because: String,
}

impl Operation for ListCountersInDoubt {
    type Response = CountersInDoubt;
    type Error = ReadError;

    const NAME: &'static str = "tariff counters in-doubt";
    const ROLE: Role = Role::Viewer;
    const IS_LONG: bool = true;

    fn perform(self, context: &Context<'_>) -> Result<CountersInDoubt, ReadError> {
        let doubted = context.read(doubted)?;
        if doubted.is_empty() {
            return Ok(CountersInDoubt::default());
        }
        let plan = prepare(context.flow, context.parts).plan;
        let flow = plan.as_ref().map(|plan| &plan.topology);
        let nodes = context.read(|db| {
            let requests = open(db)?;
            let of = |doubted| NodeInDoubt::of(db, flow, doubted, &requests);
            doubted.into_iter().map(of).collect::<QueryResult<Vec<_>>>()
        })?;
        let keeping =
            flow.into_iter().flat_map(flow_nodes).map(|(node, _)| node.to_owned()).collect();
        Ok(CountersInDoubt { nodes, keeping })
    }
}

/// Returns the nodes that alarms are about, and since when.
fn doubted(db: &Connection) -> QueryResult<Vec<(String, Doubt, i64)>> {
    let mut doubted = Vec::new();
    for (kind, why) in [(ORPHANED, Doubt::Orphaned), (KEYED_OTHERWISE, Doubt::KeyedOtherwise)] {
        let nodes = alarm::subjects(db, kind)?.into_iter();
        doubted.extend(nodes.map(|(node, since_ms)| (node, why, since_ms)));
    }
    doubted.sort_by(|(one, ..), (other, ..)| one.cmp(other));
    Ok(doubted)
}

impl NodeInDoubt {
    fn of(
        db: &Connection,
        flow: Option<&Topology>,
        (node, why, since_ms): (String, Doubt, i64),
        requests: &[OpenRequest],
    ) -> QueryResult<Self> {
        let keyed_by = flow.into_iter().flat_map(flow_nodes).find(|(name, _)| *name == node);
        let subscribers = match (why, keyed_by) {
            (Doubt::KeyedOtherwise, Some((_, state))) => of_others(db, &node, state.keyed_by)?,
            _ => {
                let count = "SELECT count(*) FROM kept WHERE node = ?";
                db.query_row(count, [&node], |row| row.get::<_, i64>(0))? as u64
            }
        };
        let request = requests.iter().rev().find_map(|request| RequestedChange::of(request, &node));
        Ok(NodeInDoubt { node, why, subscribers, since: shown(since_ms), request })
    }
}

impl RequestedChange {
    /// Returns the request, if it is about this node.
    fn of(OpenRequest { who, reason, request, .. }: &OpenRequest, node: &str) -> Option<Self> {
        let deed =
            request.as_ref().map(|request| &request.deed).filter(|deed| deed.node() == node)?;
        let (deed, to) = match deed {
            CountersDeed::Move { to, .. } => (CountersAction::Move, Some(to.clone())),
            CountersDeed::Accept(_) => (CountersAction::Accept, None),
            CountersDeed::Forget(_) => (CountersAction::Forget, None),
        };
        Some(RequestedChange { deed, to, who: who.clone(), because: reason.clone() })
    }
}
