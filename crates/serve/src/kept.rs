//! What many ask for at once, made once: as it is now, or was a moment ago.

use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

/// How long something is taken to be so: whoever asks often does not have it made as often.
const KEPT_MIN: Duration = Duration::from_secs(2);

/// The part of the time, turned over, that is spent at most on making it.
const MADE_PART: u32 = 20;

/// An answer to whoever asks with the same key.
#[derive(Debug)]
pub(crate) struct Kept<K, T>(Mutex<Option<Said<K, T>>>);

#[derive(Debug)]
struct Said<K, T> {
    to: K,
    said: Result<T, String>,
    until: Instant,
}

impl<K, T> Default for Kept<K, T> {
    fn default() -> Self {
        Kept(Mutex::default())
    }
}

impl<K: PartialEq, T: Clone> Kept<K, T> {
    /// The answer; who asks for it meanwhile waits for the one who makes it.
    pub(crate) fn get<E: ToString>(
        &self,
        key: K,
        make: impl FnOnce() -> Result<T, E>,
    ) -> Result<T, String> {
        let mut kept = self.lock();
        let now = Instant::now();
        if let Some(Said { to, said, until }) = &*kept
            && *to == key
            && now < *until
        {
            return said.clone();
        }
        let said = make().map_err(|error| error.to_string());
        let until = Instant::now() + KEPT_MIN.max(MADE_PART * now.elapsed());
        *kept = Some(Said { to: key, said: said.clone(), until });
        said
    }

    /// It is of no use any more: what it was made of was changed.
    pub(crate) fn forget(&self) {
        *self.lock() = None;
    }

    fn lock(&self) -> MutexGuard<'_, Option<Said<K, T>>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}
