//! Runs a script on sample records of a node, for the editor in the browser, and measures it.

use std::sync::Arc;
use std::sync::atomic::AtomicBool;
use std::time::{Duration, Instant};

use asn1::ber::Decoder;
use dup::{Context, Machine, Native};
use inspection::Sample;
use operate::scripts::language::{CallingNode, Made, Ran, RanRecord, RecordResult};
use record::{Arena, Kind, Memory, Record};

use super::loaded::{Called, Loaded};
use super::measure::{Caller, DecodedRecord, measure};
use super::records::{RecordError, show};
use crate::outcome::CommandError;

/// The maximum duration of all records together; after it no further one starts. Each is bounded by `dup::BUDGET`.
const TIME_MAX: Duration = Duration::from_secs(2);

/// The minimum duration of a round of the measurement.
const ROUND: Duration = Duration::from_millis(20);

/// A call that takes longer than this needs no rounds: one call measures it well enough.
const SLOW: Duration = Duration::from_millis(1);

/// Calls the function of a node on sample records.
pub(super) fn run(
    loaded: &Loaded,
    node: CallingNode<'_>,
    samples: &[Sample],
    stop: &Arc<AtomicBool>,
) -> Result<Ran, CommandError> {
    let place = match node.function {
        Some(function) => loaded.find(function)?,
        None if loaded.program.functions().is_empty() => {
            return Err(CommandError::Mistakes("the script has no function".into()));
        }
        None => loaded.program.find(node.name).unwrap_or(0),
    };
    let called = loaded.called(place)?;
    // A gateway does not wait for machine code that takes long to compile either.
    let native = match Native::takes_long(&loaded.program) {
        true => None,
        false => Native::compile(&loaded.program).ok(),
    };
    let machine = || {
        let mut machine = match &native {
            Some(native) => Machine::native(Arc::clone(native)),
            None => Machine::new(Arc::clone(&loaded.program)),
        };
        machine.stop_when(Arc::clone(stop));
        machine
    };
    let mut running =
        Running { loaded, called, machine: machine(), took: Duration::ZERO, calls: 0 };
    let (begun, mut arena) = (Instant::now(), Arena::new());
    let records = samples.iter().map(|sample| {
        let shown = running.show(sample, &mut arena);
        let result = match &shown {
            _ if begun.elapsed() >= TIME_MAX => RecordResult::NotRun,
            Ok(_) => match running.call(sample, &mut arena) {
                Ok(made) => RecordResult::Made(made),
                Err(error) => RecordResult::Refused(error.to_string()),
            },
            Err(error) => RecordResult::Refused(error.to_string()),
        };
        RanRecord { input: shown.unwrap_or_default(), result }
    });
    let records: Vec<RanRecord> = records.collect();
    let sound =
        samples.iter().zip(&records).filter(|(_, ran)| matches!(ran.result, RecordResult::Made(_)));
    let mut decoded: Vec<_> =
        sound.filter_map(|(sample, _)| decode_once(loaded, called, sample)).collect();
    let nanoseconds = match running.took.checked_div(running.calls) {
        _ if decoded.is_empty() => None,
        Some(slow) if slow > SLOW => Some(slow.as_nanos() as f64),
        _ => {
            let mut caller = Caller { loaded, called, machine: machine() };
            Some(measure(&mut caller, &mut decoded, ROUND).nanoseconds())
        }
    };
    let takes = loaded.plan.schema().get(called.input).name.clone();
    Ok(Ran { takes, records, nanoseconds })
}

/// Decodes a record once, so that it can be read often.
fn decode_once<'s>(
    loaded: &Loaded,
    called: Called,
    sample: &'s Sample,
) -> Option<DecodedRecord<'s>> {
    let mut arena = Arena::new();
    let root = Decoder::new(&loaded.plan, called.input).decode(&sample.octets, &mut arena).ok()?;
    Some(DecodedRecord { octets: &sample.octets, arena, root: root.root })
}

struct Running<'l> {
    loaded: &'l Loaded,
    called: Called,
    machine: Machine,
    /// The time spent in calls only.
    took: Duration,
    calls: u32,
}

impl Running<'_> {
    /// Returns a record as JSON before the call.
    fn show(&self, sample: &Sample, arena: &mut Arena) -> Result<String, RecordError> {
        let record = self.read(sample, arena)?;
        let memory = Memory::new(&sample.octets, arena);
        show(&self.loaded.plan, &memory, record)
    }

    fn read(&self, sample: &Sample, arena: &mut Arena) -> Result<Record, RecordError> {
        arena.reset();
        let decoder = Decoder::new(&self.loaded.plan, self.called.input);
        let decoded = decoder.decode(&sample.octets, arena);
        decoded.map_err(|error| RecordError::Octets(decoder.explain(&sample.octets, error)))
    }

    /// Calls the function on a record and returns the result.
    fn call(&mut self, sample: &Sample, arena: &mut Arena) -> Result<Made, RecordError> {
        let input = self.read(sample, arena)?;
        let Loaded { plan, program, .. } = self.loaded;
        let function = &program.functions()[self.called.place];
        let mut memory = Memory::new(&sample.octets, arena);
        let made = self.called.made.map(|ty| memory.create(ty));
        let Sample { network_element, file, record, offset, .. } = sample;
        let context = Context { network_element, file, record: *record, offset: *offset };
        let context = self.called.context.map(|ty| context.make(&mut memory, ty));
        let arguments: Vec<_> =
            [Some(input), made, context].into_iter().flatten().map(|record| record.root).collect();
        let begun = Instant::now();
        let returned = self.machine.call(self.called.place, &mut memory, &arguments);
        self.took += begun.elapsed();
        self.calls += 1;
        let returned = returned.map_err(|fault| RecordError::Fault(program.describe(&fault)))?;
        let stream = match plan.schema().kind(function.result) {
            Kind::Boolean => Some(returned.boolean().to_string()),
            Kind::Enumerated { items, .. } => {
                let number = returned.number();
                let item = items.iter().find(|item| item.value == number);
                Some(item.ok_or(RecordError::NoStream(number))?.name.clone())
            }
            _ => None,
        };
        let emitted =
            self.machine.emitted().iter().map(|(ty, root)| Record { ty: *ty, root: *root });
        let went_on: Vec<Record> = match function.emits.is_empty() {
            false => emitted.collect(),
            true => made.or(self.called.changes.then_some(input)).into_iter().collect(),
        };
        let records = went_on.into_iter().map(|record| show(plan, &memory, record));
        Ok(Made { stream, records: records.collect::<Result<_, _>>()? })
    }
}
