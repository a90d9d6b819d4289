//! The changes of a job to the state of nodes, and their rows in the journal.

use std::sync::Arc;

use journal::JobId;
use node::{ChangedValue, GroupChanges, Judge, StateChanges, TimerChanges};
use store::{Connection, QueryResult};

use crate::counters::KeyedBy;
use crate::{counters, groups, in_memory, judged, timers};

/// The changes of a job to the state of a node.
pub struct NodeChanges<'p> {
    /// The name of the node.
    pub node: &'p str,
    /// How the node makes keys and values of state in memory.
    pub form: String,
    /// A digest of the settings from which the node makes the keys of state on disk.
    pub keyed_by: KeyedBy,
    /// Its changes.
    pub changes: Box<dyn StateChanges>,
    /// What judges its notes, if it has any.
    pub judge: Option<Arc<dyn Judge>>,
}

/// The rows of these changes.
#[derive(Debug)]
pub struct StateRows {
    node: String,
    form: String,
    delta: Option<Vec<u8>>,
    groups: Option<GroupChanges>,
    values: Vec<ChangedValue>,
    timers: TimerChanges,
    keyed_by: KeyedBy,
    judge: Option<Arc<dyn Judge>>,
    now_ms: i64,
}

impl NodeChanges<'_> {
    /// Returns the rows, if there are any. Call this once: it takes the changes.
    pub fn rows(&mut self, now_ms: i64) -> Option<StateRows> {
        let changes = &mut self.changes;
        let (delta, groups, values) = (changes.delta(), changes.groups(), changes.values());
        let timers = changes.timers();
        let has_rows =
            delta.is_some() || groups.is_some() || !values.is_empty() || !timers.is_empty();
        let (node, form, keyed_by) = (self.node.to_owned(), self.form.clone(), self.keyed_by);
        has_rows.then_some(StateRows {
            node,
            form,
            delta,
            groups,
            values,
            timers,
            keyed_by,
            judge: self.judge.clone(),
            now_ms,
        })
    }
}

impl StateRows {
    /// Inserts the rows of a job.
    pub fn insert(&self, db: &Connection, entry: JobId) -> QueryResult<()> {
        let StateRows { node, form, delta, groups, values, timers, keyed_by, judge, now_ms } = self;
        if let Some(changes) = groups {
            groups::note(db, entry, node, changes, *now_ms)?;
        }
        counters::note(db, entry, (node, *keyed_by), values)?;
        if !timers.is_empty() {
            timers::note(db, entry, node, timers, *now_ms)?;
        }
        if let Some(delta) = delta {
            match judge {
                Some(judge) => {
                    let delta = judged::judge(db, entry, (node, &**judge), delta)?;
                    in_memory::insert_delta(db, entry, (node, form), &delta)?;
                }
                None => in_memory::insert_delta(db, entry, (node, form), delta)?,
            }
        }
        Ok(())
    }

    /// Returns what judges the notes of the node, if it has any. It is to be told how the transaction ends.
    pub fn judge(&self) -> Option<&Arc<dyn Judge>> {
        self.judge.as_ref()
    }
}
