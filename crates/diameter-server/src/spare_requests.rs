//! Memory of requests that are answered, for others of their connection: in the long run, a request allocates nothing.

use std::fmt;
use std::mem;
use std::sync::{Mutex, MutexGuard};

use runtime::sync::lock;

use crate::request::QueuedCreditRequest;

/// The most requests whose memory a connection has: as many as are in progress on a fast one.
const SPARE_MAX: usize = 256;

/// Memory of requests of a connection. Requests have their connection, so it is cleared when the connection ends.
#[derive(Default)]
pub(crate) struct SpareRequests(Mutex<Spare>);

#[derive(Default)]
struct Spare {
    #[expect(clippy::vec_box, reason = "they are boxed where they go: in a queue")]
    all: Vec<Box<QueuedCreditRequest>>,
    is_closed: bool,
}

impl fmt::Debug for SpareRequests {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("SpareRequests").finish_non_exhaustive()
    }
}

impl SpareRequests {
    fn lock(&self) -> MutexGuard<'_, Spare> {
        lock(&self.0)
    }

    /// Adds that of a request that is answered.
    pub(crate) fn add(&self, request: Box<QueuedCreditRequest>) {
        let mut spare = self.lock();
        if !spare.is_closed && spare.all.len() < SPARE_MAX {
            spare.all.push(request);
        }
    }

    /// Moves all into an empty list.
    #[expect(clippy::vec_box, reason = "they are boxed where they go: in a queue")]
    pub(crate) fn take(&self, to: &mut Vec<Box<QueuedCreditRequest>>) {
        mem::swap(&mut self.lock().all, to);
    }

    /// Clears all, and takes no more.
    pub(crate) fn close(&self) {
        let spare = {
            let mut spare = self.lock();
            spare.is_closed = true;
            mem::take(&mut spare.all)
        };
        drop(spare);
    }
}
