//! Tests the work on suspense as a user does it: records fail, their faults are corrected, and they go out once.
#![cfg(unix)]

use std::collections::BTreeMap;
use std::fs;
use std::io::Write as _;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::thread;
use std::time::{Duration, Instant};

use serde_json::{Value, json};
use tempfile::TempDir;

/// The longest time that a gateway may take to notice something.
const SEEN_WITHIN: Duration = Duration::from_secs(60);

const MODULE: &str = "Calls DEFINITIONS AUTOMATIC TAGS ::= BEGIN
Call ::= SEQUENCE { id INTEGER, seconds INTEGER OPTIONAL, note UTF8String OPTIONAL }
Batch ::= SEQUENCE { sender UTF8String, calls SEQUENCE OF Call, count INTEGER }
END
";

/// No subscriber is charged for a call of unknown length.
const STRICT: &str = "BOOLEAN pass(call CONST Call) { assert present(call.seconds); return TRUE; }";
const LENIENT: &str = "BOOLEAN pass(call CONST Call) { return TRUE; }";

fn tollgate(folder: &Path, line: &[&str]) -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_tollgate"));
    command.current_dir(folder).args(line);
    command
}

/// Returns the status, the standard output and the standard error of a command.
fn run(folder: &Path, line: &[&str]) -> (i32, String, String) {
    let output = tollgate(folder, line).output().unwrap();
    let text = |octets: &[u8]| String::from_utf8_lossy(octets).into_owned();
    (output.status.code().unwrap_or(-1), text(&output.stdout), text(&output.stderr))
}

fn run_once(folder: &Path) {
    let (status, _, said) = run(folder, &["run", "flow.toml", "--once"]);
    assert!(status < 2, "{said}");
}

/// Creates a flow that delivers its calls as JSON, if a script lets them pass.
fn flow(decode: &str, script: &str) -> TempDir {
    let folder = TempDir::new().unwrap();
    let text = format!(
        "[asn1]\nmodules = [\"calls.asn1\"]\n
         [network-element.boston]\ncollect = {{ dir = \"in\", pattern = \"*.x\" }}\ndecode = {{ {decode} }}\n
         [filter.pass]\nfrom = \"boston\"\nscript = \"pass.dup\"\n
         [post-processing-system.billing]\nfrom = \"pass\"
         encode = {{ type = \"{}\", codec = \"json\" }}
         deliver = {{ dir = \"out\", name = \"{{stem}}.json\" }}\n",
        if decode.contains("Batch") { "Calls.Batch" } else { "Calls.Call" }
    );
    fs::write(folder.path().join("flow.toml"), text).unwrap();
    fs::write(folder.path().join("calls.asn1"), MODULE).unwrap();
    fs::write(folder.path().join("pass.dup"), script).unwrap();
    fs::create_dir(folder.path().join("in")).unwrap();
    folder
}

/// Returns the lines of all outputs, sorted.
fn delivered(folder: &Path) -> Vec<String> {
    let mut lines: Vec<String> = outputs(folder)
        .iter()
        .flat_map(|path| {
            let text = fs::read_to_string(path).unwrap();
            text.lines().map(str::to_owned).collect::<Vec<_>>()
        })
        .collect();
    lines.sort();
    lines
}

fn outputs(folder: &Path) -> Vec<PathBuf> {
    let Ok(entries) = fs::read_dir(folder.join("out")) else { return Vec::new() };
    let shown = |path: &PathBuf| !path.file_name().unwrap().to_string_lossy().starts_with('.');
    entries.map(|entry| entry.unwrap().path()).filter(shown).collect()
}

/// Returns the records in suspense in a state.
fn listed(folder: &Path, state: &str) -> Vec<Value> {
    let (status, out, said) =
        run(folder, &["suspense", "list", "flow.toml", "--json", "--state", state]);
    assert_eq!(status, 0, "{said}");
    out.lines().map(|line| serde_json::from_str(line).unwrap()).collect()
}

fn retry(folder: &Path, which: &[&str]) -> Value {
    let line = [&["suspense", "retry", "flow.toml", "--json"], which].concat();
    let (_, out, said) = run(folder, &line);
    serde_json::from_str(&out).unwrap_or_else(|error| panic!("{error}: {out}{said}"))
}

/// Asserts that the audit accounts for every record, in suspense and afterwards.
fn is_accounted_for(folder: &Path) {
    let (status, out, said) = run(folder, &["audit", "flow.toml"]);
    assert!(status == 0 && out.contains("All records are accounted for."), "{out}{said}");
}

fn call(id: u8, seconds: Option<u8>) -> Vec<u8> {
    let mut content = vec![0x80, 1, id];
    content.extend(seconds.into_iter().flat_map(|seconds| [0x81, 1, seconds]));
    element(0x30, &content)
}

fn element(identifier: u8, content: &[u8]) -> Vec<u8> {
    assert!(content.len() < 128);
    [&[identifier, content.len() as u8], content].concat()
}

/// Returns three calls, the second without its length, in each format: the `decode` table, and the file.
fn formats() -> Vec<(&'static str, Vec<u8>)> {
    let calls = [call(1, Some(10)), call(2, None), call(3, Some(30))];
    let framed = |octets: usize| -> Vec<u8> {
        let prefix = |call: &Vec<u8>| [vec![0; octets - 1], vec![call.len() as u8]].concat();
        calls.iter().flat_map(|call| [prefix(call), call.clone()].concat()).collect()
    };
    let gaps: Vec<u8> = calls.iter().flat_map(|call| [call.as_slice(), b"gap"].concat()).collect();
    let list = element(0xA1, &calls.concat());
    let batch = [element(0x80, b"boston"), list, vec![0x82, 1, 3]].concat();
    let text = |text: &str| text.as_bytes().to_vec();
    vec![
        ("type = \"Calls.Call\"", calls.concat()),
        ("type = \"Calls.Call\", gap = 3", gaps),
        ("type = \"Calls.Call\", framing = \"length-2\"", framed(2)),
        ("type = \"Calls.Call\", framing = \"detect\"", framed(4)),
        ("type = \"Calls.Call\", framing = \"batch\"", element(0x30, &batch)),
        (
            "type = \"Calls.Call\", codec = \"csv\", separator = \";\"",
            text("seconds;place;id;note\r\n10;Boston;1;\r\n;Boston;2;\r\n30;Boston;3;\r\n"),
        ),
        (
            "type = \"Calls.Call\", codec = \"csv\", header = false, columns = [\"id\", \"seconds\"]",
            text("1,10\n2,\n3,30\n"),
        ),
        (
            "type = \"Calls.Call\", codec = \"fixed\", columns = [\"id width 2\", \"seconds width 3\"]",
            text("1 10 \n2    \n3 30 \n"),
        ),
        (
            "type = \"Calls.Call\", codec = \"json\"",
            text("{\"id\":1,\"seconds\":10}\n{\"id\":2}\n{\"id\":3,\"seconds\":30}\n"),
        ),
        (
            "type = \"Calls.Call\", codec = \"xml\"",
            text(
                "<calls><Call><id>1</id><seconds>10</seconds></Call>\n<Call><id>2</id></Call>\n\
                 <Call><id>3</id><seconds>30</seconds></Call></calls>\n",
            ),
        ),
    ]
}

/// Counts as JSON, and as text without the blanks before lines.
fn counted(folder: &Path, by: &[&str]) -> (Vec<Value>, Vec<String>) {
    let list = [&["suspense", "list", "flow.toml", "--count"], by].concat();
    let (_, text, said) = run(folder, &list);
    assert_eq!(said, "");
    let (_, json, _) = run(folder, &[list.as_slice(), &["--json"]].concat());
    let json = json.lines().map(|line| serde_json::from_str(line).unwrap());
    (json.collect(), text.lines().map(|line| line.trim_start().to_owned()).collect())
}

#[test]
fn records_are_counted_by_what_is_wrong_and_the_most_frequent_values_are_shown() {
    let script = "declare plans TABLE \"plans.csv\";
        BOOLEAN pass(call CONST Call) { assert call.id > 1; return lookup(plans, toString(call.seconds)) == \"x\"; }";
    let folder = flow("type = \"Calls.Call\"", script);
    let folder = folder.path();
    fs::write(folder.join("plans.csv"), "seconds;plan\n9;x\n").unwrap();
    // 30 of 7 seconds, 2 of 8, one each of 10 to 14; one each of two faults without values.
    let seconds = [vec![7; 30], vec![8; 2], (10..15).collect(), vec![9]].concat();
    let calls = seconds.iter().map(|seconds| call(2, Some(*seconds)));
    let calls: Vec<u8> = calls.chain([call(1, Some(9)), call(2, None)]).flatten().collect();
    fs::write(folder.join("in/1.x"), calls).unwrap();
    run_once(folder);

    let (groups, lines) = counted(folder, &[]);
    assert_eq!(groups.len(), 3, "{groups:#?}");
    let template = groups[0]["template"].as_str().unwrap();
    assert_eq!(groups[0]["records"], 37);
    assert_eq!(groups[0]["code"], "script-not-found");
    assert!(template.ends_with("table has no \"{key}\""), "{template}");
    let value = |value, records| json!({"value": value, "records": records});
    let values =
        json!([value("7", 30), value("8", 2), value("10", 1), value("11", 1), value("12", 1)]);
    assert_eq!(groups[0]["common"], json!([{"name": "key", "values": values, "others": 2}]));
    assert!(
        lines[0].contains("\tscript-not-found\t1\t")
            && lines[0].ends_with("table has no \"{key}\""),
        "{lines:?}"
    );
    assert_eq!(
        lines[1],
        "key: 7, 30 records; 8, 2 records; 10, 1 record; 11, 1 record; 12, 1 record; 2 others"
    );
    let codes: Vec<&Value> = groups[1..].iter().map(|group| &group["code"]).collect();
    assert_eq!(codes, ["script-assertion", "script-absent"]);

    // Records are chosen by code and by value; a value that all of them have stands in the reason.
    let (groups, lines) = counted(folder, &["--value", "8"]);
    assert_eq!((groups.len(), &groups[0]["records"]), (1, &json!(2)));
    assert!(groups[0]["reason"].as_str().unwrap().ends_with("table has no \"8\""));
    assert_eq!((&groups[0]["template"], lines.len()), (&json!(template), 1));
    assert_eq!(groups[0]["common"], json!([]));
    let (groups, _) = counted(folder, &["--code", "script-assertion"]);
    assert_eq!((groups.len(), &groups[0]["records"]), (1, &json!(1)));
    let (_, listed, _) = run(
        folder,
        &["suspense", "list", "flow.toml", "--json", "--code", "script-not-found", "--value", "10"],
    );
    let record: Value = serde_json::from_str(&listed).unwrap();
    assert_eq!(record["values"][0]["name"], "place");
    assert_eq!(record["values"][1], json!({"name": "key", "value": "10"}));

    // A code of the index is known, also if no record has it. Others are mistyped.
    assert!(counted(folder, &["--code", "script-rejected"]).0.is_empty());
    for line in ["suspense list", "suspense list --count", "files refused"] {
        let words: Vec<&str> = line.split(' ').chain(["--code", "nonsense"]).collect();
        let (status, _, said) = run(folder, &words);
        let told = said.contains("no error has the code \"nonsense\"");
        assert!(status == 2 && told, "{line}: {status} {said}");
    }

    // A retry that fails for another reason has the new reason.
    fs::write(folder.join("pass.dup"), "BOOLEAN pass(call CONST Call) { reject(\"closed\"); }")
        .unwrap();
    retry(folder, &["--code", "script-not-found"]);
    let (groups, _) = counted(folder, &["--code", "script-rejected"]);
    assert_eq!((groups.len(), &groups[0]["records"]), (1, &json!(37)));
    assert!(groups[0]["reason"].as_str().unwrap().ends_with("closed"), "{groups:?}");
    is_accounted_for(folder);
}

#[test]
fn an_edit_above_a_line_of_a_script_separates_no_records_and_other_rejections_do() {
    let script = "BOOLEAN pass(call CONST Call) {
        if (call.id == 1) { reject(\"one\"); }
        if (call.id == 2) { reject(toString(call.id)); }
        reject(\"all others\"); }";
    let folder = flow("type = \"Calls.Call\"", script);
    let folder = folder.path();
    fs::write(folder.join("in/1.x"), (1..5).flat_map(|id| call(id, Some(1))).collect::<Vec<_>>())
        .unwrap();
    run_once(folder);
    // Lines above the others, and other calls.
    fs::write(folder.join("pass.dup"), format!("-- A remark.\n\n{script}")).unwrap();
    fs::write(folder.join("in/2.x"), (1..5).flat_map(|id| call(id, Some(2))).collect::<Vec<_>>())
        .unwrap();
    run_once(folder);
    let (groups, lines) = counted(folder, &["--code", "script-rejected"]);
    let counts: Vec<(u64, &str)> = groups
        .iter()
        .map(|group| {
            let template = group["template"].as_str().unwrap();
            (group["records"].as_u64().unwrap(), template.strip_prefix("{place}: ").unwrap())
        })
        .collect();
    assert_eq!(counts, [(4, "all others"), (2, "one"), (2, "{text}")]);
    assert!(lines[1].starts_with("place: "), "{lines:?}");
    assert_eq!(lines[1].matches(", 2 records").count(), 2, "both places: {lines:?}");
    is_accounted_for(folder);
}

#[test]
fn once_the_script_is_right_a_record_of_any_format_goes_out_once() {
    for (decode, octets) in formats() {
        let folder = flow(decode, STRICT);
        let folder = folder.path();
        fs::write(folder.join("in/calls.x"), octets).unwrap();
        run_once(folder);
        assert_eq!(listed(folder, "open").len(), 1, "{decode}");
        let failed = retry(folder, &["--all"]);
        assert_eq!(failed["suspended"], 1, "{decode}: the script is as it was");
        fs::write(folder.join("pass.dup"), LENIENT).unwrap();
        let retried = retry(folder, &["1"]);
        assert_eq!((&retried["asked"], &retried["delivered"]), (&json!(1), &json!(1)), "{decode}");
        let calls = ["{\"id\":1,\"seconds\":10}", "{\"id\":2}", "{\"id\":3,\"seconds\":30}"];
        assert_eq!(delivered(folder), calls, "{decode}");
        assert_eq!(retry(folder, &["--all"])["asked"], 0, "{decode}: none is open");
        run_once(folder);
        assert_eq!(delivered(folder), calls, "{decode}: once");
        is_accounted_for(folder);
    }
}

#[test]
fn a_flow_without_network_elements_puts_nothing_through_and_says_so() {
    let folder = flow("codec = \"json\", type = \"Calls.Call\"", STRICT);
    let folder = folder.path();
    fs::write(folder.join("in/calls.x"), "{\"id\":1}\n").unwrap();
    run_once(folder);
    let text = fs::read(folder.join("flow.toml")).unwrap();
    fs::write(folder.join("flow.toml"), "").unwrap();
    let (status, _, said) = run(folder, &["suspense", "retry", "flow.toml", "--all"]);
    assert!(status == 2 && said.contains("\"flow.toml\" has no network elements"), "{said}");
    fs::write(folder.join("flow.toml"), text).unwrap();
    fs::write(folder.join("pass.dup"), LENIENT).unwrap();
    assert_eq!(retry(folder, &["--all"])["delivered"], 1, "nobody had asked before");
}

#[test]
fn what_nobody_changed_of_a_record_stays_when_it_is_edited() {
    let folder = flow("type = \"Calls.Call\"", STRICT);
    let folder = folder.path();
    // An INTEGER with more octets than it needs, and an element that the module does not know.
    fs::write(folder.join("in/calls.x"), b"\x30\x08\x80\x02\x00\x02\x9F\x50\x01\xAA").unwrap();
    run_once(folder);
    fs::write(folder.join("2.json"), "{\"id\":2,\"seconds\":20}").unwrap();
    let edit = ["suspense", "edit", "flow.toml", "1", "--json", "2.json", "--because", "asked"];
    let (status, _, said) = run(folder, &edit);
    assert_eq!(status, 0, "{said}");
    let (_, shown, _) = run(folder, &["suspense", "show", "flow.toml", "1", "--json"]);
    let shown: Value = serde_json::from_str(&shown).unwrap();
    assert_eq!(shown["octets"], "300b800200028101149f5001aa");
}

#[test]
fn a_record_of_any_format_is_corrected_as_json() {
    for (decode, octets) in formats() {
        let folder = flow(decode, STRICT);
        let folder = folder.path();
        fs::write(folder.join("in/calls.x"), octets).unwrap();
        run_once(folder);
        let (_, shown, said) = run(folder, &["suspense", "show", "flow.toml", "1", "--json"]);
        let shown: Value = serde_json::from_str(&shown).unwrap_or_else(|_| panic!("{said}"));
        assert_eq!(shown["json"], json!({ "id": 2 }), "{decode}");
        let corrected = json!({ "id": 2, "seconds": 20 }).to_string();
        fs::write(folder.join("2.json"), &corrected).unwrap();
        let edit = ["suspense", "edit", "flow.toml", "1", "--json", "2.json", "--because", "asked"];
        let (status, _, said) = run(folder, &edit);
        assert_eq!(status, 0, "{decode}: {said}");
        assert_eq!(retry(folder, &["1"])["delivered"], 1, "{decode}");
        assert!(delivered(folder).contains(&corrected), "{decode}");
        assert_eq!(delivered(folder).len(), 3, "{decode}");
        let (_, trail, _) = run(folder, &["trail", "flow.toml", "--json"]);
        let edited: Value = serde_json::from_str(trail.lines().next().unwrap()).unwrap();
        assert_eq!(edited["before"], shown["octets"], "{decode}");
        assert_eq!(
            (&edited["action"], &edited["reason"]),
            (&json!("suspense edit"), &json!("asked"))
        );
        let retried = &listed(folder, "retried")[0];
        assert_eq!((&edited["after"], &json!(true)), (&retried["octets"], &retried["edited"]));
    }
}

#[test]
fn columns_that_nobody_named_stay_when_a_line_of_csv_is_corrected() {
    let folder = flow("type = \"Calls.Call\", codec = \"csv\"", STRICT);
    let folder = folder.path();
    fs::write(folder.join("in/a.x"), "place,id,note,seconds\n\"Boston, MA\",2,,\n").unwrap();
    run_once(folder);
    let mut edit = tollgate(folder, &["suspense", "edit", "flow.toml", "1", "--json", "-"]);
    let mut edit = edit.stdin(Stdio::piped()).stdout(Stdio::null()).spawn().unwrap();
    edit.stdin.take().unwrap().write_all(b"{ \"id\": 2, \"seconds\": 7 }\n").unwrap();
    assert!(edit.wait().unwrap().success());
    let octets = listed(folder, "open")[0]["octets"].as_str().unwrap().to_owned();
    let expected: String =
        "\"Boston, MA\",2,,7\r\n".bytes().map(|octet| format!("{octet:02x}")).collect();
    assert_eq!(octets, expected);
}

#[test]
fn a_record_that_cannot_be_read_is_corrected_in_its_octets() {
    let folder = flow("type = \"Calls.Call\"", LENIENT);
    let folder = folder.path();
    // The second is not a SEQUENCE.
    let octets = [call(1, Some(10)), element(0x9F, &[0x21, 0, 0]), call(3, None)].concat();
    fs::write(folder.join("in/calls.x"), octets).unwrap();
    run_once(folder);
    let (_, shown, _) = run(folder, &["suspense", "show", "flow.toml", "1"]);
    assert!(shown.contains("does not decode") && shown.contains("00000000  9f 03"), "{shown}");
    let (status, _, said) = run(folder, &["suspense", "edit", "flow.toml", "1", "--octets", "300"]);
    assert!(status == 2 && said.contains("no whole octets"), "{said}");
    let edit = ["suspense", "edit", "flow.toml", "1", "--octets", "3003 800102"];
    assert_eq!(run(folder, &edit).0, 0);
    assert_eq!(retry(folder, &["--node", ""])["delivered"], 1);
    assert_eq!(delivered(folder), ["{\"id\":1,\"seconds\":10}", "{\"id\":2}", "{\"id\":3}"]);
    let (_, shown, _) = run(folder, &["suspense", "show", "flow.toml", "1"]);
    assert!(
        shown.contains("it came with 5 octets") && shown.contains("retry: delivered"),
        "{shown}"
    );
}

/// The database itself does not detect this: only a digest shows what the octets were.
#[test]
fn a_record_whose_octets_were_damaged_is_told_apart_and_goes_out_when_it_has_its_own_again() {
    let folder = flow("type = \"Calls.Call\"", STRICT);
    let here = folder.path();
    fs::write(here.join("in/a.x"), [call(1, None), call(2, None)].concat()).unwrap();
    run_once(here);
    let journal = rusqlite::Connection::open(here.join("flow.state/journal.db")).unwrap();
    let update = "UPDATE suspense SET octets = ? WHERE id = 1";
    assert_eq!(journal.execute(update, [&call(9, None)]).unwrap(), 1);
    drop(journal);
    let listed = listed(here, "open");
    let reasons: Vec<_> = listed.iter().map(|of| of["reason"].as_str().unwrap()).collect();
    assert!(reasons[0].starts_with("its octets were damaged in the journal"), "{reasons:?}");
    assert!(!reasons[1].contains("damaged"), "{reasons:?}");
    let (status, shown, _) = run(here, &["audit", "flow.toml"]);
    let is_told = shown.contains("boston/a.x: the octets of the record 1 in suspense were damaged");
    assert!(status == 1 && is_told, "{status} {shown}");
    fs::write(here.join("1.json"), "{\"id\":1}").unwrap();
    let edit = ["suspense", "edit", "flow.toml", "1", "--json", "1.json"];
    let (status, _, said) = run(here, &edit);
    assert!(status == 2 && said.contains("give all of them by octets"), "{said}");
    // The damaged record does not go out, whatever the script does now; others do.
    fs::write(here.join("pass.dup"), LENIENT).unwrap();
    let (status, shown, _) = run(here, &["suspense", "retry", "flow.toml", "--all"]);
    assert!(status == 1 && shown.contains("record 1 is not retried: its octets were"), "{shown}");
    assert_eq!(delivered(here), ["{\"id\":2}"]);
    let octets: String = call(1, None).iter().map(|octet| format!("{octet:02x}")).collect();
    assert_eq!(run(here, &["suspense", "edit", "flow.toml", "1", "--octets", &octets]).0, 0);
    retry(here, &["--all"]);
    assert_eq!(delivered(here), ["{\"id\":1}", "{\"id\":2}"]);
    is_accounted_for(here);
}

/// A retry that cannot be done is not waited for, and the gateway does not try it again.
#[test]
fn a_record_that_was_damaged_after_somebody_asked_for_it_is_retried_no_more_and_that_is_told() {
    let folder = flow("type = \"Calls.Call\"", STRICT);
    let here = folder.path();
    fs::write(here.join("in/a.x"), [call(1, None), call(2, None)].concat()).unwrap();
    run_once(here);
    fs::write(here.join("pass.dup"), LENIENT).unwrap();
    let asked_and_damaged = || {
        let journal = rusqlite::Connection::open(here.join("flow.state/journal.db")).unwrap();
        let asked = "INSERT INTO trail (at_ms, who, action, subject, reason)
                     VALUES (0, 'somebody', 'suspense retry', '', '')";
        journal.execute(asked, []).unwrap();
        let trail = journal.last_insert_rowid();
        let update = "UPDATE suspense SET asked = ? WHERE state = 'open'";
        assert!(journal.execute(update, [trail]).unwrap() > 0);
        let update = "UPDATE suspense SET octets = ? WHERE id = 1";
        assert_eq!(journal.execute(update, [&call(9, None)]).unwrap(), 1);
    };
    asked_and_damaged();
    // The other record goes out; the damaged one is reported once, with the next look.
    for _ in 0..2 {
        run(here, &["run", "flow.toml", "--once"]);
    }
    assert_eq!(delivered(here), ["{\"id\":2}"]);
    let left = listed(here, "open");
    assert_eq!((left.len(), &left[0]["asked"]), (1, &json!(false)));
    assert_eq!(run(here, &["alarms", "flow.toml"]).0, 0);
    // A command that waits for the record reports it as well.
    asked_and_damaged();
    let (status, shown, _) = run(here, &["suspense", "retry", "flow.toml", "--all"]);
    let told = "record 1 is not retried: its octets were damaged in the journal\n";
    assert_eq!((status, shown.as_str()), (1, told));
    let octets: String = call(1, None).iter().map(|octet| format!("{octet:02x}")).collect();
    assert_eq!(run(here, &["suspense", "edit", "flow.toml", "1", "--octets", &octets]).0, 0);
    retry(here, &["--all"]);
    assert_eq!(delivered(here), ["{\"id\":1}", "{\"id\":2}"]);
    is_accounted_for(here);
}

#[test]
fn what_a_record_says_is_shown_in_the_order_of_its_type() {
    let script = "BOOLEAN pass(call CONST Call) { reject(\"none passes\"); return TRUE; }";
    let folder = flow("type = \"Calls.Call\", codec = \"json\"", script);
    let folder = folder.path();
    fs::write(folder.join("in/a.x"), "{\"note\":\"a\",\"seconds\":2,\"id\":9007199254740993}")
        .unwrap();
    run_once(folder);
    let (_, shown, _) = run(folder, &["suspense", "show", "flow.toml", "1", "--json"]);
    let json = "\"json\":{\"id\":9007199254740993,\"seconds\":2,\"note\":\"a\"}";
    assert!(shown.contains(json), "{shown}");
}

#[test]
fn an_editor_is_opened_on_the_record() {
    let folder = flow("type = \"Calls.Call\"", STRICT);
    let folder = folder.path();
    fs::write(folder.join("in/calls.x"), call(2, None)).unwrap();
    run_once(folder);
    let edit = |editor: &str| {
        let mut edit = tollgate(folder, &["suspense", "edit", "flow.toml", "1"]);
        let output = edit.env("EDITOR", editor).env_remove("VISUAL").output().unwrap();
        let text = |octets: &[u8]| String::from_utf8_lossy(octets).into_owned();
        (output.status.code().unwrap(), text(&output.stdout), text(&output.stderr))
    };
    assert!(edit("true").1.contains("nothing was changed"));
    let (status, _, said) = edit("sed -i s/2/two/");
    assert!(status == 2 && said.contains("what was written is in"), "{said}");
    fs::remove_file(said.rsplit('"').nth(1).unwrap()).unwrap();
    assert_eq!(edit("sed -i 's/\"id\": 2/\"id\": 2, \"seconds\": 5/'").0, 0);
    assert_eq!(retry(folder, &["1"])["delivered"], 1);
    assert_eq!(delivered(folder), ["{\"id\":2,\"seconds\":5}"]);
}

#[test]
fn what_a_wrong_module_made_unreadable_is_read_whole_when_the_module_is_right() {
    for framing in ["", ", framing = \"length-2\""] {
        let folder = flow(&format!("type = \"Calls.Call\"{framing}"), LENIENT);
        let folder = folder.path();
        let wrong = MODULE.replace("Call ::= SEQUENCE", "Call ::= [APPLICATION 1] SEQUENCE");
        fs::write(folder.join("calls.asn1"), wrong).unwrap();
        let calls = (0..20_000_u32).flat_map(|id| {
            let id = (id % 100) as u8;
            let call = call(id, Some(id));
            let prefix = vec![0, call.len() as u8];
            if framing.is_empty() { call } else { [prefix, call].concat() }
        });
        fs::write(folder.join("in/calls.x"), calls.collect::<Vec<u8>>()).unwrap();
        run_once(folder);
        let pieces = listed(folder, "open").len();
        assert!(pieces > 1 && pieces < 100, "{pieces} pieces{framing}: many records lie in each");
        fs::write(folder.join("calls.asn1"), MODULE).unwrap();
        let retried = retry(folder, &["--all"]);
        assert_eq!(retried["suspended"], 0, "{retried}{framing}");
        assert_eq!((&retried["asked"], &retried["delivered"]), (&json!(pieces), &json!(20_000)));
        assert_eq!(delivered(folder).len(), 20_000);
        is_accounted_for(folder);
    }
}

#[test]
fn what_fails_of_a_piece_that_held_several_records_is_set_aside_alone() {
    let folder = flow("type = \"Calls.Call\"", STRICT);
    let folder = folder.path();
    let wrong = MODULE.replace("Call ::= SEQUENCE", "Call ::= [APPLICATION 1] SEQUENCE");
    fs::write(folder.join("calls.asn1"), wrong).unwrap();
    let octets = [call(1, Some(10)), call(2, None), call(3, Some(30))].concat();
    fs::write(folder.join("in/calls.x"), octets).unwrap();
    run_once(folder);
    assert_eq!(listed(folder, "open").len(), 1, "nothing tells where a record ends");
    fs::write(folder.join("calls.asn1"), MODULE).unwrap();
    let retried = retry(folder, &["--all"]);
    assert_eq!((&retried["asked"], &retried["records"]), (&json!(1), &json!(3)), "{retried}");
    assert_eq!((&retried["delivered"], &retried["suspended"]), (&json!(2), &json!(1)), "{retried}");
    let open = listed(folder, "open");
    assert_eq!((open.len(), &open[0]["octets"]), (1, &json!("3003800102")));
    assert_eq!((&open[0]["offset"], &open[0]["id"]), (&json!(8), &json!(2)), "{open:?}");
    is_accounted_for(folder);
    fs::write(folder.join("pass.dup"), LENIENT).unwrap();
    assert_eq!(retry(folder, &["2"])["delivered"], 1);
    assert_eq!(delivered(folder).len(), 3);
    is_accounted_for(folder);
}

#[test]
fn lines_that_were_set_aside_one_behind_the_other_keep_their_numbers() {
    let script = "NULL pass(call Call, context CONST RecordContext)
        { reject(toString(context.recordNumber)); }";
    let columns = "type = \"Calls.Call\", codec = \"csv\", columns = [\"id\", \"seconds\"";
    let folder = flow(&format!("{columns}, \"note\"]"), script);
    let folder = folder.path();
    let text = fs::read_to_string(folder.join("flow.toml")).unwrap();
    let text = text.replace("[filter.pass]", "[formatter.pass]");
    fs::write(folder.join("flow.toml"), &text).unwrap();
    fs::write(folder.join("in/calls.x"), "id,seconds\n1,10\n2,20\n3,30\n").unwrap();
    run_once(folder);
    assert_eq!(listed(folder, "open").len(), 1, "a file without the column is set aside whole");
    fs::write(folder.join("flow.toml"), text.replace(", \"note\"]", "]")).unwrap();
    assert_eq!(retry(folder, &["--all"])["suspended"], 3);
    let open = listed(folder, "open");
    let ids: Vec<_> = open.iter().map(|record| record["id"].as_u64().unwrap()).collect();
    assert_eq!(ids, [2, 3, 4], "each line is a record of its own by now");
    for (record, number) in open.iter().zip(1..) {
        let reason = record["reason"].as_str().unwrap();
        assert!(reason.ends_with(&format!("{number}")), "{reason}");
    }
    is_accounted_for(folder);
}

#[test]
fn much_is_put_through_in_several_jobs() {
    let folder = flow("type = \"Calls.Call\", codec = \"json\"", STRICT);
    let folder = folder.path();
    let text: String = (0..10_001).map(|id| format!("{{\"id\":{id}}}\n")).collect();
    fs::write(folder.join("in/calls.x"), text).unwrap();
    run_once(folder);
    fs::write(folder.join("pass.dup"), LENIENT).unwrap();
    assert_eq!(retry(folder, &["--all"])["delivered"], 10_001);
    let mut lengths: Vec<usize> = outputs(folder)
        .iter()
        .map(|path| fs::read_to_string(path).unwrap().lines().count())
        .collect();
    lengths.sort_unstable();
    assert_eq!(lengths, [1, 10_000], "10,000 records of a file in one");
    is_accounted_for(folder);
}

#[test]
fn of_a_batch_whose_records_are_the_whole_each_goes_out_with_what_stands_around() {
    let script =
        "BOOLEAN pass(batch CONST Batch) { assert present(batch.calls[0].seconds); return TRUE; }";
    let folder = flow("type = \"Calls.Batch\", framing = \"batch\", list = \"calls\"", script);
    let folder = folder.path();
    let list = element(0xA1, &[call(1, Some(10)), call(2, None), call(3, None)].concat());
    let batch = [element(0x80, b"boston"), list, vec![0x82, 1, 3]].concat();
    fs::write(folder.join("in/a.x"), element(0x30, &batch)).unwrap();
    run_once(folder);
    let lenient = "BOOLEAN pass(batch CONST Batch) { return TRUE; }";
    fs::write(folder.join("pass.dup"), lenient).unwrap();
    assert_eq!(retry(folder, &["--all"])["delivered"], 2);
    let batch = |call: &str| format!("{{\"sender\":\"boston\",\"calls\":[{call}],\"count\":3}}");
    let calls = ["{\"id\":1,\"seconds\":10}", "{\"id\":2}", "{\"id\":3}"];
    assert_eq!(delivered(folder), calls.map(batch));
}

/// Starts a gateway and waits until it listens.
fn start(folder: &Path) -> Child {
    let mut gateway = tollgate(folder, &["run", "flow.toml"]);
    let gateway = gateway.stdout(Stdio::null()).stderr(Stdio::null()).spawn().unwrap();
    wait_for(|| folder.join("flow.state/socket").exists());
    gateway
}

fn wait_for(happens: impl Fn() -> bool) {
    let end = Instant::now() + SEEN_WITHIN;
    while !happens() {
        assert!(Instant::now() < end, "it does not happen");
        thread::sleep(Duration::from_millis(10));
    }
}

#[test]
fn a_running_gateway_puts_records_through_by_the_script_that_was_just_corrected() {
    let folder = flow("type = \"Calls.Call\"", STRICT);
    let folder = folder.path();
    let mut gateway = start(folder);
    for round in 0..3_u8 {
        fs::write(folder.join("pass.dup"), STRICT).unwrap();
        assert_eq!(run(folder, &["reload", "flow.toml"]).0, 0);
        let octets = [call(1, Some(10)), call(2 + round, None)].concat();
        fs::write(folder.join(format!("in/{round}.x")), octets).unwrap();
        wait_for(|| listed(folder, "open").len() == 1);
        fs::write(folder.join("pass.dup"), LENIENT).unwrap();
        let retried = retry(folder, &["--all"]);
        assert_eq!(retried["delivered"], 1, "{retried}");
        wait_for(|| delivered(folder).len() == 2 * (1 + usize::from(round)));
    }
    gateway.kill().unwrap();
    gateway.wait().unwrap();
    let once = ["{\"id\":2}", "{\"id\":3}", "{\"id\":4}"];
    assert_eq!(delivered(folder)[3..], once);
}

#[test]
fn a_record_that_fails_again_stays_with_its_number_its_new_reason_and_its_history() {
    let folder = flow("type = \"Calls.Call\"", STRICT);
    let folder = folder.path();
    let octets = [call(1, None), call(2, None)].concat();
    fs::write(folder.join("in/calls.x"), octets).unwrap();
    run_once(folder);
    let other =
        "BOOLEAN pass(call CONST Call) { if (call.id == 1) { reject(\"no one\"); } return TRUE; }";
    fs::write(folder.join("pass.dup"), other).unwrap();
    let retried = retry(folder, &["--reason", "present(call.seconds)"]);
    assert_eq!((&retried["delivered"], &retried["suspended"]), (&json!(1), &json!(1)), "{retried}");
    assert!(retried["reasons"][0]["reason"].as_str().unwrap().contains("no one"), "{retried}");
    let open = listed(folder, "open");
    assert_eq!((open.len(), &open[0]["id"], &open[0]["retries"]), (1, &json!(1), &json!(1)));
    assert!(open[0]["reason"].as_str().unwrap().contains("no one"));
    let (_, shown, _) = run(folder, &["suspense", "show", "flow.toml", "1"]);
    assert!(shown.contains("suspense retry: suspended, pass:"), "{shown}");
    is_accounted_for(folder);
    fs::write(folder.join("pass.dup"), "this is no script").unwrap();
    let (status, _, said) = run(folder, &["suspense", "retry", "flow.toml", "1"]);
    assert!(status == 2 && said.contains("pass.dup"), "{said}");
    assert_eq!(listed(folder, "open")[0]["asked"], false, "nothing was asked for");
}

#[test]
fn records_are_counted_by_what_is_wrong_and_chosen_by_what_is_said() {
    let script = "BOOLEAN pass(call CONST Call) { if (call.id < 3) { reject(\"early\"); } reject(\"late\"); return TRUE; }";
    let folder = flow("type = \"Calls.Call\"", script);
    let folder = folder.path();
    for (name, ids) in [("a.x", 0..5), ("b.x", 1..3)] {
        let octets: Vec<u8> = ids.flat_map(|id| call(id, None)).collect();
        fs::write(folder.join("in").join(name), octets).unwrap();
    }
    run_once(folder);
    let (_, count, _) =
        run(folder, &["suspense", "list", "flow.toml", "--count", "--json", "--node", "pass"]);
    let count: Vec<Value> = count.lines().map(|line| serde_json::from_str(line).unwrap()).collect();
    let counts: Vec<_> = count.iter().map(|alike| alike["records"].as_u64().unwrap()).collect();
    assert_eq!(counts, [5, 2], "{count:?}");
    let chosen = |by: &[&str]| {
        let (status, out, said) = run(folder, &[&["suspense", "list", "flow.toml"], by].concat());
        assert_eq!(status, 0, "{said}");
        out.lines().count()
    };
    for (by, records) in [
        (&[][..], 7),
        (&["--file", "b.x"], 2),
        (&["--reason", "late"], 2),
        (&["--reason", "early", "--file", "a.x"], 3),
        (&["--network-element", "boston"], 7),
        (&["--node", ""], 0),
        (&["--why", "suspended"], 7),
        (&["--why", "duplicate"], 0),
        (&["--from", "2020-01-01"], 7),
        (&["--to", "2020-01-01T00:00:00Z"], 0),
        (&["--limit", "3"], 3),
        (&["--state", "retried"], 0),
        (&["--state", "all"], 7),
    ] {
        assert_eq!(chosen(by), records, "{by:?}");
    }
    let is_unknown = |by: &[&str]| {
        for deed in [&["list"][..], &["retry"], &["discard", "--because", "test", "--yes"]] {
            let line = [&["suspense", deed[0], "flow.toml"], &deed[1..], by].concat();
            let (status, _, said) = run(folder, &line);
            assert_eq!(status, 2, "{line:?}: {said}");
            assert!(said.contains(&format!("no {} \"{}\"", by[0][2..].replace('-', " "), by[1])));
        }
    };
    is_unknown(&["--network-element", "york"]);
    is_unknown(&["--file", "c.x"]);
    is_unknown(&["--node", "pas"]);
    // A node whose table is gone or renamed still has its records.
    let flow = fs::read_to_string(folder.join("flow.toml")).unwrap();
    let renamed = flow.replace("filter.pass]", "filter.strict]").replace("\"pass\"", "\"strict\"");
    fs::write(folder.join("flow.toml"), renamed.replace("boston", "chicago")).unwrap();
    for (by, records) in [
        (&["--node", "pass"], 7),
        (&["--network-element", "boston"], 7),
        (&["--node", "strict"], 0),
        (&["--node", "billing"], 0),
        (&["--network-element", "chicago"], 0),
    ] {
        assert_eq!(chosen(by), records, "{by:?}");
    }
}

#[test]
fn discarded_records_need_a_reason_and_stay_listed() {
    let folder = flow("type = \"Calls.Call\"", STRICT);
    let folder = folder.path();
    let octets = [call(1, None), call(2, None), call(3, None)].concat();
    fs::write(folder.join("in/calls.x"), octets).unwrap();
    run_once(folder);
    let discard = |more: &[&str]| {
        let line = [&["suspense", "discard", "flow.toml"], more].concat();
        let output = tollgate(folder, &line).stdin(Stdio::null()).output().unwrap();
        let said = String::from_utf8_lossy(&output.stderr).into_owned();
        (output.status.code().unwrap(), said)
    };
    for (more, refusal) in [
        (&["--yes", "--because", "tests"][..], "say which records"),
        (&["1", "2", "--yes"], "for a reason"),
        (&["1", "2", "--because", "tests"], "2 records would be discarded"),
    ] {
        let (status, said) = discard(more);
        assert!(status == 2 && said.contains(refusal), "{said}");
    }
    assert_eq!(listed(folder, "open").len(), 3);
    assert_eq!(discard(&["1", "2", "--because", "test calls", "--yes"]).0, 0);
    let (status, said) = discard(&["1", "2", "77", "--because", "again", "--yes"]);
    let closed = "records 1, 2 are no longer open\nthere is no record 77 in suspense\n";
    assert_eq!((status, said.as_str()), (1, closed));
    assert_eq!(listed(folder, "discarded").len(), 2);
    let (_, trail, _) = run(folder, &["trail", "flow.toml"]);
    assert!(trail.contains("2 records: numbers 1, 2\ttest calls"), "{trail}");
    assert_eq!(trail.lines().count(), 1, "{trail}");
    fs::write(folder.join("pass.dup"), LENIENT).unwrap();
    assert_eq!(retry(folder, &["--all"])["delivered"], 1);
    assert_eq!(retry(folder, &["1"])["asked"], 0, "what is given up is not retried");
    assert_eq!(delivered(folder), ["{\"id\":3}"]);
    let (status, _, said) = run(folder, &["suspense", "edit", "flow.toml", "1", "--octets", "00"]);
    assert!(status == 2 && said.contains("no longer open"), "{said}");
}

#[test]
fn what_was_discarded_by_mistake_is_reopened_for_a_reason_and_goes_out() {
    let folder = flow("type = \"Calls.Call\"", STRICT);
    let folder = folder.path();
    fs::write(folder.join("in/calls.x"), [call(1, None), call(2, None)].concat()).unwrap();
    run_once(folder);
    let suspense = |line: &[&str]| run(folder, &[&["suspense"], line].concat());
    let discard = ["discard", "flow.toml", "1", "--because", "a slip", "--yes"];
    assert_eq!(suspense(&discard).0, 0);
    let (status, _, said) = suspense(&["reopen", "flow.toml", "1", "--because", " "]);
    assert!(status == 2 && said.contains("give a reason"), "{said}");
    let reopen = ["reopen", "flow.toml", "1", "2", "7", "--because", "it was not meant"];
    let (status, shown, said) = suspense(&reopen);
    let others = "record 2 is not discarded\nthere is no record 7 in suspense\n";
    assert_eq!((status, shown.as_str(), said.as_str()), (1, "1 record reopened\n", others));
    let (_, shown, _) = suspense(&["show", "flow.toml", "1", "--json"]);
    let history = &serde_json::from_str::<Value>(&shown).unwrap()["history"];
    let did: Vec<_> = history.as_array().unwrap().iter().map(|event| &event["action"]).collect();
    assert_eq!(did, ["suspense discard", "suspense reopen"], "{history}");
    let (_, trail, _) = run(folder, &["trail"]);
    assert!(trail.ends_with("suspense reopen\t1 record: number 1\tit was not meant\n"), "{trail}");
    fs::write(folder.join("pass.dup"), LENIENT).unwrap();
    assert_eq!(retry(folder, &["--all"])["delivered"], 2);
    is_accounted_for(folder);
}

#[test]
fn discarded_records_are_chosen_to_be_reopened_as_others_are_to_be_discarded() {
    let folder = flow("type = \"Calls.Call\"", STRICT);
    let folder = folder.path();
    for (file, calls) in [("a.x", [1, 2]), ("b.x", [3, 4]), ("c.x", [5, 6])] {
        fs::write(folder.join("in").join(file), calls.map(|id| call(id, None)).concat()).unwrap();
    }
    run_once(folder);
    let suspense = |line: &[&str]| run(folder, &[&["suspense"], line].concat());
    let reopen = |by: &[&str]| {
        let line = [&["reopen", "flow.toml", "--because", "a slip"], by].concat();
        let (status, shown, said) = suspense(&line);
        (status, shown + &said)
    };
    let discard = ["discard", "flow.toml", "--because", "tests", "--yes"];
    assert_eq!(suspense(&[&discard[..], &["--file", "a.x"]].concat()).0, 0);
    assert_eq!(suspense(&[&discard[..], &["--file", "b.x"]].concat()).0, 0);
    let (status, said) = reopen(&[]);
    assert!(status == 2 && said.contains("say which records"), "{said}");
    let (status, said) = reopen(&["--network-element", "bosten"]);
    assert!(status == 2 && said.contains("bosten"), "{said}");
    let discarded = listed(folder, "discarded").len();
    assert_eq!(discarded, 4);
    // Open records are not reopened, however they are selected.
    assert_eq!(reopen(&["--file", "c.x"]), (1, "0 records reopened\n".into()));
    let by = ["--file", "a.x", "--why", "suspended", "--limit", "1"];
    assert_eq!(reopen(&by), (0, "1 record reopened\n".into()));
    let (_, trail, _) = run(folder, &["trail"]);
    let entry = trail.lines().last().unwrap();
    assert!(
        entry.contains("suspense reopen\t1 record: file \"a.x\", suspended, 1 at most"),
        "{entry}"
    );
    assert_eq!(reopen(&["--all"]), (0, "3 records reopened\n".into()));
    assert_eq!(listed(folder, "open").len(), 6);
}

#[test]
fn numbers_of_records_that_are_not_open_are_named_and_the_others_are_put_through() {
    let folder = flow("type = \"Calls.Call\"", STRICT);
    let folder = folder.path();
    fs::write(folder.join("in/calls.x"), call(1, None)).unwrap();
    run_once(folder);
    fs::write(folder.join("pass.dup"), LENIENT).unwrap();
    let (status, shown, said) = run(folder, &["suspense", "retry", "flow.toml", "1", "8", "9"]);
    assert_eq!((status, said.as_str()), (1, "there are no records 8, 9 in suspense\n"));
    assert!(shown.starts_with("1 record retried: 1 delivered"), "{shown}");
    let (_, trail, _) = run(folder, &["trail"]);
    assert!(trail.ends_with("suspense retry\t1 record: number 1\t\n"), "{trail}");
}

/// Creates a flow that looks for calls whose number came before.
fn flow_with_duplicates(script: &str) -> TempDir {
    let folder = flow("type = \"Calls.Call\"", script);
    let text = fs::read_to_string(folder.path().join("flow.toml")).unwrap();
    let check =
        "[duplicate-check.new]\nfrom = \"boston\"\ntype = \"Calls.Call\"\nkey = \"record.id\"\n";
    let text = text.replace("[filter.pass]\nfrom = \"boston\"", "[filter.pass]\nfrom = \"new\"");
    fs::write(folder.path().join("flow.toml"), text + check).unwrap();
    folder
}

#[test]
fn a_record_that_came_before_goes_out_again_only_where_that_is_said() {
    let folder = flow_with_duplicates(LENIENT);
    let folder = folder.path();
    let octets = [call(1, Some(10)), call(1, Some(11)), call(2, None)].concat();
    fs::write(folder.join("in/calls.x"), octets).unwrap();
    run_once(folder);
    assert_eq!(listed(folder, "open")[0]["why"], "duplicate");
    assert_eq!(retry(folder, &["--all"])["asked"], 0);
    let (status, shown, said) = run(folder, &["suspense", "retry", "flow.toml", "1"]);
    let left = "1 duplicate left in suspense: --even-duplicates puts through what came before\n";
    assert_eq!((status, shown.as_str()), (1, left), "{said}");
    assert_eq!(delivered(folder).len(), 2);
    let retried = retry(folder, &["1", "--even-duplicates"]);
    assert_eq!((&retried["delivered"], &retried["duplicate"]), (&json!(1), &json!(0)), "{retried}");
    let calls = ["{\"id\":1,\"seconds\":10}", "{\"id\":1,\"seconds\":11}", "{\"id\":2}"];
    assert_eq!(delivered(folder), calls);
}

#[test]
fn a_record_whose_like_came_while_it_was_in_suspense_is_a_duplicate_and_one_that_is_retried_is_known()
 {
    let folder = flow_with_duplicates(STRICT);
    let folder = folder.path();
    fs::write(folder.join("in/a.x"), [call(1, None), call(2, None)].concat()).unwrap();
    run_once(folder);
    fs::write(folder.join("in/b.x"), call(1, Some(10))).unwrap();
    run_once(folder);
    fs::write(folder.join("pass.dup"), LENIENT).unwrap();
    let retried = retry(folder, &["--all"]);
    assert_eq!((&retried["delivered"], &retried["duplicate"]), (&json!(1), &json!(1)), "{retried}");
    let open = listed(folder, "open");
    assert_eq!((&open[0]["id"], &open[0]["why"]), (&json!(1), &json!("duplicate")));
    // The keys of retried records are known from then on, even after the gateway is started again.
    fs::write(folder.join("in/c.x"), [call(2, Some(20)), call(3, None)].concat()).unwrap();
    run_once(folder);
    assert_eq!(delivered(folder), ["{\"id\":1,\"seconds\":10}", "{\"id\":2}", "{\"id\":3}"]);
    is_accounted_for(folder);
}

const FILES: usize = 60;
const CALLS: usize = 100;

/// Kills that must have hit a retry at work; `KILLS=1000` tests more.
const KILLS: usize = 20;

/// Takes each output away as soon as it appears, and asserts that none appears twice.
fn receive(folder: &Path, received: &mut BTreeMap<String, String>) {
    for path in outputs(folder) {
        let name = path.file_name().unwrap().to_string_lossy().into_owned();
        let text = fs::read_to_string(&path).unwrap();
        fs::remove_file(&path).unwrap();
        assert!(received.insert(name.clone(), text).is_none(), "{name} was delivered twice");
    }
}

#[test]
fn a_retry_that_is_killed_at_any_moment_loses_no_record_and_doubles_none() {
    let asked = std::env::var("KILLS").ok().and_then(|kills| kills.parse().ok());
    let (kills, mut effective, mut seed) = (asked.unwrap_or(KILLS), 0, 1_u64);
    while effective < kills {
        let folder = flow("type = \"Calls.Call\", codec = \"json\"", STRICT);
        let folder = folder.path();
        for file in 0..FILES {
            let call = |call| format!("{{\"id\":{}}}\n", file * CALLS + call);
            let text: String = (0..CALLS).map(call).collect();
            fs::write(folder.join(format!("in/{file}.x")), text).unwrap();
        }
        run_once(folder);
        fs::write(folder.join("pass.dup"), LENIENT).unwrap();
        let mut received = BTreeMap::new();
        // Which process a kill hits is random; every second time a gateway takes over the requested retry.
        for round in 0.. {
            if listed(folder, "open").is_empty() {
                break;
            }
            seed = seed
                .wrapping_mul(6_364_136_223_846_793_005)
                .wrapping_add(1_442_695_040_888_963_407);
            let line: &[&str] = match round % 2 {
                0 => &["suspense", "retry", "flow.toml", "--all"],
                _ => &["run", "flow.toml", "--once"],
            };
            let before = received.len();
            let mut child =
                tollgate(folder, line).stdout(Stdio::null()).stderr(Stdio::null()).spawn().unwrap();
            // Some kills hit at the beginning, most after a few outputs: the speed of the machine does not matter.
            let (outputs, delay) = ((seed >> 33) as usize % 6, (seed >> 40) % 20);
            while received.len() < before + outputs && child.try_wait().unwrap().is_none() {
                receive(folder, &mut received);
            }
            thread::sleep(Duration::from_millis(delay));
            let killed = child.try_wait().unwrap().is_none();
            child.kill().unwrap();
            child.wait().unwrap();
            receive(folder, &mut received);
            effective += usize::from(killed && received.len() > before);
        }
        // Outputs that the journal has and that did not have their names before the last kill.
        run_once(folder);
        receive(folder, &mut received);
        let mut ids: Vec<u64> = received
            .values()
            .flat_map(|text| text.lines())
            .map(|line| serde_json::from_str::<Value>(line).unwrap()["id"].as_u64().unwrap())
            .collect();
        ids.sort_unstable();
        assert_eq!(ids, (0..(FILES * CALLS) as u64).collect::<Vec<_>>(), "each record once");
        assert_eq!(listed(folder, "retried").len(), FILES * CALLS);
        is_accounted_for(folder);
    }
    eprintln!("{effective} kills met a retry at work");
}
