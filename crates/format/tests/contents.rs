//! Contents octets that X.690 does not allow. Codecs that convert values refuse them; the codec that writes octets
//! leaves them unchanged.

use asn1::ber::Decoder;
use diagnostics::{Source, Span};
use format::{Formats as _, ModuleTable, OperatorModules};
use record::{Arena, Memory};
use settings::{Setting, Settings};

/// Types, and contents octets they do not allow.
const FAULTS: [(&str, &[u8]); 20] = [
    ("BOOLEAN", &[]),
    ("BOOLEAN", &[0, 1]),
    ("INTEGER", &[]),
    ("ENUMERATED { a(0), ... }", &[]),
    ("NULL", &[0]),
    ("BIT STRING", &[]),
    ("BIT STRING", &[6]),
    ("BIT STRING", &[8, 0xFF]),
    ("BIT STRING (SIZE (4))", &[9, 0xFF]),
    ("OBJECT IDENTIFIER", &[]),
    ("OBJECT IDENTIFIER", &[0x2A, 0x86]),
    ("RELATIVE-OID", &[]),
    ("REAL", &[0xB0, 1, 1]),
    ("REAL", &[0, 0x35]),
    ("REAL", &[4, 0x35]),
    ("REAL", &[0x44]),
    ("BMPString", &[0xD8, 0x3D]),
    ("UniversalString", &[0, 0, 0]),
    ("UTF8String", &[0x63, 0xE9]),
    ("IA5String", &[0x93, 0x8C]),
];

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

/// Returns the record as each codec writes it.
fn written(ty: &str, octets: &[u8]) -> Vec<(&'static str, Result<Vec<u8>, String>)> {
    let folder = tempfile::tempdir().unwrap();
    let text = format!("M DEFINITIONS IMPLICIT TAGS ::= BEGIN R ::= SEQUENCE {{ v [0] {ty} }} END");
    std::fs::write(folder.path().join("m.asn1"), &text).unwrap();
    let module = Setting { key: "modules".into(), value: "m.asn1".into(), span: Span::default() };
    let table = ModuleTable {
        source: Source::new("flow.toml", ""),
        folder: folder.path().into(),
        modules: vec![module],
        tagging: Vec::new(),
    };
    let mut mistakes = Vec::new();
    let modules = OperatorModules.load(&table, &mut mistakes);
    let types = modules.types(&[&settings(&[("type", "M.R")])], &mut mistakes);
    assert!(mistakes.is_empty(), "{mistakes:?}");
    let ty = types.schema().find("M.R").unwrap();
    let codecs = types.finish();
    let (modules, _) = asn1::Modules::read(&[Source::new("m.asn1", text)]);
    let mut resolver = asn1::Resolver::new(&modules);
    resolver.resolve("M.R").unwrap();
    let plan = asn1::Plan::compile(resolver.finish());
    let write = |codec: &'static str| {
        let (mut arena, mut out) = (Arena::new(), Vec::new());
        let record = Decoder::new(&plan, ty).decode(octets, &mut arena).unwrap();
        let output = codecs.output(&settings(&[("codec", codec)]), ty).unwrap();
        let memory = Memory::new(octets, &mut arena);
        let written = output.writer().write(&memory, record, &mut out);
        (codec, written.map(|()| out).map_err(|error| error.to_string()))
    };
    ["ber", "json", "xml"].map(write).into()
}

#[test]
fn contents_octets_that_no_value_has_are_written_by_no_codec_as_one() {
    for (ty, content) in FAULTS {
        let value = [&[0x80, content.len() as u8], content].concat();
        let record = [&[0x30, value.len() as u8], value.as_slice()].concat();
        for (codec, written) in written(ty, &record) {
            match codec {
                "ber" => assert_eq!(written, Ok(record.clone())),
                _ => assert!(written.is_err(), "{ty} {content:02X?} in {codec}: {written:?}"),
            }
        }
    }
}
