//! `tollgate bench`: how fast this machine does Tollgate's work, as ratios to what it is compared with.

use std::hint::black_box;
use std::time::{Duration, Instant};

use ::asn1::ber::{Decoder, Encoder, INDEFINITE, Reason, extent, header};
use ::asn1::{Modules, Plan, Resolver};
use diagnostics::Source;
use record::{Arena, Memory, SlotIndex, TypeId};

use crate::command::{CommandError, Outcome};

/// Rounds of each measurement; the fastest counts, since a busy machine only ever makes slower.
const ROUNDS: u32 = 15;

/// Octets of the work: more than the caches hold.
const WORK_OCTETS: u64 = 16 << 20;

/// Arguments of `tollgate bench codec`.
#[derive(Debug, clap::Args)]
pub(crate) struct Codec {
    /// One JSON object instead of a table
    #[arg(long)]
    json: bool,
}

/// The work: simulated records of a switching centre, and how to code them.
struct Work {
    plan: Plan,
    ty: TypeId,
    octets: Vec<u8>,
    records: u64,
}

/// A name and the work done under it.
type Measurement = (&'static str, fn(&Work) -> u64);

struct Row {
    name: &'static str,
    elapsed: Duration,
}

impl Codec {
    pub(crate) fn run(self) -> Result<Outcome, CommandError> {
        let arguments = self;
        let work = Work::new()?;
        eprintln!(
            "{} records, {} octets, best of {ROUNDS} rounds",
            work.records,
            work.octets.len()
        );
        let rows = rows(&work);
        if arguments.json {
            println!("{}", json(&work, &rows));
        } else {
            show(&work, &rows);
        }
        Ok(Outcome::Clean)
    }
}

/// The rounds of all measurements take turns, so that a slow minute of the machine is everybody's.
fn rows(work: &Work) -> Vec<Row> {
    let measurements: [Measurement; 4] = [
        ("walk", |work| walk(&work.octets, 0, work.octets.len()).unwrap_or(0)),
        ("decode", decode),
        ("decode, encode", |work| recode(work, |_, _| {})),
        ("decode, change, encode", |work| {
            recode(work, |memory, root| {
                memory.touch(root);
                if let Some(slot) = memory.component(root, 1) {
                    memory.set_number(slot, 8);
                }
            })
        }),
    ];
    let mut rows: Vec<Row> =
        measurements.iter().map(|(name, _)| Row { name, elapsed: Duration::MAX }).collect();
    for _ in 0..ROUNDS {
        for (row, (_, measured)) in rows.iter_mut().zip(&measurements) {
            let start = Instant::now();
            black_box(measured(black_box(work)));
            row.elapsed = row.elapsed.min(start.elapsed());
        }
    }
    rows
}

/// Reads every header, down to the values, and nothing else: nobody can decode faster.
fn walk(octets: &[u8], start: usize, end: usize) -> Result<u64, Reason> {
    let (mut at, mut count) = (start, 0);
    while at < end {
        let found = header(octets, at, end)?;
        if found.end == INDEFINITE {
            return Err(Reason::LengthTooLarge); // Simulated records have none.
        }
        count += 1;
        if found.constructed {
            count += walk(octets, found.start, found.end)?;
        }
        at = found.end;
    }
    Ok(count)
}

fn decode(work: &Work) -> u64 {
    let decoder = Decoder::new(&work.plan, work.ty);
    let mut arena = Arena::new();
    let mut sum = 0;
    for_each(work, |octets| {
        arena.reset();
        if let Ok(record) = decoder.decode(octets, &mut arena) {
            sum += u64::from(record.root.0);
        }
    });
    sum
}

fn recode(work: &Work, change: fn(&mut Memory<'_>, SlotIndex)) -> u64 {
    let decoder = Decoder::new(&work.plan, work.ty);
    let mut encoder = Encoder::new(&work.plan, work.ty);
    let mut arena = Arena::new();
    let mut out = Vec::with_capacity(1 << 20);
    let mut sum = 0;
    for_each(work, |octets| {
        arena.reset();
        if let Ok(record) = decoder.decode(octets, &mut arena) {
            let mut memory = Memory::new(octets, &mut arena);
            change(&mut memory, record.root);
            if out.len() > 1 << 19 {
                out.clear();
            }
            let encoded = encoder.encode(&memory, record, &mut out);
            sum += u64::from(encoded.is_ok());
        }
    });
    sum
}

fn for_each(work: &Work, mut use_record: impl FnMut(&[u8])) {
    let mut at = 0;
    while let Ok(end) = extent(&work.octets, at) {
        use_record(&work.octets[at..end]);
        at = end;
    }
}

impl Work {
    fn new() -> Result<Self, CommandError> {
        let module = include_str!("../../../../../examples/msc-billing/asn1/msc.asn1");
        let (modules, _) = Modules::read(&[Source::new("msc.asn1", module)]);
        let mut resolver = Resolver::new(&modules);
        let ty = resolver.resolve("MSC.CallDataRecord").map_err(|wrong| {
            let texts: Vec<String> = wrong.iter().map(ToString::to_string).collect();
            CommandError::Mistakes(texts.join("\n"))
        })?;
        let options = ::simulate::cdr::Options {
            bytes: Some(WORK_OCTETS),
            files: 1,
            ..::simulate::cdr::Options::default()
        };
        let mut octets = Vec::new();
        let expected = ::simulate::cdr::generate_in_memory(&options, 0, &mut octets)
            .map_err(CommandError::Simulate)?;
        Ok(Work { plan: Plan::compile(resolver.finish()), ty, octets, records: expected.records })
    }
}

fn per_second(amount: f64, row: &Row) -> f64 {
    amount / row.elapsed.as_secs_f64()
}

/// Speed of each row over that of the walk.
fn over_walk(rows: &[Row], row: &Row) -> f64 {
    rows[0].elapsed.as_secs_f64() / row.elapsed.as_secs_f64()
}

fn show(work: &Work, rows: &[Row]) {
    println!(
        "{:<24} {:>14} {:>10} {:>12} {:>10}",
        "", "records/s", "MB/s", "ns/record", "over walk"
    );
    for row in rows {
        println!(
            "{:<24} {:>14.0} {:>10.0} {:>12.0} {:>10.2}",
            row.name,
            per_second(work.records as f64, row),
            per_second(work.octets.len() as f64 / 1e6, row),
            row.elapsed.as_nanos() as f64 / work.records as f64,
            over_walk(rows, row)
        );
    }
}

fn json(work: &Work, rows: &[Row]) -> String {
    let shown: Vec<String> = rows
        .iter()
        .map(|row| {
            format!(
                "{{\"name\":\"{}\",\"records_per_second\":{:.0}}}",
                row.name,
                per_second(work.records as f64, row)
            )
        })
        .collect();
    let processors = std::thread::available_parallelism().map_or(1, usize::from);
    format!(
        "{{\"bench\":\"codec\",\"machine\":{{\"architecture\":\"{}\",\"processors\":{processors}}},\
         \"rows\":[{}],\"ratios\":{{\"decode_over_walk\":{:.3},\"roundtrip_over_walk\":{:.3},\
         \"changed_over_walk\":{:.3}}}}}",
        std::env::consts::ARCH,
        shown.join(","),
        over_walk(rows, &rows[1]),
        over_walk(rows, &rows[2]),
        over_walk(rows, &rows[3])
    )
}
