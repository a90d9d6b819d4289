//! A limit on the attempts of an address to log in.

use std::collections::HashMap;
use std::net::IpAddr;
use std::sync::{Mutex, PoisonError};
use std::time::{Duration, Instant};

use crate::address::counted;
use crate::api::Failure;

/// The maximum number of attempts of an address, and the time for which they count.
const ATTEMPTS_MAX: u32 = 30;
const WITHIN: Duration = Duration::from_secs(60);

/// The maximum number of addresses counted. Beyond it, the one whose first attempt is oldest is dropped.
const ADDRESSES_MAX: usize = 10_000;

/// The attempts of the last minute, by address.
#[derive(Debug, Default)]
pub(crate) struct LoginAttempts(Mutex<HashMap<IpAddr, (Instant, u32)>>);

impl LoginAttempts {
    /// Counts an attempt.
    ///
    /// # Errors
    ///
    /// The address has made too many attempts.
    pub(crate) fn pass(&self, from: IpAddr) -> Result<(), Failure> {
        let mut attempts = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        let (now, from) = (Instant::now(), counted(from));
        if attempts.len() >= ADDRESSES_MAX && !attempts.contains_key(&from) {
            let oldest = attempts.iter().min_by_key(|(_, (first, _))| *first);
            let oldest = oldest.map(|(address, _)| *address);
            oldest.and_then(|oldest| attempts.remove(&oldest));
        }
        let (first, count) = attempts.entry(from).or_insert((now, 0));
        if now - *first >= WITHIN {
            (*first, *count) = (now, 0);
        }
        if *count >= ATTEMPTS_MAX {
            let left = WITHIN.saturating_sub(now - *first).as_secs();
            let error = "there were too many attempts from this address; wait a minute";
            return Err(Failure::later("login-attempts-too-many", error, left));
        }
        *count += 1;
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_address_that_tries_too_often_waits_and_others_do_not() {
        let attempts_of_addresses = LoginAttempts::default();
        let (one, other) = (IpAddr::from([10, 0, 0, 1]), IpAddr::from([10, 0, 0, 2]));
        for _ in 0..ATTEMPTS_MAX {
            attempts_of_addresses.pass(one).expect("few");
        }
        assert!(attempts_of_addresses.pass(one).is_err());
        attempts_of_addresses.pass(other).expect("another");
    }

    #[test]
    fn addresses_without_end_take_no_memory_without_end_and_keep_nobody_out() {
        let attempts_of_addresses = LoginAttempts::default();
        for number in 0..2 * ADDRESSES_MAX as u32 {
            attempts_of_addresses
                .pass(IpAddr::from(number.to_be_bytes()))
                .expect("the oldest is forgotten");
        }
        assert!(attempts_of_addresses.0.lock().expect("no thread panicked").len() <= ADDRESSES_MAX);
    }
}
