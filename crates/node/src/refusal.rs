//! Why a node cannot process a record.

use reason::{Coded, Reason};

use crate::StateError;

/// Why a node cannot process a record.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{reason}")]
pub struct Refusal {
    /// The reason. It is boxed, since a result with it comes with each record.
    pub reason: Box<Reason>,
    /// What is refused.
    pub refused: Refused,
    /// The link of a [chain](crate::Chain) that refuses it; 0 without a chain.
    pub link: u16,
}

/// What a node refuses.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Refused {
    /// The record, because of a fault in it or in the script. It goes to suspense; other records
    /// are processed.
    Record,
    /// The record, because it is late. It will be refused again in a retry.
    LateRecord,
    /// The whole file, for now. It stays in its folder and is tried again later.
    File,
    /// The whole file, until groups of the node have ended: the node has the maximum number of
    /// groups.
    FileUntilRoom,
    /// The whole file. It is begun again at once, after another file in hand that goes first.
    FileBegunAgain,
}

impl Refusal {
    /// Refuses a record.
    #[cold]
    pub fn new(error: &impl Coded) -> Self {
        Refusal::because(Reason::of(error))
    }

    /// Refuses a record for a reason.
    #[cold]
    pub fn because(reason: Reason) -> Self {
        Refusal { reason: Box::new(reason), refused: Refused::Record, link: 0 }
    }

    /// Refuses a file, or a late record.
    #[cold]
    pub fn of(refused: Refused, error: &impl Coded) -> Self {
        Refusal { refused, ..Refusal::new(error) }
    }

    /// Refuses a file for now: it is tried again later.
    #[cold]
    pub fn of_file(error: &impl Coded) -> Self {
        Refusal::of(Refused::File, error)
    }
}

/// Why the state of a node cannot be used for a record.
#[derive(Debug, thiserror::Error, Coded)]
#[code("state")]
pub enum StateRefusal {
    /// The gateway gave the node a record before a file. It is a fault of the gateway.
    #[error("no file has begun")]
    NoFile,
    /// A node without timers used one. It is a fault of the kind of node.
    #[error("its node has no timers")]
    NoTimers,
    /// A file that was begun later has the key in hand. This file is processed after it.
    #[error("a file that was begun later has a record of the same {what}")]
    Contested {
        /// What the key is of.
        what: &'static str,
    },
    /// The time of the record is later than the time of the gateway: a clock is wrong.
    #[error("it was made in the future")]
    InFuture,
    /// The stored value of a key cannot be read.
    #[error("the journal: {what} \"{key}\": {fault}")]
    Value {
        /// What the key is of.
        what: &'static str,
        /// The key.
        key: String,
        /// The fault.
        #[coded]
        fault: StateError,
    },
}
