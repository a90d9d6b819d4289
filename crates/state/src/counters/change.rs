//! Changes to counters: move them to a node with another name, drop them, or let them count on.

use diagnostics::counted;
use node::ChangedValue;
use serde::{Deserialize, Serialize};
use store::{Connection, QueryResult};

use super::keyed::{KeyKinds, KeyedBy, accept, forget, forget_others, key_kinds, move_counters};
use super::requests::CounterRequest;
use super::{flow_nodes, stored_nodes};
use flow::topology::Topology;

/// The action that a user wants on the counters of a node.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum CountersDeed {
    /// Moves them to another node of the flow, because the node was renamed.
    Move {
        /// The node that the flow no longer has.
        from: String,
        /// The node that it has.
        to: String,
    },
    /// Drops them.
    Forget(String),
    /// Lets them count on, although the node now forms its keys in another way.
    Accept(String),
}

/// Why a change is refused.
#[derive(Debug, thiserror::Error)]
pub enum ChangeRefused {
    /// The journal has no counters of that node.
    #[error("the journal has no counters of \"{name}\"; {known}")]
    None {
        /// The node.
        name: String,
        /// The nodes whose counters it has.
        known: String,
    },
    /// They are in use.
    #[error("\"{0}\" is a node of the flow, and its counters count: nothing was changed")]
    InUse(String),
    /// The flow has no such node that keeps counters.
    #[error("the flow has no node \"{0}\" that keeps counters: nothing was changed")]
    NoNode(String),
    /// They are in use already.
    #[error(
        "the counters of \"{0}\" have the keys of the current flow: there is nothing to accept"
    )]
    Accepted(String),
    /// The journal's counters cannot be read.
    #[error("subscriber \"{key}\": {reason}; nothing was changed")]
    Unreadable {
        /// The subscriber's key.
        key: String,
        /// Why.
        reason: String,
    },
    /// The flow or its keys have changed since the request.
    #[error(
        "the keys of \"{0}\" were changed after the request, or the node was removed or added: nothing was changed; check \
         the counters and repeat the request"
    )]
    Otherwise(String),
}

/// How many subscribers' counters were moved, dropped or accepted.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Counted {
    /// The number of all subscribers.
    pub subscribers: u64,
    /// The number of subscribers that were counted under both names and were added up.
    pub added_up: u64,
    /// The number of subscribers that keep their counters: they were also counted by the node's
    /// present keys.
    pub left: u64,
}

/// Returns how a node forms its keys, if the flow has it and it keeps counters.
pub fn keyed_now(flow: &Topology, name: &str) -> Option<KeyedBy> {
    flow_nodes(flow).find(|(node, _)| *node == name).map(|(_, state)| state.keyed_by)
}

/// Returns why a change is refused by the flow, if it is.
pub fn refusal(
    flow: &Topology,
    db: &Connection,
    deed: &CountersDeed,
) -> QueryResult<Option<ChangeRefused>> {
    let node = deed.node();
    let stored_nodes = stored_nodes(db)?;
    if !stored_nodes.iter().any(|known| known == node) {
        let known = match stored_nodes.join("\", \"").as_str() {
            "" => "there are none".to_owned(),
            known => format!("there are some of \"{known}\""),
        };
        return Ok(Some(ChangeRefused::None { name: node.to_owned(), known }));
    }
    let keyed_by = keyed_now(flow, node);
    let kinds = keyed_by.map_or(Ok(KeyKinds::None), |keyed_by| key_kinds(db, node, keyed_by))?;
    Ok(deed.refusal(flow, keyed_by, kinds))
}

/// A change that can be made.
pub(super) struct PreparedChange {
    deed: CountersDeed,
    /// How the node forms its keys now, if the flow has it.
    keyed_by: Option<KeyedBy>,
    /// The sums of the counters that two nodes have for the same keys.
    sums: Vec<ChangedValue>,
}

impl PreparedChange {
    /// Prepares a change for the current flow, or returns why it is refused.
    pub(super) fn of(
        flow: &Topology,
        db: &Connection,
        CounterRequest { deed, now_by: keyed_by_then }: &CounterRequest,
    ) -> QueryResult<Result<Self, ChangeRefused>> {
        if let Some(refusal) = refusal(flow, db, deed)? {
            return Ok(Err(refusal));
        }
        let keyed_by = keyed_now(flow, deed.node());
        if keyed_by != *keyed_by_then {
            return Ok(Err(ChangeRefused::Otherwise(deed.node().to_owned())));
        }
        let sums = match deed {
            CountersDeed::Move { from, to } => added_up(flow, db, from, to)?,
            CountersDeed::Forget(_) | CountersDeed::Accept(_) => Ok(Vec::new()),
        };
        Ok(sums.map(|sums| PreparedChange { deed: deed.clone(), keyed_by, sums }))
    }

    /// Makes the change. Returns the number of changed counters, and the action and subject for the
    /// audit trail.
    pub(super) fn apply(&self, db: &Connection) -> QueryResult<(Counted, (&'static str, String))> {
        let PreparedChange { deed, keyed_by, sums } = self;
        let node = deed.node();
        let count = "SELECT count(*) FROM kept WHERE node = ?";
        let subscribers = db.query_row(count, [node], |row| row.get::<_, i64>(0))? as u64;
        let all = Counted { subscribers, added_up: sums.len() as u64, left: 0 };
        let counted = match (deed, keyed_by) {
            (CountersDeed::Move { from, to }, _) => move_counters(db, from, to, sums).map(|()| all),
            (CountersDeed::Forget(_), Some(keyed_by)) => {
                let (subscribers, left) = forget_others(db, node, *keyed_by)?;
                Ok(Counted { subscribers, left, ..all })
            }
            (CountersDeed::Forget(_), None) => forget(db, node).map(|_| all),
            (CountersDeed::Accept(_), keyed_by) => {
                keyed_by.map_or(Ok(()), |keyed_by| accept(db, node, keyed_by)).map(|()| all)
            }
        }?;
        Ok((counted, deed.audit_entry(counted)))
    }
}

impl CountersDeed {
    /// Returns the node whose counters are changed.
    pub fn node(&self) -> &str {
        match self {
            CountersDeed::Move { from: node, .. }
            | CountersDeed::Forget(node)
            | CountersDeed::Accept(node) => node,
        }
    }

    /// Returns why the change is refused, if it is. `keyed_by` is how the node forms its keys now,
    /// if the flow has it.
    fn refusal(
        &self,
        flow: &Topology,
        keyed_by: Option<KeyedBy>,
        kinds: KeyKinds,
    ) -> Option<ChangeRefused> {
        let is_in_use = kinds == KeyKinds::Current;
        match self {
            CountersDeed::Move { from, .. } if keyed_by.is_some() => {
                Some(ChangeRefused::InUse(from.clone()))
            }
            CountersDeed::Move { to, .. } if keyed_now(flow, to).is_none() => {
                Some(ChangeRefused::NoNode(to.clone()))
            }
            CountersDeed::Forget(node) if is_in_use => Some(ChangeRefused::InUse(node.clone())),
            CountersDeed::Accept(node) if keyed_by.is_none() => {
                Some(ChangeRefused::NoNode(node.clone()))
            }
            CountersDeed::Accept(node) if is_in_use => Some(ChangeRefused::Accepted(node.clone())),
            _ => None,
        }
    }

    /// Returns the command and its subject for the audit trail.
    fn audit_entry(&self, Counted { subscribers, .. }: Counted) -> (&'static str, String) {
        let subject =
            format!("{} of \"{}\"", counted(subscribers as usize, "subscriber"), self.node());
        match self {
            CountersDeed::Move { to, .. } => ("counters move", format!("{subject} to \"{to}\"")),
            CountersDeed::Forget(_) => ("counters forget", subject),
            CountersDeed::Accept(_) => ("counters accept", subject),
        }
    }
}

/// A key, and the counters that two nodes have for it.
type TwoValues = (String, Vec<u8>, Vec<u8>);

/// Returns the keys that two nodes have in common, with their counters.
fn common_keys(db: &Connection, one: &str, other: &str) -> QueryResult<Vec<TwoValues>> {
    let select =
        "SELECT key, one.octets, other.octets FROM kept AS one JOIN kept AS other USING (key)
                  WHERE one.node = ? AND other.node = ? ORDER BY key";
    let values = |row: &store::Row<'_>| Ok((row.get(0)?, row.get(1)?, row.get(2)?));
    db.prepare(select)?.query_map([one, other], values)?.collect()
}

/// Adds up the counters of common keys, by the rules of the node `to`.
fn added_up(
    flow: &Topology,
    db: &Connection,
    from: &str,
    to: &str,
) -> QueryResult<Result<Vec<ChangedValue>, ChangeRefused>> {
    let Some((_, state)) = flow_nodes(flow).find(|(node, _)| *node == to) else {
        return Ok(Err(ChangeRefused::NoNode(to.to_owned())));
    };
    let sum = |(key, old, new): TwoValues| match (state.add)(&old, &new) {
        Ok(octets) => Ok(ChangedValue { key, octets: Some(octets) }),
        Err(error) => Err(ChangeRefused::Unreadable { key, reason: error.to_string() }),
    };
    Ok(common_keys(db, from, to)?.into_iter().map(sum).collect())
}
