//! Limits on attempts at a password: after some failures, the wait doubles with each further one.
//!
//! Failures are counted per client as well as per account, so guessing at an account does not lock
//! its owner out. Names are compared octet by octet, as account names are: failures of "Anna" do
//! not count for "anna".

use std::collections::HashMap;
use std::net::IpAddr;
use std::sync::{Mutex, PoisonError};
use std::time::Duration;

use runtime::backoff::Backoff;
use runtime::time::milliseconds;

use crate::PeopleError;

/// The failures of a client with a name that cause no wait.
const FREE: u32 = 5;

/// The waits after the failures beyond those. The longest is short enough that a user who forgot the password is not
/// locked out for a night.
const BACKOFF: Backoff = Backoff::new(Duration::from_secs(1), Duration::from_secs(5 * 60));

/// The failures of all clients with a name that cause no wait. Beyond them, an unknown client may try once per
/// [`OF_ALL_MS`]: a client with many addresses would have the free failures of each.
const FREE_OF_ALL: u32 = 50;

/// The wait then. It is short, since the owner of the name waits too at a new address.
const OF_ALL_MS: i64 = 1_000;

/// The time without a failure after which failures are forgotten.
const FORGOTTEN_MS: i64 = 15 * 60 * 1_000;

/// The maximum number of entries. Beyond it, the entry with the oldest attempt is dropped.
const TRIED_MAX: usize = 10_000;

/// The client of an attempt.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub(crate) enum By {
    /// A client without a session.
    Address(IpAddr),
    /// A client with a session, by the digest of its secret.
    Session(Vec<u8>),
}

/// A name and its client; `None` stands for all unknown clients.
type Tried = (String, Option<By>);

#[derive(Debug, Default)]
pub(crate) struct Attempts {
    failed: Mutex<HashMap<Tried, Failures>>,
}

#[derive(Clone, Copy, Debug, Default)]
struct Failures {
    count: u32,
    last_ms: i64,
    /// Whether the password was right once, which makes the client a known one.
    is_known: bool,
}

impl Failures {
    /// Returns the time left until the next attempt.
    fn left_ms(self, free: u32, wait_ms: impl Fn(u32) -> i64, now_ms: i64) -> i64 {
        let is_over = now_ms - self.last_ms > FORGOTTEN_MS;
        match self.count.checked_sub(free) {
            Some(beyond) if !is_over => self.last_ms + wait_ms(beyond) - now_ms,
            _ => 0,
        }
    }

    fn one_more(self, now_ms: i64) -> Self {
        let is_over = now_ms - self.last_ms > FORGOTTEN_MS;
        let count = if is_over { 0 } else { self.count };
        Failures { count: count.saturating_add(1), last_ms: now_ms, ..self }
    }
}

impl Attempts {
    /// Begins an attempt. It counts as failed until it [succeeds](Self::succeeded), so concurrent attempts get no more
    /// tries than sequential ones.
    ///
    /// # Errors
    ///
    /// The client has to wait.
    pub(crate) fn begin(&self, name: &str, by: By, now_ms: i64) -> Result<(), PeopleError> {
        let mut failed = self.failed.lock().unwrap_or_else(PoisonError::into_inner);
        let is_in = matches!(by, By::Session(_));
        let (own, all) = ((name.to_owned(), Some(by)), (name.to_owned(), None));
        let of = |tried: &Tried| failed.get(tried).copied().unwrap_or_default();
        let (of_own, of_all) = (of(&own), of(&all));
        let doubled = |beyond: u32| milliseconds(BACKOFF.longest_after(beyond.saturating_add(1)));
        let is_stranger = !is_in && !of_own.is_known;
        let left = match is_stranger {
            true => of_all.left_ms(FREE_OF_ALL, |_| OF_ALL_MS, now_ms),
            false => 0,
        };
        let left = left.max(of_own.left_ms(FREE, doubled, now_ms));
        if left > 0 {
            return Err(PeopleError::Later(Duration::from_millis(left as u64)));
        }
        remember(&mut failed, own, of_own.one_more(now_ms));
        if is_stranger {
            remember(&mut failed, all, of_all.one_more(now_ms));
        }
        Ok(())
    }

    /// Notes that the password was right.
    pub(crate) fn succeeded(&self, name: &str, by: By, now_ms: i64) {
        let mut failed = self.failed.lock().unwrap_or_else(PoisonError::into_inner);
        let known = Failures { count: 0, last_ms: now_ms, is_known: true };
        remember(&mut failed, (name.to_owned(), Some(by)), known);
    }

    /// Forgets all attempts with a name after its password has changed: they were made at the old one.
    pub(crate) fn forget(&self, name: &str) {
        let mut failed = self.failed.lock().unwrap_or_else(PoisonError::into_inner);
        failed.retain(|(known, _), _| known != name);
    }
}

fn remember(failed: &mut HashMap<Tried, Failures>, tried: Tried, failures: Failures) {
    if failed.len() >= TRIED_MAX && !failed.contains_key(&tried) {
        let oldest = failed.iter().min_by_key(|(_, failures)| failures.last_ms);
        let oldest = oldest.map(|(tried, _)| tried.clone());
        oldest.and_then(|oldest| failed.remove(&oldest));
    }
    failed.insert(tried, failures);
}

#[cfg(test)]
mod tests {
    use super::*;

    fn at(last: u32) -> By {
        By::Address(IpAddr::from((0x0a00_0000 + last).to_be_bytes()))
    }

    #[test]
    fn who_fails_again_and_again_waits_longer_each_time() {
        let attempts = Attempts::default();
        let mut now = 0;
        for _ in 0..FREE {
            attempts.begin("anna", at(1), now).expect("free");
        }
        let mut waits = Vec::new();
        for _ in 0..12 {
            let Err(PeopleError::Later(wait)) = attempts.begin("anna", at(1), now) else {
                panic!("not at once")
            };
            waits.push(wait.as_millis() as i64);
            now += wait.as_millis() as i64;
            attempts.begin("anna", at(1), now).expect("waited for");
        }
        assert_eq!(waits[..4], [1_000, 2_000, 4_000, 8_000]);
        assert_eq!(waits.last(), Some(&(5 * 60 * 1_000)));
        attempts.begin("bo", at(1), now).expect("another one");
        attempts.succeeded("anna", at(1), now);
        attempts.begin("anna", at(1), now).expect("forgotten");
    }

    #[test]
    fn who_guesses_from_one_address_keeps_nobody_from_coming_in_from_another() {
        let attempts = Attempts::default();
        while attempts.begin("anna", at(1), 0).is_ok() {}
        attempts.begin("anna", at(2), 0).expect("from elsewhere");
        attempts.begin("anna", By::Session(vec![1]), 0).expect("she is in");
    }

    #[test]
    fn who_guesses_from_many_addresses_is_slow_and_keeps_out_none_who_was_there_before() {
        let attempts = Attempts::default();
        attempts.begin("anna", at(1), 0).expect("free");
        attempts.succeeded("anna", at(1), 0);
        let guessed = (2..1_000).filter(|last| attempts.begin("anna", at(*last), 0).is_ok());
        assert!(guessed.count() <= FREE_OF_ALL as usize);
        attempts.begin("anna", at(1), 0).expect("no stranger");
        attempts.begin("anna", By::Session(vec![1]), 0).expect("she is in");
        let Err(PeopleError::Later(wait)) = attempts.begin("anna", at(1_000), 0) else {
            panic!("a stranger")
        };
        assert!(wait <= Duration::from_millis(OF_ALL_MS as u64), "{wait:?}");
        attempts.begin("anna", at(1_000), OF_ALL_MS).expect("after that");
    }

    #[test]
    fn what_is_tried_of_one_name_is_counted_of_no_other_that_looks_like_it() {
        let attempts = Attempts::default();
        // Each of these may be a different account.
        let names =
            ["anna", "Anna", "ANNA", "\u{212a}arl", "Karl", "karl", "stra\u{df}e", "strasse"];
        while attempts.begin(names[0], at(1), 0).is_ok() {}
        for name in &names[1..] {
            attempts.begin(name, at(1), 0).expect("another one");
        }
        attempts.succeeded("Anna", at(1), 0);
        attempts.begin("anna", at(1), 0).expect_err("what one knows, another does not");
        attempts.forget("Anna");
        attempts.begin("anna", at(1), 0).expect_err("nor is it forgotten");
    }

    #[test]
    fn names_without_end_take_no_memory_without_end_and_keep_nobody_out() {
        let attempts = Attempts::default();
        for number in 0..2 * TRIED_MAX as i64 {
            attempts.begin(&format!("n{number}"), at(1), number).expect("the oldest is forgotten");
        }
        assert!(attempts.failed.lock().expect("no thread panicked").len() <= TRIED_MAX);
    }
}
