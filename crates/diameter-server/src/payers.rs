//! The numbers that pay for sessions whose clients name them in the first request only.
//!
//! The table of [sessions](crate::sessions) has those of sessions that this process has answered. Here are the others: those of
//! sessions from before a start or of another process, which are looked for in the accounts, and of sessions that have ended,
//! whose last request may come again.

use std::collections::HashMap;
use std::sync::{Mutex, PoisonError};
use std::time::Instant;

use diagnostics::with_causes;
use ledger::{Millis, SessionKey};
use prepaid::{Number, System};

use crate::LOG;

/// The pause behind a look at all accounts, in times of what it took: requests of sessions that are not known cost a tenth of the
/// time at most.
const LOOK_PAUSE: u32 = 9;

/// The most ended sessions whose numbers are remembered.
const ENDED_MAX: usize = 1 << 20;

/// The numbers of sessions.
#[derive(Debug, Default)]
pub(crate) struct Payers(Mutex<Known>);

#[derive(Debug, Default)]
struct Known {
    /// Of sessions that were in progress at the last look.
    open: HashMap<SessionKey, Number>,
    /// Of sessions that have ended, until a time.
    ended: HashMap<SessionKey, (Number, Millis)>,
    /// When all accounts may be looked at again; `None` for now.
    looks_from: Option<Instant>,
}

impl Payers {
    /// Remembers the number of a session that ends at a time, until another one.
    pub(crate) fn note_ended(&self, key: SessionKey, number: Number, now: Millis, until: Millis) {
        let mut known = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        if known.ended.len() >= ENDED_MAX {
            known.ended.retain(|_, (_, until)| *until > now);
        }
        if known.ended.len() < ENDED_MAX {
            known.ended.insert(key, (number, until));
        }
    }

    /// Returns the number of a session.
    pub(crate) fn of(&self, key: SessionKey, system: &System) -> Option<Number> {
        let mut known = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some((number, _)) = known.ended.get(&key) {
            return Some(number.clone());
        }
        let begun = Instant::now();
        if !known.open.contains_key(&key) && known.looks_from.is_none_or(|from| begun >= from) {
            match system.payers_of_sessions() {
                Ok(open) => known.open = open,
                Err(why) => {
                    tracing::error!(target: LOG, "sessions cannot be read: {}", with_causes(&why));
                }
            }
            let ended = Instant::now();
            known.looks_from = ended.checked_add(ended.duration_since(begun) * LOOK_PAUSE);
        }
        known.open.get(&key).cloned()
    }
}
