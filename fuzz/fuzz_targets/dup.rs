//! Text that may be a script: compiling never panics, what compiles runs to an end, and what is
//! formatted is formatted.
#![no_main]

use std::path::Path;
use std::sync::{Arc, LazyLock};

use asn1::{Modules, Resolver};
use diagnostics::Source;
use libfuzzer_sys::fuzz_target;
use record::{Arena, Memory};

static MODULES: LazyLock<Modules> = LazyLock::new(|| {
    let text = include_str!("../../examples/msc-billing/asn1/msc.asn1");
    Modules::read(&[Source::new("msc", text)]).0
});

fuzz_target!(|octets: &[u8]| {
    let Ok(source) = Source::decoded("fuzz.dup", octets.to_vec()) else { return };
    if let Ok(formatted) = dup::format(&source) {
        let again = dup::format(&Source::new("fuzz.dup", formatted.as_str()));
        assert_eq!(again.as_deref().ok(), Some(formatted.as_str()));
    }
    let mut resolver = Resolver::new(&MODULES);
    // Tables are files; a script of a fuzzer has none beside it.
    let compiled = dup::compile(&source, Path::new("/nonexistent"), &mut resolver);
    for diagnostic in &compiled.diagnostics {
        let _ = diagnostic.to_string();
    }
    let Some(program) = compiled.program else { return };
    let program = Arc::new(program);
    let mut machine = dup::Machine::new(Arc::clone(&program));
    for (place, function) in program.functions().iter().enumerate().take(4) {
        let schema = program.schema();
        if !function.parameters.iter().all(|p| schema.kind(p.ty).is_constructed()) {
            continue;
        }
        let mut arena = Arena::new();
        let mut memory = Memory::new(&[], &mut arena);
        let arguments: Vec<_> =
            function.parameters.iter().map(|p| memory.create(p.ty).root).collect();
        if let Err(fault) = machine.call(place, &mut memory, &arguments) {
            let _ = program.describe(&fault);
        }
    }
    for (place, test) in program.tests().iter().enumerate().take(4) {
        let mut arena = Arena::new();
        if test.fixtures.is_empty() {
            let _ = machine.test(place, &mut Memory::new(&[], &mut arena), &[]);
        }
    }
});
