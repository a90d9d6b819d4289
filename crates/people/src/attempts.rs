//! How often somebody may try a password: after some failures each further one is waited for twice as long.

use std::collections::HashMap;
use std::sync::{Mutex, PoisonError};
use std::time::Duration;

use crate::PeopleError;

/// Failures that are nobody's business.
const FREE: u32 = 5;

/// How long is waited after the first that is.
const FIRST_MS: i64 = 1_000;

/// How long is waited at most: who has forgotten a password is not kept out for a night.
const MOST_MS: i64 = 5 * 60 * 1_000;

/// After how long without one failures are forgotten.
const FORGOTTEN_MS: i64 = 15 * 60 * 1_000;

/// Most names that are remembered; who tries more of them at once gets no more memory by that.
const NAMES_MAX: usize = 10_000;

#[derive(Debug, Default)]
pub(crate) struct Attempts {
    failed: Mutex<HashMap<String, Failures>>,
}

#[derive(Clone, Copy, Debug)]
struct Failures {
    count: u32,
    last_ms: i64,
}

impl Failures {
    fn wait_ms(self) -> i64 {
        match self.count.checked_sub(FREE) {
            None => 0,
            Some(beyond) => FIRST_MS.saturating_mul(1 << beyond.min(20)).min(MOST_MS),
        }
    }
}

impl Attempts {
    /// Begins an attempt, which counts as failed until it [succeeds](Self::succeeded): those that are made side by side
    /// are not more than those one after the other.
    pub(crate) fn begin(&self, name: &str, now_ms: i64) -> Result<(), PeopleError> {
        let mut failed = self.failed.lock().unwrap_or_else(PoisonError::into_inner);
        let is_over = |failures: &Failures| now_ms - failures.last_ms > FORGOTTEN_MS;
        if failed.len() >= NAMES_MAX && !failed.contains_key(name) {
            failed.retain(|_, failures| !is_over(failures));
            if failed.len() >= NAMES_MAX {
                return Err(PeopleError::Later(Duration::from_millis(MOST_MS as u64)));
            }
        }
        let failures =
            failed.entry(name.to_lowercase()).or_insert(Failures { count: 0, last_ms: now_ms });
        if is_over(failures) {
            failures.count = 0;
        }
        let left = failures.last_ms + failures.wait_ms() - now_ms;
        if failures.count >= FREE && left > 0 {
            return Err(PeopleError::Later(Duration::from_millis(left as u64)));
        }
        *failures = Failures { count: failures.count.saturating_add(1), last_ms: now_ms };
        Ok(())
    }

    pub(crate) fn succeeded(&self, name: &str) {
        let mut failed = self.failed.lock().unwrap_or_else(PoisonError::into_inner);
        failed.remove(&name.to_lowercase());
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn who_fails_again_and_again_waits_longer_each_time() {
        let attempts = Attempts::default();
        let mut now = 0;
        for _ in 0..FREE {
            attempts.begin("anna", now).expect("free");
        }
        let mut waits = Vec::new();
        for _ in 0..12 {
            let Err(PeopleError::Later(wait)) = attempts.begin("Anna", now) else {
                panic!("not at once")
            };
            waits.push(wait.as_millis() as i64);
            now += wait.as_millis() as i64;
            attempts.begin("anna", now).expect("waited for");
        }
        assert_eq!(waits[..4], [1_000, 2_000, 4_000, 8_000]);
        assert_eq!(waits.last(), Some(&MOST_MS));
        attempts.begin("bo", now).expect("another one");
        attempts.succeeded("anna");
        attempts.begin("anna", now).expect("forgotten");
    }

    #[test]
    fn names_without_end_take_no_memory_without_end() {
        let attempts = Attempts::default();
        for number in 0..NAMES_MAX {
            attempts.begin(&format!("n{number}"), 0).expect("room");
        }
        assert!(attempts.begin("one more", 0).is_err());
        attempts.begin("one more", FORGOTTEN_MS + 1).expect("the others are forgotten");
    }
}
