//! The interpreter and machine code mean the same: random scripts on random records, whole and damaged, give
//! the same result, the same error at the same place, the same octets.

mod common;
#[path = "common/programs.rs"]
mod programs;

use std::sync::Arc;

use asn1::Plan;
use asn1::ber::{Decoder, Encoder};
use dup::{Machine, Native, Program};
use programs::{Dice, fill, script};
use proptest::prelude::*;
use record::{Arena, Memory, Record, TypeId};

/// What a call did, as far as anyone can see.
fn observed(machine: &mut Machine, plan: &Plan, decoder: &Decoder<'_>, octets: &[u8]) -> String {
    let program = Arc::clone(machine.program());
    let function = &program.functions()[0];
    let types: Vec<TypeId> = function.parameters.iter().map(|p| p.ty).collect();
    let mut arena = Arena::new();
    let Ok(record) = decoder.decode(octets, &mut arena) else { return "no record".into() };
    let mut memory = Memory::new(octets, &mut arena);
    let made = types.get(1).map(|ty| memory.create(*ty));
    let arguments: Vec<_> = [Some(record), made].into_iter().flatten().map(|r| r.root).collect();
    if let Err(fault) = machine.call(0, &mut memory, &arguments) {
        return program.describe(&fault);
    }
    let mut records: Vec<Record> = [Some(record), made].into_iter().flatten().collect();
    records.extend(machine.emitted().iter().map(|(ty, root)| Record { ty: *ty, root: *root }));
    let shown = records.iter().map(|record| {
        let mut out = Vec::new();
        match Encoder::new(plan, record.ty).encode(&memory, *record, &mut out) {
            Ok(()) => out.iter().map(|octet| format!("{octet:02x}")).collect(),
            Err(error) => error.to_string(),
        }
    });
    shown.collect::<Vec<String>>().join(" ")
}

fn compiled(text: &str) -> Option<(Arc<Program>, Plan)> {
    let (compiled, plan) = common::compile(text);
    Some((Arc::new(compiled.program?), plan))
}

/// Compares the ways to run a script on random records, each whole and with a damaged octet.
fn compare(
    text: &str,
    (program, plan): (&Arc<Program>, &Plan),
    records: usize,
    dice: &mut Dice<'_>,
) {
    let native = Native::compile(program).expect("machine code");
    let ty = program.functions()[0].parameters[0].ty;
    let outline = plan.outline(&program.opened().iter().copied().collect());
    let whole = Decoder::new(plan, ty);
    let outlined = Decoder::outlined(plan, &outline, ty);
    let mut interpreter = Machine::new(Arc::clone(program));
    let mut machine = Machine::native(Arc::clone(program), native);
    for _ in 0..records {
        let mut arena = Arena::new();
        let mut memory = Memory::new(&[], &mut arena);
        let record = memory.create(ty);
        fill(plan, &mut memory, ty, record.root, dice);
        let mut octets = Vec::new();
        Encoder::new(plan, ty).encode(&memory, record, &mut octets).expect("a whole record");
        for _ in 0..2 {
            let expected = observed(&mut interpreter, plan, &whole, &octets);
            assert_eq!(observed(&mut machine, plan, &whole, &octets), expected, "{text}");
            // What is closed to a script may be damaged without its seeing it.
            if expected != "no record" {
                let part = observed(&mut machine, plan, &outlined, &octets);
                assert_eq!(part, expected, "{text}");
            }
            let (place, octet) = (dice.below(256) % octets.len(), dice.below(256));
            octets[place] = octet as u8;
        }
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(1500))]

    #[test]
    fn interpreter_and_machine_code_do_the_same(
        of_script in prop::collection::vec(any::<u8>(), 20..250),
        of_records in prop::collection::vec(any::<u8>(), 0..300),
    ) {
        let text = script(&mut Dice(&of_script));
        let found = compiled(&text);
        prop_assume!(found.is_some());
        let (program, plan) = found.expect("assumed");
        compare(&text, (&program, &plan), 3, &mut Dice(&of_records));
    }
}

/// A random number generator for long runs: a permuted congruential generator (O'Neill 2014, PCG-XSH-RR).
struct Random(u64);

impl Random {
    fn octets(&mut self, count: usize) -> Vec<u8> {
        (0..count)
            .map(|_| {
                self.0 = self
                    .0
                    .wrapping_mul(6_364_136_223_846_793_005)
                    .wrapping_add(1_442_695_040_888_963_407);
                let mixed = ((self.0 >> 18 ^ self.0) >> 27) as u32;
                mixed.rotate_right((self.0 >> 59) as u32) as u8
            })
            .collect()
    }
}

/// `DIFFERENTIAL_CASES=10000000 cargo test --release -p tollgate-dup --test differential -- --ignored`: so
/// many runs of a script on a record; `DIFFERENTIAL_SEED` begins elsewhere.
#[test]
#[ignore = "takes as long as it is told to"]
fn as_many_cases_as_asked_for() {
    const RECORDS: usize = 100;
    let number = |name: &str, usual| {
        std::env::var(name).ok().and_then(|value| value.parse().ok()).unwrap_or(usual)
    };
    let (cases, seed) = (number("DIFFERENTIAL_CASES", 100_000), number("DIFFERENTIAL_SEED", 1));
    let mut random = Random(seed);
    let (mut done, mut scripts) = (0_u64, 0_u64);
    while done < cases {
        let text = script(&mut Dice(&random.octets(250)));
        let Some((program, plan)) = compiled(&text) else { continue };
        compare(&text, (&program, &plan), RECORDS, &mut Dice(&random.octets(60 * RECORDS)));
        done += 2 * RECORDS as u64;
        scripts += 1;
    }
    eprintln!("{done} cases of {scripts} scripts");
}
