//! Locks that survive a panic.

use std::sync::{Mutex, MutexGuard, PoisonError};

/// Locks a mutex, also one that a thread has poisoned by a panic. Use it only where each critical section leaves the data
/// either unchanged or changed completely: then a panic does not make them wrong.
pub fn lock<T>(shared: &Mutex<T>) -> MutexGuard<'_, T> {
    shared.lock().unwrap_or_else(PoisonError::into_inner)
}
