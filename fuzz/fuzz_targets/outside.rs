//! Names, paths and lists that others write: nothing panics, and no name leads anywhere else.
#![no_main]

use libfuzzer_sys::fuzz_target;

fuzz_target!(|octets: &[u8]| remote::outside::hold(octets));
