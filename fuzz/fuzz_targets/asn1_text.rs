//! Text that may be modules: reading and resolving never panic, and end.
#![no_main]

use asn1::{Modules, Plan, Resolver};
use diagnostics::Source;
use libfuzzer_sys::fuzz_target;

fuzz_target!(|octets: &[u8]| {
    let Ok(source) = Source::forgiven("fuzz.asn1", octets.to_vec()) else { return };
    let (modules, diagnostics) = Modules::read(&[source]);
    for diagnostic in &diagnostics {
        let _ = diagnostic.to_string();
    }
    let mut resolver = Resolver::new(&modules);
    let mut whole = true;
    for name in modules.type_names().iter().take(50) {
        if let Err(mistakes) = resolver.resolve(name) {
            whole = false;
            for mistake in mistakes {
                let _ = mistake.to_string();
            }
        }
    }
    if whole {
        let _ = Plan::compile(resolver.finish());
    }
});
