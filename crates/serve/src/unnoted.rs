//! What people did before there was a trail, for when there is one.

use std::sync::{Mutex, PoisonError};

/// Most that is kept: each of it used up a one-time link.
const KEPT_MAX: usize = 1_000;

/// What somebody did.
#[derive(Debug)]
pub(crate) struct Deed {
    pub(crate) who: String,
    pub(crate) action: String,
    pub(crate) subject: String,
}

#[derive(Debug, Default)]
pub(crate) struct Unnoted(Mutex<Vec<Deed>>);

impl Unnoted {
    /// Keeps what somebody did; gives it back where there is no room.
    pub(crate) fn keep(&self, deed: Deed) -> Result<(), Deed> {
        let mut kept = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        if kept.len() >= KEPT_MAX {
            return Err(deed);
        }
        kept.push(deed);
        Ok(())
    }

    /// Whether there is something to be noted.
    pub(crate) fn has_to_note(&self) -> bool {
        !self.0.lock().unwrap_or_else(PoisonError::into_inner).is_empty()
    }

    /// Has all noted in the order in which it was done; what cannot be noted now is kept.
    pub(crate) fn note<E>(&self, note: impl Fn(&Deed) -> Result<(), E>) -> Result<(), E> {
        // Nobody waits for one who notes.
        let kept = || self.0.lock().unwrap_or_else(PoisonError::into_inner);
        let mut noting = std::mem::take(&mut *kept());
        while let Some(first) = noting.first() {
            if let Err(error) = note(first) {
                noting.append(&mut kept());
                *kept() = noting;
                return Err(error);
            }
            noting.remove(0);
        }
        Ok(())
    }
}
