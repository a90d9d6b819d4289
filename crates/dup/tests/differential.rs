//! The interpreter and machine code mean the same: random scripts on random records, whole and damaged, give the same
//! result, the same error at the same place, the same octets. So do a chain and its links in sequence.

use std::sync::atomic::{AtomicU64, Ordering::Relaxed};
use std::thread;

use crate::common::chains::{chained, compare_chain, for_a_bill};
use crate::common::compare::{compare, compiled, tables};
use crate::common::programs::{Dice, padding, script};
use proptest::prelude::*;

proptest! {
    #![proptest_config(ProptestConfig::with_cases(800))]

    #[test]
    fn interpreter_and_machine_code_do_the_same(
        of_script in prop::collection::vec(any::<u8>(), 20..700),
        of_records in prop::collection::vec(any::<u8>(), 0..300),
    ) {
        let mut text = script(&mut Dice(&for_a_bill(of_script)));
        if of_records.len() % 20 == 0 {
            text += &padding();
        }
        let found = compiled(&text);
        prop_assume!(found.is_some());
        let (program, plan) = found.expect("assumed");
        prop_assert!(dup::Native::takes_long(&program) || of_records.len() % 20 != 0);
        compare(&text, (&program, &plan), 3, &mut Dice(&of_records));
    }
}

proptest! {
    // Of three scripts, one often emits, and cannot be in a chain.
    #![proptest_config(ProptestConfig::with_cases(250))]

    #[test]
    fn a_chain_does_what_its_links_do_one_by_one(
        of_scripts in prop::array::uniform3(prop::collection::vec(any::<u8>(), 20..300)),
        of_records in prop::collection::vec(any::<u8>(), 0..300),
    ) {
        let texts = of_scripts.map(|of_script| script(&mut Dice(&for_a_bill(of_script))));
        let chain = chained(texts.each_ref().map(String::as_str), &tables());
        prop_assume!(chain.is_some());
        let (links, plan) = chain.expect("assumed");
        compare_chain((&links, &plan), 3, &mut Dice(&of_records));
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

/// `DIFFERENTIAL_CASES=10000000 cargo test --release -p tollgate-dup --test library differential -- --ignored` runs
/// that many cases of a script and a record on all processors. `DIFFERENTIAL_SEED` sets the first seed.
#[test]
#[ignore = "takes as long as it is told to"]
fn as_many_cases_as_asked_for() {
    let number = |name: &str, usual| {
        std::env::var(name).ok().and_then(|value| value.parse().ok()).unwrap_or(usual)
    };
    let (cases, seed) = (number("DIFFERENTIAL_CASES", 100_000), number("DIFFERENTIAL_SEED", 1));
    let workers = thread::available_parallelism().map_or(1, |count| count.get() as u64);
    let (done, scripts) = (&AtomicU64::new(0), &AtomicU64::new(0));
    thread::scope(|scope| {
        for worker in 0..workers {
            scope.spawn(move || {
                let mut random = Random(seed + worker);
                while done.load(Relaxed) < cases {
                    let found = cases_of_a_script(&mut random, scripts.fetch_add(1, Relaxed));
                    let before = done.fetch_add(found, Relaxed);
                    if before / 1_000_000 < (before + found) / 1_000_000 {
                        eprintln!("{} million cases", (before + found) / 1_000_000);
                    }
                }
            });
        }
    });
    eprintln!("{} cases of {} scripts", done.load(Relaxed), scripts.load(Relaxed));
}

/// Compares the runs of a random script on random records. Returns their number.
fn cases_of_a_script(random: &mut Random, number: u64) -> u64 {
    // Compiling machine code takes as long as hundreds of runs, so a script gets several records.
    const RECORDS: usize = 24;
    if number % 8 == 7 {
        let texts = [(); 3].map(|()| script(&mut Dice(&for_a_bill(random.octets(250)))));
        let chain = chained(texts.each_ref().map(String::as_str), &tables());
        let Some((links, plan)) = chain else { return 0 };
        let dice = random.octets(100 * RECORDS);
        return compare_chain((&links, &plan), RECORDS, &mut Dice(&dice));
    }
    let mut text = script(&mut Dice(&random.octets(700)));
    let long = number.is_multiple_of(50);
    if long {
        text += &padding();
    }
    let Some((program, plan)) = compiled(&text) else { return 0 };
    assert!(dup::Native::takes_long(&program) || !long);
    compare(&text, (&program, &plan), RECORDS, &mut Dice(&random.octets(100 * RECORDS)));
    2 * RECORDS as u64
}
