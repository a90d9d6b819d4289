//! The number of threads of each group, and the last decisions about it.

use std::collections::VecDeque;

/// The most decisions to keep.
const DECISIONS_MAX: usize = 100;

/// The threads of all groups.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Sizes {
    /// Processors that the gateway may use.
    pub processors: usize,
    /// Groups in the order of the flow file; the last is of network elements that are in none.
    pub groups: Vec<GroupSize>,
    /// The threads of all groups without their own.
    pub common: Threads,
    /// Whether the gateway finds the number of common threads itself.
    pub is_found: bool,
    /// The threads that transfer files to receivers.
    pub delivering: DeliveringSizes,
    /// The last decisions, the newest first.
    pub decisions: VecDeque<Decision>,
}

/// Threads that process files.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Threads {
    /// The number of processes beside the gateway's that have these threads; 0 if they are the gateway's own.
    pub processes: usize,
    /// The threads of each process.
    pub threads: usize,
}

/// The threads that transfer files, by group.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct DeliveringSizes {
    /// The threads of all groups without their own.
    pub threads: usize,
    /// Groups of receivers in the order of the flow file; the last is of receivers that are in none.
    pub groups: Vec<GroupSize>,
}

/// A group of network elements, or of receivers.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct GroupSize {
    /// The name; none for members that are in no group.
    pub name: Option<String>,
    /// The names of its members.
    pub members: Vec<String>,
    /// Its own threads, or its share of the common ones.
    pub share: GroupShare,
}

/// The kind of threads that a group has.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum GroupShare {
    /// Its own threads.
    Own(Threads),
    /// A share of the common threads.
    Common {
        /// Greater priorities go first.
        priority: i64,
        /// The share of octets among groups of the same priority.
        weight: u64,
    },
}

/// A decision about the number of threads.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Decision {
    /// The time, in milliseconds since 1970.
    pub at_ms: i64,
    /// The decision, as text for users.
    pub what: String,
    /// The reason, as text for users.
    pub why: String,
}

impl Threads {
    /// Returns the number of all these threads.
    pub fn all(self) -> usize {
        self.processes.max(1) * self.threads
    }
}

impl Sizes {
    /// Returns the number of all threads that process files.
    pub fn threads(&self) -> usize {
        let own = self.groups.iter().map(|group| match group.share {
            GroupShare::Own(threads) => threads.all(),
            GroupShare::Common { .. } => 0,
        });
        own.sum::<usize>() + self.common.all()
    }

    pub(super) fn decide(&mut self, decision: Decision) {
        self.decisions.truncate(DECISIONS_MAX - 1);
        self.decisions.push_front(decision);
    }
}
