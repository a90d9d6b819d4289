//! Line-based files in every codec: encodings, line ends, text around the records, and that no data
//! is lost silently.

use std::io::Cursor;

use asn1::jer;
use format::{Contents, Excerpt};
use record::{Arena, Memory, Opened};

use crate::text::{Bench, bench_of, settings};

type Words = &'static [(&'static str, &'static str)];

const CSV: Words = &[("codec", "csv"), ("columns", "number"), ("columns", "note")];
const NO_HEADER: Words =
    &[("codec", "csv"), ("columns", "number"), ("columns", "note"), ("header", "false")];
const FIXED: Words =
    &[("codec", "fixed"), ("columns", "number width 2 right fill 0"), ("columns", "note width 3")];
const JSON: Words = &[("codec", "json")];

/// Each line-based codec with its header and two records, the second with this note.
fn codecs(note: &str) -> [(Words, &'static str, [String; 2]); 4] {
    [
        (CSV, "number,note\n", ["1,a\n".into(), format!("2,{note}\n")]),
        (NO_HEADER, "", ["1,a\n".into(), format!("2,\"{note}\"\n")]),
        (FIXED, "", ["01a  \n".into(), format!("02{note:3}\n")]),
        (
            JSON,
            "",
            [
                "{\"number\":1,\"note\":\"a\"}\n".into(),
                format!("{{\"number\":2,\"note\":\"{note}\"}}\n"),
            ],
        ),
    ]
}

fn with(words: Words, more: &[(&'static str, &'static str)]) -> Vec<(&'static str, &'static str)> {
    [words, more].concat()
}

/// The result of reading a file.
#[derive(Default)]
struct Found {
    /// The records as JSON, or their errors.
    records: Vec<String>,
    /// Every returned piece with its offset.
    pieces: Vec<(usize, Vec<u8>)>,
    context: Vec<u8>,
    /// What was skipped.
    passed: Vec<(String, u64)>,
}

struct File<'o>(&'o [u8]);

impl Contents for File<'_> {
    fn size(&self) -> std::io::Result<u64> {
        Ok(self.0.len() as u64)
    }

    fn octets(&self) -> std::io::Result<Box<dyn std::io::Read>> {
        self.octets_from(0)
    }

    fn octets_from(&self, offset: u64) -> std::io::Result<Box<dyn std::io::Read>> {
        Ok(Box::new(Cursor::new(self.0[offset as usize..].to_vec())))
    }
}

fn read_with(bench: &Bench, words: &[(&str, &str)], file: &[u8], context: Option<&[u8]>) -> Found {
    let input = bench.codecs.input(&settings(words), bench.ty, &Opened::All);
    let input = input.unwrap_or_else(|mistakes| panic!("{words:?}: {mistakes:?}"));
    let mut reader = match context {
        None => input.open(&File(file)).expect("it is in memory"),
        Some(context) => input.reopen(&Excerpt { context, octets: file }).expect("it is in memory"),
    };
    let (mut found, mut arena) = (Found::default(), Arena::new());
    found.context = reader.context().to_vec();
    loop {
        arena.reset();
        let Some(read) = reader.next(&mut arena).expect("it is in memory") else { break };
        found.pieces.push((read.offset as usize, read.octets.to_vec()));
        found.records.push(read.record.map_or_else(
            |error| error.to_string(),
            |record| {
                let memory = Memory::new(read.octets, &mut arena);
                let mut text = Vec::new();
                match jer::write(&bench.plan, &memory, record, jer::Options::default(), &mut text) {
                    Ok(()) => String::from_utf8(text).unwrap(),
                    Err(missing) => missing.to_string(),
                }
            },
        ));
    }
    let passed = reader.passed_over().into_iter();
    found.passed = passed.map(|passed| (passed.what.into_owned(), passed.octets)).collect();
    found
}

fn read(words: &[(&str, &str)], file: &[u8]) -> Found {
    read_with(&bench_of("M.Part"), words, file, None)
}

fn check(words: &[(&str, &str)], file: &[u8], expected: &[&str]) {
    assert_eq!(
        read(words, file).records,
        expected,
        "{words:?} {:?}",
        String::from_utf8_lossy(file)
    );
}

const FIRST: &str = r#"{"number":1,"note":"a"}"#;
const SECOND: &str = r#"{"number":2,"note":"b"}"#;

fn utf16(text: &str, encode: fn(u16) -> [u8; 2]) -> Vec<u8> {
    text.encode_utf16().flat_map(encode).collect()
}

/// Returns the text, which contains an `é`, in each encoding, with the encoding's name if it must be set.
fn ways(text: &str) -> Vec<(Option<&'static str>, Vec<u8>)> {
    let latin1: Vec<u8> = text.chars().map(|c| c as u8).collect();
    let (little, big) = (utf16(text, u16::to_le_bytes), utf16(text, u16::to_be_bytes));
    vec![
        (None, text.into()),
        (Some("windows-1252"), ["\u{feff}", text].concat().into()),
        (None, [b"\xFF\xFE", &*little].concat()),
        (Some("utf-16"), [b"\xFE\xFF", &*big].concat()),
        (Some("utf-16le"), little),
        (Some("UTF-16BE"), big),
        (Some("iso-8859-1"), latin1.clone()),
        (Some("windows-1252"), latin1),
    ]
}

#[test]
fn a_file_has_the_same_records_in_whatever_encoding_it_is_written() {
    let bench = bench_of("M.Part");
    let expected = [FIRST, r#"{"number":2,"note":"é"}"#];
    for (words, before, [first, second]) in codecs("é") {
        let text = [before, &first, &second].concat();
        for (name, file) in ways(&text) {
            let named: Vec<_> = name.map(|name| ("encoding", name)).into_iter().collect();
            let words = with(words, &named);
            let found = read_with(&bench, &words, &file, None);
            assert_eq!(found.records, expected, "{words:?} {file:02X?}");
            for ((offset, octets), expected) in found.pieces.iter().zip(expected) {
                // Records keep their original bytes, which can be read again alone.
                assert_eq!(&file[*offset..*offset + octets.len()], octets, "{words:?}");
                let again = read_with(&bench, &words, octets, Some(&found.context));
                assert_eq!(
                    again.records,
                    [expected],
                    "{words:?} {octets:02X?} {:?}",
                    found.context
                );
            }
        }
    }
}

#[test]
fn what_no_encoding_explains_is_refused_with_its_name_and_never_guessed() {
    let hint = "; name the encoding of the file: encoding = \"windows-1252\"";
    for (words, before, [first, second]) in codecs("X") {
        let at = second.find('X').expect("it is there") + 1;
        let mut file = [before, &first, &second].concat().into_bytes();
        let place = file.len() - second.len() + at - 1;
        file[place] = 0xE9;
        check(words, &file, &[FIRST, &format!("octet E9 at {at} is no UTF-8{hint}")]);
        file[place] = 0x93;
        let latin1 = with(words, &[("encoding", "iso-8859-1")]);
        check(&latin1, &file, &[FIRST, &format!("octet 93 at {at} is no ISO-8859-1")]);
        let text = [before, &first, &first].concat();
        for (file, reason) in [
            (
                utf16(&text, u16::to_le_bytes),
                "the file is not read: it looks like UTF-16LE without a byte-order mark",
            ),
            (
                [b"\xFF\xFE\0\0".as_slice(), text.as_bytes()].concat(),
                "the file is not read: it begins with the mark of UTF-32LE, which is not read here",
            ),
        ] {
            let found = read(words, &file);
            assert_eq!(found.records.len(), 1, "{words:?}");
            assert!(found.records[0].starts_with(reason), "{words:?}: {:?}", found.records);
            assert_eq!(found.pieces, [(0, file)], "all of it is set aside");
        }
    }
}

#[test]
fn a_record_is_written_in_the_encoding_that_is_named_and_read_in_it() {
    let bench = bench_of("M.Part");
    let json = r#"{"number":2,"note":"é"}"#;
    for (words, ..) in codecs("é") {
        for name in ["iso-8859-1", "windows-1252", "utf-16", "utf-16be", "utf-8"] {
            let words = with(words, &[("encoding", name)]);
            let output = bench.codecs.output(&settings(&words), bench.ty).unwrap();
            let (mut writer, mut out, mut arena) = (output.writer(), Vec::new(), Arena::new());
            let mut memory = Memory::new(&[], &mut arena);
            let record = jer::read(&bench.plan, &mut memory, bench.ty, json.as_bytes()).unwrap();
            writer.begin(&mut out);
            if words[0].1 == "fixed" && name == "utf-8" {
                continue;
            }
            writer.write(&memory, record, &mut out).unwrap();
            writer.end(&mut out);
            assert_eq!(read(&words, &out).records, [json], "{words:?} {out:02X?}");
        }
        let words = with(words, &[("encoding", "us-ascii")]);
        let output = bench.codecs.output(&settings(&words), bench.ty).unwrap();
        let (mut out, mut arena) = (Vec::new(), Arena::new());
        let mut memory = Memory::new(&[], &mut arena);
        let record = jer::read(&bench.plan, &mut memory, bench.ty, json.as_bytes()).unwrap();
        let written = output.writer().write(&memory, record, &mut out);
        let lacking = written.expect_err("it has no such character").to_string();
        assert_eq!(lacking, "US-ASCII has no character \"é\" (U+00E9)");
    }
}

/// Every reader accounts for all bytes before the first record, and for a whole file without one.
#[test]
fn what_stands_before_the_first_record_is_counted_in_every_format() {
    for (words, before, [first, _]) in codecs("b") {
        let settings: &[(&str, &str)] = &[("skip-lines", "3"), ("pass-over", "BOF *")];
        for (words, beginning, end) in [
            (words.to_vec(), String::new(), ""),
            (words.to_vec(), "\u{feff}".into(), ""),
            (words.to_vec(), "\u{feff}\n\r\n\n".into(), ""),
            (with(words, settings), "\u{feff}one \"\n\ntwo\nBOF 17\n\n".into(), "\n\x1A"),
        ] {
            for record in [first.as_str(), ""] {
                let file = [&beginning, before, record, end].concat();
                let found = read(&words, file.as_bytes());
                let passed: u64 = found.passed.iter().map(|(_, octets)| octets).sum();
                let start = found.pieces.first().map_or(file.len(), |(offset, _)| *offset);
                let behind = if record.is_empty() { 0 } else { end.len() };
                assert_eq!(
                    passed as usize,
                    start + behind,
                    "{words:?} {file:?}: {:?}",
                    found.passed
                );
            }
        }
    }
    let found = read(CSV, "\u{feff}\nnumber,note\n1,a\n".as_bytes());
    let expected = [("the mark of UTF-8", 3), ("empty lines", 1), ("the line of names", 12)];
    assert_eq!(found.passed, expected.map(|(what, octets)| (what.to_owned(), octets)));
}

#[test]
fn a_file_that_ends_among_the_lines_to_skip_is_passed_over() {
    let far = [("skip-lines", "4000000000")];
    for (words, _, _) in codecs("b") {
        for file in ["", "\n", "one", "one\ntwo", "one\ntwo\n", "\u{feff}", "\u{feff}one\n", "\x1A"]
        {
            let found = read(&with(words, &far), file.as_bytes());
            let passed: u64 = found.passed.iter().map(|(_, octets)| octets).sum();
            assert_eq!(
                (found.records.len(), passed as usize),
                (0, file.len()),
                "{words:?} {file:?}"
            );
        }
    }
}

#[test]
fn a_file_without_a_line_of_names_is_set_aside_before_it_fills_the_memory() {
    let file = "\n".repeat(3 << 20) + "number,note\n1,a\n";
    let found = read(CSV, file.as_bytes());
    assert!(found.records[0].contains("the first MiB of the file has no line of names"));
    let all: usize = found.pieces.iter().map(|(_, octets)| octets.len()).sum();
    assert_eq!(all, file.len(), "nothing of it is lost");
}

#[test]
fn a_line_of_names_that_does_not_fit_is_told_once_and_nothing_of_the_file_is_lost() {
    let bench = bench_of("M.Part");
    let lines = "1,a\n".repeat(400_000);
    let no_number = "the file has no column \"number\"; its line of names is ";
    for (file, reason) in [
        ("served,other\r\n".to_owned(), format!("{no_number}\"served,other\"")),
        (format!("number;note\n{lines}"), format!("{no_number}\"number;note\"")),
        ("ab".into(), format!("{no_number}\"ab\"")),
        ("\u{1f}".into(), format!("{no_number}\"\\u001f\"")),
        ("<html>\n<p>502</p>\n</html>\n".into(), format!("{no_number}\"<html>\"")),
        (
            "number,note,note\n1,a,b\n".into(),
            "the file has the column \"note\" twice; its line of names is \"number,note,note\""
                .into(),
        ),
        ("number,\"note\n".into(), "the line of names: a quote is not closed".into()),
        (
            "sep=;\nnumber;note\n1;a\n".into(),
            "the file says that its separator is \";\"; expected \",\"".into(),
        ),
    ] {
        let found = read_with(&bench, CSV, file.as_bytes(), None);
        let pieces = 1 + file.len() / (1 << 20);
        assert_eq!(found.records, vec![reason; pieces]);
        let all: Vec<u8> = found.pieces.iter().flat_map(|(_, octets)| octets.clone()).collect();
        assert!(all == file.as_bytes(), "what is set aside is all of the file");
        let mut at = 0;
        for (offset, octets) in &found.pieces {
            assert_eq!(*offset, at);
            at += octets.len();
        }
    }
    // With the right settings, the pieces read as the file would have, together or one by one.
    let file = format!("number;note\n{lines}").replace("1,a", "1;a");
    let found = read_with(&bench, CSV, file.as_bytes(), None);
    let right = with(CSV, &[("separator", ";")]);
    let whole = read_with(&bench, &right, file.as_bytes(), Some(&found.context));
    assert_eq!(whole.records.len(), 400_000);
    let each = found
        .pieces
        .iter()
        .map(|(_, octets)| read_with(&bench, &right, octets, Some(&found.context)).records);
    let each: Vec<String> = each.flatten().collect();
    assert!(each.len() == 400_000 && each.iter().all(|record| record == FIRST));
}

#[test]
fn a_stretch_of_nuls_is_set_aside_once_and_costs_no_record_beside_it() {
    for (words, before, [first, second]) in codecs("b") {
        for octets in [1, 4096, 3 << 20] {
            let nuls = "\0".repeat(octets);
            let reason = format!("{octets} octets of NULs; what should stand there may be lost");
            let check = |file: String, expected: &[&str]| {
                let found = read(words, file.as_bytes());
                assert_eq!(found.records, expected, "{words:?} {octets}");
            };
            check([&nuls, before, &first, &second].concat(), &[&reason, FIRST, SECOND]);
            check([before, &first, &nuls, &second].concat(), &[FIRST, &reason, SECOND]);
            check([before, &first, &second, &nuls].concat(), &[FIRST, SECOND, &reason]);
        }
        // Text next to NULs within a line may be part of a number.
        let torn = first.trim_end().to_owned() + "\0\0\n";
        let found = read(words, [before, &first, &torn, &second].concat().as_bytes());
        assert_eq!((found.records[0].as_str(), found.records[2].as_str()), (FIRST, SECOND));
        assert!(found.records[1].starts_with("the line has NULs in it"), "{:?}", found.records);
    }
}

#[test]
fn the_first_line_end_of_a_file_says_which_ends_its_lines() {
    let hello =
        |end: &str| format!("{{\"number\":1,\"note\":\"hello{end}world\"}}").replace('\r', "\\r");
    let json = hello("\r");
    check(CSV, b"number,note\n1,hello\rworld\n2,b\n", &[&json, SECOND]);
    check(CSV, b"number,note\r\n1,hello\rworld\r\n2,b\r\n", &[&json, SECOND]);
    check(NO_HEADER, b"1,a\r2,b\r", &[FIRST, SECOND]);
    check(NO_HEADER, b"1,a\r\r\n2,b\r\r\n", &[FIRST, SECOND]);
    for (words, before, [first, second]) in codecs("b") {
        for end in ["\n", "\r\n", "\r", "\r\r\n"] {
            let file = [before, &first, &second].concat().replace('\n', end);
            check(words, file.as_bytes(), &[FIRST, SECOND]);
            let cut = file.strip_suffix(end).expect("it ends so");
            check(words, cut.as_bytes(), &[FIRST, SECOND]);
        }
    }
}

#[test]
fn lines_around_the_records_are_passed_over_as_the_settings_say() {
    for (words, before, [first, second]) in codecs("b") {
        let file = ["BOF 7\n", before, &first, "Stand: heute\n", &second, "EOF 7 \"\n"].concat();
        let fitting = with(
            words,
            &[("pass-over", "?OF *"), ("pass-over", "*OF *"), ("pass-over", "Stand:*")],
        );
        check(&fitting, file.as_bytes(), &[FIRST, SECOND]);
        let skipped =
            with(words, &[("skip-lines", "1"), ("pass-over", "*OF*"), ("pass-over", "Stand:*")]);
        check(&skipped, file.as_bytes(), &[FIRST, SECOND]);
        for end in ["\x1A", "\x1A\x1A\x1A", "\x1A\n"] {
            let file = [before, &first, &second, end].concat();
            check(words, file.as_bytes(), &[FIRST, SECOND]);
            let file = [before, &first, second.trim_end_matches('\n'), end.trim_end()].concat();
            check(words, file.as_bytes(), &[FIRST, SECOND]);
        }
        let all = with(words, &[("pass-over", "*")]);
        let mistakes =
            bench_of("M.Part").codecs.input(&settings(&all), bench_of("M.Part").ty, &Opened::All);
        assert!(mistakes.is_err_and(|all| all[0].message.contains("fits every line")));
    }
    check(CSV, b"sep=,\nnumber,note\n1,a\n", &[FIRST]);
}

#[test]
fn a_last_line_without_an_end_is_told_and_set_aside_where_that_is_demanded() {
    for (words, before, [first, second]) in codecs("b") {
        let file = [before, &first, second.trim_end_matches('\n')].concat();
        let found = read(words, file.as_bytes());
        assert_eq!(found.records, [FIRST, SECOND]);
        let reason = "the last line has no end: the file may be cut off";
        assert!(found.passed.contains(&(reason.to_owned(), 0)), "{:?}", found.passed);
        let strict = with(words, &[("last-line-end", "required")]);
        let found = read(&strict, file.as_bytes());
        let reason = "the file ends within this line: it may be cut off";
        assert_eq!(found.records, [FIRST, reason], "{words:?}");
        // A retry accepts it: the operator has read the reason.
        let (_, octets) = &found.pieces[1];
        let again = read_with(&bench_of("M.Part"), &strict, octets, Some(&found.context));
        assert_eq!(again.records, [SECOND], "{words:?}");
    }
}

#[test]
fn a_quoted_value_of_two_lines_may_stand_behind_a_mark() {
    let both = r#"{"number":1,"note":"a\nb"}"#;
    let words: Words =
        &[("codec", "csv"), ("columns", "note"), ("columns", "number"), ("header", "false")];
    check(words, b"\xEF\xBB\xBF\"a\nb\",1\n\"a\nb\",1\n", &[both, both]);
    check(CSV, b"\xEF\xBB\xBF\"number\",note\n1,\"a\nb\"\n", &[both]);
}

fn reasons(found: Found) -> Vec<String> {
    found.records.into_iter().filter(|found| !found.starts_with("{\"number\"")).collect()
}

/// Reasons never contain bytes that a terminal would interpret, whatever the line contains.
#[test]
fn reasons_have_no_octets_that_a_terminal_obeys() {
    for (words, before, [first, _]) in codecs("b") {
        for octet in (0..=255_u8).filter(|octet| !matches!(octet, b'\r' | b'\n')) {
            for at in 0..first.len() {
                let mut line = first.clone().into_bytes();
                line[at] = octet;
                let file = [before.as_bytes(), &line, first.as_bytes()].concat();
                for found in reasons(read(words, &file)) {
                    let is_safe = found.chars().all(|c| !c.is_control() && c != '\u{202e}');
                    assert!(is_safe, "{words:?} {octet:02X} at {at}: {found:?}");
                }
            }
        }
        let mut file = before.to_owned();
        file.insert(0, '\u{202e}');
        let found = read(words, (file + "\x1B[31m\u{202e}\n").as_bytes());
        assert!(reasons(found).iter().all(|found| !found.contains(['\u{1b}', '\u{202e}'])));
    }
}
