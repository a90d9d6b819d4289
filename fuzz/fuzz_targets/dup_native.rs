//! Random scripts on random records: the interpreter and machine code do the same.
#![no_main]

#[path = "../../crates/dup/tests/common/aliases.rs"]
mod aliases;
#[path = "../../crates/dup/tests/common/mod.rs"]
mod common;
#[path = "../../crates/dup/tests/common/compare.rs"]
mod compare;
#[path = "../../crates/dup/tests/common/programs.rs"]
mod programs;

use libfuzzer_sys::fuzz_target;
use programs::{Dice, script};

fuzz_target!(|octets: &[u8]| {
    let (of_script, of_records) = octets.split_at(octets.len() / 2);
    let text = script(&mut Dice(of_script));
    if let Some((program, plan)) = compare::compiled(&text) {
        compare::compare(&text, (&program, &plan), 8, &mut Dice(of_records));
    }
});
