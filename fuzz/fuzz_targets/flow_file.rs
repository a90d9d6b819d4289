//! Text that may be a flow file: reading it never panics, and every mistake has a place.
#![no_main]

use std::path::Path;

use libfuzzer_sys::fuzz_target;

fuzz_target!(|octets: &[u8]| {
    let Ok(text) = std::str::from_utf8(octets) else { return };
    let (file, mut mistakes) =
        gateway::parse(Path::new("fuzz/flow.toml"), text.to_owned(), processing::KINDS);
    let mut schema = record::Schema::new();
    // Scripts are files; a flow of a fuzzer has none beside it.
    mistakes.extend(flow::graph::build(&file, processing::KINDS, &mut schema, flow::graph::Scripts::Built).1);
    for mistake in mistakes {
        let _ = mistake.to_string();
    }
});
