//! Files of performance measurements as records: their values, their octets, and real files.

use std::collections::BTreeMap;
use std::path::PathBuf;

use diagnostics::{Source, Span};
use format::{Codecs, Excerpt, Formats as _, Input, ModuleTable, OperatorModules, Reader};
use record::{Arena, Memory, Opened, TypeId};
use settings::{Setting, Settings};

use crate::text::{Octets, first, settings};

const TYPE: &str = "Measurements.Measurement";

const FILE: &str = r#"<?xml-stylesheet type="text/xsl" href="a.xsl"?>
<?xml version="1.0" encoding="UTF-8"?>
<measCollecFile><fileHeader vendorName="A &amp; B" dnPrefix="P"><fileSender localDn="S" elementType="RNC"/></fileHeader>
<measData><managedElement localDn="N" userLabel="Ü" swVersion="1"/>
<measInfo measInfoId="I"><job jobId="J"/><granPeriod duration="PT900S" endTime="2026-03-01T14:15:00+02:00"/>
<measType p="1">a</measType><measType p="2">b</measType><measType p="3">c</measType><measType p="4">d</measType>
<measValue measObjLdn="O"><r p="1">5</r><r p="2">0.50</r><r p="3">1,,2.5e1</r><r p="4">on</r></measValue>
<measValue measObjLdn="Q"><r p="9">5</r></measValue>
<measValue measObjLdn="R"><r p="1">18446744073709551615</r><suspect>true</suspect></measValue>
</measInfo></measData></measCollecFile>"#;

struct Bench {
    codecs: Box<dyn Codecs>,
    ty: TypeId,
}

fn table(words: &[(&str, &str)]) -> Settings {
    let mut table = settings(&[&[("codec", "measurements")], words].concat());
    format::complete(&mut table);
    table
}

fn bench() -> Bench {
    let modules = ModuleTable {
        source: Source::new("flow.toml", ""),
        folder: PathBuf::from("."),
        modules: Vec::new(),
        tagging: Vec::new(),
    };
    let mut mistakes = Vec::new();
    let loaded = OperatorModules.load(&modules, &mut mistakes);
    let types = loaded.types(&[&table(&[])], &mut mistakes);
    assert!(mistakes.is_empty(), "{mistakes:?}");
    let ty = types.schema().find(TYPE).expect("the module is there");
    Bench { codecs: types.finish(), ty }
}

/// What was read: JSON or the reason, and the offset and octets.
struct Found {
    record: Result<String, String>,
    offset: u64,
    octets: Vec<u8>,
}

impl Bench {
    fn input(&self, words: &[(&str, &str)]) -> Box<dyn Input> {
        self.codecs
            .input(&table(words), self.ty, &Opened::All)
            .map_err(first)
            .expect("the settings are right")
    }

    fn all(&self, mut reader: Box<dyn Reader + '_>) -> Vec<Found> {
        let json = settings(&[("codec", "json")]);
        let output =
            self.codecs.output(&json, self.ty).map_err(first).expect("the settings are right");
        let (mut writer, mut arena, mut found) = (output.writer(), Arena::new(), Vec::new());
        loop {
            arena.reset();
            let Some(read) = reader.next(&mut arena).expect("it is in memory") else {
                return found;
            };
            let record = read.record.map_err(|reason| reason.to_string()).map(|record| {
                let mut out = Vec::new();
                writer
                    .write(&Memory::new(read.octets, &mut arena), record, &mut out)
                    .expect("it has a JSON form");
                String::from_utf8(out).expect("it is text").trim_end().to_owned()
            });
            found.push(Found { record, offset: read.offset, octets: read.octets.to_vec() });
        }
    }

    fn read(&self, words: &[(&str, &str)], file: &[u8]) -> Vec<Found> {
        let input = self.input(words);
        self.all(input.open(&Octets(file.to_vec())).expect("it is in memory"))
    }
}

fn lines(found: &[Found]) -> Vec<String> {
    found
        .iter()
        .map(|found| found.record.clone().unwrap_or_else(|reason| format!("! {reason}")))
        .collect()
}

const HEAD: &str = "\"format\":\"ts32435\",\"vendor\":\"A & B\",\"sender\":\"S\",\"senderType\":\"RNC\",\"prefix\":\"P\",\
    \"element\":\"N\",\"elementLabel\":\"Ü\",\"softwareVersion\":\"1\",\"info\":\"I\",\"job\":\"J\",\
    \"begin\":\"20260301140000+0200\",\"end\":\"20260301141500+0200\",\"seconds\":900";

fn expected() -> [String; 3] {
    [
        format!(
            "{{{HEAD},\"object\":\"O\",\"suspect\":false,\"counters\":[\
             {{\"name\":\"a\",\"value\":{{\"integer\":5}}}},{{\"name\":\"b\",\"value\":{{\"real\":0.5}}}},\
             {{\"name\":\"c\",\"value\":{{\"list\":[{{\"integer\":1}},{{\"none\":null}},{{\"real\":25.0}}]}}}},\
             {{\"name\":\"d\",\"value\":{{\"text\":\"on\"}}}}]}}"
        ),
        "! a result is of the counter 9, and the info has no counter with this number".into(),
        format!(
            "{{{HEAD},\"object\":\"R\",\"suspect\":true,\"counters\":[\
             {{\"name\":\"a\",\"value\":{{\"real\":1.8446744073709552e19}}}},\
             {{\"name\":\"b\"}},{{\"name\":\"c\"}},{{\"name\":\"d\"}}]}}"
        ),
    ]
}

#[test]
fn a_row_is_a_record_of_the_built_in_module() {
    let (bench, file) = (bench(), FILE.as_bytes());
    let found = bench.read(&[], file);
    assert_eq!(lines(&found), expected());
    for found in &found {
        assert!(file[found.offset as usize..].starts_with(b"<measValue"));
    }
    let input = bench.input(&[]);
    let mut reader = input.open(&Octets(file.to_vec())).unwrap();
    let offset = reader.next(&mut Arena::new()).unwrap().unwrap().offset;
    let passed: Vec<_> = reader
        .passed_over()
        .into_iter()
        .map(|passed| (passed.what.into_owned(), passed.octets))
        .collect();
    let declaration = ("an XML declaration that is not at the beginning".to_owned(), 38);
    assert_eq!(passed[0], declaration);
    assert_eq!(passed.iter().map(|(_, octets)| octets).sum::<u64>(), offset);
}

#[test]
fn a_record_is_read_again_from_its_own_octets() {
    let bench = bench();
    let input = bench.input(&[]);
    for (found, expected) in bench.read(&[], FILE.as_bytes()).iter().zip(expected()) {
        let excerpt = Excerpt { context: b"", octets: &found.octets };
        assert_eq!(
            lines(&bench.all(input.reopen(&excerpt).unwrap())),
            std::slice::from_ref(&expected)
        );
        let shown = input.show(&excerpt).map(|json| String::from_utf8(json).unwrap());
        assert_eq!(
            shown.map_err(|reason| format!("! {reason}")).unwrap_or_else(|reason| reason),
            expected
        );
    }
}

/// What records have in common is made once, and again when it changes.
#[test]
fn each_record_has_what_is_around_its_own_row() {
    let row = |object: &str| {
        format!("<measValue measObjLdn=\"{object}\"><r p=\"1\">5</r><r p=\"2\">on</r></measValue>")
    };
    let period = |end: &str| format!("<granPeriod duration=\"PT60S\" endTime=\"{end}\"/>");
    let info = |id: &str, name: &str, rows: &[String]| {
        format!(
            "<measInfo measInfoId=\"{id}\">{}<measType p=\"1\">{name}</measType><measType p=\"2\">b</measType>{}</measInfo>",
            period("2026-03-01T14:15:00Z"),
            rows.concat()
        )
    };
    let rows = [row("A"), row("B &lt; C"), period("2026-03-01T14:20:00Z"), row("D")];
    let damaged = "<measValue measObjLdn=\"X\"><r p=\"9\">5</r></measValue>".to_owned();
    let sections = [
        format!(
            "<measData><managedElement localDn=\"N &amp; 1\" userLabel=\"L\"/>{}{}</measData>",
            info("I", "a", &rows),
            info("J", "a &amp; b", &rows)
        ),
        format!(
            "<measData><managedElement localDn=\"N2\"/>{}{}</measData>",
            info("I", "<![CDATA[a]]>", &[row("A"), damaged, row("B")]),
            info("", "c", &rows)
        ),
    ];
    let file = format!(
        "<measCollecFile><fileHeader vendorName=\"V &amp; W\"/>{}</measCollecFile>",
        sections.concat()
    );
    let (bench, omes) = (
        bench(),
        "<OMeS><PMSetup startTime=\"2026-03-15T21:00:00\" interval=\"60\"><PMMOResult><MO><DN>A&amp;1</DN><DN>B</DN></MO>\
        <S><a>1</a></S><T><b>2</b><a>1</a></T></PMMOResult><PMMOResult><MO><DN>C</DN></MO><S><c>1</c></S></PMMOResult></PMSetup></OMeS>",
    );
    for (file, records) in [(file.as_str(), 11), (omes, 3)] {
        let (found, input) = (bench.read(&[], file.as_bytes()), bench.input(&[]));
        assert_eq!(found.iter().filter(|found| found.record.is_ok()).count(), records);
        for one in &found {
            let alone = Excerpt { context: b"", octets: &one.octets };
            let again = bench.all(input.reopen(&alone).unwrap());
            assert_eq!(lines(&again), lines(std::slice::from_ref(one)));
        }
        let mut all = lines(&found);
        all.sort();
        all.dedup();
        assert_eq!(all.len(), found.len(), "each has its own");
    }
}

#[test]
fn every_value_is_shown_at_its_place() {
    let bench = bench();
    let input = bench.input(&[]);
    let found = bench.read(&[], FILE.as_bytes());
    let octets = &found[0].octets;
    let anatomy = input.take_apart(&Excerpt { context: b"", octets });
    let shown: Vec<String> = anatomy
        .parts
        .iter()
        .flat_map(record::Part::all)
        .filter_map(|part| {
            let written = String::from_utf8_lossy(&octets[part.content.clone()]);
            Some(format!("{}={} {written}", part.name, part.value.as_ref()?))
        })
        .collect();
    assert_eq!(
        shown,
        [
            "vendor=A & B A &amp; B",
            "sender=S S",
            "senderType=RNC RNC",
            "prefix=P P",
            "element=N N",
            "elementLabel=Ü Ü",
            "softwareVersion=1 1",
            "info=I I",
            "job=J J",
            "begin=20260301140000+0200 ",
            "end=20260301141500+0200 ",
            "seconds=900 ",
            "object=O O",
            "suspect=FALSE ",
            "a=5 5",
            "b=0.50 0.50",
            "c=1,,2.5e1 1,,2.5e1",
            "d=on on",
        ]
    );
    let octets = &found[1].octets;
    let (at, reason) =
        input.take_apart(&Excerpt { context: b"", octets }).damage.expect("it is damaged");
    assert!(octets[at..].starts_with(b"<measValue measObjLdn=\"Q\""), "{reason}");
}

#[test]
fn records_are_written_and_read_as_ber_like_those_of_an_operators_module() {
    let bench = bench();
    let ber = settings(&[("type", TYPE)]);
    let (input, output) = (bench.input(&[]), bench.codecs.output(&ber, bench.ty).unwrap());
    let mut reader = input.open(&Octets(FILE.as_bytes().to_vec())).unwrap();
    let (mut written, mut arena, mut writer) = (Vec::new(), Arena::new(), output.writer());
    while let Some(read) = reader.next(&mut arena).unwrap() {
        if let Ok(record) = read.record {
            writer.write(&Memory::new(read.octets, &mut arena), record, &mut written).unwrap();
        }
        arena.reset();
    }
    let input = bench.codecs.input(&ber, bench.ty, &Opened::All).map_err(first).unwrap();
    let found = bench.all(input.open(&Octets(written)).unwrap());
    let [one, _, three] = expected();
    assert_eq!(lines(&found), [one, three]);
}

#[test]
fn counters_limit_what_is_read_and_rows_without_any_are_no_records() {
    let bench = bench();
    let names = |words: &[(&str, &str)]| -> Vec<String> {
        let found = bench.read(words, FILE.as_bytes());
        found
            .iter()
            .filter_map(|found| {
                Some(found.record.as_ref().ok()?.split_once("\"counters\":")?.1.to_owned())
            })
            .collect()
    };
    assert_eq!(
        names(&[("counters", "b*")]),
        ["[{\"name\":\"b\",\"value\":{\"real\":0.5}}]}", "[{\"name\":\"b\"}]}"]
    );
    assert!(bench.read(&[("counters", "x")], FILE.as_bytes()).is_empty());
    // What is meant counts, not how the file writes it.
    let file = FILE.replace("UTF-8", "latin1").replace(">a<", "> é &amp; a <");
    let file: Vec<u8> = file.chars().map(|character| character as u8).collect();
    let found = lines(&bench.read(&[("counters", " é & a")], &file));
    let only = "\"counters\":[{\"name\":\"é & a\",\"value\":{\"integer\":5}}]}";
    assert!(found.len() == 3 && found[0].ends_with(only), "{found:?}");
    let wrong = bench
        .codecs
        .input(&table(&[("counters", "a*b")]), bench.ty, &Opened::All)
        .map_err(first)
        .err();
    assert_eq!(wrong.unwrap(), "a \"*\" stands at the end of the name of a counter, or nowhere");
}

#[test]
fn other_encodings_of_ascii_are_read() {
    let bench = bench();
    let text = FILE.replace("UTF-8", "ISO-8859-1");
    let latin: Vec<u8> = text.chars().map(|character| character as u8).collect();
    let found = bench.read(&[], &latin);
    assert_eq!(lines(&found), expected());
    let input = bench.input(&[]);
    let again = input.reopen(&Excerpt { context: b"", octets: &found[0].octets }).unwrap();
    assert_eq!(lines(&bench.all(again))[0], expected()[0]);
    let malformed = FILE.replace('Ü', "X").into_bytes();
    let place = malformed.iter().position(|octet| *octet == b'X').unwrap();
    let malformed = [&malformed[..place], b"\xDC", &malformed[place + 1..]].concat();
    let found = bench.read(&[], &malformed);
    assert_eq!(
        found.iter().filter(|found| found.record.is_err()).count(),
        3,
        "{:?}",
        lines(&found)
    );
}

#[test]
fn a_mark_counts_more_than_a_declaration_and_that_more_than_the_setting() {
    let bench = bench();
    let check = |words: &[(&str, &str)], file: &[u8]| {
        let found = bench.read(words, file);
        assert_eq!(lines(&found), expected());
        let input = bench.input(words);
        for (found, expected) in found.iter().zip(expected()) {
            let again = Excerpt { context: b"", octets: &found.octets };
            assert_eq!(lines(&bench.all(input.reopen(&again).unwrap())), [expected]);
        }
    };
    let latin = |text: &str| -> Vec<u8> { text.chars().map(|one| one as u8).collect() };
    let (undeclared, setting) = (FILE.replace(" encoding=\"UTF-8\"", ""), ("encoding", "latin1"));
    for file in [&undeclared, &FILE.replace("UTF-8", "ISO-8859-1")] {
        check(&[setting], format!("\u{feff}{file}").as_bytes());
        check(&[setting], &latin(file));
    }
    check(&[setting], FILE.as_bytes());
    // What looks like a declaration in a comment, or in a value, is none.
    let file = format!("<!-- <?xml version=\"1.0\" encoding=\"UTF-16\"?> -->{undeclared}");
    check(&[], file.as_bytes());
}

#[test]
fn a_file_of_utf16_is_refused_in_every_form() {
    let bench = bench();
    let declared = FILE.replace("UTF-8", "UTF-16");
    let bare = &FILE[FILE.find("<measCollecFile").unwrap()..];
    let first = declared.find("<?xml ").unwrap();
    let widths: [fn(u16) -> [u8; 2]; 2] = [u16::to_le_bytes, u16::to_be_bytes];
    for (order, width) in ["UTF-16LE", "UTF-16BE"].into_iter().zip(widths) {
        let wide = |text: &str| -> Vec<u8> { text.encode_utf16().flat_map(width).collect() };
        let marked = format!("\u{feff}{declared}");
        for file in [&marked, &declared[first..], &declared, bare] {
            let reason = format!(
                "! files of measurements are read in UTF-8 and other encodings that have the octets of ASCII, not this one: {order}"
            );
            assert_eq!(lines(&bench.read(&[], &wide(file))), [reason]);
        }
    }
}

#[test]
fn a_file_larger_than_memory_is_read_in_parts() {
    let bench = bench();
    let (begin, end) = FILE.split_once("<measValue measObjLdn=\"Q\"").unwrap();
    let row = "<measValue measObjLdn=\"X\"><r p=\"1\">1</r></measValue>\n";
    let file = format!("{begin}{}<measValue measObjLdn=\"Q\"{end}", row.repeat(40_000));
    let found = bench.read(&[], file.as_bytes());
    assert_eq!(found.len(), 40_003);
    assert_eq!(found.iter().filter(|found| found.record.is_ok()).count(), 40_002);
    assert!(
        found
            .iter()
            .all(|found| file.as_bytes()[found.offset as usize..].starts_with(b"<measValue"))
    );
    // An info whose head is damaged is refused from its beginning, in pieces of a bounded size.
    let damaged = file.replace("PT900S", "900X");
    let found = bench.read(&[], damaged.as_bytes());
    let offset = damaged.find("<measInfo").unwrap() as u64;
    assert_eq!((found.len(), found[0].offset), (1, offset));
    let damaged = file.replace("PT900S", "900X").replace(row, &row.repeat(3));
    let found = bench.read(&[], damaged.as_bytes());
    assert!(
        found.len() > 1
            && found.iter().all(|found| found.record.is_err() && found.octets.len() < 5 << 20)
    );
}

/// A module of an operator for files of TS 32.436, and a file that another encoder wrote.
const TS_32436: &str = r"
PM DEFINITIONS AUTOMATIC TAGS ::= BEGIN
MeasDataCollection ::= SEQUENCE {
  measFileHeader  SEQUENCE { fileFormatVersion INTEGER, senderName UTF8String, senderType PrintableString, vendorName PrintableString, collectionBeginTime GeneralizedTime },
  measData        SEQUENCE OF MeasData,
  measFileFooter  GeneralizedTime
}
MeasData ::= SEQUENCE { nEId SEQUENCE { nEUserName PrintableString, nEDistinguishedName UTF8String }, measInfo SEQUENCE OF MeasInfo }
MeasInfo ::= SEQUENCE {
  measStartTime GeneralizedTime, granularityPeriod INTEGER, measTypes SEQUENCE OF PrintableString,
  measValues SEQUENCE OF SEQUENCE { measObjInstId UTF8String, measResults SEQUENCE OF Result, suspectFlag BOOLEAN DEFAULT FALSE }
}
Result ::= CHOICE { iValue INTEGER (0..4294967295), rValue REAL, noValue NULL, ... }
END";

const TS_32436_FILE: &str = "30820109a0278001018105524e432d318203524e4383074578616d706c65840d3230323630333031313430305aa181ce3073\
    a01980054e6f72746881104d616e61676564456c656d656e743d31a1563054800d3230323630333031313430305a81020384\
    a2101308617474656d70747313046c6f6164a32d3013800643656c6c3d31a10980020159810380fe033016800643656c6c3d\
    32a1098200800500ffffffff8201ff3057a0198005536f75746881104d616e61676564456c656d656e743d32a13a3038800d\
    3230323630333031313430305a81020384a2101308617474656d70747313046c6f6164a311300f800643656c6c3d33a10580\
    01008200820d3230323630333031313431355a";

#[test]
fn a_file_of_ts_32436_is_read_by_an_operators_module() {
    let folder = tempfile::tempdir().unwrap();
    std::fs::write(folder.path().join("pm.asn1"), TS_32436).unwrap();
    let (source, value) = (Source::new("flow.toml", ""), "pm.asn1".into());
    let module = Setting { key: "modules".into(), value, span: Span::default() };
    let (folder, modules, tagging) = (folder.path().into(), vec![module], Vec::new());
    let modules = ModuleTable { source, folder, modules, tagging };
    let decode = [("type", "PM.MeasDataCollection"), ("framing", "batch"), ("list", "measData")];
    let decode = settings(&decode);
    let loaded = OperatorModules.load(&modules, &mut Vec::new());
    let types = loaded.types(&[&decode], &mut Vec::new());
    let ty = types.schema().find("PM.MeasDataCollection").expect("the module is there");
    let bench = Bench { codecs: types.finish(), ty };
    let octets = TS_32436_FILE.as_bytes().as_chunks::<2>().0.iter();
    let octets =
        octets.map(|two| u8::from_str_radix(std::str::from_utf8(two).unwrap(), 16).unwrap());
    let input = bench.codecs.input(&decode, ty, &Opened::All).map_err(first).unwrap();
    let found = lines(&bench.all(input.open(&Octets(octets.collect())).unwrap()));
    assert_eq!(found.len(), 2, "{found:?}");
    for part in [
        "\"nEDistinguishedName\":\"ManagedElement=1\"",
        "\"measResults\":[{\"iValue\":345},{\"rValue\":0.75}]",
        "\"measResults\":[{\"noValue\":null},{\"iValue\":4294967295}],\"suspectFlag\":true",
    ] {
        assert!(found[0].contains(part), "{}", found[0]);
    }
}

/// Returns the real files, which are not part of the repository; none if they are not here.
fn real_files() -> Vec<PathBuf> {
    let data = std::env::var_os("TOLLGATE_DATA").map_or_else(
        || PathBuf::from(concat!(env!("CARGO_MANIFEST_DIR"), "/../../../shared/data")),
        PathBuf::from,
    );
    let (mut folders, mut files) = (vec![data.join("pm")], Vec::new());
    while let Some(folder) = folders.pop() {
        let Ok(entries) = std::fs::read_dir(folder) else { continue };
        for path in entries.flatten().map(|entry| entry.path()) {
            if path.is_dir() { folders.push(path) } else { files.push(path) }
        }
    }
    files.sort();
    if files.is_empty() {
        eprintln!("skipped: no real files here; set TOLLGATE_DATA to their folder");
    }
    files
}

/// Real files are read, or refused with a reason that they give. Prints a table of them with `--nocapture`.
#[test]
fn real_files_are_read_or_refused() {
    let bench = bench();
    for path in real_files() {
        let mut octets = std::fs::read(&path).unwrap();
        if path.extension().is_some_and(|ending| ending == "gz") {
            let unpacked = std::process::Command::new("gzip").arg("-dc").arg(&path).output();
            octets = unpacked.expect("gzip runs").stdout;
        }
        let found = bench.read(&[], &octets);
        let mut reasons = BTreeMap::new();
        let (mut records, mut counters) = (0, 0);
        for found in &found {
            match &found.record {
                Ok(json) => {
                    records += 1;
                    counters +=
                        json.matches("\"integer\":").count() + json.matches("\"real\":").count();
                }
                Err(reason) => *reasons.entry(reason.clone()).or_insert(0) += 1,
            }
        }
        let name = path
            .components()
            .rev()
            .take(4)
            .map(|part| part.as_os_str().to_string_lossy().into_owned());
        let name = name.collect::<Vec<_>>().into_iter().rev().collect::<Vec<_>>().join("/");
        eprintln!("{records:>4} {counters:>6} {name} {reasons:?}");
        if path.to_string_lossy().contains("seliitdus00487") {
            // Counted by other means: 2,231 numbers, and 9,284 in lists.
            assert_eq!((records, counters, reasons.len()), (125, 11_515, 0));
        }
    }
}
