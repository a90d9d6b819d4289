//! Tests `tollgate dup` and `tollgate check` on scripts, in the folder that `tollgate init` makes.

use std::path::Path;

use assert_cmd::Command;
use tempfile::TempDir;

/// Runs a command in a folder; returns its status, standard output and standard error.
fn tollgate(folder: &Path, line: &str) -> (i32, String, String) {
    let mut command = Command::cargo_bin("tollgate").unwrap();
    let output = command.current_dir(folder).args(line.split(' ')).output().unwrap();
    let text = |octets| String::from_utf8(octets).unwrap();
    (output.status.code().unwrap(), text(output.stdout), text(output.stderr))
}

fn example() -> TempDir {
    let folder = TempDir::new().unwrap();
    let (status, shown, wrong) = tollgate(folder.path(), "init here");
    assert_eq!(status, 0, "{wrong}");
    assert!(shown.contains("tollgate run here/flow.toml --once"), "{shown}");
    folder
}

const CALL: &str = r#"{"recordType":0,"version":7,"mscAddress":"91","servedIMSI":"4200618000000001","answerTime":"2601151030002B0100","callDuration":60,"causeForTermination":0,"callReference":"0102030405","details":{"originated":{"incomingTrunk":"A","outgoingTrunk":"B","basicService":"11","connection":"00000000"}},"sequenceNumber":1}"#;

#[test]
fn init_refuses_a_folder_that_is_used() {
    let folder = example();
    let (status, _, wrong) = tollgate(folder.path(), "init here");
    assert_eq!(status, 2);
    assert!(wrong.contains("the folder \"here\" is not empty"), "{wrong}");
}

#[test]
fn run_shows_what_a_script_makes_of_records() {
    let folder = example();
    let here = folder.path().join("here");
    std::fs::write(here.join("calls.jsonl"), format!("{CALL}\n")).unwrap();
    let run = |line: &str| tollgate(&here, line);
    assert_eq!(run("dup run scripts/is_billable.dup --record calls.jsonl").1, "true\n");
    assert_eq!(
        run("dup run scripts/home_v8.dup --record calls.jsonl").1,
        concat!(
            r#"{"version":8,"recordType":0,"servedIMSI":"4200618000000001","answerTime":"2601151030002b0100","#,
            r#""callDuration":60,"causeForTermination":0,"networkCallReference":"0102030405"}"#,
            "\n"
        )
    );
    let script =
        "NULL longer(cdr CallDataRecord)\n{ cdr.callDuration += 5; cdr.servedIMEI := 'AA'H; }\n";
    std::fs::write(here.join("longer.dup"), script).unwrap();
    assert_eq!(
        run("dup run longer.dup --record calls.jsonl").1,
        "callDuration: 60 -> 65\nservedIMEI: absent -> \"aa\"\n"
    );
    std::fs::write(here.join("two.jsonl"), format!("{CALL}\n{CALL}\n")).unwrap();
    let (_, shown, _) = run("dup run longer.dup --record two.jsonl");
    assert!(shown.ends_with("record 2: servedIMEI: absent -> \"aa\"\n"), "{shown}");
    let (status, _, wrong) = run("dup run scripts/roaming_v8.dup --record calls.jsonl");
    assert_eq!(status, 1);
    assert!(wrong.contains("record 1: "), "{wrong}");
    std::fs::copy(here.join("in/boston/boston-00002.ber"), here.join("some.ber")).unwrap();
    let (_, shown, _) = run("dup run scripts/is_roaming.dup --record some.ber");
    assert!(shown.lines().filter(|line| *line == "true").count() > 100, "{shown}");
}

#[test]
fn test_runs_the_tests_of_scripts_and_says_what_failed() {
    let folder = example();
    let here = folder.path().join("here");
    std::fs::write(here.join("scripts/call.json"), CALL).unwrap();
    let script = "INTEGER seconds(cdr CONST CallDataRecord) { return cdr.callDuration; }\n\
        test \"a minute\" { declare cdr CallDataRecord \"call.json\"; assert seconds(cdr) == 60; }\n\
        test \"an hour\" { declare cdr CallDataRecord \"call.json\"; assert seconds(cdr) == 3600; }\n";
    std::fs::write(here.join("scripts/seconds.dup"), script).unwrap();
    let (status, shown, _) = tollgate(&here, "dup test scripts/seconds.dup");
    assert_eq!(status, 1);
    assert_eq!(
        shown,
        "scripts/seconds.dup: test \"an hour\" failed\n  scripts/seconds.dup:3:58: \
         \"assert seconds(cdr) == 3600;\" is not so\n1 passed, 1 failed\n"
    );
}

#[test]
fn the_scripts_of_the_example_have_no_mistakes_and_are_formatted() {
    let folder = example();
    let here = folder.path().join("here");
    let (status, _, wrong) = tollgate(&here, "check flow.toml");
    assert_eq!((status, wrong.as_str()), (0, ""));
    let scripts = "scripts/is_billable.dup scripts/is_roaming.dup scripts/roaming_v8.dup scripts/home_v8.dup scripts/unbilled.dup";
    let (status, shown, _) = tollgate(&here, &format!("dup fmt --check {scripts}"));
    assert_eq!((status, shown.as_str()), (0, ""));
}

#[test]
fn fmt_writes_a_script_as_everybody_does() {
    let folder = TempDir::new().unwrap();
    let script = folder.path().join("a.dup");
    std::fs::write(&script, "INTEGER f(n CONST INTEGER){return n+1 ;}").unwrap();
    assert_eq!(tollgate(folder.path(), "dup fmt --check a.dup").0, 1);
    assert_eq!(tollgate(folder.path(), "dup fmt a.dup").0, 0);
    assert_eq!(
        std::fs::read_to_string(&script).unwrap(),
        "INTEGER f(n CONST INTEGER) { return n + 1; }\n"
    );
    assert_eq!(tollgate(folder.path(), "dup fmt --check a.dup").0, 0);
}

#[test]
fn a_script_with_mistakes_is_refused_with_their_places() {
    let folder = example();
    let here = folder.path().join("here");
    let script = "BOOLEAN isRoaming(cdr CONST CallDataRecord)\n{ return cdr.recordTyp == 2; }\n";
    std::fs::write(here.join("scripts/is_roaming.dup"), script).unwrap();
    for line in ["check flow.toml", "check scripts/is_roaming.dup", "run flow.toml --once"] {
        let (status, _, wrong) = tollgate(&here, line);
        assert_eq!(status, 2, "{line}");
        assert!(
            wrong.contains(
                "scripts/is_roaming.dup:2:14: MSC.CallDataRecord has no field \"recordTyp\""
            ),
            "{wrong}"
        );
        assert!(wrong.contains("did you mean \"recordType\"?"), "{wrong}");
    }
    assert!(!here.join("out").exists(), "nothing is processed");
}

#[test]
fn coverage_shows_the_lines_that_no_test_runs() {
    let folder = example();
    let here = folder.path().join("here");
    let script = "INTEGER f(n CONST INTEGER)\n{\n  if (n > 5) {\n    return 1;\n  }\n  return 2;\n}\n\
        test \"small\" { assert f(1) == 2; }\n";
    std::fs::write(here.join("scripts/f.dup"), script).unwrap();
    let (status, shown, _) = tollgate(&here, "dup test --coverage scripts/f.dup");
    assert_eq!(status, 0);
    assert_eq!(
        shown,
        "scripts/f.dup: tests run 2 of 3 lines\n    4 |     return 1;\n1 passed, 0 failed\n"
    );
}

#[test]
fn bench_measures_both_ways_and_counts_allocations() {
    let folder = example();
    let here = folder.path().join("here");
    std::fs::write(here.join("calls.jsonl"), format!("{CALL}\n{CALL}\n")).unwrap();
    let both = "NULL both(a CallDataRecord, b CallDataRecord) { a.callDuration += 1; b := a; }\n";
    std::fs::write(here.join("scripts/both.dup"), both).unwrap();
    for script in ["home_v8", "is_roaming", "both"] {
        let line = format!("dup bench scripts/{script}.dup --record calls.jsonl");
        let (status, shown, wrong) = tollgate(&here, &line);
        assert_eq!(status, 0, "{wrong}");
        for way in ["interpreted", "machine code"] {
            let row = shown.lines().find(|line| line.starts_with(way)).unwrap();
            let allocations = if cfg!(feature = "counting") { " 0.000" } else { " -" };
            assert!(row.ends_with(allocations), "{shown}");
        }
    }
}

#[test]
fn a_client_that_does_not_speak_the_protocol_is_told_so() {
    for (said, status, wanted) in [
        ("", 1, ""),
        ("hello\r\n\r\n", 2, "cannot read what the client says: malformed header: \"hello\"\n"),
        (
            "Content-Length: 3\r\n\r\n{a}",
            2,
            "cannot read what the client says: malformed LSP payload",
        ),
    ] {
        let mut command = Command::cargo_bin("tollgate").unwrap();
        let output = command.args(["dup", "lsp"]).write_stdin(said).output().unwrap();
        let wrong = String::from_utf8(output.stderr).unwrap();
        assert_eq!(output.status.code(), Some(status), "{wrong}");
        assert!(wrong.starts_with(wanted), "{wrong}");
    }
}
