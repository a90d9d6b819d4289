//! REAL in JSON, in both directions.

use asn1::ber::{Decoder, Encoder};
use asn1::{Modules, Plan, Resolver, jer};
use diagnostics::Source;
use proptest::prelude::*;
use record::{Arena, Memory};

/// Returns a number given as JSON after encoding, decoding and writing it.
fn again(json: &str) -> (Vec<u8>, String) {
    let module = Source::new("m.asn1", "M DEFINITIONS ::= BEGIN R ::= REAL END");
    let (modules, _) = Modules::read(&[module]);
    let mut resolver = Resolver::new(&modules);
    let ty = resolver.resolve("M.R").expect("the module is right");
    let plan = Plan::compile(resolver.finish());
    let mut arena = Arena::new();
    let mut memory = Memory::new(&[], &mut arena);
    let record = jer::read(&plan, &mut memory, ty, json.as_bytes()).expect("a number");
    let mut octets = Vec::new();
    Encoder::new(&plan, ty).encode(&memory, record, &mut octets).expect("a whole record");
    let mut arena = Arena::new();
    let record = Decoder::new(&plan, ty).decode(&octets, &mut arena).expect("what was encoded");
    let memory = Memory::new(&octets, &mut arena);
    let mut text = Vec::new();
    jer::write(&plan, &memory, record, jer::Options::default(), &mut text).expect("a whole record");
    (octets, String::from_utf8(text).expect("JSON is UTF-8"))
}

#[test]
fn numbers_are_encoded_in_the_shortest_binary_form() {
    for (json, octets) in [
        ("0", &[9, 0][..]),
        ("1", &[9, 3, 0x80, 0, 1]),
        ("-0.5", &[9, 3, 0xC0, 0xFF, 1]),
        ("10", &[9, 3, 0x80, 1, 5]),
        ("\"-INF\"", &[9, 1, 0x41]),
    ] {
        assert_eq!(again(json).0, octets, "{json}");
    }
}

proptest! {
    #[test]
    fn every_number_comes_back(value in any::<f64>().prop_filter("a number", |v| v.is_finite())) {
        let (_, text) = again(&format!("{value:e}"));
        prop_assert_eq!(text.trim_matches('"').parse::<f64>().map(f64::to_bits), Ok(value.to_bits()));
    }
}
