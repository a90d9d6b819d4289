//! How long answers are waited for, and how many calls a second there are: with a second worker, and without reservations.

use std::fs::File;
use std::io::Write as _;
use std::ops::Range;
use std::path::Path;
use std::sync::Mutex;
use std::thread;
use std::time::{Duration, Instant};

use ::charging::{Phase, Workspace};
use accounts::Embedded;

use super::Ratios;
use super::calls::Calls;
use crate::error::BenchError;
use crate::measure::{Row, processor_time};

/// The rounds of each measurement.
const ROUNDS: u64 = 6;

/// The workers that answer requests at half the load.
const WORKERS: usize = 2;

/// How long requests arrive in a round, and how long syncs are timed.
const ARRIVING: Duration = Duration::from_secs(2);

/// The octets of a sync that is timed: those of a batch of some dozen requests.
const SYNCED: [u8; 16_384] = [7; 16_384];

/// The first of the calls whose sessions no other measurement has.
const UNUSED: u64 = 1 << 40;

/// Measures calls; their number is that of a round.
pub(super) fn measure(
    calls: &mut Calls<'_>,
    (durable, folder): (&Embedded, &Path),
    count: u64,
) -> Result<Ratios, BenchError> {
    let mut unused = UNUSED..;
    let (mut one, mut two) = (Row::new("", count, 0), Row::new("", count, 0));
    for round in 0..ROUNDS {
        for workers in if round % 2 == 0 { [1, 2] } else { [2, 1] } {
            let numbers = taken(&mut unused, count);
            let row = if workers == 1 { &mut one } else { &mut two };
            row.time(|| charge(calls, durable, (numbers, workers)))?;
        }
        calls.settle(durable)?;
    }
    let mut ratios = vec![("second_worker".to_owned(), two.over_in_turn(&one))];
    let workspace = Workspace::default();
    let (mut reserved, mut optimised) = (Row::new("", count, 0), Row::new("", count, 0));
    for round in 0..ROUNDS {
        for is_optimised in [round % 2 == 0, round % 2 != 0] {
            calls.optimise(is_optimised);
            let begun = processor_time()?;
            calls.charge((durable, &workspace), taken(&mut unused, count))?;
            calls.settle(durable)?;
            let row = if is_optimised { &mut optimised } else { &mut reserved };
            row.took(processor_time()? - begun);
        }
    }
    calls.optimise(false);
    ratios.push(("optimised_over_not".to_owned(), optimised.over_in_turn(&reserved)));
    let (mut waits, mut syncs) = (Vec::new(), Vec::new());
    for _ in 0..ROUNDS / 2 {
        syncs.extend(synced(folder)?);
        // The machine may be slower than before, and a load that is too much for it is no half load.
        let (begun, numbers) = (Instant::now(), taken(&mut unused, count));
        charge(calls, durable, (numbers, WORKERS as u64))?;
        let per_second = 2.0 * count as f64 / begun.elapsed().as_secs_f64();
        calls.settle(durable)?;
        let count = (per_second / 2.0 * ARRIVING.as_secs_f64()) as u64;
        let numbers = taken(&mut unused, count);
        for phase in [Phase::First, Phase::Final] {
            let arrivals = Arrivals::new(numbers.clone(), ARRIVING);
            waits.extend(answered(calls, durable, (&arrivals, phase))?);
        }
        calls.settle(durable)?;
    }
    let over = p99(&mut waits).div_duration_f64(p99(&mut syncs));
    ratios.push(("answer_wait_over_sync".to_owned(), over));
    Ok(ratios)
}

/// Takes the numbers of calls that no session has.
fn taken(unused: &mut std::ops::RangeFrom<u64>, count: u64) -> Range<u64> {
    let first = unused.start;
    unused.start += count;
    first..unused.start
}

/// Charges calls by a number of workers.
fn charge(
    calls: &Calls<'_>,
    durable: &Embedded,
    (numbers, workers): (Range<u64>, u64),
) -> Result<(), BenchError> {
    let part = (numbers.end - numbers.start).div_ceil(workers);
    thread::scope(|scope| {
        let charge = |first: u64| {
            let numbers = first..numbers.end.min(first + part);
            let charge = move || calls.charge((durable, &Workspace::default()), numbers).map(drop);
            scope.spawn(charge)
        };
        let first = numbers.clone().step_by(part as usize);
        let workers: Vec<_> = first.map(charge).collect();
        workers.into_iter().try_for_each(|worker| worker.join().expect("it does not panic"))
    })
}

/// Requests that arrive at equal distances.
struct Arrivals {
    begun: Instant,
    within: Duration,
    numbers: Range<u64>,
    /// The next one.
    next: Mutex<u64>,
}

impl Arrivals {
    fn new(numbers: Range<u64>, within: Duration) -> Self {
        Arrivals { begun: Instant::now(), within, next: Mutex::new(numbers.start), numbers }
    }

    /// Returns when a request arrives.
    fn at(&self, number: u64) -> Instant {
        let share = (number - self.numbers.start) as f64
            / (self.numbers.end - self.numbers.start).max(1) as f64;
        self.begun + self.within.mul_f64(share)
    }

    /// Takes the requests that have arrived, after a wait for the next one. `None` at the end.
    fn take(&self) -> Option<Range<u64>> {
        let mut next = self.next.lock().expect("no worker has panicked");
        let first = *next;
        if first >= self.numbers.end {
            return None;
        }
        thread::sleep(self.at(first).saturating_duration_since(Instant::now()));
        let now = Instant::now();
        while *next < self.numbers.end && self.at(*next) <= now {
            *next += 1;
        }
        Some(first..*next)
    }
}

/// Answers requests as they arrive, and returns how long each waited.
fn answered(
    calls: &Calls<'_>,
    durable: &Embedded,
    (arrivals, phase): (&Arrivals, Phase),
) -> Result<Vec<Duration>, BenchError> {
    let work = || {
        let (mut waits, workspace) = (Vec::new(), Workspace::default());
        while let Some(numbers) = arrivals.take() {
            let numbers: Vec<u64> = numbers.collect();
            calls.send((durable, &workspace), &numbers, phase)?;
            let now = Instant::now();
            waits.extend(numbers.iter().map(|number| now - arrivals.at(*number)));
        }
        Ok::<_, BenchError>(waits)
    };
    thread::scope(|scope| {
        let workers: Vec<_> = (0..WORKERS).map(|_| scope.spawn(work)).collect();
        let mut all = Vec::new();
        for worker in workers {
            all.extend(worker.join().expect("it does not panic")?);
        }
        Ok(all)
    })
}

/// Returns how long syncs of a file take.
fn synced(folder: &Path) -> Result<Vec<Duration>, BenchError> {
    let mut file = File::create(folder.join("synced"))?;
    let (begun, mut all) = (Instant::now(), Vec::new());
    while begun.elapsed() < ARRIVING {
        let begun = Instant::now();
        file.write_all(&SYNCED)?;
        file.sync_data()?;
        all.push(begun.elapsed());
    }
    Ok(all)
}

/// Returns the time within which 99 of 100 are.
fn p99(all: &mut [Duration]) -> Duration {
    all.sort_unstable();
    all[(all.len() * 99 / 100).min(all.len() - 1)]
}
