//! Tests `tollgate asn1` as a user runs it.

use assert_cmd::Command;
use tempfile::TempDir;

const MODULE: &str = "Calls DEFINITIONS IMPLICIT TAGS ::= BEGIN
Call ::= SEQUENCE { number [0] TBCD-STRING, seconds [1] INTEGER OPTIONAL, ... }
TBCD-STRING ::= OCTET STRING
END
";

/// Two records with filler around them, the second with an element that the module does not know.
const RECORDS: &[u8] = &[
    0x30, 0x07, 0x80, 0x02, 0x21, 0xF3, 0x81, 0x01, 0x3C, 0xFF, 0xFF, // 123, 60 seconds
    0x30, 0x07, 0x80, 0x02, 0x64, 0x75, 0x9E, 0x01, 0x00, 0x00, // 4657
];

fn folder(module: &str, records: &[u8]) -> TempDir {
    let folder = TempDir::new().unwrap();
    std::fs::write(folder.path().join("calls.asn1"), module).unwrap();
    std::fs::write(folder.path().join("calls.ber"), records).unwrap();
    folder
}

/// Runs a command line in a folder; returns exit status, standard output and standard error.
fn run(folder: &TempDir, line: &str) -> (i32, String, String) {
    let mut command = Command::cargo_bin("tollgate").unwrap();
    let output = command.current_dir(folder.path()).args(line.split(' ')).output().unwrap();
    let text = |octets| String::from_utf8(octets).unwrap();
    (output.status.code().unwrap(), text(output.stdout), text(output.stderr))
}

#[test]
fn records_are_shown_as_json_one_a_line() {
    let folder = folder(MODULE, RECORDS);
    let decode = "asn1 decode -m calls.asn1 -t Calls.Call calls.ber";
    let (status, shown, _) = run(&folder, decode);
    assert_eq!(shown, "{\"number\":\"21f3\",\"seconds\":60}\n{\"number\":\"6475\"}\n");
    assert_eq!(status, 0);
    let (_, shown, _) = run(&folder, &format!("{decode} --tbcd-as-digits"));
    assert_eq!(shown, "{\"number\":\"123\",\"seconds\":60}\n{\"number\":\"4657\"}\n");
}

#[test]
fn json_is_encoded_and_lines_that_are_no_records_are_named() {
    let folder = folder(MODULE, RECORDS);
    let lines = "{\"number\":\"21f3\",\"seconds\":60}\n\n{\"nummer\":\"21f3\"}\n{\"seconds\":1}\n";
    std::fs::write(folder.path().join("calls.jsonl"), lines).unwrap();
    let mut encode = Command::cargo_bin("tollgate").unwrap();
    encode.current_dir(folder.path());
    let arguments = "asn1 encode -m calls.asn1 -t Calls.Call calls.jsonl";
    let output = encode.args(arguments.split(' ')).output().unwrap();
    assert_eq!(output.stdout, RECORDS[..9]);
    assert_eq!(output.status.code(), Some(1));
    let wrong = String::from_utf8(output.stderr).unwrap();
    assert!(wrong.contains("calls.jsonl:3: \"Calls.Call\" has no field \"nummer\""), "{wrong}");
    assert!(wrong.contains("calls.jsonl:4: \"number\" of \"Calls.Call\" is missing"), "{wrong}");
}

#[test]
fn octets_that_are_no_value_are_refused_and_nothing_of_a_record_is_thrown_away() {
    for (octets, expected) in [
        // Two elements in an INTEGER, which are not a number.
        (
            "30108002 21F3A106 800105810106 9E020000",
            "record 1 at octet 0: \"Calls.Call.seconds\": an element [0] lies within it, where there can \
             be only octets; it is an INTEGER (at octet 8 of the record)",
        ),
        ("300A 800221F3 810105 810106", "\"Calls.Call.seconds\": it stands twice (at octet 9"),
        ("3006 800221F3 8100", "\"Calls.Call.seconds\": an INTEGER has no octets"),
        ("3004 810105 0500", "the octets end within an element"),
        ("3105 800221F3 00", "unexpected tag [UNIVERSAL 17]; Calls.Call is [UNIVERSAL 16]"),
        ("300B 800221F3 9F9080808001 00", "a tag number is larger than 268435455"),
    ] {
        let digits: Vec<u32> = octets.chars().filter_map(|digit| digit.to_digit(16)).collect();
        let octets: Vec<u8> = digits.chunks(2).map(|pair| (pair[0] << 4 | pair[1]) as u8).collect();
        let folder = folder(MODULE, &octets);
        let decode = "asn1 decode -m calls.asn1 -t Calls.Call --framing records calls.ber";
        let (status, shown, wrong) = run(&folder, decode);
        assert_eq!((status, shown.as_str()), (1, ""), "{wrong}");
        assert!(wrong.contains(expected), "{wrong}");
    }
}

#[test]
fn digits_are_read_as_they_are_shown() {
    let folder = folder(MODULE, &RECORDS[..9]);
    let decode = "asn1 decode -m calls.asn1 -t Calls.Call --tbcd-as-digits calls.ber";
    let (_, shown, _) = run(&folder, decode);
    std::fs::write(folder.path().join("calls.jsonl"), shown).unwrap();
    let mut encode = Command::cargo_bin("tollgate").unwrap();
    encode.current_dir(folder.path());
    let arguments = "asn1 encode -m calls.asn1 -t Calls.Call --tbcd-as-digits calls.jsonl";
    assert_eq!(encode.args(arguments.split(' ')).output().unwrap().stdout, RECORDS[..9]);
    let (_, _, wrong) = run(&folder, "asn1 encode -m calls.asn1 -t Calls.Call calls.jsonl");
    let place = "calls.jsonl:1: \"Calls.Call.number\" (Calls.TBCD-STRING): expected hexadecimal";
    assert!(wrong.contains(place), "{wrong}");
}

#[test]
fn a_module_that_does_not_say_how_it_tags_is_doubted_when_records_cannot_be_decoded() {
    let module = MODULE.replace(" IMPLICIT TAGS", "");
    let folder = folder(&module, RECORDS);
    let decode = "asn1 decode -m calls.asn1 -t Calls.Call calls.ber";
    let (status, shown, wrong) = run(&folder, decode);
    assert_eq!((status, shown.as_str()), (1, ""));
    assert!(wrong.contains("with tagging \"implicit\" this is a record"), "{wrong}");
    for tagging in ["implicit", "Calls=implicit"] {
        let (status, shown, wrong) = run(&folder, &format!("{decode} --tagging {tagging}"));
        assert_eq!((status, shown.lines().count()), (0, 2), "{wrong}");
    }
    let (status, _, wrong) = run(&folder, &format!("{decode} --tagging Cals=implicit"));
    assert_eq!(status, 2);
    assert!(wrong.contains("did you mean \"Calls\"?"), "{wrong}");
    // Where the module has a pattern for it, or where one would not help, nothing is suggested.
    let damaged = [&[0x30, 0x02, 0x80, 0x7F], RECORDS].concat();
    std::fs::write(folder.path().join("calls.ber"), damaged).unwrap();
    let (_, _, wrong) = run(&folder, &format!("{decode} --tagging explicit"));
    assert!(!wrong.contains("implicit"), "{wrong}");
}

#[test]
fn a_record_that_is_cut_off_is_reported_with_its_place() {
    let folder = folder(MODULE, &RECORDS[..15]);
    let (status, shown, wrong) = run(&folder, "asn1 decode -m calls.asn1 -t Call calls.ber");
    assert_eq!(status, 1);
    assert_eq!(shown.lines().count(), 1);
    assert!(wrong.starts_with("calls.ber: record 2 at octet 11: the record is longer"), "{wrong}");
}

#[test]
fn mistakes_in_a_module_are_shown_where_they_are() {
    let broken = MODULE.replace("INTEGER", "INTEGRE").replace("[0] TBCD-STRING", "[0] TBCD-STRNG");
    let folder = folder(&broken, RECORDS);
    let (status, _, wrong) = run(&folder, "asn1 check calls.asn1");
    assert_eq!(status, 2);
    assert!(wrong.contains("calls.asn1:2:32: \"TBCD-STRNG\" is not defined"), "{wrong}");
    assert!(wrong.contains("calls.asn1:2:56: \"INTEGRE\" is not defined"), "{wrong}");
    assert!(wrong.contains("^^^^^^^^^^ did you mean \"TBCD-STRING\"?"), "{wrong}");
    let (status, shown, _) = run(&folder, "asn1 check --syntax calls.asn1");
    assert_eq!((status, shown.as_str()), (0, "1 module, 2 types: no mistakes\n"));
}

#[test]
fn types_that_lead_in_a_circle_are_shown_where_they_are() {
    let circle = MODULE.replace("END", "Extra ::= SEQUENCE { COMPONENTS OF Extra }\nEND");
    let folder = folder(&circle, RECORDS);
    let (status, _, wrong) = run(&folder, "asn1 check calls.asn1");
    assert_eq!(status, 2, "{wrong}");
    let place = "calls.asn1:4:36: COMPONENTS OF leads in a circle back to \"Extra\"";
    assert!(wrong.contains(place) && wrong.ends_with("1 mistake found\n"), "{wrong}");
    // Definitions that no used type needs may be wrong.
    let (status, shown, _) = run(&folder, "asn1 decode -m calls.asn1 -t Calls.Call calls.ber");
    assert_eq!((status, shown.lines().count()), (0, 2));
}

#[test]
fn a_name_that_is_not_defined_is_shown_once() {
    let broken = MODULE.replace("TBCD-STRING ::=", "TBCD ::=").replace("INTEGER", "TBCD-STRING");
    let (status, _, wrong) = run(&folder(&broken, RECORDS), "asn1 check calls.asn1");
    assert_eq!(status, 2);
    assert!(wrong.starts_with("calls.asn1:2:32: \"TBCD-STRING\" is not defined"), "{wrong}");
    assert!(wrong.contains("define it, for example TBCD-STRING ::= OCTET STRING"), "{wrong}");
    assert!(wrong.ends_with("1 mistake found\n"), "{wrong}");
}

#[test]
fn a_type_that_is_not_there_is_named_with_what_was_meant() {
    let folder = folder(MODULE, RECORDS);
    let (status, _, wrong) = run(&folder, "asn1 decode -m calls.asn1 -t Calls.Cal calls.ber");
    assert_eq!(status, 2);
    assert!(wrong.contains("no module defines a type \"Calls.Cal\""), "{wrong}");
    assert!(wrong.contains("did you mean \"Calls.Call\"?"), "{wrong}");
}

#[test]
fn a_file_that_is_not_there_is_named() {
    let folder = folder(MODULE, RECORDS);
    let (status, _, wrong) = run(&folder, "asn1 decode -m calls.asn1 -t Calls.Call none.ber");
    assert_eq!(status, 2);
    assert!(wrong.starts_with("cannot read \"none.ber\": "), "{wrong}");
}

#[test]
fn every_command_shows_help_with_an_example() {
    let folder = folder(MODULE, RECORDS);
    for command in ["asn1 check", "asn1 decode", "asn1 encode"] {
        let (status, shown, _) = run(&folder, &format!("{command} --help"));
        assert_eq!(status, 0);
        assert!(shown.contains("Example:\n  tollgate asn1"), "{shown}");
    }
}

#[test]
fn the_example_of_the_readme_shows_what_the_readme_says() {
    let root = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("../..");
    let readme = std::fs::read_to_string(root.join("README.md")).unwrap();
    let (_, example) = readme.split_once("$ tollgate ").unwrap();
    let (line, shown) = example.split_once('\n').unwrap();
    let expected = shown.split("```").next().unwrap();
    let mut command = Command::cargo_bin("tollgate").unwrap();
    command.current_dir(root).args(line.split(' ')).assert().success().stdout(expected.to_owned());
}

#[test]
fn a_header_of_ts_32_297_that_says_more_records_than_there_are_is_told() {
    let record = [0x30, 0x04, 0x80, 0x02, 0x21, 0xF3];
    let file = |count: u8, length: u8| {
        let mut file = vec![0; 52];
        (file[3], file[7], file[21]) = (length, 52, count);
        file.extend([0, 6, 0x61, 0x20]);
        file.extend(record);
        file
    };
    for (octets, status, told) in [
        (file(1, 62), 0, ""),
        (file(2, 62), 1, "its header says that it has 2 records, it has 1"),
        (
            file(1, 72),
            1,
            "the file's header says the file has 72 octets, it has 62: it may be cut off",
        ),
    ] {
        let folder = folder(MODULE, &octets);
        let decode = "asn1 decode -m calls.asn1 -t Calls.Call --framing ts-32.297 calls.ber";
        let (found, shown, said) = run(&folder, decode);
        assert_eq!((found, shown.as_str()), (status, "{\"number\":\"21f3\"}\n"), "{said}");
        assert!(said.contains(told), "{said}");
    }
}
