//! Counts the allocations of this process, in builds with the feature `counting` (`make bench` and the tests).
//!
//! Counting costs two atomic additions per allocation, on cache lines that all threads share, so production builds
//! leave it out.

#[cfg(feature = "counting")]
#[global_allocator]
static ALLOCATOR: &stats_alloc::StatsAlloc<std::alloc::System> = &stats_alloc::INSTRUMENTED_SYSTEM;

/// Returns the allocations and reallocations since the process started; `None` in a build that does not count them.
#[cfg(feature = "counting")]
pub fn count() -> Option<u64> {
    let stats = stats_alloc::INSTRUMENTED_SYSTEM.stats();
    Some((stats.allocations + stats.reallocations) as u64)
}

/// Returns `None`: this build does not count allocations.
#[cfg(not(feature = "counting"))]
pub fn count() -> Option<u64> {
    None
}

/// Runs `work`. Returns its allocations and reallocations, if they are counted, and its result.
pub fn of<R>(work: impl FnOnce() -> R) -> (Option<u64>, R) {
    let before = count();
    let result = work();
    (count().zip(before).map(|(after, before)| after - before), result)
}
