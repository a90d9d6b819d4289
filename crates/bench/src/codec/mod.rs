//! `tollgate bench codec`: measures the codec beside a bare walk over the same elements and, if it is built in, beside
//! the rasn crate.

mod cases;
#[cfg(feature = "compare")]
mod compare;
#[cfg(not(feature = "compare"))]
#[path = "no_compare.rs"]
mod compare;

use std::hint::black_box;
use std::io::Write;

use ::asn1::ber::{Decoder, Encoder};
use record::{Arena, Memory, SlotIndex};

pub(super) use self::cases::Case;
use super::measure::{Results, Row};
use super::walk::walk;
use crate::error::BenchError;
use crate::product::Product;

/// The rounds of each measurement.
const ROUNDS: u32 = 15;

/// The new value of a changed number.
const NUMBER: i64 = 8;

/// The octets written before the buffer is reused: no more than the caches hold.
const WRITTEN_OCTETS: usize = 1 << 19;

/// Arguments of `tollgate bench codec`.
#[derive(Debug, clap::Args)]
pub(crate) struct Codec {
    /// One JSON object instead of a table
    #[arg(long)]
    json: bool,
}

/// A name and its work.
type Measurement = (&'static str, fn(&Case) -> u64);

/// Our measurements of every case. The others are compared with the first.
const OURS: [Measurement; 4] = [
    ("walk", |case| walk(&case.octets, 0, case.octets.len()).unwrap_or(0)),
    ("decode", decode),
    ("roundtrip", |case| recode(case, |_, _, _| {})),
    ("changed", |case| recode(case, change)),
];

impl Codec {
    pub(super) fn measure(self, product: &Product, out: &mut dyn Write) -> Result<(), BenchError> {
        let mut found = Results { bench: "codec", rows: Vec::new(), ratios: Vec::new() };
        let mut over_rasn = Vec::new();
        for case in Case::all()? {
            compare::check(&case)?;
            let rows = measured(&case);
            let (ours, rasns) = rows.split_at(OURS.len());
            for (row, (name, _)) in ours.iter().zip(OURS).skip(1) {
                found.ratios.push((format!("{name}_over_walk_{}", case.name), row.over(&ours[0])));
            }
            for ((row, peer), (name, _)) in ours[1..].iter().zip(rasns).zip(&OURS[1..]) {
                over_rasn.push((*name, case.name, row.over(peer)));
            }
            found.rows.extend(rows);
        }
        for (name, case, ratio) in &over_rasn {
            found.ratios.push((format!("{name}_over_rasn_{case}"), *ratio));
        }
        found.ratios.extend(least(&over_rasn));
        found.show(self.json, out)?;
        if over_rasn.is_empty() {
            (product.note)("for the comparison with the rasn crate: make bench");
        }
        Ok(())
    }
}

/// Returns the worst ratio of each measurement over all cases.
fn least(over_rasn: &[(&str, &str, f64)]) -> Vec<(String, f64)> {
    let least = |name: &str| {
        let ratios = over_rasn.iter().filter(|(of, _, _)| *of == name).map(|(_, _, ratio)| *ratio);
        ratios.reduce(f64::min).map(|ratio| (format!("{name}_over_rasn"), ratio))
    };
    OURS[1..].iter().filter_map(|(name, _)| least(name)).collect()
}

/// Measures a case. The rounds of all measurements take turns, so that a slow minute of the machine affects all of
/// them.
fn measured(case: &Case) -> Vec<Row> {
    let measurements: Vec<Measurement> = OURS.iter().chain(&case.rasn).copied().collect();
    let octets = case.octets.len() as u64;
    let row = |name| Row::new(format!("{}: {name}", case.name), case.records, octets);
    let mut rows: Vec<Row> = measurements.iter().map(|(name, _)| row(*name)).collect();
    for _ in 0..ROUNDS {
        for (row, (_, work)) in rows.iter_mut().zip(&measurements) {
            row.time(|| work(black_box(case)));
        }
    }
    rows
}

pub(super) fn decode(case: &Case) -> u64 {
    let decoder = Decoder::new(&case.plan, case.ty);
    let mut arena = Arena::new();
    let mut sum = 0;
    for octets in case.each() {
        arena.reset();
        if let Ok(record) = decoder.decode(octets, &mut arena) {
            sum += u64::from(record.root.0);
        }
    }
    sum
}

fn recode(case: &Case, change: fn(&Case, &mut Memory<'_>, SlotIndex)) -> u64 {
    let decoder = Decoder::new(&case.plan, case.ty);
    let mut encoder = Encoder::new(&case.plan, case.ty);
    let mut arena = Arena::new();
    let mut out = Vec::with_capacity(2 * WRITTEN_OCTETS);
    let mut sum = 0;
    for octets in case.each() {
        arena.reset();
        if let Ok(record) = decoder.decode(octets, &mut arena) {
            let mut memory = Memory::new(octets, &mut arena);
            change(case, &mut memory, record.root);
            if out.len() > WRITTEN_OCTETS {
                out.clear();
            }
            sum += u64::from(encoder.encode(&memory, record, &mut out).is_ok());
        }
    }
    sum
}

/// Changes a number as a script does: every structure on the way is marked as changed.
fn change(case: &Case, memory: &mut Memory<'_>, root: SlotIndex) {
    let mut at = root;
    for place in &case.changed {
        memory.touch(at);
        match memory.component(at, *place) {
            Some(component) => at = component,
            None => return,
        }
    }
    memory.set_number(at, NUMBER);
}
