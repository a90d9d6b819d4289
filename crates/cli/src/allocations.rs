//! Allocations of this process, in builds with the feature `counting`: those that `make bench` and the tests make.
//!
//! Counting is two atomic additions an allocation, on lines of the cache that all threads share. A gateway in use
//! does not pay for that.

#[cfg(feature = "counting")]
#[global_allocator]
static ALLOCATOR: &stats_alloc::StatsAlloc<std::alloc::System> = &stats_alloc::INSTRUMENTED_SYSTEM;

/// Allocations and reallocations since the process began; `None` in a build that does not count them.
#[cfg(feature = "counting")]
pub(crate) fn count() -> Option<u64> {
    let stats = stats_alloc::INSTRUMENTED_SYSTEM.stats();
    Some((stats.allocations + stats.reallocations) as u64)
}

/// Allocations and reallocations since the process began; `None` in a build that does not count them.
#[cfg(not(feature = "counting"))]
pub(crate) fn count() -> Option<u64> {
    None
}

/// What work allocates and reallocates, where that is counted, and its result.
pub(crate) fn of<R>(work: impl FnOnce() -> R) -> (Option<u64>, R) {
    let before = count();
    let result = work();
    (count().zip(before).map(|(after, before)| after - before), result)
}
