//! The product's own decoder, with the examples' modules, finds the results that the generator expects. The examples'
//! data decode too.

use std::path::PathBuf;

use asn1::ber::{Decoder, extent};
use asn1::{Modules, Plan, Resolver};
use diagnostics::Source;
use record::{Arena, TypeId};
use simulate::cdr::{self, Options};

#[test]
fn the_decoder_takes_sound_records_and_refuses_damaged_ones() {
    let (plan, ty) =
        load(&["msc-billing/asn1/msc.asn1", "msc-billing/asn1/billing.asn1"], "MSC.CallDataRecord");
    let options = Options {
        count: 20_000,
        overrun: 0.01,
        flipped: 0.01,
        truncated: 1.0,
        unknown_extensions: 0.1,
        ..Options::default()
    };
    for number in 0..options.files {
        let mut octets = Vec::new();
        let expected = cdr::generate_in_memory(&options, number, &mut octets).unwrap();
        let (sound, damaged) = count(&plan, ty, &octets);
        assert_eq!(sound, expected.billable + expected.non_billable, "file {number}");
        assert_eq!(damaged, expected.damaged.total(), "file {number}");
    }
}

#[test]
fn the_data_of_the_examples_decode() {
    let (plan, ty) = load(&["pgw/asn1/pgw.asn1"], "PGW.GatewayRecord");
    assert_eq!(count(&plan, ty, &read("pgw/in/pgw-1-0001.ber")), (3, 0));
    let (plan, ty) = load(&["tap/asn1/tap.asn1", "tap/asn1/report.asn1"], "TAP.TransferBatch");
    assert_eq!(count(&plan, ty, &read("tap/in/CDAAAAABBBBB00001")), (1, 0));
}

/// Returns the numbers of sound and damaged records in a file.
pub(crate) fn count(plan: &Plan, ty: TypeId, octets: &[u8]) -> (u64, u64) {
    let decoder = Decoder::new(plan, ty);
    let mut arena = Arena::new();
    let (mut sound, mut damaged, mut at) = (0, 0, 0);
    while at < octets.len() {
        let Ok(end) = extent(octets, at) else { return (sound, damaged + 1) };
        let Some(record) = octets.get(at..end) else { return (sound, damaged + 1) };
        arena.reset();
        match decoder.decode(record, &mut arena) {
            Ok(_) => sound += 1,
            Err(_) => damaged += 1,
        }
        at = end;
    }
    (sound, damaged)
}

/// Loads modules. Every type must resolve without a warning.
pub(crate) fn load(files: &[&str], root: &str) -> (Plan, TypeId) {
    let texts: Vec<_> =
        files.iter().map(|file| Source::forgiven(file.to_string(), read(file)).unwrap()).collect();
    let (modules, diagnostics) = Modules::read(&texts);
    assert!(diagnostics.is_empty(), "{}", diagnostics[0]);
    let mut resolver = Resolver::new(&modules);
    for name in modules.type_names() {
        assert!(resolver.resolve(&name).is_ok(), "{name}");
    }
    let ty = resolver.resolve(root).unwrap();
    (Plan::compile(resolver.finish()), ty)
}

fn read(file: &str) -> Vec<u8> {
    let examples = PathBuf::from(concat!(env!("CARGO_MANIFEST_DIR"), "/../../examples"));
    std::fs::read(examples.join(file)).unwrap()
}
