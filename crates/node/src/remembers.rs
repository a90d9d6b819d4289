//! Nodes that remember: what they note of a file's records becomes part of the journal with the file, in the same
//! transaction, or it is as if the file had never come.

use std::time::{Duration, SystemTime};

use crate::{HeldChanges, Kept, StateError};

/// The number of a file in hand: a later one has a greater number.
pub type JobNumber = u64;

/// What all nodes of a template remember, from file to file.
pub trait Remembers: Sync {
    /// What it was made of, so that what was noted by another is not taken for its own.
    fn form(&self) -> String;

    /// How long it remembers.
    fn window(&self) -> Duration;

    /// Takes what was noted of a file, as it is in the journal, and when that file was done. What it cannot read is
    /// an error: then the flow does not run.
    fn restore(&self, done: SystemTime, noted: &[u8]) -> Result<(), StateError>;

    /// Forgets what is older than its window. It may wait until that is worth the work.
    fn forget(&self, now: SystemTime);

    /// Why no file can be taken now, if none can: its memory is full, say.
    fn refuses(&self) -> Option<String> {
        None
    }

    /// How many keys it knows now, where it is keys that it remembers. It costs nothing to ask.
    fn keys(&self) -> Option<u64> {
        None
    }
}

/// What was noted of a file's records. Dropped, it is as if they had never come.
pub trait Noted: Send {
    /// What the journal is to keep.
    fn octets(&self) -> &[u8] {
        &[]
    }

    /// What changed of the groups that wait. It is asked once.
    fn held(&mut self) -> Option<HeldChanges> {
        None
    }

    /// What is kept of keys from now on. It is asked once.
    fn kept(&mut self) -> Vec<Kept> {
        Vec::new()
    }

    /// The journal has it.
    fn keep(self: Box<Self>, done: SystemTime);
}
