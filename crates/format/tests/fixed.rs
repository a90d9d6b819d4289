//! Fixed-width columns: what a width counts, fill characters, and records without line ends.

use diagnostics::encoding::Named;

use crate::text::{Bench, bench_of_module};

const MODULE: &str = r"
M DEFINITIONS AUTOMATIC TAGS ::= BEGIN
Call ::= SEQUENCE {
  place UTF8String OPTIONAL, seconds INTEGER OPTIONAL, number OCTET STRING OPTIONAL, real REAL OPTIONAL }
END";

fn bench() -> Bench {
    bench_of_module(MODULE, "M.Call")
}

fn options<'o>(columns: &[&'o str], more: &[(&'o str, &'o str)]) -> Vec<(&'o str, &'o str)> {
    let columns = columns.iter().map(|column| ("columns", *column));
    [("codec", "fixed")].into_iter().chain(columns).chain(more.iter().copied()).collect()
}

const PLACES: [&str; 2] = ["place width 10", "seconds width 6 right fill 0"];

#[test]
fn a_width_counts_characters_in_every_encoding() {
    let bench = bench();
    let calls = [
        "{\"place\":\"Bern\",\"seconds\":60}",
        "{\"place\":\"Zürich\",\"seconds\":60}",
        "{\"place\":\"ü\u{1f4de}\",\"seconds\":60}",
    ];
    let columns = options(&PLACES, &[]);
    let written = bench.write(&columns, &calls).unwrap();
    assert_eq!(written, "Bern      000060\nZürich    000060\nü\u{1f4de}        000060\n");
    assert_eq!(bench.read(&columns, &written), calls);
    assert_eq!(
        bench.read(&columns, "Zürich   000060\n"),
        ["the line has 15 characters, 16 are expected"]
    );
    for encoding in ["utf-8", "utf-16le", "utf-16be", "iso-8859-1", "windows-1252", "shift_jis"] {
        let Ok(Named::One(of)) = Named::parse(encoding) else { panic!("{encoding}") };
        let calls = match encoding {
            "utf-8" | "utf-16le" | "utf-16be" => &calls[..],
            "shift_jis" => &["{\"place\":\"東京\",\"seconds\":60}"],
            _ => &calls[..2],
        };
        let text = bench.write(&columns, calls).unwrap();
        for line_ends in ["true", "false"] {
            let text = if line_ends == "true" { text.clone() } else { text.replace('\n', "") };
            let mut octets = Vec::new();
            of.encode(&text, &mut octets).unwrap();
            let more = [("encoding", encoding), ("line-ends", line_ends)];
            let read = bench.read_octets(&options(&PLACES, &more), &octets);
            match (encoding, line_ends) {
                ("shift_jis", "false") => {
                    assert_eq!(read, ["without line ends, no records in Shift_JIS are read"]);
                }
                _ => assert_eq!(read, calls, "{encoding} {line_ends}"),
            }
        }
    }
}

#[test]
fn numbers_filled_up_with_zeros_are_as_cobol_has_them() {
    let bench = bench();
    let columns =
        options(&["seconds width 6 right fill 0", "number as tbcd width 4 right fill 0"], &[]);
    for (seconds, number, line) in [
        (Some(0), Some("21"), "0000000012"),
        (Some(60), None, "000060    "),
        (Some(-5), Some("2143"), "-000051234"),
        (Some(-99999), None, "-99999    "),
        (None, Some("21"), "      0012"),
    ] {
        let seconds = seconds.map(|seconds| format!("\"seconds\":{seconds}"));
        let number = number.map(|number| format!("\"number\":\"{number}\""));
        let json =
            format!("{{{}}}", seconds.into_iter().chain(number).collect::<Vec<_>>().join(","));
        let written = bench.write(&columns, &[&json]).unwrap();
        assert_eq!(written, format!("{line}\n"), "{json}");
        assert_eq!(bench.read(&columns, &written), [json], "{line}");
    }
    let read =
        |line: &str| bench.read(&options(&["seconds width 6 right fill 0"], &[]), line).join(" ");
    for (line, seconds) in
        [(" 00060", "60"), ("    60", "60"), ("  -060", "-60"), ("     0", "0"), ("0000-5", "-5")]
    {
        assert_eq!(read(line), format!("{{\"seconds\":{seconds}}}"), "{line}");
    }
    assert_eq!(read("      "), "{}");
    assert!(
        read("00 060").starts_with("column \"seconds\": \" 060\" is not"),
        "{}",
        read("00 060")
    );
    for column in
        ["seconds width 6 fill 0", "seconds width 6 right fill 1", "number as tbcd width 6 fill 0"]
    {
        let found = bench.read(&options(&[column], &[]), "");
        assert!(found[0].contains("could not be told from the digits"), "{column}: {found:?}");
    }
    assert!(
        bench.read(&options(&["place width 6 fill 0"], &[]), "").is_empty(),
        "characters are no digits"
    );
}

#[test]
fn no_line_end_is_written_within_a_line() {
    for end in ["\\n", "\\r", "\\r\\n"] {
        let call = format!("{{\"place\":\"a{end}b\"}}");
        for line_ends in ["true", "false"] {
            let columns = options(&["place width 6"], &[("line-ends", line_ends)]);
            let written = bench().write(&columns, &[&call]);
            assert_eq!(written, Err("the value of \"place\" has a line end in it".into()));
        }
    }
}

#[test]
fn records_may_stand_one_after_the_other_without_line_ends() {
    let bench = bench();
    let calls = ["{\"place\":\"Bern\",\"seconds\":60}", "{\"place\":\"Zürich\",\"seconds\":61}"];
    let columns = options(&PLACES, &[("line-ends", "false")]);
    let written = bench.write(&columns, &calls).unwrap();
    assert_eq!(written, "Bern      000060Zürich    000061");
    assert_eq!(bench.read(&columns, &written), calls);
    for end in ["\n", "\r\n", "\u{1a}", "\0\0\0"] {
        assert_eq!(bench.read(&columns, &format!("{written}{end}")), calls);
    }
    let read = |text: &str| bench.read(&columns, text);
    let cut = "the file ends within a record: 14 octets are left, a record has 16 characters";
    assert_eq!(read(&written[..30]), [calls[0], cut]);
    assert_eq!(read("Bern      sixty Bern      000060")[1], calls[0], "damage costs no neighbour");
    let moved = "a line end stands within a record of a file without line ends (\"line-ends\")";
    assert_eq!(read("Bern      000060\nBern      00006"), [calls[0], moved]);
    let around =
        options(&PLACES, &[("line-ends", "false"), ("skip-lines", "1"), ("pass-over", "TRAILER*")]);
    let file = format!("HEADER 20261126 {written}TRAILER 00000002");
    assert_eq!(bench.read(&around, &file), calls);
    let mark = format!("\u{feff}{written}");
    assert_eq!(read(&mark), calls);
}
