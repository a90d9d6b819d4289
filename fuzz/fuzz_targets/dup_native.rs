//! Random scripts on random records: the interpreter and machine code do the same.
#![no_main]

#[path = "../../crates/dup/tests/common/mod.rs"]
mod common;

use common::compare::{compare, compiled};
use common::programs::{Dice, script};
use libfuzzer_sys::fuzz_target;

fuzz_target!(|octets: &[u8]| {
    let (of_script, of_records) = octets.split_at(octets.len() / 2);
    let text = script(&mut Dice(of_script));
    if let Some((program, plan)) = compiled(&text) {
        compare(&text, (&program, &plan), 8, &mut Dice(of_records));
    }
});
