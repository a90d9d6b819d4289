//! `tollgate bench dup`: measures scripts in machine code, beside the interpreter and code written by hand in Rust.
//!
//! It measures only the calls: records are decoded before, and the results of a call are dropped after it.

mod by_hand;
#[cfg(feature = "compare")]
mod peers;
#[cfg(not(feature = "compare"))]
#[path = "no_peers.rs"]
mod peers;

use std::fmt::Write as _;
use std::hint::black_box;
use std::io;
use std::sync::Arc;
use std::time::Instant;

use ::asn1::ber::{Decoder, Encoder, extent};
use ::asn1::{Modules, Plan, Resolver};
use ::dup::{Machine, Native, Program};
use diagnostics::Source;
use record::{Arena, Memory, Record, SlotIndex, TypeId};

use super::measure::{Results, Row};
use crate::error::BenchError;
use by_hand::{Places, Scratch, Zones};
use peers::{PEERS, Peer};

/// The rounds of each measurement.
const ROUNDS: usize = 9;

/// The number of decoded records, so few that the caches hold them, and how often each is used in a round.
const RECORDS: usize = 100;
const TURNS: u64 = 200;

/// The lines of the script whose compilation is measured.
const LINES: usize = 2_000;

const ZONES: &str = include_str!("zones.csv");
const MODULES: [(&str, &str); 2] = [
    ("msc.asn1", include_str!("../../../../examples/msc-billing/asn1/msc.asn1")),
    ("line.asn1", include_str!("line.asn1")),
];

/// Arguments of `tollgate bench dup`.
#[derive(Debug, clap::Args)]
pub(crate) struct Dup {
    /// One JSON object instead of a table
    #[arg(long)]
    json: bool,
    /// This kind of script alone: filter, formatter or loop [default: all, and the time to make code]
    only: Option<String>,
}

impl Dup {
    pub(super) fn measure(self, out: &mut dyn io::Write) -> Result<(), BenchError> {
        let work = ScriptWork::new()?;
        let mut found = Results { bench: "dup", rows: Vec::new(), ratios: Vec::new() };
        let wanted = |name: &str| self.only.as_ref().is_none_or(|only| only == name);
        for (name, make) in CASES.into_iter().filter(|(name, _)| wanted(name)) {
            let rows = make(&work)?;
            let [by_hand, interpreted, compiled, peers @ ..] = &rows[..] else {
                unreachable!("each case has these three ways")
            };
            found.ratios.push((format!("{name}_over_rust"), compiled.over(by_hand)));
            found
                .ratios
                .push((format!("{name}_interpreter_over_compiled"), compiled.over(interpreted)));
            for (row, (peer, _)) in peers.iter().zip(PEERS) {
                found.ratios.push((format!("{name}_{peer}_over_compiled"), compiled.over(row)));
            }
            found.rows.extend(rows);
        }
        if self.only.is_none() {
            let (interpreted, compiled) = work.active()?;
            found.ratios.push((format!("interpreted_ms_{LINES}_lines"), interpreted));
            found.ratios.push((format!("active_ms_{LINES}_lines"), compiled));
        }
        found.show(self.json, out)?;
        Ok(())
    }
}

/// The ways of every case. Those in other languages follow.
const OURS: [&str; 3] = ["by hand in Rust", "interpreted", "machine code"];

type ScriptCase = fn(&ScriptWork) -> Result<Vec<Row>, BenchError>;

const CASES: [(&str, ScriptCase); 3] = [
    ("filter", ScriptWork::filter),
    ("formatter", ScriptWork::formatter),
    ("loop", ScriptWork::sums),
];

/// A decoded record.
struct DecodedRecord {
    octets: Vec<u8>,
    arena: Arena,
    root: SlotIndex,
}

struct ScriptWork {
    folder: tempfile::TempDir,
    modules: Modules,
}

/// A compiled script, for both ways of execution.
struct Script {
    plan: Plan,
    program: Arc<Program>,
    function: usize,
}

impl Script {
    fn machines(&self) -> Result<[Machine; 2], BenchError> {
        let native = Native::compile(&self.program)?;
        let program = || Arc::clone(&self.program);
        Ok([Machine::new(program()), Machine::native(native)])
    }

    fn ty(&self, name: &str) -> TypeId {
        self.plan.schema().find(name).expect("a type of the modules")
    }

    /// Returns the same script in other languages, with these records of the given type.
    fn peers(
        &self,
        case: &str,
        ty: &str,
        records: &mut [DecodedRecord],
    ) -> Result<Vec<Box<dyn Peer>>, BenchError> {
        let of = (self.plan.schema(), self.ty(ty));
        let value = |decoded: &mut DecodedRecord| {
            let memory = Memory::new(&decoded.octets, &mut decoded.arena);
            peers::value(of, &memory, decoded.root).ok_or_else(|| BenchError::Wrong("a record"))
        };
        let records = records.iter_mut().map(value).collect::<Result<Vec<_>, _>>()?;
        PEERS.iter().map(|(_, make)| make(case, of, &records)).collect()
    }
}

impl ScriptWork {
    fn new() -> Result<Self, BenchError> {
        let folder = tempfile::tempdir()?;
        std::fs::write(folder.path().join("zones.csv"), ZONES)?;
        let sources: Vec<_> =
            MODULES.iter().map(|(name, text)| Source::new(*name, *text)).collect();
        let (modules, _) = Modules::read(&sources);
        Ok(ScriptWork { folder, modules })
    }

    /// Compiles a script and finds its function `name`.
    fn script(&self, text: &str, name: &str) -> Result<Script, BenchError> {
        let mut resolver = Resolver::new(&self.modules);
        for ty in ["MSC.CallDataRecord", "LINE.Line", "LINE.Numbers"] {
            resolver.resolve(ty).map_err(|_| BenchError::Wrong("the modules of the benchmark"))?;
        }
        let source = Source::new(format!("{name}.dup"), text);
        let compiled = ::dup::compile(&source, self.folder.path(), &mut resolver);
        let Some(program) = compiled.program else {
            return Err(BenchError::Mistakes(compiled.diagnostics));
        };
        let function =
            program.find(name).ok_or_else(|| BenchError::Wrong("a script of the benchmark"))?;
        let plan = Plan::compile(resolver.finish());
        Ok(Script { plan, program: Arc::new(program), function })
    }

    /// Returns simulated records of a switching centre.
    fn calls(script: &Script) -> Result<Vec<DecodedRecord>, BenchError> {
        let options = ::simulate::cdr::Options {
            count: RECORDS as u64,
            files: 1,
            ..::simulate::cdr::Options::default()
        };
        let mut octets = Vec::new();
        ::simulate::cdr::generate_in_memory(&options, 0, &mut octets)?;
        let mut records = Vec::new();
        let mut at = 0;
        while at < octets.len() {
            let end = extent(&octets, at).map_err(|_| BenchError::Wrong("a simulated record"))?;
            records.push(DecodedRecord::new(
                script,
                "MSC.CallDataRecord",
                octets[at..end].to_vec(),
            )?);
            at = end;
        }
        Ok(records)
    }

    fn filter(&self) -> Result<Vec<Row>, BenchError> {
        let script = self.script(include_str!("filter.dup"), "keep")?;
        let places = Places::new(
            script.plan.schema(),
            script.ty("MSC.CallDataRecord"),
            script.ty("LINE.Line"),
        );
        let mut records = Self::calls(&script)?;
        let by_hand = |memory: &mut Memory<'_>, root| {
            by_hand::keep(memory, root, &places).map(u64::from).unwrap_or_default()
        };
        let peers = script.peers("filter", "MSC.CallDataRecord", &mut records)?;
        measured("filter", &script, &mut records, peers, by_hand, |returned| {
            u64::from(returned.boolean())
        })
    }

    fn sums(&self) -> Result<Vec<Row>, BenchError> {
        let script = self.script(include_str!("loop.dup"), "sum")?;
        let mut records = Vec::new();
        for seed in 0..RECORDS as i64 {
            let numbers: Vec<String> = (0..50)
                .map(|place| ((seed * 7919 + place * 104_729) % 5_000).to_string())
                .collect();
            let json = format!("{{\"numbers\":[{}]}}", numbers.join(","));
            let ty = script.ty("LINE.Numbers");
            let mut arena = Arena::new();
            let mut memory = Memory::new(&[], &mut arena);
            let mut octets = Vec::new();
            ::asn1::jer::read(&script.plan, &mut memory, ty, json.as_bytes())
                .ok()
                .and_then(|record| {
                    Encoder::new(&script.plan, ty).encode(&memory, record, &mut octets).ok()
                })
                .ok_or_else(|| BenchError::Wrong("a list"))?;
            records.push(DecodedRecord::new(&script, "LINE.Numbers", octets)?);
        }
        let by_hand =
            |memory: &mut Memory<'_>, root| by_hand::sum(memory, root).unwrap_or_default() as u64;
        let peers = script.peers("loop", "LINE.Numbers", &mut records)?;
        measured("loop", &script, &mut records, peers, by_hand, |returned| returned.number() as u64)
    }

    fn formatter(&self) -> Result<Vec<Row>, BenchError> {
        let script = self.script(include_str!("formatter.dup"), "line")?;
        let line = script.ty("LINE.Line");
        let places = Places::new(script.plan.schema(), script.ty("MSC.CallDataRecord"), line);
        let (zones, mut scratch) = (Zones::new(ZONES), Scratch::default());
        let mut records = Self::calls(&script)?;
        let mut peers = script.peers("formatter", "MSC.CallDataRecord", &mut records)?;
        let mut by_hand = |memory: &mut Memory<'_>, root, out| {
            by_hand::line(memory, root, out, (&places, &zones), &mut scratch);
        };
        let [mut interpreter, mut machine] = script.machines()?;
        let function = script.function;
        let call = |machine: &mut Machine, memory: &mut Memory<'_>, root, out: SlotIndex| {
            let _ = black_box(machine.call(function, memory, &[root, out]));
        };
        for (place, decoded) in records.iter_mut().enumerate() {
            let mut made = Vec::new();
            for method in 0..3 {
                let mark = decoded.arena.mark();
                let mut memory = Memory::new(&decoded.octets, &mut decoded.arena);
                let out = memory.create(line);
                match method {
                    0 => by_hand(&mut memory, decoded.root, out.root),
                    1 => call(&mut interpreter, &mut memory, decoded.root, out.root),
                    _ => call(&mut machine, &mut memory, decoded.root, out.root),
                }
                let mut octets = Vec::new();
                let record = Record { ty: line, root: out.root };
                Encoder::new(&script.plan, line).encode(&memory, record, &mut octets)?;
                made.push(octets);
                let line = peers::value((script.plan.schema(), line), &memory, out.root);
                if peers.iter_mut().any(|peer| peer.line(place) != line) {
                    return Err(BenchError::Wrong("a bill line made in another language"));
                }
                decoded.arena.back_to(mark);
            }
            if made[0] != made[1] || made[0] != made[2] {
                return Err(BenchError::Wrong("a bill line made in another way"));
            }
        }
        let mut rows = rows("formatter", &records);
        for _ in 0..ROUNDS {
            turns_of(&mut peers, &mut rows[OURS.len()..], records.len());
            for (method, row) in rows[..OURS.len()].iter_mut().enumerate() {
                row.time(|| {
                    for decoded in &mut records {
                        let mark = decoded.arena.mark();
                        for _ in 0..TURNS {
                            let mut memory = Memory::new(&decoded.octets, &mut decoded.arena);
                            let out = memory.create(line).root;
                            match method {
                                0 => by_hand(&mut memory, decoded.root, out),
                                1 => call(&mut interpreter, &mut memory, decoded.root, out),
                                _ => call(&mut machine, &mut memory, decoded.root, out),
                            }
                            decoded.arena.back_to(mark);
                        }
                    }
                });
            }
        }
        Ok(rows)
    }

    /// Returns the milliseconds that a long script takes to compile for the interpreter, and to machine code.
    fn active(&self) -> Result<(f64, f64), BenchError> {
        let mut text = String::from("NULL line(in CONST CallDataRecord, out Line)\n{\n");
        text.push_str("  declare n INTEGER := 0;\n");
        while text.lines().count() < LINES - 4 {
            let number = text.lines().count();
            let _ = writeln!(text, "  if (in.callDuration > {number}) {{ n += in.version; }}");
            let _ =
                writeln!(text, "  out.subscriber := concat(digits(in.servedIMSI), \"{number}\");");
            let _ = writeln!(text, "  out.seconds := n + {number};");
        }
        text.push_str("  out.state := \"x\";\n}\n");
        let mut least = (f64::MAX, f64::MAX);
        for _ in 0..3 {
            let start = Instant::now();
            let milliseconds = || start.elapsed().as_secs_f64() * 1000.0;
            let script = self.script(&text, "line")?;
            let interpreted = milliseconds();
            script.machines()?;
            least = (least.0.min(interpreted), least.1.min(milliseconds()));
        }
        Ok(least)
    }
}

impl DecodedRecord {
    fn new(script: &Script, ty: &str, octets: Vec<u8>) -> Result<Self, BenchError> {
        let mut arena = Arena::new();
        let decoded = Decoder::new(&script.plan, script.ty(ty)).decode(&octets, &mut arena);
        let root = decoded.map_err(|_| BenchError::Wrong("a record of the benchmark"))?.root;
        Ok(DecodedRecord { octets, arena, root })
    }
}

fn rows(name: &str, records: &[DecodedRecord]) -> Vec<Row> {
    let count = records.len() as u64 * TURNS;
    let octets: u64 = records.iter().map(|decoded| decoded.octets.len() as u64).sum();
    let peers = PEERS.iter().map(|(peer, _)| *peer);
    OURS.into_iter()
        .chain(peers)
        .map(|method| Row::new(format!("{name}: {method}"), count, octets * TURNS))
        .collect()
}

/// Runs a round of the other languages.
fn turns_of(peers: &mut [Box<dyn Peer>], rows: &mut [Row], records: usize) {
    for (peer, row) in peers.iter_mut().zip(rows) {
        row.time(|| {
            let mut sum = 0_u64;
            for record in 0..records {
                for _ in 0..TURNS {
                    sum = sum.wrapping_add(peer.call(black_box(record)));
                }
            }
            sum
        });
    }
}

/// Measures a function that returns a number and changes nothing. First checks that all ways give the same result.
fn measured(
    name: &str,
    script: &Script,
    records: &mut [DecodedRecord],
    mut peers: Vec<Box<dyn Peer>>,
    by_hand: impl Fn(&mut Memory<'_>, SlotIndex) -> u64,
    value: fn(::dup::Returned) -> u64,
) -> Result<Vec<Row>, BenchError> {
    let [mut interpreter, mut machine] = script.machines()?;
    let function = script.function;
    let call = |machine: &mut Machine, memory: &mut Memory<'_>, root| {
        machine.call(function, memory, &[root]).map_or(u64::MAX, value)
    };
    for (place, decoded) in records.iter_mut().enumerate() {
        let mut memory = Memory::new(&decoded.octets, &mut decoded.arena);
        let expected = by_hand(&mut memory, decoded.root);
        let interpreted = call(&mut interpreter, &mut memory, decoded.root);
        if (interpreted, call(&mut machine, &mut memory, decoded.root)) != (expected, expected) {
            return Err(BenchError::Wrong("a result that is not the same in all ways"));
        }
        if peers.iter_mut().any(|peer| peer.call(place) != expected) {
            return Err(BenchError::Wrong("a result that is not the same in another language"));
        }
    }
    let mut rows = rows(name, records);
    for _ in 0..ROUNDS {
        turns_of(&mut peers, &mut rows[OURS.len()..], records.len());
        for (method, row) in rows[..OURS.len()].iter_mut().enumerate() {
            row.time(|| {
                let mut sum = 0_u64;
                for decoded in records.iter_mut() {
                    let mut memory = Memory::new(&decoded.octets, &mut decoded.arena);
                    for _ in 0..TURNS {
                        let root = black_box(decoded.root);
                        sum = sum.wrapping_add(match method {
                            0 => by_hand(&mut memory, root),
                            1 => call(&mut interpreter, &mut memory, root),
                            _ => call(&mut machine, &mut memory, root),
                        });
                    }
                }
                sum
            });
        }
    }
    Ok(rows)
}
