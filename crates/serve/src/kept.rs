//! What many ask for at once, made once: as it is now, or was a moment ago.

use std::sync::{Mutex, PoisonError};
use std::time::{Duration, Instant};

/// How long something is taken to be so: whoever asks often does not have it made as often.
const KEPT_MIN: Duration = Duration::from_secs(2);

/// And how long at most, however long it takes to make.
const KEPT_MAX: Duration = Duration::from_secs(10);

/// The part of the time, turned over, that is spent on making it, as long as that is not too long ago.
const MADE_PART: u32 = 20;

/// An answer to whoever asks with the same key. That something could not be made is not kept.
#[derive(Debug)]
pub(crate) struct Kept<K, T> {
    answer: Mutex<Option<Answer<K, T>>>,
    now: fn() -> Instant,
}

#[derive(Debug)]
struct Answer<K, T> {
    to: K,
    made: T,
    until: Instant,
}

impl<K, T> Default for Kept<K, T> {
    fn default() -> Self {
        Kept { answer: Mutex::default(), now: Instant::now }
    }
}

impl<K: PartialEq, T: Clone> Kept<K, T> {
    /// The answer; who asks for it meanwhile waits for the one who makes it.
    pub(crate) fn get<E>(&self, key: K, make: impl FnOnce() -> Result<T, E>) -> Result<T, E> {
        let mut answer = self.answer.lock().unwrap_or_else(PoisonError::into_inner);
        let begun = (self.now)();
        if let Some(Answer { to, made, until }) = &*answer
            && *to == key
            && begun < *until
        {
            return Ok(made.clone());
        }
        *answer = None;
        let made = make()?;
        let end = (self.now)();
        let until = end + (MADE_PART * (end - begun)).clamp(KEPT_MIN, KEPT_MAX);
        *answer = Some(Answer { to: key, made: made.clone(), until });
        Ok(made)
    }

    /// It is of no use any more: what it was made of was changed.
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

    /// What is answered where something would be made that takes so long.
    fn asked(kept: &Kept<&'static str, u32>, key: &'static str, made: u32, takes: u64) -> u32 {
        let made = kept.get(key, || {
            pass(takes);
            Ok::<_, Infallible>(made)
        });
        made.unwrap()
    }

    #[test]
    fn what_was_made_is_kept_for_a_while_that_is_longer_where_it_takes_longer_and_never_too_long() {
        for (takes, kept_for) in [(0, 2_000), (200, 4_000), (30_000, 10_000)] {
            let kept = Kept { answer: Mutex::default(), now };
            assert_eq!(asked(&kept, "it", 1, takes), 1);
            pass(kept_for - 1);
            assert_eq!(asked(&kept, "it", 2, takes), 1, "{takes}");
            pass(1);
            assert_eq!(asked(&kept, "it", 3, takes), 3, "{takes}");
        }
    }

    #[test]
    fn who_asks_for_something_else_or_after_a_change_has_it_made() {
        let kept = Kept { answer: Mutex::default(), now };
        assert_eq!(asked(&kept, "it", 1, 0), 1);
        assert_eq!(asked(&kept, "another", 2, 0), 2);
        kept.forget();
        assert_eq!(asked(&kept, "another", 3, 0), 3);
    }

    #[test]
    fn that_it_could_not_be_made_is_not_kept() {
        let kept = Kept { answer: Mutex::default(), now };
        assert_eq!(kept.get("it", || Err::<u32, _>("not now")), Err("not now"));
        assert_eq!(asked(&kept, "it", 1, 0), 1);
        pass(5_000);
        assert_eq!(kept.get("it", || Err::<u32, _>("not now")), Err("not now"));
        assert_eq!(asked(&kept, "it", 2, 0), 2);
    }
}
