//! What several threads share.

use std::sync::{Mutex, MutexGuard, PoisonError};

/// What is shared, for this thread alone. A thread that panicked had changed it whole or not at all: that is seen to where
/// something is shared.
pub fn lock<T>(shared: &Mutex<T>) -> MutexGuard<'_, T> {
    shared.lock().unwrap_or_else(PoisonError::into_inner)
}
