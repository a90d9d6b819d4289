//! `tollgate dup bench`: measures how long a function takes for a record, interpreted and in machine code.

use std::sync::Arc;
use std::time::{Duration, Instant};

use dup::{Machine, Native};
use record::{Arena, Memory, Record};

use super::call::CallArguments;
use crate::modules::read;
use crate::outcome::{CommandError, Outcome};
use crate::scripts::measure::{Caller, DecodedRecord, measure};
use crate::scripts::records::{cut, record};

/// The minimum duration of a round.
const ROUND: Duration = Duration::from_millis(200);

/// The maximum number of decoded records in memory: so few that they fit in the caches.
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
        let mut decoded = Vec::new();
        for octets in cut(file, &octets)?.into_iter().take(RECORDS_MAX) {
            let mut arena = Arena::new();
            let mut memory = Memory::new(octets, &mut arena);
            let read = record(&loaded.plan, &mut memory, called.input, file, octets);
            if let Ok(Record { root, .. }) = read {
                decoded.push(DecodedRecord { octets, arena, root });
            }
        }
        if decoded.is_empty() {
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
        say!("{name}, {} records", decoded.len())?;
        say!("{:<14} {:>10} {:>12} {:>20}", "", "ns/record", "records/s", "allocations/record")?;
        let mut faults = 0;
        for (method, machine) in machines {
            let mut caller = Caller { loaded: &loaded, called, machine };
            let measured = measure(&mut caller, &mut decoded, ROUND);
            let nanoseconds = measured.nanoseconds();
            say!(
                "{method:<14} {nanoseconds:>10.1} {:>12.0} {:>20}",
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
