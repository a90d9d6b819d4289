//! Octets from outside: decoding never panics, and what was decoded is encoded to the same octets,
//! changed or not, and survives JSON.
#![no_main]

use std::sync::LazyLock;

use asn1::ber::{Decoder, Encoder, extent};
use asn1::{Modules, Plan, Resolver, jer};
use diagnostics::Source;
use libfuzzer_sys::fuzz_target;
use record::{Arena, Memory, TypeId};

static PLAN: LazyLock<(Plan, Vec<TypeId>)> = LazyLock::new(|| {
    let text = include_str!("../../examples/msc-billing/asn1/msc.asn1");
    let tap = include_str!("../../examples/tap/asn1/tap.asn1");
    let (modules, _) = Modules::read(&[Source::new("msc", text), Source::new("tap", tap)]);
    let mut resolver = Resolver::new(&modules);
    let types = ["MSC.CallDataRecord", "TAP.TransferBatch", "TAP.CallEventDetail"]
        .map(|name| resolver.resolve(name).expect("the module is right"));
    (Plan::compile(resolver.finish()), types.to_vec())
});

fuzz_target!(|octets: &[u8]| {
    let (plan, types) = &*PLAN;
    let _ = extent(octets, 0);
    for ty in types {
        let mut arena = Arena::new();
        let Ok((record, end)) = Decoder::new(plan, *ty).decode_first(octets, &mut arena) else { continue };
        let octets = &octets[..end];
        let memory = Memory::new(octets, &mut arena);
        let mut out = Vec::new();
        Encoder::new(plan, *ty).encode(&memory, record, &mut out).expect("it came as octets");
        assert_eq!(out, octets);
        let mut json = Vec::new();
        if jer::write(plan, &memory, record, jer::Options::default(), &mut json).is_ok() {
            let mut again = Arena::new();
            let _ = jer::read(plan, &mut Memory::new(&[], &mut again), *ty, &json);
        }
    }
});
