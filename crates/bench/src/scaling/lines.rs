//! Measures the cost of threads that write to one cache line: half of them take one lock again and again, the others
//! another, which lies in the same line or in a line of its own (P. Rantzow, G. Åkesson, "Performance evaluation of
//! multithreading in a Diameter Credit Control Application", section 4.5.1).

use std::sync::Mutex;
use std::thread;
use std::time::{Duration, Instant};

/// How often each thread takes its lock.
const TURNS: u64 = 4_000_000;

/// Twice a cache line: some processors also fetch the adjacent line.
const LINE: usize = 128;

/// Two locks in one line.
#[repr(align(128))]
#[derive(Default)]
struct Together([Mutex<u64>; 2]);

/// A lock in a line of its own.
#[repr(align(128))]
#[derive(Default)]
struct Padded(Mutex<u64>);

const _: () = assert!(size_of::<Together>() == LINE && size_of::<Padded>() == LINE);

/// Returns how many times as fast threads are if the locks lie in lines of their own.
pub(super) fn padded_over_together(threads: usize, rounds: u32) -> f64 {
    let (together, padded) = (Together::default(), <[Padded; 2]>::default());
    let (mut of_one, mut of_two) = (Duration::MAX, Duration::MAX);
    for _ in 0..rounds {
        of_one = of_one.min(elapsed(threads, [&together.0[0], &together.0[1]]));
        of_two = of_two.min(elapsed(threads, [&padded[0].0, &padded[1].0]));
    }
    of_one.as_secs_f64() / of_two.as_secs_f64()
}

fn elapsed(threads: usize, locks: [&Mutex<u64>; 2]) -> Duration {
    let begun = Instant::now();
    thread::scope(|scope| {
        for thread in 0..threads {
            scope.spawn(move || take(locks[thread % 2]));
        }
    });
    begun.elapsed()
}

fn take(lock: &Mutex<u64>) {
    for _ in 0..TURNS {
        if let Ok(mut turns) = lock.lock() {
            *turns += 1;
        }
    }
}
