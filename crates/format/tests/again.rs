//! Pieces that were set aside are read again, shown and corrected, whatever their octets.

use std::collections::BTreeMap;

use diagnostics::{Source, Span};
use format::{Codecs, Excerpt, Formats as _, Input, ModuleTable, OperatorModules};
use proptest::prelude::*;
use record::shape::{Digits, Member, Says};
use record::{Arena, Opened};
use settings::{Setting, Settings};

const MODULE: &str = r"
M DEFINITIONS AUTOMATIC TAGS ::= BEGIN
Call ::= SEQUENCE { id INTEGER, note UTF8String OPTIONAL, paid BOOLEAN OPTIONAL }
Batch ::= SEQUENCE { sender UTF8String OPTIONAL, calls SEQUENCE OF Call }
Line ::= SEQUENCE { imsi IMSI }
IMSI ::= OCTET STRING
END";

/// The keys and values of a `decode` table.
type Table = &'static [(&'static str, &'static str)];

/// The settings of each format, with a record in that format.
const TABLES: [(Table, &[u8]); 13] = [
    (&[("type", "M.Call")], CALL),
    (&[("type", "M.Call"), ("gap", "1")], CALL),
    (&[("type", "M.Call"), ("framing", "length-2")], CALL),
    (&[("type", "M.Call"), ("framing", "ts-32.297")], CALL),
    (&[("type", "M.Call"), ("framing", "detect")], CALL),
    (&[("type", "M.Call"), ("framing", "batch")], CALL),
    (
        &[("type", "M.Batch"), ("framing", "batch"), ("list", "calls")],
        b"\x30\x80\xA1\x80\x30\x03\x80\x01\x07\0\0\0\0",
    ),
    (&[("type", "M.Call"), ("codec", "json")], b"{\"id\":7}"),
    (&[("type", "M.Call"), ("codec", "csv")], b"7,a,true\r\n"),
    (&[("type", "M.Call"), ("codec", "fixed"), ("columns", "id width 4")], b"7   "),
    (&[("type", "M.Call"), ("codec", "xml")], b"<Call><id>7</id></Call>"),
    (&[("type", "M.Line")], b"\x30\x05\x80\x03\x42\x00\xF1"),
    (&[("type", "M.Line"), ("codec", "json"), ("tbcd-as-digits", "true")], b"{\"imsi\":\"24001\"}"),
];

const CALL: &[u8] = b"\x30\x03\x80\x01\x07";

/// The header of the `csv` file.
const CONTEXT: &[u8] = b"id,note,paid\r\n";

fn settings(words: &[(&str, &str)]) -> Settings {
    let setting = |(key, value): &(&str, &str)| Setting {
        key: (*key).to_owned(),
        value: (*value).to_owned(),
        span: Span::default(),
    };
    Settings {
        name: "here".into(),
        span: Span::default(),
        source: Source::new("flow.toml", ""),
        folder: ".".into(),
        values: words.iter().map(setting).collect(),
    }
}

fn inputs() -> Vec<Box<dyn Input>> {
    let folder = tempfile::tempdir().unwrap();
    std::fs::write(folder.path().join("m.asn1"), MODULE).unwrap();
    let module = Setting { key: "modules".into(), value: "m.asn1".into(), span: Span::default() };
    let table = ModuleTable {
        source: Source::new("flow.toml", ""),
        folder: folder.path().into(),
        modules: vec![module],
        tagging: Vec::new(),
    };
    let mut mistakes = Vec::new();
    let modules = OperatorModules.load(&table, &mut mistakes);
    let tables: Vec<Settings> = TABLES.iter().map(|(words, _)| settings(words)).collect();
    let types = modules.types(&tables.iter().collect::<Vec<_>>(), &mut mistakes);
    assert!(mistakes.is_empty(), "{mistakes:?}");
    let types_of = tables.iter().map(|table| table.get("type").unwrap().value.clone());
    let types_of: Vec<_> = types_of.map(|name| types.schema().find(&name).unwrap()).collect();
    let codecs: Box<dyn Codecs> = types.finish();
    let input = |(table, ty): (&Settings, _)| codecs.input(table, ty, &Opened::none()).unwrap();
    tables.iter().zip(types_of).map(input).collect()
}

/// Returns the number of records and damaged pieces found in octets.
fn pieces(input: &dyn Input, octets: &[u8]) -> usize {
    let excerpt = Excerpt { context: CONTEXT, octets };
    let mut reader = input.reopen(&excerpt).unwrap();
    let (mut arena, mut pieces) = (Arena::new(), 0);
    while let Some(read) = reader.next(&mut arena).unwrap() {
        assert!(read.offset as usize <= octets.len());
        pieces += 1;
        assert!(pieces <= octets.len() + 1, "it comes to an end");
        arena.reset();
    }
    pieces
}

#[test]
fn a_record_is_one_piece_and_is_shown_and_written_as_it_was() {
    for (input, (table, octets)) in inputs().iter().zip(TABLES) {
        assert_eq!(pieces(&**input, octets), 1, "{table:?}");
        let excerpt = Excerpt { context: CONTEXT, octets };
        let json = input.show(&excerpt).unwrap_or_else(|reason| panic!("{table:?}: {reason}"));
        let written = input.correct(&excerpt, &json).unwrap();
        let again = input.show(&Excerpt { context: CONTEXT, octets: &written }).unwrap();
        assert_eq!(again, json, "{table:?}");
        if table.iter().all(|(key, _)| *key != "codec") {
            assert_eq!(written, *octets, "nothing was changed: {table:?}");
        }
    }
}

#[test]
fn what_may_be_said_in_a_record_is_told_of_all_formats() {
    for (input, (table, _)) in inputs().iter().zip(TABLES) {
        let types = input.shape().unwrap_or_else(|| panic!("{table:?}")).types;
        let said = types.iter().map(|shaped| (shaped.name.as_str(), shaped.says.clone()));
        let said: BTreeMap<&str, Says> = said.collect();
        assert_eq!(types[0].name, table[0].1);
        if table[0].1 == "M.Line" {
            let is_plain = table.contains(&("tbcd-as-digits", "true"));
            let digits = if is_plain { Digits::Plain } else { Digits::Packed };
            assert_eq!(said["M.IMSI"], Says::Digits(digits), "{table:?}");
            continue;
        }
        let Says::Structure(call) = &said["M.Call"] else { panic!("{said:?}") };
        let told = |member: &Member| {
            (member.name.clone(), types[member.ty.unwrap()].says.clone(), member.is_optional)
        };
        let expected = [
            ("id".to_owned(), Says::Integer, false),
            ("note".to_owned(), Says::Text, true),
            ("paid".to_owned(), Says::Boolean, true),
        ];
        assert_eq!(call.iter().map(told).collect::<Vec<_>>(), expected, "{table:?}");
    }
}

/// Behind the list of the batch are an element that hides the second batch's list, and its call.
#[test]
fn a_correction_that_would_not_be_read_again_is_refused() {
    let batch = TABLES.iter().position(|(table, _)| table[0].1 == "M.Batch").unwrap();
    let (input, record) = (&inputs()[batch], TABLES[batch].1);
    let mut octets = record.repeat(2);
    octets.splice(11..11, [&[1, 18][..], &[0; 12]].concat());
    let excerpt = Excerpt { context: b"", octets: &octets };
    let json = input.show(&excerpt).unwrap();
    let refused = input.correct(&excerpt, &json).unwrap_err();
    assert_eq!(refused.to_string(), "there is more than one record in these octets");
}

proptest! {
    #[test]
    fn any_octets_are_read_shown_and_corrected_or_refused(
        noise in prop::collection::vec(any::<u8>(), 0..60),
        at in 0..60_usize,
        times in 1..4_usize,
    ) {
        for (input, (_, record)) in inputs().iter().zip(TABLES) {
            let mut octets = record.repeat(times);
            let at = at.min(octets.len());
            octets.splice(at..at, noise.iter().copied());
            pieces(&**input, &octets);
            let excerpt = Excerpt { context: CONTEXT, octets: &octets };
            if let Ok(json) = input.show(&excerpt)
                && let Ok(written) = input.correct(&excerpt, &json)
            {
                let shown = input.show(&Excerpt { context: CONTEXT, octets: &written });
                prop_assert_eq!(shown.map_err(|error| error.to_string()), Ok(json));
            }
            let _ = input.correct(&excerpt, &noise);
        }
    }
}
