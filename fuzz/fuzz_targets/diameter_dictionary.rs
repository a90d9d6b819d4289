//! Text that may be a dictionary: it is read, or its mistakes have places.
#![no_main]

use diagnostics::Source;
use diameter::dictionary::Dictionary;
use libfuzzer_sys::fuzz_target;

fuzz_target!(|octets: &[u8]| {
    let Ok(source) = Source::forgiven("fuzz.dictionary", octets.to_vec()) else { return };
    for mistake in Dictionary::standard(&[source]).err().into_iter().flatten() {
        let _ = mistake.to_string();
    }
});
