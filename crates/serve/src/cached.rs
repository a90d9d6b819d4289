//! A cache for one answer that many clients request: it is computed once and is a few seconds old at most.

use std::sync::{Mutex, PoisonError};
use std::time::{Duration, Instant};

/// The shortest time for which an answer is used.
const CACHED_MIN: Duration = Duration::from_secs(2);

/// The longest time for which an answer is used, however long it took to compute.
const CACHED_MAX: Duration = Duration::from_secs(10);

/// An answer is used for this many times the time that it took to compute, within those bounds.
const MADE_PART: u32 = 20;

/// The last answer, by its key. Errors are not cached.
#[derive(Debug)]
pub(crate) struct Cached<K, T> {
    answer: Mutex<Option<CachedAnswer<K, T>>>,
    now: fn() -> Instant,
}

#[derive(Debug)]
struct CachedAnswer<K, T> {
    to: K,
    made: T,
    until: Instant,
}

impl<K, T> Default for Cached<K, T> {
    fn default() -> Self {
        Cached { answer: Mutex::default(), now: Instant::now }
    }
}

impl<K: PartialEq, T: Clone> Cached<K, T> {
    /// Returns the cached answer, or computes it. Only one thread computes; others wait for it.
    pub(crate) fn get<E>(&self, key: K, make: impl FnOnce() -> Result<T, E>) -> Result<T, E> {
        let mut answer = self.answer.lock().unwrap_or_else(PoisonError::into_inner);
        let begun = (self.now)();
        if let Some(CachedAnswer { to, made, until }) = &*answer
            && *to == key
            && begun < *until
        {
            return Ok(made.clone());
        }
        *answer = None;
        let made = make()?;
        let end = (self.now)();
        let until = end + (MADE_PART * (end - begun)).clamp(CACHED_MIN, CACHED_MAX);
        *answer = Some(CachedAnswer { to: key, made: made.clone(), until });
        Ok(made)
    }

    /// Drops the answer, since its source has changed.
    pub(crate) fn forget(&self) {
        *self.answer.lock().unwrap_or_else(PoisonError::into_inner) = None;
    }
}

#[cfg(test)]
mod tests {
    use std::cell::Cell;
    use std::convert::Infallible;
    use std::sync::LazyLock;

    use super::*;

    thread_local! {
        static PASSED: Cell<Duration> = const { Cell::new(Duration::ZERO) };
    }

    fn now() -> Instant {
        static BEGIN: LazyLock<Instant> = LazyLock::new(Instant::now);
        *BEGIN + PASSED.get()
    }

    fn pass(milliseconds: u64) {
        PASSED.set(PASSED.get() + Duration::from_millis(milliseconds));
    }

    /// Returns the answer of the cache, where computing `made` would take `takes` milliseconds.
    fn answer_of(
        cached: &Cached<&'static str, u32>,
        key: &'static str,
        made: u32,
        takes: u64,
    ) -> u32 {
        let made = cached.get(key, || {
            pass(takes);
            Ok::<_, Infallible>(made)
        });
        made.unwrap()
    }

    #[test]
    fn what_was_made_is_kept_for_a_while_that_is_longer_where_it_takes_longer_and_never_too_long() {
        for (takes, cached_ms) in [(0, 2_000), (200, 4_000), (30_000, 10_000)] {
            let cached = Cached { answer: Mutex::default(), now };
            assert_eq!(answer_of(&cached, "it", 1, takes), 1);
            pass(cached_ms - 1);
            assert_eq!(answer_of(&cached, "it", 2, takes), 1, "{takes}");
            pass(1);
            assert_eq!(answer_of(&cached, "it", 3, takes), 3, "{takes}");
        }
    }

    #[test]
    fn who_asks_for_something_else_or_after_a_change_has_it_made() {
        let cached = Cached { answer: Mutex::default(), now };
        assert_eq!(answer_of(&cached, "it", 1, 0), 1);
        assert_eq!(answer_of(&cached, "another", 2, 0), 2);
        cached.forget();
        assert_eq!(answer_of(&cached, "another", 3, 0), 3);
    }

    #[test]
    fn that_it_could_not_be_made_is_not_kept() {
        let cached = Cached { answer: Mutex::default(), now };
        assert_eq!(cached.get("it", || Err::<u32, _>("not now")), Err("not now"));
        assert_eq!(answer_of(&cached, "it", 1, 0), 1);
        pass(5_000);
        assert_eq!(cached.get("it", || Err::<u32, _>("not now")), Err("not now"));
        assert_eq!(answer_of(&cached, "it", 2, 0), 2);
    }
}
