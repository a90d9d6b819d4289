//! Measures how long a function of a script takes for a record.

use std::hint::black_box;
use std::time::{Duration, Instant};

use dup::{Context, Machine};
use record::{Arena, Memory, SlotIndex};

use super::loaded::{Called, Loaded};
use bench::allocations;

/// The number of rounds of a measurement. The fastest counts.
const ROUNDS: usize = 5;

/// A decoded record.
pub(crate) struct DecodedRecord<'o> {
    pub(crate) octets: &'o [u8],
    pub(crate) arena: Arena,
    pub(crate) root: SlotIndex,
}

/// Calls the function as a node does.
pub(crate) struct Caller<'l> {
    pub(crate) loaded: &'l Loaded,
    pub(crate) called: Called,
    pub(crate) machine: Machine,
}

impl Caller<'_> {
    /// Calls the function on a record. Returns whether it succeeded.
    fn call(&mut self, record: &mut DecodedRecord<'_>) -> bool {
        let Called { place, input, changes, made, context } = self.called;
        let mark = record.arena.mark();
        let mut memory = Memory::new(record.octets, &mut record.arena);
        let mut root = record.root;
        if changes {
            root = memory.create(input).root;
            if memory.copy(self.loaded.program.schema(), input, record.root, root).is_err() {
                return false;
            }
        }
        let made = made.map(|ty| memory.create(ty).root);
        let context = context.map(|ty| Context::default().make(&mut memory, ty).root);
        let mut arguments = [root; 3];
        let others = [made, context].into_iter().flatten();
        arguments[1..].iter_mut().zip(others).for_each(|(argument, other)| *argument = other);
        let sound = black_box(self.machine.call(place, &mut memory, &arguments)).is_ok();
        record.arena.back_to(mark);
        sound
    }
}

/// The fastest round of a measurement.
pub(crate) struct Measured {
    elapsed: Duration,
    calls: u64,
    /// `None` in a build that does not count them.
    allocations: Option<u64>,
    /// The number of records that end in an error.
    pub(crate) faults: u64,
}

impl Measured {
    /// Returns the nanoseconds per record.
    pub(crate) fn nanoseconds(&self) -> f64 {
        self.elapsed.as_secs_f64() * 1e9 / self.calls as f64
    }

    /// Returns the allocations per record, as printed.
    pub(crate) fn allocations_shown(&self) -> String {
        let of_a_record = |all| format!("{:.3}", all as f64 / self.calls as f64);
        self.allocations.map_or("-".into(), of_a_record)
    }
}

/// Calls the function on decoded records in rounds of about the given duration.
pub(crate) fn measure(
    caller: &mut Caller<'_>,
    records: &mut [DecodedRecord<'_>],
    round: Duration,
) -> Measured {
    let once = |caller: &mut Caller<'_>, records: &mut [DecodedRecord<'_>]| {
        records.iter_mut().map(|record| u64::from(!caller.call(record))).sum::<u64>()
    };
    let start = Instant::now();
    let faults = once(caller, records);
    let turns = (round.as_nanos() / start.elapsed().as_nanos().max(1)).clamp(1, 1_000_000) as u64;
    let calls = turns * records.len() as u64;
    let mut least = Measured { elapsed: Duration::MAX, calls, allocations: None, faults };
    for _ in 0..ROUNDS {
        let round = || {
            let start = Instant::now();
            for _ in 0..turns {
                black_box(once(caller, records));
            }
            start.elapsed()
        };
        let (allocations, elapsed) = allocations::of(round);
        least.elapsed = least.elapsed.min(elapsed);
        least.allocations = allocations;
    }
    least
}
