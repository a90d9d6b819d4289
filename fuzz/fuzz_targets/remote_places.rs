//! Text that may be a flow file with remote places, or addresses and patterns: nothing panics, and no secret is told.
#![no_main]

use std::sync::LazyLock;

use libfuzzer_sys::fuzz_target;

/// What every environment has, and stands for a secret: `${PATH}`.
static SECRET: LazyLock<String> = LazyLock::new(|| std::env::var("PATH").expect("there is one"));

fuzz_target!(|octets: &[u8]| {
    let Ok(text) = std::str::from_utf8(octets) else { return };
    transport::outside::hold(text);
    gateway::outside::hold(text, &SECRET, processing::KINDS, remote::SCHEMES);
});
