//! Text formats: output can be read again, and damage is reported with a reason.

use std::io;

use asn1::jer;
use diagnostics::{Diagnostic, Source, Span};
use format::{Codecs, Contents, Excerpt, Formats as _, ModuleTable, OperatorModules};
use record::{Arena, Memory, Opened};
use settings::{Setting, Settings};

const MODULE: &str = r"
M DEFINITIONS IMPLICIT TAGS ::= BEGIN
Call ::= SEQUENCE {
  imsi     [0] OCTET STRING,
  seconds  [1] INTEGER { none(0) } OPTIONAL,
  paid     [2] BOOLEAN OPTIONAL,
  kind     [3] ENUMERATED { voice(0), text(6) } OPTIONAL,
  note     [4] UTF8String OPTIONAL,
  place    [5] SEQUENCE { cell [0] INTEGER, area [1] IA5String OPTIONAL } OPTIONAL,
  services [6] SEQUENCE OF Service OPTIONAL,
  flags    [7] SEQUENCE OF BOOLEAN OPTIONAL,
  marks    [8] BIT STRING OPTIONAL,
  gone     [9] NULL OPTIONAL
}
Part ::= SEQUENCE {
  number [0] INTEGER,
  note   [1] UTF8String OPTIONAL,
  paid   [2] BOOLEAN OPTIONAL
}
Service ::= CHOICE { code [0] INTEGER, name [1] UTF8String }
END";

const CALL: &str = r#"{"imsi":"2143f5","seconds":61,"paid":true,"kind":"text","note":"a \"b\", <c>\n","place":{"cell":7,"area":"x y"}}"#;

pub(crate) struct Bench {
    pub(crate) codecs: Box<dyn Codecs>,
    pub(crate) plan: asn1::Plan,
    pub(crate) ty: record::TypeId,
}

pub(crate) fn settings(words: &[(&str, &str)]) -> Settings {
    let text: String = words.iter().map(|(key, value)| format!("{key} = {value}\n")).collect();
    let source = Source::new("flow.toml", text.as_str());
    let values = words
        .iter()
        .map(|(key, value)| {
            let start =
                text.find(&format!("{key} = {value}")).expect("it is there") + key.len() + 3;
            let span = Span::new(start, start + value.len());
            Setting { key: (*key).to_owned(), value: (*value).to_owned(), span }
        })
        .collect();
    Settings { name: "here".into(), span: Span::default(), source, folder: ".".into(), values }
}

fn bench() -> Bench {
    bench_of("M.Call")
}

pub(crate) fn bench_of(name: &str) -> Bench {
    bench_of_module(MODULE, name)
}

pub(crate) fn bench_of_module(notation: &str, name: &str) -> Bench {
    let folder = tempfile::tempdir().expect("a folder");
    std::fs::write(folder.path().join("m.asn1"), notation).expect("a file");
    let module = Setting { key: "modules".into(), value: "m.asn1".into(), span: Span::default() };
    let table = ModuleTable {
        source: Source::new("flow.toml", ""),
        folder: folder.path().into(),
        modules: vec![module],
        tagging: Vec::new(),
    };
    let mut mistakes = Vec::new();
    let modules = OperatorModules.load(&table, &mut mistakes);
    let asked = settings(&[("type", name)]);
    let types = modules.types(&[&asked], &mut mistakes);
    assert!(mistakes.is_empty(), "{mistakes:?}");
    let ty = types.schema().find(name).expect("it was resolved");
    let codecs = types.finish();
    let (modules, _) = asn1::Modules::read(&[Source::new("m.asn1", notation)]);
    let mut resolver = asn1::Resolver::new(&modules);
    resolver.resolve(name).expect("the module is right");
    Bench { codecs, plan: asn1::Plan::compile(resolver.finish()), ty }
}

pub(crate) fn first(mistakes: Vec<Diagnostic>) -> String {
    mistakes.first().map(|mistake| mistake.message.clone()).unwrap_or_default()
}

pub(crate) struct Octets(pub(crate) Vec<u8>);

impl Contents for Octets {
    fn size(&self) -> io::Result<u64> {
        Ok(self.0.len() as u64)
    }

    fn octets(&self) -> io::Result<Box<dyn io::Read>> {
        self.octets_from(0)
    }

    fn octets_from(&self, offset: u64) -> io::Result<Box<dyn io::Read>> {
        Ok(Box::new(io::Cursor::new(self.0[offset as usize..].to_vec())))
    }

    /// Returns memory that was used before.
    fn memory(&self) -> Vec<u8> {
        b"<\n".repeat(500)
    }
}

impl Bench {
    /// Returns records given as JSON as a codec writes them.
    pub(crate) fn write(
        &self,
        options: &[(&str, &str)],
        records: &[&str],
    ) -> Result<String, String> {
        let output = self.codecs.output(&settings(options), self.ty).map_err(first)?;
        let mut writer = output.writer();
        let mut out = Vec::new();
        writer.begin(&mut out);
        for json in records {
            let mut arena = Arena::new();
            let mut memory = Memory::new(&[], &mut arena);
            let record =
                jer::read(&self.plan, &mut memory, self.ty, json.as_bytes()).expect("a record");
            writer.write(&memory, record, &mut out).map_err(|error| error.to_string())?;
        }
        writer.end(&mut out);
        Ok(String::from_utf8(out).expect("text"))
    }

    /// Reads a file with a codec. Returns records as JSON, or their errors.
    pub(crate) fn read(&self, options: &[(&str, &str)], file: &str) -> Vec<String> {
        self.read_octets(options, file.as_bytes())
    }

    /// Returns what is skipped before the first piece, and the offset of that piece, or of the end of the file.
    pub(crate) fn passed_over(
        &self,
        options: &[(&str, &str)],
        file: &[u8],
    ) -> (Vec<(String, u64)>, u64) {
        let file = Octets(file.to_vec());
        let input = self.codecs.input(&settings(options), self.ty, &Opened::All).map_err(first);
        let input = input.expect("the settings are right");
        let mut reader = input.open(&file).expect("it is there");
        let read = reader.next(&mut Arena::new()).expect("it can be read");
        let offset = read.map_or(file.0.len() as u64, |read| read.offset);
        let passed = reader.passed_over().into_iter();
        (passed.map(|passed| (passed.what.into_owned(), passed.octets)).collect(), offset)
    }

    /// Corrects a record as JSON. Returns the new octets or the error.
    pub(crate) fn try_correct(
        &self,
        options: &[(&str, &str)],
        octets: &[u8],
        json: &str,
    ) -> Result<Vec<u8>, String> {
        let input = self.codecs.input(&settings(options), self.ty, &Opened::All).map_err(first)?;
        let corrected = input.correct(&Excerpt { context: b"", octets }, json.as_bytes());
        corrected.map_err(|error| error.to_string())
    }

    /// Corrects the first piece set aside of a file as JSON. Returns the new octets and the result of reading them.
    pub(crate) fn corrected(
        &self,
        options: &[(&str, &str)],
        file: &[u8],
        json: &str,
    ) -> (Vec<u8>, Vec<String>) {
        let file = Octets(file.to_vec());
        let input = self.codecs.input(&settings(options), self.ty, &Opened::All).map_err(first);
        let input = input.expect("the settings are right");
        let mut reader = input.open(&file).expect("it is there");
        let mut arena = Arena::new();
        let octets = loop {
            arena.reset();
            let read = reader.next(&mut arena).expect("it can be read").expect("one is no record");
            if read.record.is_err() {
                break read.octets.to_vec();
            }
        };
        let context = reader.context().to_vec();
        let excerpt = Excerpt { context: &context, octets: &octets };
        let octets = input.correct(&excerpt, json.as_bytes()).expect("it is a record");
        let excerpt = Excerpt { context: &context, octets: &octets };
        let shown = input.show(&excerpt).map(|json| String::from_utf8(json).expect("text"));
        let shown = shown.unwrap_or_else(|error| error.to_string());
        (octets, vec![shown])
    }

    pub(crate) fn read_octets(&self, options: &[(&str, &str)], file: &[u8]) -> Vec<String> {
        let folder = tempfile::tempdir().expect("a folder");
        let path = folder.path().join("file");
        std::fs::write(&path, file).expect("a file");
        let input = match self.codecs.input(&settings(options), self.ty, &Opened::All) {
            Ok(input) => input,
            Err(mistakes) => return vec![first(mistakes)],
        };
        let mut reader = input.open(&path).expect("it is there");
        let mut found = Vec::new();
        let mut arena = Arena::new();
        loop {
            arena.reset();
            let Some(read) = reader.next(&mut arena).expect("it can be read") else { return found };
            found.push(read.record.map_or_else(
                |error| error.to_string(),
                |record| {
                    let memory = Memory::new(read.octets, &mut arena);
                    let mut text = Vec::new();
                    jer::write(&self.plan, &memory, record, jer::Options::default(), &mut text)
                        .expect("a record");
                    String::from_utf8(text).expect("text")
                },
            ));
        }
    }
}

#[test]
fn json_lines() {
    let bench = bench();
    let options = [("codec", "json")];
    let written = bench.write(&options, &[CALL, r#"{"imsi":"00"}"#]).unwrap();
    assert_eq!(written, format!("{CALL}\n{{\"imsi\":\"00\"}}\n"));
    assert_eq!(bench.read(&options, &written), [CALL, r#"{"imsi":"00"}"#]);
    let found = bench
        .read(&options, "{\"imsi\":\"00\"}\r\n\n{\"imsi\":\n{\"imsy\":\"00\"}\n{\"imsi\":\"01\"}");
    assert_eq!(found.len(), 4);
    assert_eq!((found[0].as_str(), found[3].as_str()), (r#"{"imsi":"00"}"#, r#"{"imsi":"01"}"#));
    assert!(found[2].contains("has no field \"imsy\""), "{}", found[2]);
}

#[test]
fn a_record_that_is_not_whole_is_not_written() {
    let bench = bench();
    for codec in ["ber", "json", "xml"] {
        assert_eq!(
            bench.write(&options_of(codec), &[r#"{"seconds":1}"#]),
            Err("\"imsi\" of \"M.Call\" is missing, and is not OPTIONAL".to_owned())
        );
    }
}

#[test]
fn csv_with_the_columns_of_the_type() {
    let bench = bench_of("M.Part");
    let options = [("codec", "csv")];
    let part = r#"{"number":1,"note":"a \"b\", <c>\n","paid":true}"#;
    let written = bench.write(&options, &[part, r#"{"number":2}"#]).unwrap();
    assert_eq!(written, "number,note,paid\r\n1,\"a \"\"b\"\", <c>\n\",true\r\n2,,\r\n");
    assert_eq!(bench.read(&options, &written), [part, r#"{"number":2}"#]);
}

#[test]
fn csv_with_chosen_columns() {
    let bench = bench();
    let options = [
        ("codec", "csv"),
        ("columns", "subscriber = imsi as tbcd"),
        ("columns", "place.cell"),
        ("columns", "seconds"),
        ("separator", ";"),
    ];
    let written = bench.write(&options, &[CALL]).unwrap();
    assert_eq!(written, "subscriber;place.cell;seconds\r\n12345;7;61\r\n");
    let again = [r#"{"imsi":"2143f5","seconds":61,"place":{"cell":7}}"#];
    assert_eq!(bench.read(&options, &written), again);
    // The first line gives the order of the columns; there may be others.
    assert_eq!(bench.read(&options, "seconds;x;subscriber;place.cell\n61;?;12345;7\n"), again);
    assert_eq!(
        bench.read(&options, "seconds;subscriber\n61;12345\n"),
        ["the file has no column \"place.cell\"; its line of names is \"seconds;subscriber\""]
    );
    let no_header = [&options[..], &[("header", "false")]].concat();
    assert_eq!(bench.read(&no_header, "12345;7;61\n"), again);
    assert_eq!(
        bench.read(&no_header, "12345;7\n1a345;7;61\n;7;sixty\n"),
        [
            "the line has 2 values, 3 are expected",
            r#"{"imsi":"e143f5","seconds":61,"place":{"cell":7}}"#,
            "column \"seconds\": \"sixty\" is not a whole number",
        ]
        .map(|text| text.replace("e143f5", "c143f5"))
    );
}

#[test]
fn columns_of_fixed_width() {
    let bench = bench();
    let options = [
        ("codec", "fixed"),
        ("columns", "imsi as tbcd width 8"),
        ("columns", "seconds width 6 right fill 0"),
        ("columns", "kind width 5"),
    ];
    let records = [CALL, r#"{"imsi":"00","seconds":0}"#];
    let written = bench.write(&options, &records).unwrap();
    assert_eq!(written, "12345   000061text \n00      000000     \n");
    assert_eq!(
        bench.read(&options, &written),
        [r#"{"imsi":"2143f5","seconds":61,"kind":"text"}"#, r#"{"imsi":"00","seconds":0}"#]
    );
    assert_eq!(bench.read(&options, "12345\n"), ["the line has 5 characters, 19 are expected"]);
    let narrow = [("codec", "fixed"), ("columns", "seconds width 1")];
    assert_eq!(
        bench.write(&narrow, &[CALL]),
        Err("the value of \"seconds\" has 2 characters, the column has 1".into())
    );
}

#[test]
fn xml() {
    let bench = bench();
    let options = [("codec", "xml")];
    let whole = r#"{"imsi":"2143f5","seconds":61,"paid":true,"kind":"text","note":"a \"b\", <c>","place":{"cell":7,"area":"x y"},"services":[{"code":1},{"name":"n&m"}],"flags":[true,false],"gone":null}"#;
    let written = bench.write(&options, &[whole, r#"{"imsi":"00"}"#]).unwrap();
    assert_eq!(
        written,
        concat!(
            "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<records>\n",
            "<Call><imsi>2143f5</imsi><seconds>61</seconds><paid><true/></paid><kind><text/></kind>",
            "<note>a \"b\", &lt;c&gt;</note><place><cell>7</cell><area>x y</area></place>",
            "<services><code>1</code><name>n&amp;m</name></services>",
            "<flags><true/><false/></flags><gone></gone></Call>\n",
            "<Call><imsi>00</imsi></Call>\n</records>\n"
        )
    );
    assert_eq!(bench.read(&options, &written), [whole, r#"{"imsi":"00"}"#]);
    let foreign = "<x a=\"b\"><!-- c --><Call>\n <imsi> 0A </imsi><note>&#65;<![CDATA[<]]></note></Call>\n\
        <Call><imsy/></Call><Calls/><Call><imsi>0G</imsi></Call></x>";
    assert_eq!(
        bench.read(&options, foreign),
        [
            r#"{"imsi":"0a","note":"A<"}"#,
            "no component is named \"imsy\"",
            "an element \"Calls\" stands here, \"Call\" is expected; if it is no record, name it in \"pass-over\"",
            "\"imsi\": \"0G\" is not a value of its type",
        ]
    );
}

#[test]
fn damaged_xml_costs_no_neighbour() {
    let bench = bench();
    let call = r#"{"imsi":"00"}"#;
    let cut = "the file ends before \"x\" does: it may be cut off";
    for (file, expected) in [
        (
            "<x>#<Call><imsi>00</imsy></Call>##</x>",
            &[call, "\"imsy\" ends where \"imsi\" is open", call, call][..],
        ),
        (
            "<x>#<Call><imsi>00</imsi>##</x>",
            &[call, "the record does not end before the next \"Call\"", call, call],
        ),
        ("<x>##</Call>#</x>", &[call, call, "\"Call\" ends where \"x\" is open", call]),
        (
            "<x>#</Call><Call><imsi/></Call>#</x>",
            &[call, "\"Call\" ends where \"x\" is open", "{\"imsi\":\"\"}", call],
        ),
        ("<x># junk #</x>", &[call, "text stands where records are expected", call]),
        ("<x>#</x>\n<?xml version=\"1.0\"?><y>#</y>\n", &[call, call]),
        ("##", &[call, call]),
        ("<x>#", &[call, cut]),
        ("<x>#<Call><imsi>00", &[call, "the file ends within a record", cut]),
        ("<x><!-- #", &["the file ends within a record", call, cut]),
        ("\u{feff}<x>##</x>", &[call, call]),
        (
            "<x>#<![CDATA[junk]]>#&amp;#</x>",
            &[
                call,
                "text stands where records are expected",
                call,
                "text stands where records are expected",
                call,
            ],
        ),
        ("<x><Call>&amp;<imsi>00</imsi></Call></x>", &["text stands where elements are expected"]),
        ("<x>#</x>\n<!-- made by x -->\n<?y z?>", &[call]),
        ("<!-- made by x --><x>#<!-- one --></x>", &[call]),
        ("<x>#<Call><imsi>00</imsy></Call></x>", &[call, "\"imsy\" ends where \"imsi\" is open"]),
    ] {
        let file = file.replace('#', "<Call><imsi>00</imsi></Call>");
        assert_eq!(bench.read(&options_of("xml"), &file), expected, "{file}");
    }
    // A reference crosses the end of the octets in memory.
    let long =
        format!("<x><Call><imsi>00</imsi><note>x{}</note></Call></x>", "&amp;".repeat(80_000));
    assert!(bench.read(&options_of("xml"), &long)[0].starts_with(r#"{"imsi":"00","note":"x&&"#));
    // Damage that is longer than the octets searched at once.
    let long = format!("<x>{}<!-- {}", "<Call><imsi>00</imsi></Call>", "-".repeat(40 << 20));
    let long = long + "<Call><imsi>00</imsi></Call></x>";
    let found = bench.read(&options_of("xml"), &long);
    assert_eq!((found[0].as_str(), found.last().unwrap().as_str()), (call, call));
}

#[test]
fn hostile_files_do_not_cost_the_square_of_their_size() {
    let bench = bench();
    let found = bench.read(&options_of("xml"), &"<Call><!--".repeat(200_000));
    assert!(!found.is_empty());
    let columns = [("codec", "csv"), ("columns", "imsi"), ("columns", "note")];
    let found =
        bench.read(&columns, &("imsi,note\n".to_owned() + &"00\",\"\"\"\n".repeat(200_000)));
    assert!(found.iter().all(|found| found == "a quote is not closed"), "{}", found.len());
}

fn options_of(codec: &str) -> [(&str, &str); 1] {
    [("codec", codec)]
}

#[test]
fn a_quote_that_is_not_closed_costs_no_neighbour() {
    let bench = bench();
    let options = [("codec", "csv"), ("columns", "imsi"), ("columns", "note"), ("separator", ";")];
    let (first, last) = (r#"{"imsi":"00","note":"a"}"#, r#"{"imsi":"01","note":"b\nc"}"#);
    for (damaged, reason) in [
        ("02;\"open\r\n", "characters stand behind a closing quote"),
        ("02;\"clo\"sed\r\n", "characters stand behind a closing quote"),
        ("02;\"x\";\"y\r\n", "characters stand behind a closing quote"),
        ("02\r\n", "the line has 1 values, 2 are expected"),
    ] {
        let file = format!("imsi;note\r\n00;a\r\n{damaged}00;a\r\n01;\"b\nc\"\r\n\r\n00;a\r\n");
        assert_eq!(bench.read(&options, &file), [first, reason, first, last, first], "{file}");
    }
    assert_eq!(
        bench.read(&options, "imsi;note\n00;a\n02;\"open\n00;a\n00;a\n"),
        [first, "a quote is not closed", first, first]
    );
    // With valid quotes a line is one record, whatever its number of values. A part of a long line is no record.
    let long = "x".repeat(1_500_000);
    for (line, reason) in [
        ("01;\"x\n7\";8;9", "the line has 5 values, 2 are expected".to_owned()),
        (long.as_str(), "a line of more than 1 MiB a line of more than 1 MiB".to_owned()),
    ] {
        let found = bench.read(&options, &format!("imsi;note\n00;a\n{line};5\n00;a\n"));
        assert_eq!(found.first().map(String::as_str), Some(first));
        assert_eq!(found[1..found.len() - 1].join(" "), reason);
        assert_eq!(found.last().map(String::as_str), Some(first));
    }
    assert_eq!(
        bench.read(&options, "imsi;note\n00; \"q\" t\n \"0\";a\n"),
        [
            r#"{"imsi":"00","note":" \"q\" t"}"#,
            "column \"imsi\": \" \"0\"\" is not an even number of hexadecimal digits"
        ]
    );
    for (header, reason) in [
        ("imsi;\"note", "the line of names: a quote is not closed"),
        (
            "imsi;note;imsi",
            "the file has the column \"imsi\" twice; its line of names is \"imsi;note;imsi\"",
        ),
    ] {
        assert_eq!(bench.read(&options, &format!("{header}\n00;a\n")), [reason]);
    }
}

#[test]
fn options_without_a_meaning_are_mistakes() {
    let bench = bench();
    for (options, mistake) in [
        (&[("codec", "cvs")][..], "the codec \"cvs\" is not known here"),
        (
            &[("codec", "json"), ("framing", "records")],
            "\"framing\" has no meaning for the codec \"json\"",
        ),
        (&[("framing", "length-3")], "the framing \"length-3\" is not known here"),
        (&[("framing", "records"), ("list", "services")], "only framing = \"batch\" has a list"),
        (&[("framing", "batch"), ("list", "place")], "\"place\" is not a list"),
        (&[("skip", "x")], "\"skip\" is a number, not \"x\""),
        (&[("codec", "csv"), ("columns", "imsy")], "\"M.Call\" has no field \"imsy\""),
        (
            &[("codec", "csv"), ("columns", "place")],
            "\"place\" is a structure, a column is one value",
        ),
        (
            &[("codec", "csv")],
            "a line has no place for what is structured in \"M.Call\": place, services, flags",
        ),
        (
            &[("codec", "csv"), ("columns", "note as tbcd")],
            "\"note\" is no OCTET STRING, there are no digits in its octets",
        ),
        (&[("codec", "csv"), ("columns", "imsi as dec")], "values are not written as \"dec\""),
        (
            &[("codec", "csv"), ("columns", "paid as hex")],
            "\"paid\" is no string, \"as\" has no meaning",
        ),
        (
            &[("codec", "csv"), ("columns", "imsi"), ("separator", ";;")],
            "\"separator\" is one character",
        ),
        (
            &[("codec", "csv"), ("columns", "x = imsi"), ("columns", "x = note")],
            "two columns are called \"x\"",
        ),
        (&[("codec", "fixed")], "columns of fixed width must be named"),
        (&[("codec", "fixed"), ("columns", "imsi")], "the column has no width"),
        (
            &[("codec", "fixed"), ("columns", "imsi width 0")],
            "the width is a number from 1 to 4096",
        ),
    ] {
        assert_eq!(bench.read(options, ""), [mistake], "{options:?}");
    }
}

#[test]
fn a_line_of_one_value_is_a_line_and_two_alternatives_are_none() {
    let one = [("codec", "csv"), ("columns", "imsi"), ("columns", "note")];
    let bench = bench();
    let single = [("codec", "csv"), ("columns", "note")];
    let records = [r#"{"imsi":"00"}"#, r#"{"imsi":"00","note":"a"}"#];
    let written = bench.write(&single, &records).unwrap();
    assert_eq!(written, "note\r\n\"\"\r\na\r\n");
    assert_eq!(bench.write(&one, &records).unwrap(), "imsi,note\r\n00,\r\n00,a\r\n");
    let both = [
        ("codec", "csv"),
        ("columns", "imsi"),
        ("columns", "code = services[0].code"),
        ("columns", "name = services[0].name"),
        ("columns", "flag = flags[1]"),
    ];
    assert_eq!(
        bench.read(&both, "imsi,code,name,flag\n00,5,,\n00,,x,\n00,5,x,\n"),
        [
            r#"{"imsi":"00","services":[{"code":5}]}"#,
            r#"{"imsi":"00","services":[{"name":"x"}]}"#,
            "column \"name\": another alternative of its CHOICE has a value",
        ]
    );
}

/// Returns each value of the first record of a text: its name, its type, its octets in the record and its text. Checks
/// that the record can be read if `is_record` is true, and cannot otherwise.
fn taken_apart(words: &[(&str, &str)], text: &str, is_record: bool) -> Vec<String> {
    let Bench { codecs, ty, .. } = bench();
    let input = codecs.input(&settings(words), ty, &Opened::All).expect("the settings are right");
    let folder = tempfile::tempdir().expect("a folder");
    let path = folder.path().join("x");
    std::fs::write(&path, text).expect("a file");
    let mut reader = input.open(&path).expect("a file");
    let mut arena = Arena::new();
    let read = reader.next(&mut arena).expect("no fault").expect("a record");
    assert_eq!(read.record.is_ok(), is_record, "{:?}", read.record);
    let octets = read.octets.to_vec();
    let context = reader.context().to_vec();
    let anatomy = input.take_apart(&format::Excerpt { context: &context, octets: &octets });
    let mut lines = Vec::new();
    for part in anatomy.parts.iter().flat_map(record::Part::all) {
        let place = std::str::from_utf8(&octets[part.place.clone()]).expect("UTF-8");
        let content = std::str::from_utf8(&octets[part.content.clone()]).expect("UTF-8");
        assert!(place.contains(content));
        if let Some(value) = &part.value {
            lines.push(format!("{} {} <{place}> <{content}> {value}", part.name, part.ty));
        }
    }
    lines.extend(anatomy.damage.map(|(at, reason)| format!("{at}: {reason}")));
    lines
}

#[test]
fn a_line_of_columns_is_taken_apart_into_its_values() {
    let columns =
        [("type", "M.Call"), ("codec", "csv"), ("columns", "imsi"), ("columns", "what = note")];
    let text = "what,more,imsi\n\"a \"\"b\"\", c\",x,2143f5\n";
    assert_eq!(
        taken_apart(&columns, text, true),
        [
            "what UTF8String <\"a \"\"b\"\", c\"> <a \"\"b\"\", c> a \"b\", c",
            "more  <x> <x> x",
            "imsi OCTET STRING <2143f5> <2143f5> 2143f5",
        ]
    );
    assert_eq!(
        taken_apart(&columns, "what,imsi\nonly this\n", false),
        ["what UTF8String <only this> <only this> only this"]
    );
}

#[test]
fn a_line_of_fixed_width_is_taken_apart_as_far_as_it_goes() {
    let columns = [
        ("type", "M.Call"),
        ("codec", "fixed"),
        ("columns", "imsi width 8"),
        ("columns", "seconds width 4 right fill 0"),
    ];
    let imsi = "imsi OCTET STRING <2143f5  > <2143f5> 2143f5";
    assert_eq!(
        taken_apart(&columns, "2143f5  0061\n", true),
        [imsi, "seconds INTEGER <0061> <61> 61"]
    );
    assert_eq!(taken_apart(&columns, "2143f5  00\n", false), [imsi, "seconds INTEGER <00> <0> 0"]);
    assert_eq!(
        taken_apart(&columns, "2143f5  0061xy\n", false),
        [imsi, "seconds INTEGER <0061> <61> 61", "?  <xy> <xy> xy"]
    );
}

#[test]
fn json_is_taken_apart_with_the_place_of_each_value() {
    let words = [("type", "M.Call"), ("codec", "json")];
    let line = r#"{"imsi": "2143f5", "place":{"cell":7}, "services":[{"code":3},{"name":"a\"b"}]}"#;
    assert_eq!(
        taken_apart(&words, &format!("{line}\n"), true),
        [
            "imsi OCTET STRING <\"2143f5\"> <2143f5> 2143f5",
            "cell INTEGER <7> <7> 7",
            "code INTEGER <3> <3> 3",
            "name UTF8String <\"a\\\"b\"> <a\\\"b> a\"b",
        ]
    );
    let lines = taken_apart(&words, "{\"imsi\": 2143f5}\n", false);
    assert!(lines[0].starts_with("13: expected `,` or `}`"), "{lines:?}");
    let deep = format!("{}1{}\n", "[".repeat(100), "]".repeat(100));
    assert_eq!(taken_apart(&words, &deep, false).len(), 1);
}

#[test]
fn xml_is_taken_apart_with_the_place_of_each_element() {
    let words = [("type", "M.Call"), ("codec", "xml")];
    let call = "<Call><imsi>2143F5</imsi><paid><true/></paid><note>a &lt; b</note><services><code>3</code><name>x</name></services></Call>";
    assert_eq!(
        taken_apart(&words, call, true),
        [
            "imsi OCTET STRING <<imsi>2143F5</imsi>> <2143F5> 2143F5",
            "paid BOOLEAN <<paid><true/></paid>> <<true/>> true",
            "note UTF8String <<note>a &lt; b</note>> <a &lt; b> a < b",
            "[0] code INTEGER <<code>3</code>> <3> 3",
            "[1] name UTF8String <<name>x</name>> <x> x",
        ]
    );
    let lines = taken_apart(&words, "<Call><imsi>2143F5</imsi><note>a", false);
    assert_eq!(lines[0], "imsi OCTET STRING <<imsi>2143F5</imsi>> <2143F5> 2143F5");
    assert!(lines.iter().any(|line| line.contains("ends too early")), "{lines:?}");
    let deep = format!("<Call>{}", "<place>".repeat(100));
    taken_apart(&words, &deep, false);
}
