//! `tollgate dup bench`: how long a function takes for a record, interpreted and in machine code.

use std::hint::black_box;
use std::sync::Arc;
use std::time::{Duration, Instant};

use dup::{Context, Machine, Native};
use record::{Arena, Memory, Record, SlotIndex};

use super::{CallArguments, Called, Loaded, cut, record};
use crate::allocations;
use crate::command::modules::read;
use crate::command::{CommandError, Outcome};

/// Rounds of a measurement; the fastest counts.
const ROUNDS: usize = 5;

/// How long one takes at least.
const ROUND: Duration = Duration::from_millis(200);

/// Records that are kept decoded, so few that the caches hold them.
const RECORDS_MAX: usize = 200;

/// Arguments of `tollgate dup bench`.
#[derive(Debug, clap::Args)]
pub(crate) struct Bench {
    #[command(flatten)]
    call: CallArguments,
}

impl Bench {
    pub(crate) fn run(self) -> Result<Outcome, CommandError> {
        let CallArguments { record: file, .. } = &self.call;
        let loaded = self.call.load()?;
        let called = self.call.called(&loaded)?;
        let octets = read(file)?;
        let mut kept = Vec::new();
        for octets in cut(file, &octets)?.into_iter().take(RECORDS_MAX) {
            let mut arena = Arena::new();
            let mut memory = Memory::new(octets, &mut arena);
            let read = record(&loaded.plan, &mut memory, called.input, file, octets);
            if let Ok(Record { root, .. }) = read {
                kept.push(Kept { octets, arena, root });
            }
        }
        if kept.is_empty() {
            let message = format!("\"{}\" has no records of the type", file.display());
            return Err(CommandError::Mistakes(message));
        }
        let start = Instant::now();
        let native = Native::compile(&loaded.program)
            .map_err(|error| CommandError::Mistakes(error.to_string()))?;
        let made_in = start.elapsed();
        let program = || Arc::clone(&loaded.program);
        let machines =
            [("interpreted", Machine::new(program())), ("machine code", Machine::native(native))];
        let name = &loaded.program.functions()[called.place].name;
        say!("{name}, {} records", kept.len())?;
        say!("{:<14} {:>10} {:>12} {:>20}", "", "ns/record", "records/s", "allocations/record")?;
        let mut faults = 0;
        for (way, machine) in machines {
            let mut caller = Caller { loaded: &loaded, called, machine };
            let measured = measure(&mut caller, &mut kept, ROUND);
            let nanoseconds = measured.nanoseconds();
            say!(
                "{way:<14} {nanoseconds:>10.1} {:>12.0} {:>20}",
                1e9 / nanoseconds,
                measured.allocations_shown()
            )?;
            faults = measured.faults;
        }
        say!("machine code was made in {:.1} ms", made_in.as_secs_f64() * 1000.0)?;
        if faults > 0 {
            say!("{faults} of the records end in an error, which takes longer")?;
        }
        Ok(Outcome::Clean)
    }
}

/// A record, decoded.
pub(super) struct Kept<'o> {
    pub(super) octets: &'o [u8],
    pub(super) arena: Arena,
    pub(super) root: SlotIndex,
}

/// Calls the function as a node does.
pub(super) struct Caller<'l> {
    pub(super) loaded: &'l Loaded,
    pub(super) called: Called,
    pub(super) machine: Machine,
}

impl Caller<'_> {
    /// Whether it ended well.
    fn call(&mut self, kept: &mut Kept<'_>) -> bool {
        let Called { place, input, changes, made, context } = self.called;
        let mark = kept.arena.mark();
        let mut memory = Memory::new(kept.octets, &mut kept.arena);
        let mut root = kept.root;
        if changes {
            root = memory.create(input).root;
            if memory.copy(self.loaded.program.schema(), input, kept.root, root).is_err() {
                return false;
            }
        }
        let made = made.map(|ty| memory.create(ty).root);
        let context = context.map(|ty| Context::default().make(&mut memory, ty).root);
        let mut arguments = [root; 3];
        let others = [made, context].into_iter().flatten();
        arguments[1..].iter_mut().zip(others).for_each(|(argument, other)| *argument = other);
        let sound = black_box(self.machine.call(place, &mut memory, &arguments)).is_ok();
        kept.arena.back_to(mark);
        sound
    }
}

pub(super) struct Measured {
    elapsed: Duration,
    calls: u64,
    /// `None` in a build that does not count them.
    allocations: Option<u64>,
    /// Records that end in an error.
    faults: u64,
}

impl Measured {
    /// Of a record.
    pub(super) fn nanoseconds(&self) -> f64 {
        self.elapsed.as_secs_f64() * 1e9 / self.calls as f64
    }

    /// Allocations per record, as printed.
    fn allocations_shown(&self) -> String {
        let of_a_record = |all| format!("{:.3}", all as f64 / self.calls as f64);
        self.allocations.map_or("-".into(), of_a_record)
    }
}

/// Calls it for records that are kept, as often as rounds of this time take.
pub(super) fn measure(caller: &mut Caller<'_>, kept: &mut [Kept<'_>], round: Duration) -> Measured {
    let once = |caller: &mut Caller<'_>, kept: &mut [Kept<'_>]| {
        kept.iter_mut().map(|kept| u64::from(!caller.call(kept))).sum::<u64>()
    };
    let start = Instant::now();
    let faults = once(caller, kept);
    let turns = (round.as_nanos() / start.elapsed().as_nanos().max(1)).clamp(1, 1_000_000) as u64;
    let calls = turns * kept.len() as u64;
    let mut least = Measured { elapsed: Duration::MAX, calls, allocations: None, faults };
    for _ in 0..ROUNDS {
        let round = || {
            let start = Instant::now();
            for _ in 0..turns {
                black_box(once(caller, kept));
            }
            start.elapsed()
        };
        let (allocations, elapsed) = allocations::of(round);
        least.elapsed = least.elapsed.min(elapsed);
        least.allocations = allocations;
    }
    least
}
