//! False sharing: threads that take two locks, which are in one line of the cache, or have padding between them.

use std::sync::{Mutex, PoisonError};
use std::thread;
use std::time::Instant;

/// How often each thread takes its lock.
const TIMES: u32 = 5_000_000;

/// Locks in the same line of the cache.
#[derive(Default)]
#[repr(align(64))]
struct Beside([Mutex<u32>; 2]);

/// A lock with a line of the cache for itself, and the next one, which processors load with it.
#[derive(Default)]
#[repr(align(128))]
struct Padded(Mutex<u32>);

/// Returns the nanoseconds that a thread takes for a lock: without padding, and with it. The fastest round counts.
pub fn measure(threads: usize, rounds: usize) -> [f64; 2] {
    let (beside, apart) = (Beside::default(), [Padded::default(), Padded::default()]);
    let mut best = [f64::MAX; 2];
    for _ in 0..rounds {
        best[0] = best[0].min(round(threads, |place| &beside.0[place]));
        best[1] = best[1].min(round(threads, |place| &apart[place].0));
    }
    best
}

fn round<'l>(threads: usize, lock_of: impl Fn(usize) -> &'l Mutex<u32>) -> f64 {
    let begun = Instant::now();
    thread::scope(|scope| {
        for number in 0..threads {
            let lock = lock_of(number % 2);
            scope.spawn(move || {
                for _ in 0..TIMES {
                    let mut count = lock.lock().unwrap_or_else(PoisonError::into_inner);
                    *count = count.wrapping_add(1);
                }
            });
        }
    });
    begun.elapsed().as_secs_f64() * 1e9 / f64::from(TIMES)
}
