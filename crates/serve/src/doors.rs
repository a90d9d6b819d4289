//! How often an address may try to come in.

use std::collections::HashMap;
use std::net::IpAddr;
use std::sync::{Mutex, PoisonError};
use std::time::{Duration, Instant};

use crate::address::counted;
use crate::api::Failure;

/// Attempts of an address within the time.
const ATTEMPTS_MAX: u32 = 30;
const WITHIN: Duration = Duration::from_secs(60);

/// Most addresses that are remembered; the one that began to try before all others is forgotten for another.
const ADDRESSES_MAX: usize = 10_000;

/// Counts the attempts of the last minute.
#[derive(Debug, Default)]
pub(crate) struct Doors(Mutex<HashMap<IpAddr, (Instant, u32)>>);

impl Doors {
    /// One more attempt, if it may be made.
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
            return Err(Failure::later(error, left));
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
        let doors = Doors::default();
        let (one, other) = (IpAddr::from([10, 0, 0, 1]), IpAddr::from([10, 0, 0, 2]));
        for _ in 0..ATTEMPTS_MAX {
            doors.pass(one).expect("few");
        }
        assert!(doors.pass(one).is_err());
        doors.pass(other).expect("another");
    }

    #[test]
    fn addresses_without_end_take_no_memory_without_end_and_keep_nobody_out() {
        let doors = Doors::default();
        for number in 0..2 * ADDRESSES_MAX as u32 {
            doors.pass(IpAddr::from(number.to_be_bytes())).expect("the oldest is forgotten");
        }
        assert!(doors.0.lock().expect("nobody panicked").len() <= ADDRESSES_MAX);
    }
}
