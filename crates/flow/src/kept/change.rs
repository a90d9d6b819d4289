//! What people do to counters: give them to a node that has another name now, give them up, or let them count on.

use std::path::Path;

use diagnostics::counted;
use node::Kept;
use store::{Answer, Connection};

use super::alarms::look_at_counters;
use super::keyed::{KeyedBy, Whose, accept, forget, forget_others, give, whose};
use super::{keeping, keeping_nodes};
use crate::journal::{Journal, JournalError};
use crate::prepare::{Parts, Prepared, prepare_sound};
use crate::run::{RunError, RunOptions};
use crate::trail::Deed;

/// What somebody wants to become of the counters of a node.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum CountersDeed {
    /// They are those of another node from now on, which the flow has: it was renamed.
    Move {
        /// The node that the flow has no more.
        from: String,
        /// The one that it has.
        to: String,
    },
    /// They are given up.
    Forget(String),
    /// They count on, though the node says otherwise now whose they are.
    Accept(String),
}

/// Why nothing became of counters.
#[derive(Debug, thiserror::Error)]
pub enum CountersError {
    /// The flow has mistakes.
    #[error(transparent)]
    Flow(#[from] RunError),
    /// The journal refuses; or a gateway runs, which counts meanwhile.
    #[error(transparent)]
    Journal(#[from] JournalError),
    /// There is nothing of that name.
    #[error("the journal has no counters of \"{name}\"; {known}")]
    None {
        /// The node.
        name: String,
        /// Of which it has some.
        known: String,
    },
    /// They are in use.
    #[error("\"{0}\" is a node of the flow, and its counters count: nothing was changed")]
    InUse(String),
    /// There is nobody to have them.
    #[error("the flow has no node \"{0}\" that keeps counters: nothing was changed")]
    NoNode(String),
    /// They do count.
    #[error("the counters of \"{0}\" count by what the flow says now: there is nothing to accept")]
    Accepted(String),
    /// What the journal has is none.
    #[error("subscriber \"{key}\": {reason}; nothing was changed")]
    Unreadable {
        /// Whose it is.
        key: String,
        /// Why.
        reason: String,
    },
}

/// Of how many subscribers the counters were moved, forgotten or accepted.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Counted {
    /// All of them.
    pub subscribers: u64,
    /// Those that had been counted under both names, which were added up.
    pub added_up: u64,
    /// Those that are not forgotten, though somebody else counted them, since they were counted by what the node says now
    /// too.
    pub left: u64,
}

/// Changes what becomes of the counters of a node, for a reason, which goes to the trail. No gateway may run meanwhile: it
/// counts. `add` makes one of what two nodes keep of a subscriber.
pub fn change_counters(
    path: &Path,
    parts: Parts<'_>,
    deed: CountersDeed,
    add: impl Fn(&[u8], &[u8]) -> Result<Vec<u8>, String>,
    (who, because): (&str, &str),
    options: &RunOptions,
) -> Result<Counted, CountersError> {
    let flow = prepare_sound(path, parts).map_err(RunError::Mistakes)?;
    // Asked first: where there is no journal, none is begun.
    let kept_for = keeping_nodes(path)?;
    let journal = Journal::open(&flow.state, path, options.clock)?;
    if !kept_for.iter().any(|known| known == deed.node()) {
        let known = match kept_for.join("\", \"").as_str() {
            "" => "there are none".to_owned(),
            known => format!("there are some of \"{known}\""),
        };
        return Err(CountersError::None { name: deed.node().to_owned(), known });
    }
    let now_by = keyed_now(&flow, deed.node());
    let reader = journal.reader().map_err(JournalError::from)?;
    let whose = match now_by {
        None => Whose::None,
        Some(now_by) => {
            let whose = whose(&reader, deed.node(), now_by);
            journal.answer(whose).map_err(JournalError::from)?
        }
    };
    if let Some(refusal) = deed.refusal(&flow, now_by, whose) {
        return Err(refusal);
    }
    let both = match &deed {
        CountersDeed::Move { from, to } => journal.answer(counted_by_both(&reader, from, to)),
        CountersDeed::Forget(_) | CountersDeed::Accept(_) => Ok(Vec::new()),
    };
    let one_of_both = |(key, old, new): Both| match add(&old, &new) {
        Ok(octets) => Ok(Kept { key, octets }),
        Err(reason) => Err(CountersError::Unreadable { key, reason }),
    };
    let both = both.map_err(JournalError::from)?.into_iter().map(one_of_both);
    let both = both.collect::<Result<Vec<Kept>, CountersError>>()?;
    let (who, because) = (who.to_owned(), because.to_owned());
    let act = move |db: &Connection| {
        let counted = deed.act(db, now_by, both)?;
        let (action, subject) = deed.told(counted);
        let entry = Deed { who: &who, action, subject: &subject, reason: &because, change: None };
        entry.note(db).map(|_| counted)
    };
    let counted = journal.commit(act).map_err(JournalError::from)?;
    look_at_counters(&flow, &journal).map_err(JournalError::from)?;
    Ok(counted)
}

/// By what a node makes its keys, if it is one of the flow and keeps something.
fn keyed_now(flow: &Prepared, name: &str) -> Option<KeyedBy> {
    keeping(flow).find(|(node, _)| *node == name).map(|(_, keeps)| keeps.keyed_by)
}

impl CountersDeed {
    /// Whose counters are meant.
    fn node(&self) -> &str {
        match self {
            CountersDeed::Move { from: node, .. }
            | CountersDeed::Forget(node)
            | CountersDeed::Accept(node) => node,
        }
    }

    /// Why it is not done, if it is not. The node makes its keys by something now, if the flow has it, and has somebody's
    /// counters.
    fn refusal(
        &self,
        flow: &Prepared,
        now_by: Option<KeyedBy>,
        whose: Whose,
    ) -> Option<CountersError> {
        let counts = whose == Whose::Own;
        match self {
            CountersDeed::Move { from, .. } if now_by.is_some() => {
                Some(CountersError::InUse(from.clone()))
            }
            CountersDeed::Move { to, .. } if keyed_now(flow, to).is_none() => {
                Some(CountersError::NoNode(to.clone()))
            }
            CountersDeed::Forget(node) if counts => Some(CountersError::InUse(node.clone())),
            CountersDeed::Accept(node) if now_by.is_none() => {
                Some(CountersError::NoNode(node.clone()))
            }
            CountersDeed::Accept(node) if counts => Some(CountersError::Accepted(node.clone())),
            _ => None,
        }
    }

    /// For the trail: as the command that does it, and to what.
    fn told(&self, Counted { subscribers, .. }: Counted) -> (&'static str, String) {
        let of = format!("{} of \"{}\"", counted(subscribers as usize, "subscriber"), self.node());
        match self {
            CountersDeed::Move { to, .. } => ("counters move", format!("{of} to \"{to}\"")),
            CountersDeed::Forget(_) => ("counters forget", of),
            CountersDeed::Accept(_) => ("counters accept", of),
        }
    }

    /// Does it. Of `both` nodes there are counters, here added up.
    fn act(&self, db: &Connection, now_by: Option<KeyedBy>, both: Vec<Kept>) -> Answer<Counted> {
        let node = self.node();
        let count = "SELECT count(*) FROM kept WHERE node = ?";
        let subscribers = db.query_row(count, [node], |row| row.get::<_, i64>(0))? as u64;
        let all = Counted { subscribers, added_up: both.len() as u64, left: 0 };
        match (self, now_by) {
            (CountersDeed::Move { from, to }, _) => give(db, from, to, &both).map(|()| all),
            (CountersDeed::Forget(_), Some(now_by)) => {
                let (subscribers, left) = forget_others(db, node, now_by)?;
                Ok(Counted { subscribers, left, ..all })
            }
            (CountersDeed::Forget(_), None) => forget(db, node).map(|_| all),
            (CountersDeed::Accept(_), now_by) => {
                now_by.map_or(Ok(()), |now_by| accept(db, node, now_by)).map(|()| all)
            }
        }
    }
}

/// A key, and what two nodes keep of it.
type Both = (String, Vec<u8>, Vec<u8>);

/// What two nodes keep of the same keys.
fn counted_by_both(db: &Connection, one: &str, other: &str) -> Answer<Vec<Both>> {
    let select =
        "SELECT key, one.octets, other.octets FROM kept AS one JOIN kept AS other USING (key)
                  WHERE one.node = ? AND other.node = ? ORDER BY key";
    let both = |row: &store::Row<'_>| Ok((row.get(0)?, row.get(1)?, row.get(2)?));
    db.prepare(select)?.query_map([one, other], both)?.collect()
}
