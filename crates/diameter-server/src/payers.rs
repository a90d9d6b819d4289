//! The numbers that pay for sessions whose clients name them in the first request only.
//!
//! The table of [sessions](crate::sessions) has those of sessions that this process has answered. Here are the others: those of
//! sessions from before a start or of another process, which are looked for in all accounts, and of sessions that have ended,
//! whose last request may come again.
//!
//! A look takes as long as there are accounts, so a thread of its own takes it, and requests that wait for it are to come again.

use std::collections::HashMap;
use std::sync::mpsc::channel;
use std::sync::{Arc, Mutex, MutexGuard};
use std::time::{Duration, Instant};

use diagnostics::with_causes;
use ledger::{KeyHasher, Millis, SessionKey};
use prepaid::{Number, System};
use runtime::sync::lock;
use runtime::threads;

use crate::LOG;

/// The pause between two looks, by how long the last one took: looks do not cost more than a tenth of a processor.
const PAUSE_FACTOR: u32 = 9;

/// How long a start waits for the first look.
const FIRST_LOOK_WITHIN: Duration = Duration::from_secs(5);

/// The most ended sessions whose numbers are remembered, and the pause before those whose time is over are looked for, in
/// milliseconds.
const ENDED_MAX: usize = 1 << 20;
const SWEEP_PAUSE: Millis = 10_000;

/// The most sessions that wait for a look.
const MISSING_MAX: usize = 10_000;

/// Who pays for a session.
#[derive(Debug, PartialEq, Eq)]
pub(crate) enum Payer {
    /// This number.
    Known(Number),
    /// There is no such session.
    Unknown,
    /// It is looked for. The request may come again.
    LookedFor,
}

/// The numbers of sessions.
#[derive(Debug, Default)]
pub(crate) struct Payers(Mutex<Known>);

#[derive(Debug, Default)]
struct Known {
    /// Of sessions that were in progress at the last look.
    open: HashMap<SessionKey, Number>,
    /// Of sessions that have ended, until a time.
    ended: HashMap<SessionKey, (Number, Millis), KeyHasher>,
    ended_sweep_from: Millis,
    /// When those that were not found were first wanted.
    missing: HashMap<SessionKey, Instant, KeyHasher>,
    is_looking: bool,
    /// When the last look began that has found all, and when the next one may begin.
    looked: Option<Instant>,
    looks_from: Option<Instant>,
}

impl Known {
    fn find(&self, key: SessionKey, now: Millis) -> Option<Number> {
        let ended = self.ended.get(&key).filter(|(_, until)| *until > now);
        ended.map(|(number, _)| number).or_else(|| self.open.get(&key)).cloned()
    }
}

impl Payers {
    fn lock(&self) -> MutexGuard<'_, Known> {
        lock(&self.0)
    }

    /// Remembers the number of a session that ends at a time, until another one.
    pub(crate) fn note_ended(&self, key: SessionKey, number: Number, now: Millis, until: Millis) {
        let mut known = self.lock();
        if known.ended.len() >= ENDED_MAX && now >= known.ended_sweep_from {
            known.ended.retain(|_, (_, until)| *until > now);
            known.ended_sweep_from = now.saturating_add(SWEEP_PAUSE);
        }
        if known.ended.len() < ENDED_MAX {
            known.ended.insert(key, (number, until));
        }
    }

    /// Returns the number of a session, if it is known.
    pub(crate) fn known(&self, key: SessionKey, now: Millis) -> Option<Number> {
        self.lock().find(key, now)
    }

    /// Returns the number of a session. If it may be one of another process, it is looked for.
    pub(crate) fn of(self: &Arc<Self>, key: SessionKey, system: &Arc<System>) -> Payer {
        let mut known = self.lock();
        if let Some(number) = known.find(key, system.now_ms()) {
            return Payer::Known(number);
        }
        // No other process begins sessions of accounts in a folder.
        if known.looked.is_some() && !system.is_in_database() {
            return Payer::Unknown;
        }
        let now = Instant::now();
        if known.missing.len() >= MISSING_MAX {
            known.missing.clear();
        }
        let wanted = *known.missing.entry(key).or_insert(now);
        if known.looked.is_some_and(|looked| looked >= wanted) {
            known.missing.remove(&key);
            return Payer::Unknown;
        }
        if !known.is_looking && known.looks_from.is_none_or(|from| now >= from) {
            known.is_looking = true;
            drop(known);
            self.start_look(system, || {});
        }
        Payer::LookedFor
    }

    /// Looks at all accounts for the first time, for a moment at most.
    pub(crate) fn look_first(self: &Arc<Self>, system: &Arc<System>) {
        self.lock().is_looking = true;
        let (done, is_done) = channel();
        let note = move || {
            let _ = done.send(());
        };
        self.start_look(system, note);
        let _ = is_done.recv_timeout(FIRST_LOOK_WITHIN);
    }

    fn start_look(self: &Arc<Self>, system: &Arc<System>, done: impl FnOnce() + Send + 'static) {
        let (payers, system) = (Arc::clone(self), Arc::clone(system));
        let look = move || {
            payers.look(&system);
            done();
        };
        if let Err(why) = threads::spawn(look) {
            self.lock().is_looking = false;
            tracing::error!(target: LOG, "sessions cannot be read: {}", with_causes(&why));
        }
    }

    fn look(&self, system: &System) {
        let begun = Instant::now();
        let open = system.payers_of_sessions();
        let mut known = self.lock();
        known.is_looking = false;
        known.looks_from = Some(Instant::now() + PAUSE_FACTOR * begun.elapsed());
        match open {
            Ok(open) => (known.open, known.looked) = (open, Some(begun)),
            Err(why) => {
                tracing::error!(target: LOG, "sessions cannot be read: {}", with_causes(&why));
            }
        }
    }
}
