//! Changes to counters: move them to a node with another name, drop them, or let them count on.

use diagnostics::counted;
use node::ChangedValue;
use serde::{Deserialize, Serialize};
use store::{Answer, Connection};

use super::keyed::{KeyedBy, Whose, accept, forget, forget_others, give, whose};
use super::requests::CounterRequest;
use super::{keeping, nodes};
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
    /// They count already.
    #[error("the counters of \"{0}\" count by what the flow says now: there is nothing to accept")]
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
        "since it was asked, \"{0}\" has come to say otherwise whose counters count a record, or is gone or back: nothing \
         was changed; look again, and ask once more"
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
    /// The number of subscribers that keep their counters: they were also counted by the node's present keys.
    pub left: u64,
}

/// Returns how a node forms its keys, if the flow has it and it keeps counters.
pub fn keyed_now(flow: &Topology, name: &str) -> Option<KeyedBy> {
    keeping(flow).find(|(node, _)| *node == name).map(|(_, keeps)| keeps.keyed_by)
}

/// Returns why a change is refused by the flow, if it is.
pub fn refusal(
    flow: &Topology,
    db: &Connection,
    deed: &CountersDeed,
) -> Answer<Option<ChangeRefused>> {
    let node = deed.node();
    let keeping_nodes = nodes(db)?;
    if !keeping_nodes.iter().any(|known| known == node) {
        let known = match keeping_nodes.join("\", \"").as_str() {
            "" => "there are none".to_owned(),
            known => format!("there are some of \"{known}\""),
        };
        return Ok(Some(ChangeRefused::None { name: node.to_owned(), known }));
    }
    let now_by = keyed_now(flow, node);
    let whose = now_by.map_or(Ok(Whose::None), |now_by| whose(db, node, now_by))?;
    Ok(deed.refusal(flow, now_by, whose))
}

/// A change that can be made.
pub(super) struct Ready {
    deed: CountersDeed,
    /// How the node forms its keys now, if the flow has it.
    now_by: Option<KeyedBy>,
    /// The counters of two nodes for the same keys, added up.
    both: Vec<ChangedValue>,
}

impl Ready {
    /// Prepares a change by the flow as it is now; or returns why it is refused.
    pub(super) fn of(
        flow: &Topology,
        db: &Connection,
        CounterRequest { deed, now_by: as_requested }: &CounterRequest,
    ) -> Answer<Result<Self, ChangeRefused>> {
        if let Some(refusal) = refusal(flow, db, deed)? {
            return Ok(Err(refusal));
        }
        let now_by = keyed_now(flow, deed.node());
        if now_by != *as_requested {
            return Ok(Err(ChangeRefused::Otherwise(deed.node().to_owned())));
        }
        let both = match deed {
            CountersDeed::Move { from, to } => added_up(flow, db, from, to)?,
            CountersDeed::Forget(_) | CountersDeed::Accept(_) => Ok(Vec::new()),
        };
        Ok(both.map(|both| Ready { deed: deed.clone(), now_by, both }))
    }

    /// Makes the change. Returns how many counters it changed, and the text for the audit trail.
    pub(super) fn act(&self, db: &Connection) -> Answer<(Counted, (&'static str, String))> {
        let Ready { deed, now_by, both } = self;
        let node = deed.node();
        let count = "SELECT count(*) FROM kept WHERE node = ?";
        let subscribers = db.query_row(count, [node], |row| row.get::<_, i64>(0))? as u64;
        let all = Counted { subscribers, added_up: both.len() as u64, left: 0 };
        let counted = match (deed, now_by) {
            (CountersDeed::Move { from, to }, _) => give(db, from, to, both).map(|()| all),
            (CountersDeed::Forget(_), Some(now_by)) => {
                let (subscribers, left) = forget_others(db, node, *now_by)?;
                Ok(Counted { subscribers, left, ..all })
            }
            (CountersDeed::Forget(_), None) => forget(db, node).map(|_| all),
            (CountersDeed::Accept(_), now_by) => {
                now_by.map_or(Ok(()), |now_by| accept(db, node, now_by)).map(|()| all)
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

    /// Returns why the change is refused, if it is. `now_by` is how the node forms its keys now, if the flow has it.
    fn refusal(
        &self,
        flow: &Topology,
        now_by: Option<KeyedBy>,
        whose: Whose,
    ) -> Option<ChangeRefused> {
        let counts = whose == Whose::Own;
        match self {
            CountersDeed::Move { from, .. } if now_by.is_some() => {
                Some(ChangeRefused::InUse(from.clone()))
            }
            CountersDeed::Move { to, .. } if keyed_now(flow, to).is_none() => {
                Some(ChangeRefused::NoNode(to.clone()))
            }
            CountersDeed::Forget(node) if counts => Some(ChangeRefused::InUse(node.clone())),
            CountersDeed::Accept(node) if now_by.is_none() => {
                Some(ChangeRefused::NoNode(node.clone()))
            }
            CountersDeed::Accept(node) if counts => Some(ChangeRefused::Accepted(node.clone())),
            _ => None,
        }
    }

    /// Returns the command and its subject for the audit trail.
    fn audit_entry(&self, Counted { subscribers, .. }: Counted) -> (&'static str, String) {
        let of = format!("{} of \"{}\"", counted(subscribers as usize, "subscriber"), self.node());
        match self {
            CountersDeed::Move { to, .. } => ("counters move", format!("{of} to \"{to}\"")),
            CountersDeed::Forget(_) => ("counters forget", of),
            CountersDeed::Accept(_) => ("counters accept", of),
        }
    }
}

/// A key, and two nodes' counters for it.
type Both = (String, Vec<u8>, Vec<u8>);

/// Returns two nodes' counters for the same keys.
fn counted_by_both(db: &Connection, one: &str, other: &str) -> Answer<Vec<Both>> {
    let select =
        "SELECT key, one.octets, other.octets FROM kept AS one JOIN kept AS other USING (key)
                  WHERE one.node = ? AND other.node = ? ORDER BY key";
    let both = |row: &store::Row<'_>| Ok((row.get(0)?, row.get(1)?, row.get(2)?));
    db.prepare(select)?.query_map([one, other], both)?.collect()
}

/// Adds them up as the receiving node does. The flow has that node.
fn added_up(
    flow: &Topology,
    db: &Connection,
    from: &str,
    to: &str,
) -> Answer<Result<Vec<ChangedValue>, ChangeRefused>> {
    let Some((_, keeps)) = keeping(flow).find(|(node, _)| *node == to) else {
        return Ok(Err(ChangeRefused::NoNode(to.to_owned())));
    };
    let one = |(key, old, new): Both| match (keeps.add)(&old, &new) {
        Ok(octets) => Ok(ChangedValue { key, octets: Some(octets) }),
        Err(error) => Err(ChangeRefused::Unreadable { key, reason: error.to_string() }),
    };
    Ok(counted_by_both(db, from, to)?.into_iter().map(one).collect())
}
