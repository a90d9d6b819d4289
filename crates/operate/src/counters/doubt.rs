//! Counters that alarms are about: a user must decide about them.

use std::path::Path;

use runtime::time::shown;
use serde::Serialize;
use store::{Answer, Connection};

use flow::flow_journal;
use flow::flow_journal::JournalError;
use flow::topology::Topology;
use gateway::compile::prepare::{Parts, prepare};
use state::counters::alarms::{KEYED_OTHERWISE, ORPHANED};
use state::counters::change::CountersDeed;
use state::counters::flow_nodes;
use state::counters::keyed::of_others;
use state::counters::requests::{OpenRequest, open};

/// Counters that do not count, or may belong to others, and the nodes that could take them.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize)]
pub struct CountersInDoubt {
    /// The nodes that they were counted in.
    pub nodes: Vec<NodeInDoubt>,
    /// The nodes of the flow that keep counters, as its files are now.
    pub keeping: Vec<String>,
}

/// The counters of a node that a user must decide about.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct NodeInDoubt {
    /// The node.
    pub node: String,
    /// Why.
    pub why: Doubt,
    /// How many subscribers have such counters. If the node's keys have changed, only those counted by the old keys.
    pub subscribers: u64,
    /// Since when the alarm is raised.
    pub since: String,
    /// The open request: the gateway carries it out when the files in work are done.
    #[serde(rename = "asked")]
    pub request: Option<RequestedDeed>,
}

/// Why a user must decide.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum Doubt {
    /// The flow no longer has such a node that keeps counters.
    Orphaned,
    /// The node now forms its keys in another way.
    KeyedOtherwise,
}

/// A user's request.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct RequestedDeed {
    /// `move`, `accept` or `forget`.
    pub deed: &'static str,
    /// The receiving node, if they are moved.
    pub to: Option<String>,
    /// The user.
    pub who: String,
    /// The reason.
    pub because: String,
}

/// Returns the counters that a user must decide about.
pub fn counters_in_doubt(path: &Path, parts: Parts<'_>) -> Result<CountersInDoubt, JournalError> {
    let doubted = flow_journal::read(path, doubted)?;
    if doubted.is_empty() {
        return Ok(CountersInDoubt::default());
    }
    let plan = prepare(path, parts).plan;
    let flow = plan.as_ref().map(|plan| &plan.topology);
    let nodes = |db: &Connection| {
        let requests = open(db)?;
        let nodes =
            doubted.into_iter().map(|doubted| NodeInDoubt::of(db, flow, doubted, &requests));
        nodes.collect::<Answer<Vec<_>>>()
    };
    let keeping = flow.into_iter().flat_map(flow_nodes).map(|(node, _)| node.to_owned()).collect();
    Ok(CountersInDoubt { nodes: flow_journal::read(path, nodes)?, keeping })
}

/// Returns the nodes that alarms are about, and since when.
fn doubted(db: &Connection) -> Answer<Vec<(String, Doubt, i64)>> {
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
    ) -> Answer<Self> {
        let keyed_by = flow.into_iter().flat_map(flow_nodes).find(|(name, _)| *name == node);
        let subscribers = match (why, keyed_by) {
            (Doubt::KeyedOtherwise, Some((_, state))) => of_others(db, &node, state.keyed_by)?,
            _ => {
                let count = "SELECT count(*) FROM kept WHERE node = ?";
                db.query_row(count, [&node], |row| row.get::<_, i64>(0))? as u64
            }
        };
        let request = requests.iter().rev().find_map(|request| RequestedDeed::of(request, &node));
        Ok(NodeInDoubt { node, why, subscribers, since: shown(since_ms), request })
    }
}

impl RequestedDeed {
    /// Returns the request, if it is about this node.
    fn of(OpenRequest { who, reason, request, .. }: &OpenRequest, node: &str) -> Option<Self> {
        let deed =
            request.as_ref().map(|request| &request.deed).filter(|deed| deed.node() == node)?;
        let (deed, to) = match deed {
            CountersDeed::Move { to, .. } => ("move", Some(to.clone())),
            CountersDeed::Accept(_) => ("accept", None),
            CountersDeed::Forget(_) => ("forget", None),
        };
        Some(RequestedDeed { deed, to, who: who.clone(), because: reason.clone() })
    }
}
