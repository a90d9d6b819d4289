//! Stored records that are read beside another record: neither takes the other's octets for its own.

use diagnostics::Source;
use format::{Formats as _, Keeping, ModuleTable, OperatorModules};
use proptest::prelude::*;
use record::{Arena, Memory, Record};
use settings::Setting;

const MODULE: &str = r"
M DEFINITIONS AUTOMATIC TAGS ::= BEGIN
Call ::= SEQUENCE { id INTEGER, note UTF8String OPTIONAL, leg Leg OPTIONAL, ids SEQUENCE OF INTEGER OPTIONAL, ... }
Leg ::= CHOICE { number UTF8String, trunk SEQUENCE { name UTF8String } }
END";

fn keeping() -> Box<dyn Keeping> {
    let folder = tempfile::tempdir().unwrap();
    std::fs::write(folder.path().join("m.asn1"), MODULE).unwrap();
    let value = "m.asn1".to_owned();
    let table = ModuleTable {
        source: Source::new("flow.toml", ""),
        folder: folder.path().into(),
        modules: vec![Setting { key: "modules".into(), value, span: Default::default() }],
        tagging: Vec::new(),
    };
    let mut mistakes = Vec::new();
    let modules = OperatorModules.load(&table, &mut mistakes);
    let mut types = modules.types(&[], &mut mistakes);
    let call = types.find("M.Call").unwrap();
    assert!(mistakes.is_empty(), "{mistakes:?}");
    types.finish().keeping(call).unwrap()
}

/// Reads records beside one that came in other octets, and checks that each is written as it was stored.
fn check(records: &[Vec<u8>]) {
    let keeping = keeping();
    let (mut codec, mut arena) = (keeping.codec(), Arena::new());
    let in_hand = b"\x30\x06\x80\x01\x7F\x81\x01Z";
    let read: Vec<Record> =
        records.iter().map(|octets| codec.read(octets, &mut arena).unwrap()).collect();
    let memory = Memory::new(in_hand, &mut arena);
    for (record, octets) in read.iter().zip(records) {
        let mut written = Vec::new();
        codec.write(&memory, *record, &mut written).unwrap();
        assert_eq!(written, *octets);
    }
}

#[test]
fn what_is_kept_is_read_as_it_was() {
    check(&[
        b"\x30\x03\x80\x01\x07".into(),
        b"\x30\x06\x80\x01\x07\x81\x01a".into(),
        // An alternative, a structure within one, a list, an element that the module does not know.
        b"\x30\x08\x80\x01\x08\xA2\x03\x80\x01b".into(),
        b"\x30\x0A\x80\x01\x08\xA2\x05\xA1\x03\x80\x01c".into(),
        b"\x30\x0B\x80\x01\x09\xA3\x06\x02\x01\x01\x02\x01\x02".into(),
        b"\x30\x06\x80\x01\x0A\x9F\x21\x00".into(),
        // A string in segments.
        b"\x30\x0B\x80\x01\x0B\xA1\x06\x0C\x01d\x0C\x01e".into(),
    ]);
}

proptest! {
    #[test]
    fn whatever_is_kept_is_read_as_it_was(calls in prop::collection::vec((any::<i8>(), ".{0,20}"), 1..8)) {
        let call = |(id, note): &(i8, String)| {
            let mut octets = vec![0x30, note.len() as u8 + 5, 0x80, 1, *id as u8, 0x81];
            octets.push(note.len() as u8);
            octets.extend(note.as_bytes());
            octets
        };
        check(&calls.iter().map(call).collect::<Vec<_>>());
    }
}
