//! How many threads work for whom, and what was decided of that last.

use std::collections::VecDeque;

/// Decisions that are remembered.
const DECISIONS_MAX: usize = 100;

/// Who works for whom.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Sizes {
    /// Processors that the gateway may use.
    pub processors: usize,
    /// In the order of the flow file, and then that of the network elements that are in none.
    pub groups: Vec<GroupSize>,
    /// The threads of all groups that have none of their own.
    pub common: Threads,
    /// Whether it is found how many those are.
    pub is_found: bool,
    /// The threads that carry files to receivers.
    pub delivering: DeliveringSizes,
    /// The last, the newest first.
    pub decisions: VecDeque<Decision>,
}

/// Threads that process files.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Threads {
    /// The processes beside the gateway's whose they are; none, and they are of the gateway's own.
    pub processes: usize,
    /// Those of each process.
    pub threads: usize,
}

/// Who carries for whom.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct DeliveringSizes {
    /// The threads of all groups that have none of their own.
    pub threads: usize,
    /// Those of receivers that files are carried to, in the order of the flow file, and then that of those that are in none.
    pub groups: Vec<GroupSize>,
}

/// A group of network elements, or of receivers.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct GroupSize {
    /// None for those that are in no group.
    pub name: Option<String>,
    /// Who is in it.
    pub members: Vec<String>,
    /// Its own threads, if it has any; or its part of the common ones.
    pub share: GroupShare,
}

/// Which threads a group has.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum GroupShare {
    /// Those.
    Own(Threads),
    /// Its part of those that all others have together.
    Common {
        /// Who has a greater one goes first.
        priority: i64,
        /// Of the octets that groups of one priority have taken, in proportion.
        weight: u64,
    },
}

/// What was decided.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Decision {
    /// When, in milliseconds since 1970.
    pub at_ms: i64,
    /// In words.
    pub what: String,
    /// In words.
    pub why: String,
}

impl Threads {
    /// All of them.
    pub fn all(self) -> usize {
        self.processes.max(1) * self.threads
    }
}

impl Sizes {
    /// All threads that process files.
    pub(crate) fn threads(&self) -> usize {
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
