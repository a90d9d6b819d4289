//! Limits on concurrent requests. Each request may take a thread, and a thread may hang on a disk. So some threads are
//! reserved for logins and health checks, and no user can take all of the others.

use std::collections::HashMap;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use axum::http::StatusCode;
use axum::http::request::Parts;
use runtime::shutdown::Shutdown;
use tokio::sync::{OwnedSemaphorePermit, Semaphore};

use super::answer::Failure;
use super::rate_limit::RequestKind;

/// Concurrent long requests; further ones wait. There are few, since records need the processors.
const LONG_AT_ONCE: usize = 8;

/// Concurrent requests of all other kinds.
const SHORT_AT_ONCE: usize = 16;

/// Threads reserved for logins, health checks, metrics and the server's own work.
const LEFT: usize = 8;

/// The maximum number of threads that read the disk, or compute, for requests.
pub(crate) const THREADS_MAX: usize = LONG_AT_ONCE + SHORT_AT_ONCE + LEFT;

/// One user may hold the permits divided by this number: half, which leaves as many to others.
const OF_ONE_PART: usize = 2;

/// How long a request waits for a permit.
const WAIT_MAX: Duration = Duration::from_secs(60);

/// How long a request may run. Then it is stopped: it answers with what it has, or that it takes
/// too long.
pub(super) const WORKED_ON_MAX: Duration = Duration::from_secs(60);

/// The number of users with an entry. Beyond it, entries without a permit in use are dropped.
const PEOPLE_MAX: usize = 1_000;

/// The permits for requests.
#[derive(Debug)]
pub(crate) struct ConcurrencyLimits {
    long: Permits,
    short: Permits,
}

impl Default for ConcurrencyLimits {
    fn default() -> Self {
        ConcurrencyLimits { long: Permits::new(LONG_AT_ONCE), short: Permits::new(SHORT_AT_ONCE) }
    }
}

#[derive(Debug)]
struct Permits {
    of_one_max: usize,
    all: Arc<Semaphore>,
    of_one: Mutex<HashMap<String, Arc<Semaphore>>>,
}

/// A permit for one request, until dropped.
#[derive(Debug)]
pub(super) struct Permit {
    _of_one: OwnedSemaphorePermit,
    _of_all: OwnedSemaphorePermit,
}

impl ConcurrencyLimits {
    /// Waits for a permit.
    pub(super) async fn take(
        &self,
        who: &str,
        sort: Option<RequestKind>,
    ) -> Result<Permit, Failure> {
        let permits = if sort == Some(RequestKind::Long) { &self.long } else { &self.short };
        let busy =
            || Failure::busy("gateway-busy", "all permits of those who are answered are taken", 1);
        tokio::time::timeout(WAIT_MAX, permits.take(who)).await.ok().flatten().ok_or_else(busy)
    }
}

impl Permits {
    fn new(count: usize) -> Self {
        Permits {
            of_one_max: count / OF_ONE_PART,
            all: Arc::new(Semaphore::new(count)),
            of_one: Mutex::default(),
        }
    }

    async fn take(&self, who: &str) -> Option<Permit> {
        // The user's own permit first: while waiting for it, none of the shared permits is held.
        let own = self.of(who).acquire_owned().await.ok()?;
        let of_all = Arc::clone(&self.all).acquire_owned().await.ok()?;
        Some(Permit { _of_one: own, _of_all: of_all })
    }

    fn of(&self, who: &str) -> Arc<Semaphore> {
        let mut of_one = self.of_one.lock().unwrap_or_else(PoisonError::into_inner);
        if of_one.len() >= PEOPLE_MAX {
            of_one.retain(|_, permits| Arc::strong_count(permits) > 1);
        }
        let new = || Arc::new(Semaphore::new(self.of_one_max));
        Arc::clone(of_one.entry(who.to_owned()).or_insert_with(new))
    }
}

/// Set when the answer is no longer needed: the client has disconnected, it takes too long, or the gateway stops. Long
/// work checks this from time to time.
#[derive(Clone, Debug)]
pub(super) struct AnswerUnneeded(pub(super) Shutdown);

impl AnswerUnneeded {
    /// Returns that of an admitted request.
    pub(super) fn of(parts: &Parts) -> Result<Self, Failure> {
        let unguarded = || {
            Failure::new(
                StatusCode::INTERNAL_SERVER_ERROR,
                "internal-error",
                "this request passed no guard",
            )
        };
        parts.extensions.get::<Self>().cloned().ok_or_else(unguarded)
    }
}

#[cfg(test)]
mod tests {
    use std::pin::pin;
    use std::task::{Context, Poll, Waker};

    use super::*;

    /// Takes a permit, if one is free.
    fn now(limits: &ConcurrencyLimits, who: &str, sort: Option<RequestKind>) -> Option<Permit> {
        let permits = if sort == Some(RequestKind::Long) { &limits.long } else { &limits.short };
        let taken = pin!(permits.take(who));
        match taken.poll(&mut Context::from_waker(Waker::noop())) {
            Poll::Ready(taken) => taken,
            Poll::Pending => None,
        }
    }

    fn all(limits: &ConcurrencyLimits, who: &str, sort: Option<RequestKind>) -> Vec<Permit> {
        std::iter::from_fn(|| now(limits, who, sort)).collect()
    }

    #[test]
    fn one_person_leaves_half_to_others_and_all_leave_threads_to_logins_and_health() {
        let limits = ConcurrencyLimits::default();
        let mut threads = 0;
        for sort in [Some(RequestKind::Long), Some(RequestKind::Change), None] {
            let anna = all(&limits, "anna", sort);
            let bo = all(&limits, "bo", sort);
            assert!(!bo.is_empty() && anna.len() == bo.len(), "{sort:?}");
            assert!(now(&limits, "cleo", sort).is_none());
            if sort.is_some() {
                threads += anna.len() + bo.len();
            }
            drop(anna);
            assert!(now(&limits, "cleo", sort).is_some(), "a place that was given back");
        }
        assert!(threads + LEFT <= THREADS_MAX);
    }

    #[test]
    fn people_without_end_take_no_memory_without_end() {
        let limits = ConcurrencyLimits::default();
        for number in 0..3 * PEOPLE_MAX {
            assert!(now(&limits, &format!("n{number}"), None).is_some());
        }
        assert!(limits.short.of_one.lock().expect("no thread panicked").len() <= PEOPLE_MAX);
    }
}
