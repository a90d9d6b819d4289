//! The changes that a file's records make to the state of nodes. They go into the journal in the
//! transaction of the file's job. If they are dropped before that, the state is unchanged.

use std::time::SystemTime;

use serde::{Deserialize, Serialize};

use crate::{ChangedValue, GroupChanges, JobEntry, TimerChanges};

/// The number of a file in hand. A file that is begun later has a greater number.
pub type JobNumber = u64;

/// A committed job, as it is in the journal.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Committed {
    /// Its number in the journal. Jobs are committed in the order of these numbers.
    pub job: JobEntry,
    /// When it was committed.
    pub at: SystemTime,
}

/// The changes that a file's records make to the state of a node.
pub trait StateChanges: Send {
    /// Returns the changes of state that is [in memory](crate::InMemory), encoded for the journal.
    /// The engine calls it once.
    fn delta(&mut self) -> Option<Vec<u8>> {
        None
    }

    /// Returns the changes of groups that wait. The engine calls it once.
    fn groups(&mut self) -> Option<GroupChanges> {
        None
    }

    /// Returns the changed values of state that is [on disk](crate::OnDisk). The engine calls it
    /// once.
    fn values(&mut self) -> Vec<ChangedValue> {
        Vec::new()
    }

    /// Returns the changes of [timers](crate::Timer). The engine calls it once.
    fn timers(&mut self) -> TimerChanges {
        TimerChanges::default()
    }

    /// Makes the changes final: the journal has them.
    fn committed(self: Box<Self>, job: Committed);
}
