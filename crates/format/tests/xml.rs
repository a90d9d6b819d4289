//! XML as other systems write it: which elements are records, and the meaning of their values.

use diagnostics::encoding::Named;

use crate::text::{Bench, bench_of_module};

const MODULE: &str = r"
M DEFINITIONS AUTOMATIC TAGS ::= BEGIN
Call ::= SEQUENCE {
  id    INTEGER { none(0), many(99) } OPTIONAL,
  data  OCTET STRING OPTIONAL,
  note  UTF8String OPTIONAL,
  wide  BMPString OPTIONAL,
  real  REAL OPTIONAL,
  flags BIT STRING { a(0), c(2) } OPTIONAL,
  bits  BIT STRING OPTIONAL,
  gone  NULL OPTIONAL,
  place SEQUENCE { cell INTEGER OPTIONAL, ... } OPTIONAL,
  parts SEQUENCE OF SEQUENCE { cell INTEGER OPTIONAL } OPTIONAL,
  kind  CHOICE { one INTEGER, ... } OPTIONAL
}
Open ::= SEQUENCE { id INTEGER OPTIONAL, ... }
END";

fn bench(name: &str) -> Bench {
    bench_of_module(MODULE, name)
}

const XML: [(&str, &str); 1] = [("codec", "xml")];

/// Checks the numbers of a file's calls, and other results.
fn check(file: &str, settings: &[(&str, &str)], expected: &[&str]) {
    let settings = [&XML[..], settings].concat();
    let found: Vec<String> = bench("M.Call").read(&settings, file);
    let number = |read: &String| {
        let number = read.strip_prefix("{\"id\":").and_then(|rest| rest.strip_suffix('}'));
        number.map_or_else(|| read.clone(), str::to_owned)
    };
    assert_eq!(found.iter().map(number).collect::<Vec<_>>(), expected, "{file}");
}

/// Returns a file in which `#n` is a call with that number.
fn file(text: &str) -> String {
    let mut parts = text.split('#');
    let mut file = parts.next().unwrap_or_default().to_owned();
    for part in parts {
        let (number, rest) = part.split_at(1);
        file.push_str(&format!("<Call><id>{number}</id></Call>{rest}"));
    }
    file
}

#[test]
fn nothing_is_a_record_that_stands_in_other_markup_whatever_is_damaged() {
    // Markup with arbitrary content that is not an element.
    let markup = ["<!-- # -->", "<!-- - -- > # --->", "<?x # ?>"];
    // Damage before it, after which records are searched for.
    let damage = [
        "",
        "junk",
        "<Call><id>7</ie></Call>",
        "<Call><id>",
        "</Call>",
        "<Call <x>",
        "<![CDATA[#8]]>",
    ];
    for markup in markup {
        for damage in damage {
            for (before, behind) in [("", ""), (" ", "\n"), ("#1", "#2"), ("<a>", "#2</a>")] {
                for long in [0, 300_000] {
                    let commented = markup.replace('#', &"#9".repeat(1 + long / 28));
                    let text = format!("<x>{before}{damage}{commented}{behind}#3</x>");
                    let read = bench("M.Call").read(&XML, &file(&text));
                    let calls = |n: u8| read.iter().any(|read| *read == format!("{{\"id\":{n}}}"));
                    assert!(calls(3), "{text:.200}: {read:?}");
                    assert!(!calls(8) && !calls(9), "{text:.200}");
                    assert_eq!(calls(1), before == "#1", "{text:.200}: {read:?}");
                    assert_eq!(calls(2), behind.starts_with("#2"), "{text:.200}: {read:?}");
                    assert_eq!(read.iter().all(|read| read.starts_with('{')), damage.is_empty());
                }
            }
        }
    }
    // The document type and the start of the root element belong to the damage.
    let junk =
        ["text stands where records are expected", "1", "an element ends that did not begin"];
    check(&file("junk<!DOCTYPE x [<!ENTITY y '#9'>]><x>#1</x>"), &[], &junk);
}

#[test]
fn a_comment_that_does_not_end_is_damage() {
    let text = file("<x>#1<!-- #2</x>");
    check(&text, &[], &["1", "the file ends within a record", "2"]);
}

#[test]
fn elements_may_be_around_the_records() {
    let trailer = "an element \"trailer\" stands here, \"Call\" is expected; if it is no record, name it in \"pass-over\"";
    let header = trailer.replace("trailer", "header");
    let whole = "<file><header><made>2026</made></header><body a='b'>#1 #2</body><trailer><n>2</n></trailer></file>";
    check(&file(whole), &[], &[&header, "1", "2", trailer]);
    let passed = [("pass-over", "header"), ("pass-over", "trailer")];
    check(&file(whole), &passed, &["1", "2"]);
    check(&file("<a><b><c>#1</c></b><b>#2</b><b/></a>"), &[("pass-over", "b")], &["1", "2"]);
    check(&file("<header/>#1<a>#2</a>#3"), &passed, &["1", "2", "3"]);
    check(
        &file("<a><b>#1<Call><id>5</c>#2</b></a>"),
        &[],
        &["1", "\"c\" ends where \"id\" is open", "2"],
    );
    check(&file("<a><b>#1"), &[], &["1", "the file ends before \"a\" does: it may be cut off"]);
    let deep = format!("{}#1{}", "<a>".repeat(100), "</a>".repeat(100));
    assert!(bench("M.Call").read(&XML, &file(&deep)).contains(&"{\"id\":1}".to_owned()));
    let found = bench("M.Call").read(&[("codec", "xml"), ("pass-over", "Call")], "");
    assert_eq!(found, ["\"Call\" is the element of a record, it is not passed over"]);
}

/// Returns a message without the bounds of the expected range.
fn without_bounds(message: &str) -> String {
    match message.split_once(" is not a whole number") {
        Some((found, _)) => format!("{found} is not a whole number"),
        None => message.to_owned(),
    }
}

/// Reads the content of a record of a type.
fn read(name: &str, content: &str) -> String {
    let bench = bench(name);
    let element = name.strip_prefix("M.").expect("a name of the module");
    let found = bench.read(&XML, &format!("<x><{element}>{content}</{element}></x>"));
    assert_eq!(found.len(), 1, "{content}: {found:?}");
    without_bounds(&found[0])
}

#[test]
fn values_may_be_written_as_x_680_has_them() {
    for (content, expected) in [
        ("<data> 0A 1f\n2B </data>", r#"{"data":"0a1f2b"}"#),
        ("<bits>01 01\n1</bits>", r#"{"bits":{"value":"58","length":5}}"#),
        ("<flags><c/><a/></flags>", r#"{"flags":{"value":"a0","length":3}}"#),
        ("<flags>101</flags>", r#"{"flags":{"value":"a0","length":3}}"#),
        ("<real><PLUS-INFINITY/></real>", r#"{"real":"INF"}"#),
        ("<real> <MINUS-INFINITY /> </real>", r#"{"real":"-INF"}"#),
        ("<real><NOT-A-NUMBER/></real>", r#"{"real":"NaN"}"#),
        ("<real>INF</real>", r#"{"real":"INF"}"#),
        ("<real> 1.5E1 </real>", r#"{"real":15.0}"#),
        ("<id><many/></id>", r#"{"id":99}"#),
        ("<id>many</id>", r#"{"id":99}"#),
        ("<gone></gone>", r#"{"gone":null}"#),
        ("<gone> <!-- --> </gone>", r#"{"gone":null}"#),
        ("<note>a\r\nb\rc&#13;<bel/><nul/></note>", "{\"note\":\"a\\nb\\nc\\r\\u0007\\u0000\"}"),
        ("<note> <![CDATA[a\r\n]]> </note>", r#"{"note":" a\n "}"#),
        ("<wide> a\r\n\u{e9}\"</wide>", "{\"wide\":\" a\\n\u{e9}\\\"\"}"),
        ("<gone>x</gone>", "\"gone\": \"x\" is not nothing, which is all that a NULL has"),
        ("<data>0A 1</data>", "\"data\": \"0A1\" is not a value of its type"),
        ("<real><INFINITY/></real>", "\"real\": \"INFINITY\" is not a REAL"),
        ("<flags><b/></flags>", "\"flags\": the bits of this BIT STRING have other names"),
        ("<id><many/><none/></id>", "\"id\": a value of two names"),
        ("<id>1<many/></id>", "\"id\": a value of a name and text"),
        ("<note><x/></note>", "\"note\": an element \"x\" stands within a value"),
        (
            "<place><cell>x\u{1b}[2J</cell></place>",
            "\"place.cell\": \"x\\u{1b}[2J\" is not a whole number",
        ),
        (
            "<parts><SEQUENCE/><SEQUENCE><cell>x</cell></SEQUENCE></parts>",
            "\"parts[1].cell\": \"x\" is not a whole number",
        ),
    ] {
        assert_eq!(read("M.Call", content), expected, "{content}");
    }
}

#[test]
fn what_is_written_can_be_read() {
    let bench = bench("M.Call");
    let all: String =
        (0_u8..0x80).map(char::from).chain("\u{80}\u{e9}\u{2028}\u{1f4de}".chars()).collect();
    let text = serde_json::to_string(&all).expect("a string is JSON");
    let wide = serde_json::to_string(all.trim_end_matches('\u{1f4de}')).expect("a string is JSON");
    for json in [
        format!(r#"{{"note":{text},"wide":{wide}}}"#),
        r#"{"id":-5,"data":"00ff","real":"INF","bits":{"value":"","length":0},"gone":null}"#.into(),
        r#"{"id":99,"data":"","real":"-INF","flags":{"value":"a0","length":3},"kind":{"one":1}}"#
            .into(),
        r#"{"real":"NaN","parts":[{},{"cell":1}],"place":{}}"#.into(),
        r#"{"real":"-0","note":"  "}"#.into(),
        r#"{"real":1.5e-300}"#.into(),
    ] {
        let written = bench.write(&XML, &[&json]).expect("a record");
        let again = bench.read(&XML, &written);
        let value = |text: &str| serde_json::from_str::<serde_json::Value>(text).expect("JSON");
        assert_eq!(again.len(), 1, "{written}");
        assert_eq!(value(&again[0]), value(&json), "{written}");
    }
}

#[test]
fn json_passes_over_names_where_xml_does_and_says_where_it_is_wrong() {
    let read = |name: &str, line: &str| bench(name).read(&[("codec", "json")], line).join(" ");
    assert_eq!(read("M.Open", r#"{"extra":{"a":[1]},"id":1,"more":null}"#), r#"{"id":1}"#);
    assert_eq!(read("M.Call", r#"{"place":{"x":1,"cell":1}}"#), r#"{"place":{"cell":1}}"#);
    assert_eq!(read("M.Call", r#"{"extra":1}"#), "\"M.Call\" has no field \"extra\"");
    assert!(read("M.Call", r#"{"kind":{"two":1}}"#).contains("has no field \"two\""));
    let wrong = read("M.Call", r#"{"id":"7"}"#);
    assert!(wrong.starts_with("\"M.Call.id\" (INTEGER): expected a whole number"), "{wrong}");
    let wrong = read("M.Open", "{}\n{\"id\":\"7\",}");
    assert_eq!(wrong, "{} this is not JSON: trailing comma at column 11");
    // A misspelt name in a correction is an error.
    let (bench, octets) = (bench("M.Open"), b"{\"id\":x}\n");
    let kept = bench.try_correct(&[("codec", "json")], octets, "{\"id\":1,\n\"idd\":2}");
    assert_eq!(kept, Err("\"M.Open\" has no field \"idd\"".into()));
    let kept = bench.try_correct(&[("codec", "json")], octets, "{\"id\":1,\n\"no\"");
    assert_eq!(
        kept,
        Err("this is not JSON: EOF while parsing an object at line 2, column 4".into())
    );
}

#[test]
fn what_the_module_does_not_know_is_passed_over_in_a_type_that_is_extensible_alone() {
    for content in
        ["<extra/>", "<extra><id>5</id><x a='b'>t</x></extra>", "<id>1</id><extra>t</extra>"]
    {
        let expected = if content.starts_with("<id>") { r#"{"id":1}"# } else { "{}" };
        assert_eq!(read("M.Open", content), expected, "{content}");
        assert_eq!(read("M.Call", content), "no component is named \"extra\"", "{content}");
    }
    assert_eq!(read("M.Call", "<place><x/><cell>1</cell></place>"), r#"{"place":{"cell":1}}"#);
    assert_eq!(read("M.Call", "<place x='1'><cell>1</cell></place>"), r#"{"place":{"cell":1}}"#);
    let attribute =
        |path: &str, name: &str| format!("{path}the attribute \"{name}\" is none of the module's");
    assert_eq!(read("M.Call", "<id unit='m'>5</id>"), attribute("\"id\": ", "unit"));
    assert_eq!(
        read("M.Call", "<place><cell x='1'>1</cell></place>"),
        attribute("\"place.cell\": ", "x")
    );
    assert_eq!(read("M.Call", "<note xsi:nil='true'/>"), attribute("\"note\": ", "xsi:nil"));
    assert_eq!(read("M.Call", "<place xsi:nil='true'/>"), attribute("\"place\": ", "xsi:nil"));
    assert_eq!(read("M.Call", "<kind><two/></kind>"), "\"kind\": no component is named \"two\"");
    // Namespace and schema attributes do not affect values.
    let markup =
        "xmlns='a' xmlns:b='c' xml:space='preserve' xsi:schemaLocation='d' xsi:nil='false'";
    assert_eq!(read("M.Call", &format!("<id {markup}>5</id>")), r#"{"id":5}"#);
    let bench = bench("M.Call");
    assert_eq!(bench.read(&XML, "<x y='z'><Call xmlns='a'><id>5</id></Call></x>"), [r#"{"id":5}"#]);
    assert_eq!(bench.read(&XML, "<x><Call b='a'/></x>"), [attribute("", "b")]);
}

/// Returns a file in an encoding.
fn in_encoding(text: &str, name: &str) -> Vec<u8> {
    let Ok(Named::One(encoding)) = Named::parse(name) else { panic!("{name}") };
    let mut octets = Vec::new();
    encoding.encode(text, &mut octets).expect("the encoding has all characters");
    octets
}

#[test]
fn a_file_is_read_in_the_encoding_that_it_says() {
    let records = "<x>#1<Call><note>é<![CDATA[ü]]></note></Call><!-- #9 ö --><Call><id>x</id><note>ß</note></Call>#2</x>";
    let wrong = "\"id\": \"x\" is not a whole number";
    let declared = |name: &str| format!("<?xml version=\"1.0\" encoding=\"{name}\"?>\n");
    let none = String::new();
    for (declaration, encoding, setting) in [
        (none.clone(), "utf-8", None),
        ("\u{feff}".into(), "utf-8", Some("iso-8859-1")),
        (declared("UTF-8"), "utf-8", Some("iso-8859-1")),
        (declared("ISO-8859-1"), "iso-8859-1", None),
        (declared("windows-1252"), "windows-1252", Some("utf-8")),
        (none.clone(), "iso-8859-15", Some("iso-8859-15")),
        (declared("gb18030"), "gb18030", None),
        ("\u{feff}".into(), "utf-16le", None),
        (format!("\u{feff}{}", declared("UTF-16")), "utf-16be", None),
        (declared("UTF-16LE"), "utf-16le", None),
        (none.clone(), "utf-16be", Some("utf-16be")),
    ] {
        let bench = bench("M.Call");
        let settings =
            [&XML[..], &setting.map(|name| ("encoding", name)).into_iter().collect::<Vec<_>>()]
                .concat();
        let octets = in_encoding(&format!("{declaration}{}", file(records)), encoding);
        let found = bench.read_octets(&settings, &octets);
        let found: Vec<String> = found.iter().map(|read| without_bounds(read)).collect();
        assert_eq!(
            found,
            [r#"{"id":1}"#, r#"{"note":"éü"}"#, wrong, r#"{"id":2}"#],
            "{encoding}: {declaration}"
        );
        // A piece set aside is corrected in its original encoding, and read in it again.
        let (corrected, again) = bench.corrected(&settings, &octets, r#"{"id":7,"note":"ß"}"#);
        assert_eq!(
            corrected,
            in_encoding("<Call><id>7</id><note>ß</note></Call>\n", encoding),
            "{encoding}"
        );
        assert_eq!(again, [r#"{"id":7,"note":"ß"}"#], "{encoding}");
    }
}

#[test]
fn a_file_in_an_encoding_that_is_not_known_is_told_once() {
    let bench = bench("M.Call");
    for (start, why) in [
        (
            "<?xml version='1.0' encoding='EBCDIC-CP-US'?>",
            "its declaration says encoding \"EBCDIC-CP-US\", which is not known here",
        ),
        (
            "<?xml version='1.0' encoding='UTF-16'?>",
            "its declaration says encoding \"UTF-16\", in octets that are not UTF-16",
        ),
    ] {
        let found = bench.read(&XML, &file(&format!("{start}<x>#1#2</x>")));
        assert_eq!(found.len(), 1, "{found:?}");
        assert!(found[0].starts_with(&format!("the file is not read: {why}")), "{found:?}");
    }
    let found =
        bench.read_octets(&XML, b"<x><Call><note>\xE9</note></Call><Call><id>1</id></Call></x>");
    assert_eq!(found, ["octet E9 at 13 is no UTF-8", r#"{"id":1}"#]);
}
