//! Tests files of text as operators get them: a fault of a file is reported once, and no record of it is lost silently.

use std::fs;
use std::path::Path;

use crate::common::tollgate::tollgate;
use tempfile::TempDir;

const MODULE: &str = "Usage DEFINITIONS IMPLICIT TAGS ::= BEGIN Record ::= SEQUENCE {
  served [1] UTF8String OPTIONAL, other [2] UTF8String OPTIONAL, seconds [4] INTEGER OPTIONAL } END";

/// Creates a flow with these settings of `decode`, and files to read.
fn flow(decode: &str, files: &[(&str, &[u8])]) -> TempDir {
    let folder = tempfile::tempdir().unwrap();
    fs::write(folder.path().join("usage.asn1"), MODULE).unwrap();
    write_flow(folder.path(), decode);
    fs::create_dir(folder.path().join("in")).unwrap();
    for (name, octets) in files {
        fs::write(folder.path().join("in").join(name), octets).unwrap();
    }
    folder
}

fn write_flow(folder: &Path, decode: &str) {
    let text = format!(
        "[asn1]\nmodules = [\"usage.asn1\"]\n\n[network-element.ne]\ncollect = {{ dir = \"in\" }}\n\
         decode = {{ type = \"Usage.Record\", codec = \"csv\", columns = [\"served\", \"other\", \"seconds\"]{decode} }}\n\n\
         [post-processing-system.out]\nfrom = \"ne\"\nencode = {{ type = \"Usage.Record\", codec = \"json\" }}\n\
         deliver = {{ dir = \"out\", name = \"{{file}}.jsonl\" }}\n"
    );
    fs::write(folder.join("flow.toml"), text).unwrap();
}

/// Returns the records that were delivered, in the order of the names of their files.
fn delivered(folder: &Path) -> Vec<String> {
    let mut files: Vec<_> = fs::read_dir(folder.join("out"))
        .map(|entries| entries.map(|entry| entry.unwrap().path()).collect())
        .unwrap_or_default();
    files.sort();
    let text: String = files.iter().map(|file| fs::read_to_string(file).unwrap()).collect();
    text.lines().map(str::to_owned).collect()
}

#[test]
fn a_file_whose_line_of_names_fits_nothing_is_set_aside_once_and_read_when_the_flow_is_right() {
    let semicolons = "served;other;seconds\n1;2;60\n3;4;61\n";
    let folder =
        flow("", &[("a.csv", semicolons.as_bytes()), ("b.csv", b"\x1f\x8b\x08\0\x1b[31m")]);
    let (status, said) = tollgate(folder.path(), "run flow.toml --once");
    assert_eq!(status, 1, "{said}");
    let (_, listed) = tollgate(folder.path(), "suspense list flow.toml");
    let told = "the file has no column \"served\"; its line of names is \"served;other;seconds\"";
    assert_eq!(listed.matches(told).count(), 1, "{listed}");
    assert_eq!(listed.matches("the line of names: the line has NULs in it").count(), 1, "{listed}");
    assert!(!listed.contains('\u{1b}') && !listed.contains('\0'), "{listed:?}");
    assert_eq!(delivered(folder.path()), [] as [&str; 0]);
    write_flow(folder.path(), ", separator = \";\"");
    let (_, said) = tollgate(folder.path(), "suspense retry flow.toml --all");
    let expected = [
        r#"{"served":"1","other":"2","seconds":60}"#,
        r#"{"served":"3","other":"4","seconds":61}"#,
    ];
    assert_eq!(delivered(folder.path()), expected, "{said}");
}

#[test]
fn what_is_passed_over_of_a_file_is_said_and_a_file_without_a_record_says_why() {
    let marked = "\u{feff}BOF 1\r\nserved,other,seconds\r\n1,2,60\r\nEOF 1\r\n";
    let files: [(&str, &[u8]); 2] =
        [("a.csv", marked.as_bytes()), ("b.csv", b"served,other,seconds\n")];
    let folder = flow(", pass-over = [\"BOF *\", \"EOF *\"]", &files);
    let (status, said) = tollgate(folder.path(), "run flow.toml --once --json");
    assert_eq!(status, 0, "{said}");
    let report: serde_json::Value = serde_json::from_str(said.lines().last().unwrap()).unwrap();
    let passed = |file: usize| report["files"][file]["passed_over"].to_string();
    assert_eq!(
        passed(0),
        r#"[{"octets":3,"what":"the mark of UTF-8"},{"octets":14,"what":"lines by `pass-over`"},{"octets":22,"what":"the line of names"}]"#
    );
    assert_eq!(passed(1), r#"[{"octets":21,"what":"the line of names"}]"#);
    assert_eq!(delivered(folder.path()).len(), 1);
    let folder = flow("", &files[1..]);
    let (_, said) = tollgate(folder.path(), "run flow.toml --once");
    assert!(said.contains("21 octets are the line of names"), "{said}");
}

#[test]
fn a_text_that_is_no_utf8_waits_until_its_encoding_is_named() {
    let folder = flow("", &[("a.csv", b"served,other,seconds\n1,Z\xFCrich,60\n2,Bern,61\n")]);
    assert_eq!(tollgate(folder.path(), "run flow.toml --once").0, 1);
    let (_, listed) = tollgate(folder.path(), "suspense list flow.toml");
    assert!(
        listed.contains("octet FC at 4 is no UTF-8; name the encoding of the file"),
        "{listed}"
    );
    assert_eq!(delivered(folder.path()), [r#"{"served":"2","other":"Bern","seconds":61}"#]);
    write_flow(folder.path(), ", encoding = \"iso-8859-1\"");
    let (_, said) = tollgate(folder.path(), "suspense retry flow.toml --all");
    let all = delivered(folder.path());
    assert!(all.contains(&r#"{"served":"1","other":"Zürich","seconds":60}"#.to_owned()), "{said}");
    write_flow(folder.path(), ", encoding = \"ebcdic\"");
    let (status, said) = tollgate(folder.path(), "check flow.toml");
    assert_eq!(status, 2, "{said}");
    assert!(said.contains("the encoding \"ebcdic\" is not known here"), "{said}");
}

/// `check`, `run` and `dup` read a script the same way, whatever its encoding.
#[test]
fn a_script_is_read_or_refused_by_every_command_alike() {
    let script = "BOOLEAN f(r CONST Usage.Record) { return present(r.served); } // é\n";
    let latin1: Vec<u8> = script.chars().map(|c| c as u8).collect();
    let utf16: Vec<u8> =
        "\u{feff}".encode_utf16().chain(script.encode_utf16()).flat_map(u16::to_le_bytes).collect();
    for (octets, told) in [
        (script.as_bytes().to_vec(), None),
        (["\u{feff}", script].concat().into_bytes(), None),
        (utf16, None),
        (latin1, Some("octet E9 is no UTF-8")),
        (
            script.encode_utf16().flat_map(u16::to_be_bytes).collect(),
            Some("it looks like UTF-16BE"),
        ),
    ] {
        let folder = flow("", &[]);
        fs::write(folder.path().join("f.dup"), &octets).unwrap();
        let text = fs::read_to_string(folder.path().join("flow.toml")).unwrap();
        let text = text.replace("from = \"ne\"", "from = \"f\"")
            + "[filter.f]\nfrom = \"ne\"\nscript = \"f.dup\"\n";
        fs::write(folder.path().join("flow.toml"), text).unwrap();
        for line in [
            "check flow.toml",
            "run flow.toml --once",
            "dup test f.dup -m usage.asn1",
            "dup fmt --check f.dup",
        ] {
            let (status, said) = tollgate(folder.path(), line);
            match told {
                None => assert!(!said.contains("UTF"), "{line}: {said}"),
                Some(told) => {
                    assert!(said.contains(told), "{line}: {said}");
                    assert_ne!(status, 0, "{line}");
                }
            }
        }
    }
}
