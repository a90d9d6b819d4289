//! `tollgate dup bench`: how long a function takes for a record, interpreted and in machine code.

use std::hint::black_box;
use std::path::PathBuf;
use std::sync::Arc;
use std::time::{Duration, Instant};

use dup::{Context, Function, Machine, Native};
use record::{Arena, Memory, Record, SlotIndex, TypeId};
use stats_alloc::INSTRUMENTED_SYSTEM;

use super::{Loaded, called, cut, load, record};
use crate::command::modules::{ModuleArguments, read};
use crate::command::{CommandError, Outcome};

/// Rounds of a measurement, and how long one takes at least; the fastest counts.
const ROUNDS: usize = 5;
const ROUND: Duration = Duration::from_millis(200);

/// Records that are kept decoded, so few that the caches hold them.
const RECORDS_MAX: usize = 200;

/// Arguments of `tollgate dup bench`.
#[derive(Debug, clap::Args)]
pub(crate) struct Bench {
    /// The script
    script: PathBuf,
    #[command(flatten)]
    modules: ModuleArguments,
    /// The file of records; the first 200 of it are used
    #[arg(long, value_name = "FILE")]
    record: PathBuf,
    /// The function to call [default: the first of the script]
    #[arg(long)]
    function: Option<String>,
}

impl Bench {
    pub(crate) fn run(self) -> Result<Outcome, CommandError> {
        let loaded = load(&self.script, &self.modules.load(&self.script)?)?;
        let place = called(&loaded, self.function.as_deref())?;
        let octets = read(&self.record)?;
        let mut kept = Vec::new();
        for octets in cut(&self.record, &octets)?.into_iter().take(RECORDS_MAX) {
            let ty = loaded.program.functions()[place].parameters[0].ty;
            let mut arena = Arena::new();
            let mut memory = Memory::new(octets, &mut arena);
            let read = record(&loaded.plan, &mut memory, ty, &self.record, octets);
            if let Ok(Record { root, .. }) = read {
                kept.push(Kept { octets, arena, root });
            }
        }
        if kept.is_empty() {
            let message = format!("\"{}\" has no records of the type", self.record.display());
            return Err(CommandError::Mistakes(message));
        }
        let start = Instant::now();
        let native = Native::compile(&loaded.program)
            .map_err(|error| CommandError::Mistakes(error.to_string()))?;
        let made_in = start.elapsed();
        let program = || Arc::clone(&loaded.program);
        let machines =
            [("interpreted", Machine::new(program())), ("machine code", Machine::native(native))];
        let name = &loaded.program.functions()[place].name;
        println!("{name}, {} records", kept.len());
        println!("{:<14} {:>10} {:>12} {:>20}", "", "ns/record", "records/s", "allocations/record");
        let mut faults = 0;
        for (way, machine) in machines {
            let mut caller = Caller::new(&loaded, place, machine);
            let measured = measure(&mut caller, &mut kept);
            let nanoseconds = measured.elapsed.as_secs_f64() * 1e9 / measured.calls as f64;
            println!(
                "{way:<14} {nanoseconds:>10.1} {:>12.0} {:>20.3}",
                1e9 / nanoseconds,
                measured.allocations as f64 / measured.calls as f64
            );
            faults = measured.faults;
        }
        println!("machine code was made in {:.1} ms", made_in.as_secs_f64() * 1000.0);
        if faults > 0 {
            println!("{faults} of the records end in an error, which takes longer");
        }
        Ok(Outcome::Clean)
    }
}

/// A record, decoded.
struct Kept<'o> {
    octets: &'o [u8],
    arena: Arena,
    root: SlotIndex,
}

/// Calls the function as a node does.
struct Caller<'l> {
    loaded: &'l Loaded,
    place: usize,
    machine: Machine,
    /// The type of what it makes, or of the copy that it changes.
    made: Option<TypeId>,
    /// Whether it changes its record.
    changes: bool,
    context: Option<TypeId>,
}

impl<'l> Caller<'l> {
    fn new(loaded: &'l Loaded, place: usize, machine: Machine) -> Self {
        let function: &Function = &loaded.program.functions()[place];
        let context = loaded.plan.schema().find(Context::TYPE);
        let takes = function.parameters.iter().find(|parameter| Some(parameter.ty) == context);
        let (first, second) = (&function.parameters[0], function.parameters.get(1));
        let changes = !first.constant;
        let second = second.filter(|second| Some(second.ty) != context).map(|second| second.ty);
        let made = if changes { Some(first.ty) } else { second };
        Caller { loaded, place, machine, made, changes, context: takes.map(|takes| takes.ty) }
    }

    /// Whether it ended well.
    fn call(&mut self, kept: &mut Kept<'_>) -> bool {
        let mark = kept.arena.mark();
        let mut memory = Memory::new(kept.octets, &mut kept.arena);
        let made = self.made.map(|ty| memory.create(ty).root);
        let context = self.context.map(|ty| Context::default().make(&mut memory, ty).root);
        let mut arguments = [SlotIndex::default(); 3];
        let given: [Option<SlotIndex>; 3] = match (self.changes, made) {
            (true, Some(copy)) => {
                let ty = self.loaded.program.functions()[self.place].parameters[0].ty;
                memory.copy(self.loaded.program.schema(), ty, kept.root, copy);
                [Some(copy), context, None]
            }
            _ => [Some(kept.root), made, context],
        };
        let mut count = 0;
        for slot in given.into_iter().flatten() {
            arguments[count] = slot;
            count += 1;
        }
        let sound =
            black_box(self.machine.call(self.place, &mut memory, &arguments[..count])).is_ok();
        kept.arena.back_to(mark);
        sound
    }
}

struct Measured {
    elapsed: Duration,
    calls: u64,
    allocations: usize,
    /// Records that end in an error.
    faults: u64,
}

fn measure(caller: &mut Caller<'_>, kept: &mut [Kept<'_>]) -> Measured {
    let once = |caller: &mut Caller<'_>, kept: &mut [Kept<'_>]| {
        kept.iter_mut().map(|kept| u64::from(!caller.call(kept))).sum::<u64>()
    };
    let start = Instant::now();
    let faults = once(caller, kept);
    let turns = (ROUND.as_nanos() / start.elapsed().as_nanos().max(1)).clamp(1, 1_000_000) as u64;
    let calls = turns * kept.len() as u64;
    let mut least = Measured { elapsed: Duration::MAX, calls, allocations: 0, faults };
    for _ in 0..ROUNDS {
        let before = INSTRUMENTED_SYSTEM.stats();
        let start = Instant::now();
        for _ in 0..turns {
            black_box(once(caller, kept));
        }
        least.elapsed = least.elapsed.min(start.elapsed());
        least.allocations = (INSTRUMENTED_SYSTEM.stats() - before).allocations;
    }
    least
}
