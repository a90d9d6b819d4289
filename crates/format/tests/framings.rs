//! The framings of records in files, and how records are found again after damage.

use std::path::PathBuf;
use std::sync::Arc;

use asn1::{Modules, Plan, Resolver, jer};
use diagnostics::Source;
use format::ber::{BerInput, BlockPattern, Framing, RECORD_OCTETS_MAX};
use format::{Input as _, Reader as _};
use record::{Arena, Memory, TypeId};

const MODULE: &str = r"
M DEFINITIONS IMPLICIT TAGS ::= BEGIN
Call  ::= [APPLICATION 3] SEQUENCE { n [0] INTEGER, t [1] OCTET STRING OPTIONAL, ... }
Batch ::= [APPLICATION 1] SEQUENCE {
  sender [0] IA5String OPTIONAL, calls [1] SEQUENCE OF Call OPTIONAL, count [2] INTEGER OPTIONAL, ... }
Calls ::= SEQUENCE OF Call
END";

fn plan(ty: &str) -> (Arc<Plan>, TypeId) {
    let (modules, _) = Modules::read(&[Source::new("m.asn1", MODULE)]);
    let mut resolver = Resolver::new(&modules);
    let ty = resolver.resolve(ty).expect("the module is right");
    (Arc::new(Plan::compile(resolver.finish())), ty)
}

/// Reads a file of these octets: returns each record as JSON, each damage as `offset+octets`.
fn read(
    octets: &[u8],
    ty: &str,
    framing: Framing,
    list: Option<&str>,
    skip: u64,
    gap: u64,
) -> Vec<String> {
    let (plan, ty) = plan(ty);
    let folder = tempfile::tempdir().expect("a folder");
    let path: PathBuf = folder.path().join("file");
    std::fs::write(&path, octets).expect("a file");
    let mut input = BerInput::new(Arc::clone(&plan), ty, framing, list).expect("it fits the type");
    (input.skip, input.gap) = (skip, gap);
    let mut reader = input.open(&path).expect("it is there");
    let mut arena = Arena::new();
    let mut found = Vec::new();
    loop {
        arena.reset();
        let Some(read) = reader.next(&mut arena).expect("it can be read") else { return found };
        found.push(match read.record {
            Ok(record) => {
                let memory = Memory::new(read.octets, &mut arena);
                let mut text = Vec::new();
                match jer::write(&plan, &memory, record, jer::Options::default(), &mut text) {
                    Ok(()) => String::from_utf8(text).expect("JSON is UTF-8"),
                    Err(no_value) => no_value.to_string(),
                }
            }
            Err(_) => format!("{}+{}", read.offset, read.octets.len()),
        });
    }
}

/// Parses hexadecimal digits; blanks are skipped.
fn octets(hex: &str) -> Vec<u8> {
    let digits: Vec<u32> = hex.chars().filter_map(|c| c.to_digit(16)).collect();
    digits.chunks(2).map(|pair| (pair[0] << 4 | pair[1]) as u8).collect()
}

fn check(file: &str, framing: Framing, expected: &str) {
    let found = read(&octets(file), "M.Call", framing, None, 0, 0).join(" ");
    assert_eq!(found, expected, "{framing:?}: {file}");
}

/// `{"n":1}` and `{"n":2}`.
const ONE: &str = "63 03 80 01 01";
const TWO: &str = "63 03 80 01 02";
const BOTH: &str = r#"{"n":1} {"n":2}"#;

#[test]
fn one_after_another() {
    use Framing::Records;
    check(&format!("{ONE}{TWO}"), Records, BOTH);
    check(&format!("FF FF {ONE} 00 00 00 {TWO} FF"), Records, BOTH);
    check("", Records, "");
    check("00 FF 00", Records, "");
    check("63 81 03 80 01 01 63 84 00 00 00 03 80 01 02", Records, BOTH);
    check("63 80 80 01 01 00 00 63 03 80 01 02", Records, BOTH);
}

#[test]
fn blocks_of_2048_octets_are_filled_up() {
    for fill in [0x00, 0xFF] {
        let mut file = octets(ONE);
        file.resize(2048, fill);
        file.extend(octets(TWO));
        file.resize(4096, fill);
        assert_eq!(read(&file, "M.Call", Framing::Records, None, 0, 0).join(" "), BOTH);
    }
}

#[test]
fn damage_costs_no_neighbour() {
    use Framing::Records;
    // A wrong tag, an inner length beyond the record, an outer length beyond the file.
    check(&format!("{ONE} 43 03 80 01 07 {TWO}"), Records, r#"{"n":1} 5+5 {"n":2}"#);
    check(&format!("{ONE} 63 03 80 09 07 {TWO}"), Records, r#"{"n":1} 5+5 {"n":2}"#);
    check(&format!("{ONE} 63 82 FF FF 00 {TWO}"), Records, r#"{"n":1} 5+5 {"n":2}"#);
    check(&format!("{ONE} 63 03 80 01"), Records, r#"{"n":1} 5+4"#);
    check(&format!("41 42 43 {ONE}"), Records, r#"0+3 {"n":1}"#);
}

#[test]
fn a_header_of_the_vendor_is_passed_over() {
    let file = octets(&format!("01 02 03 04 {ONE} AA BB {TWO}"));
    assert_eq!(read(&file, "M.Call", Framing::Records, None, 4, 2).join(" "), BOTH);
}

#[test]
fn lengths_before_records() {
    check(&format!("0005 {ONE} 0005 {TWO}"), Framing::Length(2), BOTH);
    check(&format!("0005 {ONE} 0000 0005 {TWO} FFFF"), Framing::Length(2), BOTH);
    check(&format!("00000005 {ONE} 00000005 {TWO}"), Framing::Length(4), BOTH);
    check(
        &format!("0005 {ONE} 0005 6303800901 0005 {TWO}"),
        Framing::Length(2),
        r#"{"n":1} 9+5 {"n":2}"#,
    );
    check(&format!("0005 {ONE} 0009 {TWO}"), Framing::Length(2), r#"{"n":1} 7+7"#);
    check(&format!("0005 {ONE} 00"), Framing::Length(2), r#"{"n":1} 7+1"#);
    check("FFFFFFF0 01", Framing::Length(4), "0+5");
}

#[test]
fn a_wrong_length_costs_no_neighbour() {
    // Too long, too short, beyond the file; then lengths and records fit together again.
    for wrong in ["0009", "0003", "FFF0", "0007"] {
        check(
            &format!("0005 {ONE} {wrong} {ONE} 0005 {TWO} 0005 {ONE}"),
            Framing::Length(2),
            r#"{"n":1} 7+7 {"n":2} {"n":1}"#,
        );
    }
    // Two records in one frame: the second would be lost.
    check(&format!("000A {ONE} {TWO} 0005 {TWO}"), Framing::Length(2), r#"2+10 {"n":2}"#);
    // Filler after a record in its frame is no record.
    for behind in ["", "0000", "FFFF 0000"] {
        check(&format!("0007 {ONE} 0000 {behind} 0005 {TWO}"), Framing::Length(2), BOTH);
    }
    let file = ts32297(52, &format!("0006 61 20 {ONE} 0005 61 20 {TWO}"));
    assert_eq!(read(&file, "M.Call", Framing::Ts32297, None, 0, 0).join(" "), r#"52+9 {"n":2}"#);
}

/// Returns a TS 32.297 file with a header of so many octets.
fn ts32297(header: u32, records: &str) -> Vec<u8> {
    let records = octets(records);
    let mut file = (header + records.len() as u32).to_be_bytes().to_vec();
    file.extend(header.to_be_bytes());
    file.resize(48, 0x11);
    // Most headers have no routeing filter; what follows the fields is a private extension.
    file.extend([0, 0]);
    file.extend((header.saturating_sub(52) as u16).to_be_bytes());
    file.resize(header as usize, 0x22);
    file.extend(records);
    file
}

#[test]
fn files_of_ts_32_297() {
    let records = format!("0005 61 20 {ONE} 0005 E1 20 07 {TWO}");
    for framing in [Framing::Ts32297, Framing::Detect] {
        for header in [52, 59] {
            let file = ts32297(header, &records);
            assert_eq!(read(&file, "M.Call", framing, None, 0, 0).join(" "), BOTH);
        }
    }
    let file = ts32297(52, &format!("0005 61 40 {ONE} 0005 61 20 {TWO}"));
    assert_eq!(read(&file, "M.Call", Framing::Ts32297, None, 0, 0).join(" "), r#"56+5 {"n":2}"#);
    assert_eq!(read(&[1, 2, 3], "M.Call", Framing::Ts32297, None, 0, 0), ["0+3"]);
}

#[test]
fn what_writers_make_of_the_header_of_ts_32_297_is_read() {
    let records = format!("0005 61 20 {ONE} 0005 61 20 {TWO}");
    let whole = ts32297(52, &records);
    let header = |header: u32, end: &[u8]| {
        let mut file = ts32297(header, &records);
        file.splice(48..header as usize, end.iter().copied());
        file
    };
    for file in [
        whole.clone(),
        header(50, &[0, 0]),
        // The two octets of later releases replace the length of the private extension.
        header(52, &[0, 0, 8, 8]),
        header(57, &[0, 0, 0, 3, b'a', b'b', b'c', 8, 8]),
        header(56, &[0, 2, b'a', b'b', 0, 1, b'c', 8]),
        [whole.clone(), vec![0; 100]].concat(),
        [whole.clone(), vec![0xFF; 101]].concat(),
    ] {
        for framing in [Framing::Ts32297, Framing::Detect] {
            assert_eq!(read(&file, "M.Call", framing, None, 0, 0).join(" "), BOTH, "{file:02x?}");
        }
    }
    // The header claims two octets more than it has, the file header four.
    let mut file = whole;
    file[..8].copy_from_slice(&octets("0000004A 00000036"));
    assert_eq!(
        read(&file, "M.Call", Framing::Ts32297, None, 0, 0).join(" "),
        format!("0+52 {BOTH}")
    );
}

/// Record type, file, framing, list, and whether a missing record is detectable.
type Container = (&'static str, Vec<u8>, Framing, Option<&'static str>, bool);

/// Files of two records in every framing.
fn containers() -> Vec<Container> {
    let (sender, count) = ("80 02 41 42", "82 01 02");
    let ts = ts32297(57, &format!("0005 61 20 {ONE} 0005 E1 20 07 {TWO}"));
    let mut endless = ts.clone();
    endless[..4].copy_from_slice(&[0xFF; 4]);
    let definite = octets(&format!("61 13 {sender} A1 0A {ONE} {TWO} {count}"));
    let indefinite = octets(&format!("61 80 {sender} A1 80 {ONE} {TWO} 0000 {count} 0000"));
    let mixed = octets(&format!("61 80 {sender} A1 0A {ONE} {TWO} {count} 0000"));
    let outer = octets(&format!("30 0A {ONE} {TWO}"));
    let deep = octets(&format!("70 18 81 01 00 61 13 {sender} A1 0A {ONE} {TWO} {count}"));
    let one = octets(&format!("{ONE} {TWO}"));
    vec![
        ("M.Call", one, Framing::Records, None, false),
        ("M.Call", octets(&format!("0005 {ONE} 0005 {TWO}")), Framing::Length(2), None, false),
        (
            "M.Call",
            octets(&format!("00000005 {ONE} 00000005 {TWO}")),
            Framing::Length(4),
            None,
            false,
        ),
        ("M.Call", ts, Framing::Ts32297, None, true),
        ("M.Call", endless, Framing::Ts32297, None, false),
        ("M.Call", definite.clone(), Framing::Batch, None, true),
        ("M.Call", indefinite.clone(), Framing::Batch, None, true),
        ("M.Call", mixed.clone(), Framing::Batch, None, true),
        ("M.Call", outer, Framing::Batch, None, true),
        ("M.Call", deep, Framing::Batch, None, true),
        ("M.Batch", definite, Framing::Batch, Some("calls"), true),
        ("M.Batch", indefinite, Framing::Batch, Some("calls"), true),
        ("M.Batch", mixed, Framing::Batch, Some("calls"), true),
    ]
}

/// Checks that both calls are read or a fault is reported.
fn check_nothing_is_lost_in_silence(
    file: &[u8],
    ty: &str,
    framing: Framing,
    list: Option<&str>,
    what: &str,
) {
    let found = read(file, ty, framing, list, 0, 0);
    let calls = |n: u8| found.iter().filter(|call| call.contains(&format!(r#""n":{n}}}"#))).count();
    let is_told = found.iter().any(|read| !read.starts_with('{'));
    assert!(is_told || (calls(1), calls(2)) == (1, 1), "{what}: {file:02x?}: {found:?}");
}

#[test]
fn a_length_that_others_contradict_takes_no_record_with_it_in_silence() {
    for (ty, file, framing, list, _) in containers() {
        let is_of_record = |at: usize| {
            file[..=at].windows(5).rev().take(5).any(|five| five.starts_with(&[0x63, 3, 0x80, 1]))
                || file[at..].iter().take(4).any(|_| {
                    (at.saturating_sub(4)..=at)
                        .any(|from| file[from..].starts_with(&[0x63, 3, 0x80, 1]))
                })
        };
        for at in (0..file.len()).filter(|at| !is_of_record(*at)) {
            for octet in (0..=8).chain([15, 20, 24, 30, 57, 127, 128, 129, 255]) {
                let mut changed = file.clone();
                changed[at] = octet;
                let what = format!("{framing:?} of {ty}, octet {at} is {octet}");
                check_nothing_is_lost_in_silence(&changed, ty, framing, list, &what);
            }
        }
    }
}

#[test]
fn a_file_that_is_cut_off_is_told() {
    for (ty, file, framing, list, has_total) in containers() {
        for end in 1..file.len() {
            let ends_with_record = file[..end].windows(4).rev().nth(1) == Some(&[0x63, 3, 0x80, 1]);
            let is_seen =
                has_total || !(ends_with_record || end == 57 && framing == Framing::Ts32297);
            let what = format!("{framing:?} of {ty}, cut behind {end}");
            if is_seen {
                check_nothing_is_lost_in_silence(&file[..end], ty, framing, list, &what);
            }
        }
    }
}

#[test]
fn a_file_that_is_no_longer_than_what_is_skipped_is_told() {
    let file = octets(ONE);
    assert_eq!(read(&file, "M.Call", Framing::Records, None, 9, 0), ["0+5"]);
    assert_eq!(read(&file, "M.Call", Framing::Batch, None, 9, 0), ["0+5"]);
    assert!(read(&file, "M.Call", Framing::Records, None, 5, 0).is_empty());
    assert!(read(&[], "M.Call", Framing::Records, None, 9, 0).is_empty());
    let file = octets(&format!("{ONE} AA BB {TWO} AA"));
    assert_eq!(
        read(&file, "M.Call", Framing::Records, None, 0, 2).join(" "),
        format!("{BOTH} 13+0")
    );
}

/// Reads records with a switch's blocks between them.
fn read_with_blocks(octets: &[u8], patterns: &[&str]) -> (String, Vec<(String, u64)>) {
    let (plan, ty) = plan("M.Call");
    let folder = tempfile::tempdir().expect("a folder");
    let path: PathBuf = folder.path().join("file");
    std::fs::write(&path, octets).expect("a file");
    let mut input = BerInput::new(Arc::clone(&plan), ty, Framing::Records, None).expect("it fits");
    input.blocks =
        patterns.iter().map(|text| BlockPattern::parse(text).expect("a pattern")).collect();
    let mut reader = input.open(&path).expect("it is there");
    let (mut arena, mut found) = (Arena::new(), Vec::new());
    loop {
        arena.reset();
        let Some(read) = reader.next(&mut arena).expect("it can be read") else { break };
        let is_call = |n: u8| read.octets == [0x63, 3, 0x80, 1, n];
        found.push(match (&read.record, is_call(1), is_call(2)) {
            (Ok(_), true, _) => "1".to_owned(),
            (Ok(_), _, true) => "2".to_owned(),
            _ => format!("{}+{}", read.offset, read.octets.len()),
        });
    }
    let passed =
        reader.passed_over().into_iter().map(|passed| (passed.what.into_owned(), passed.octets));
    (found.join(" "), passed.collect())
}

#[test]
fn blocks_that_are_no_asn_1_are_passed_over_by_their_patterns() {
    let (one, two) = (octets(ONE), octets(TWO));
    let join = |parts: &[&[u8]]| parts.concat();
    let patterns = ["FD########", "LD????", "LT####", "FT########"];
    let check = |file: &[u8], expected: &str| {
        assert_eq!(read_with_blocks(file, &patterns).0, expected, "{file:02x?}");
    };
    let (file_head, head, tail, end) = (b"FD20261121", b"LDMSC1", b"LT0002", b"FT00000003");
    let whole = join(&[file_head, head, &one, &two, tail, head, &one, tail, end]);
    check(&whole, "1 2 1");
    assert_eq!(
        read_with_blocks(&whole, &patterns).1,
        [("blocks by \"pass-over\"".to_owned(), (10 + 6 + 6 + 6 + 6 + 10) as u64)]
    );
    let filled =
        join(&[&[0; 7], head, &[0xFF; 3], &one, &[0; 9], tail, &[0; 20], end, &[0xFF; 30]]);
    check(&filled, "1");
    // A damaged record next to a block affects neither other records nor blocks.
    let damaged = octets("63 03 80 09 01");
    check(&join(&[head, &damaged, tail, head, &one]), "6+5 1");
    check(&join(&[head, &one, b"junk", tail, &two]), "1 11+4 2");
    check(&join(&[head, &one, b"LT00", &two]), "1 11+4 2");
    check(&join(&[&one, end, b"more"]), "1 15+4");
    // Data that matches no pattern is still set aside.
    assert_eq!(read_with_blocks(&whole, &[]).0, "0+16 1 2 26+12 1 43+16");
    let long = join(&[file_head, &whole.repeat(20_000)]);
    assert_eq!(read_with_blocks(&long, &patterns).0.split(' ').count(), 60_000);
}

#[test]
fn a_damaged_record_at_the_beginning_of_a_list_costs_no_neighbour() {
    check(&format!("30 0F 63 03 80 09 01 {ONE} {TWO}"), Framing::Batch, &format!("2+5 {BOTH}"));
    let inner = format!("A1 0F 63 03 80 09 01 {ONE} {TWO}");
    check(&format!("61 18 80 02 41 42 {inner} 82 01 02"), Framing::Batch, &format!("8+5 {BOTH}"));
}

#[test]
fn what_stands_behind_a_list_is_told_where_it_is_records() {
    let lists = format!("61 10 A1 05 {ONE} A3 07 A4 05 {TWO}");
    check(&lists, Framing::Batch, r#"{"n":1}"#);
    let lists = format!("61 0E A1 05 {ONE} A3 05 {TWO}");
    check(&lists, Framing::Batch, r#"{"n":1} 9+7"#);
    let behind = format!("61 80 A1 80 {ONE} 0000 0000 {TWO}");
    check(&behind, Framing::Batch, r#"{"n":1} 13+5"#);
}

#[test]
fn a_batch_is_taken_apart() {
    let sender = "80 02 41 42";
    let count = "82 01 02";
    let definite = format!("61 13 {sender} A1 0A {ONE} {TWO} {count}").replace("61 13", "61 13");
    let indefinite = format!("61 80 {sender} A1 80 {ONE} {TWO} 0000 {count} 0000");
    let outer = format!("30 0A {ONE} {TWO}");
    for file in [&definite, &indefinite, &outer] {
        check(file, Framing::Batch, BOTH);
        check(file, Framing::Detect, BOTH);
    }
    for file in [&definite, &indefinite] {
        assert_eq!(
            read(&octets(file), "M.Batch", Framing::Batch, Some("calls"), 0, 0),
            [
                r#"{"sender":"AB","calls":[{"n":1}],"count":2}"#,
                r#"{"sender":"AB","calls":[{"n":2}],"count":2}"#
            ]
        );
    }
    let damaged = format!("61 13 {sender} A1 0A {ONE} 63 03 80 09 02 {count}");
    check(&damaged, Framing::Batch, r#"{"n":1} 13+5"#);
    check("61 04 80 02 41 42", Framing::Batch, "0+6");
    // Without a list, fields of other structures are not searched for records.
    check("61 09 80 02 41 42 30 03 80 01 01", Framing::Batch, "0+11");
    check("", Framing::Batch, "");
    check(&format!("30 05 {ONE} 00 00 {TWO}"), Framing::Batch, r#"{"n":1} 9+5"#);
    check(&format!("30 05 {ONE} 00 00"), Framing::Batch, r#"{"n":1}"#);
}

#[test]
fn a_list_longer_than_what_is_read_at_once_is_found() {
    let calls: Vec<u8> = octets(ONE).repeat(100_000);
    let mut list = vec![0xA1, 0x83];
    list.extend(&(calls.len() as u32).to_be_bytes()[1..]);
    list.extend(&calls);
    let mut file = vec![0x61, 0x83];
    file.extend(&((list.len() + 4) as u32).to_be_bytes()[1..]);
    file.extend([0x80, 2, 0x41, 0x42]);
    file.extend(&list);
    for framing in [Framing::Batch, Framing::Detect] {
        assert_eq!(read(&file, "M.Call", framing, None, 0, 0).len(), 100_000);
    }
    assert_eq!(read(&file, "M.Batch", Framing::Batch, Some("calls"), 0, 0).len(), 100_000);
}

#[test]
fn the_framing_can_be_detected() {
    use Framing::Detect;
    check(&format!("{ONE}{TWO}"), Detect, BOTH);
    check(&format!("FFFF{ONE}{TWO}"), Detect, BOTH);
    check(&format!("0005 {ONE} 0005 {TWO}"), Detect, BOTH);
    check(&format!("00000005 {ONE} 00000005 {TWO}"), Detect, BOTH);
    check("01 02 03", Detect, "0+3");
}

#[test]
fn octets_that_look_like_records_without_an_end_take_no_quadratic_time() {
    // At each four octets, a record to the end of the file could begin.
    let file = octets("80 02 63 80").repeat(256 * 1024);
    let found = read(&file, "M.Call", Framing::Records, None, 0, 0);
    assert!(found.len() < 100, "{} pieces", found.len());
}

#[test]
fn a_length_beyond_the_limit_is_damage_and_not_memory() {
    let mut file = octets("63 84 7F FF FF FF");
    file.extend(octets(ONE));
    assert_eq!(read(&file, "M.Call", Framing::Records, None, 0, 0).join(" "), r#"0+6 {"n":1}"#);
    const { assert!(RECORD_OCTETS_MAX < 0x7FFF_FFFF) };
}

#[test]
fn files_of_more_than_four_gigabytes_are_read_in_a_window() {
    use std::io::{Seek as _, SeekFrom, Write as _};
    // A sparse file takes no room on the disk for its filler.
    let mut file = tempfile::NamedTempFile::new().expect("a file");
    let far = (1_u64 << 32) + 5;
    file.write_all(&octets(ONE)).expect("a file");
    file.seek(SeekFrom::Start(far)).expect("a file");
    file.write_all(&octets(TWO)).expect("a file");
    let (plan, ty) = plan("M.Call");
    let input = BerInput::new(plan, ty, Framing::Records, None).expect("it fits the type");
    let mut reader = input.read(&file.path()).expect("a file");
    let mut offsets = Vec::new();
    let mut arena = Arena::new();
    while let Some(read) = reader.next(&mut arena).expect("a file") {
        assert!(read.record.is_ok());
        offsets.push(read.offset);
        arena.reset();
    }
    assert_eq!(offsets, [0, far]);
}

#[test]
fn records_that_lie_across_what_is_read_at_once_are_whole() {
    let record = |n: u8| {
        let mut octets = vec![0x63, 0x82, 0x03, 0xEB, 0x80, 1, n, 0x81, 0x82, 0x03, 0xE4];
        octets.resize(4 + 0x3EB, 0x20);
        octets
    };
    let file: Vec<u8> = (0..1000_u32).flat_map(|n| record((n % 100) as u8)).collect();
    let found = read(&file, "M.Call", Framing::Records, None, 0, 0);
    assert_eq!(found.len(), 1000);
    for (n, json) in found.iter().enumerate() {
        assert!(json.starts_with(&format!("{{\"n\":{},", n % 100)), "{json}");
    }
}

#[test]
fn the_header_of_ts_32_297_says_what_is_in_the_file() {
    let header = |count: u32, number: u32, lost: u8| {
        let mut file = ts32297(52, &format!("0005 61 20 {ONE}"));
        file[18..22].copy_from_slice(&count.to_be_bytes());
        file[22..26].copy_from_slice(&number.to_be_bytes());
        file[47] = lost;
        let (plan, ty) = plan("M.Call");
        let folder = tempfile::tempdir().expect("a folder");
        let path = folder.path().join("file");
        std::fs::write(&path, file).expect("a file");
        let input = BerInput::new(plan, ty, Framing::Ts32297, None).expect("it fits the type");
        let mut file = input.read(&path).expect("it can be read");
        assert_eq!(file.header(), None, "it was not read yet");
        file.next(&mut Arena::new()).expect("it can be read");
        let header = file.header().expect("it has one");
        (header.records, header.sequence_number, header.lost)
    };
    assert_eq!(header(1, 42, 0), (Some(1), Some(42), 0));
    assert_eq!(header(u32::MAX, u32::MAX, 7), (None, None, 7));
    assert_eq!(header(1, 42, 0x80).2, 1, "some, and not known how many");
    assert_eq!(header(1, 42, 0x80 | 7).2, 7);
}
