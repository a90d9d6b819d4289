//! The interpreter and machine code mean the same: random scripts on random records, whole and damaged, give
//! the same result, the same error at the same place, the same octets.

#[path = "common/aliases.rs"]
mod aliases;
mod common;
#[path = "common/compare.rs"]
mod compare;
#[path = "common/programs.rs"]
mod programs;

use compare::{compare, compiled};
use programs::{Dice, padding, script};
use proptest::prelude::*;

proptest! {
    #![proptest_config(ProptestConfig::with_cases(800))]

    #[test]
    fn interpreter_and_machine_code_do_the_same(
        of_script in prop::collection::vec(any::<u8>(), 20..700),
        of_records in prop::collection::vec(any::<u8>(), 0..300),
    ) {
        let mut text = script(&mut Dice(&of_script));
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
    // A mistake is seen by its script and hardly by its record: scripts are to vary.
    const RECORDS: usize = 6;
    let number = |name: &str, usual| {
        std::env::var(name).ok().and_then(|value| value.parse().ok()).unwrap_or(usual)
    };
    let (cases, seed) = (number("DIFFERENTIAL_CASES", 100_000), number("DIFFERENTIAL_SEED", 1));
    let mut random = Random(seed);
    let (mut done, mut scripts) = (0_u64, 0_u64);
    while done < cases {
        let mut text = script(&mut Dice(&random.octets(700)));
        let long = scripts % 50 == 0;
        if long {
            text += &padding();
        }
        scripts += 1;
        let Some((program, plan)) = compiled(&text) else { continue };
        assert!(dup::Native::takes_long(&program) || !long);
        compare(&text, (&program, &plan), RECORDS, &mut Dice(&random.octets(100 * RECORDS)));
        done += 2 * RECORDS as u64;
    }
    eprintln!("{done} cases of {scripts} scripts");
}
