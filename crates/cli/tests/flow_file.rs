//! Tests how commands find their flow file: by their first argument, by `TOLLGATE_FLOW`, or in the current folder.

use std::collections::BTreeSet;
use std::path::Path;
use std::process::Command;

use crate::common::changed::example;

/// Returns the status of a command and its output, with `TOLLGATE_FLOW` set.
fn tollgate(folder: &Path, flow: Option<&Path>, line: &str) -> (i32, String) {
    let mut command = Command::new(env!("CARGO_BIN_EXE_tollgate"));
    command.current_dir(folder).args(line.split(' ')).env_remove("TOLLGATE_FLOW");
    if let Some(flow) = flow {
        command.env("TOLLGATE_FLOW", flow);
    }
    let output = command.output().unwrap();
    let said = [output.stdout, output.stderr].concat();
    (output.status.code().unwrap(), timeless(&String::from_utf8_lossy(&said)))
}

/// Returns a text without the seconds in which it was written.
fn timeless(text: &str) -> String {
    let is_time = |word: &str| {
        let word = word.trim_end_matches(',');
        word.len() == "2026-11-22T14:05:00Z".len() && word.ends_with('Z')
    };
    let then = |word: &str| match is_time(word.trim_end()) {
        true => word.replace(word.trim_end(), "then"),
        false => word.to_owned(),
    };
    text.split_inclusive([' ', '\n']).map(then).collect()
}

/// Every command that takes a flow file, as far as it can be run in any order on a flow without records.
const LINES: &[&str] = &[
    "check",
    "run --once",
    "alarms",
    "alarms acknowledge 17",
    "alarms unacknowledge --all",
    "deliveries list",
    "deliveries retry 17 18",
    "deliveries retry --all",
    "deliveries discard 17 --because test",
    "sequence",
    "files list",
    "files refused",
    "files again --all --because test",
    "again --all --because test",
    "audit",
    "matching list",
    "matching show 4711",
    "matching drop 4711 --because test",
    "suspense list",
    "suspense show 17",
    "suspense edit 17 --octets 00",
    "suspense retry 17",
    "suspense discard 17 --because test --yes",
    "suspense reopen 17 --because test",
    "trail",
    "archive list",
    "replay --with flow.toml",
    "trace --file a.ber --record 1",
    "tariff counters 46701234567",
    "reload",
];

/// Returns a command with a flow file behind its name.
fn with_flow(line: &str, flow: &str) -> String {
    let is_name = |word: &&str| word.bytes().all(|letter| letter.is_ascii_lowercase());
    let names = line.split(' ').take_while(is_name).count();
    let words: Vec<&str> = line.split(' ').collect();
    [&words[..names], &[flow], &words[names..]].concat().join(" ")
}

#[test]
fn each_command_finds_its_flow_file_without_an_argument() {
    let (here, elsewhere) = (example(&[]), tempfile::tempdir().unwrap());
    std::fs::remove_dir_all(here.path().join("in")).unwrap();
    let flow = here.path().join("flow.toml");
    // The first run makes the journal, which other commands need.
    tollgate(here.path(), None, "run --once");
    std::fs::copy(&flow, elsewhere.path().join("flow.toml")).unwrap();
    for line in LINES {
        let expected = tollgate(here.path(), None, &with_flow(line, "flow.toml"));
        assert!(!expected.1.contains("Usage:"), "{line}: {}", expected.1);
        let found = tollgate(here.path(), None, line);
        assert_eq!(lines(here.path(), &found), lines(here.path(), &expected), "{line}: here");
        let line = line.replace("--with flow.toml", &format!("--with {}", flow.display()));
        let found = tollgate(elsewhere.path(), Some(&flow), &line);
        assert_eq!(lines(here.path(), &found), lines(here.path(), &expected), "{line}: there");
    }
}

/// Returns the status of a command and the lines of its output, with paths relative to a folder. A run may say more than
/// once what it cannot read.
fn lines(folder: &Path, (status, said): &(i32, String)) -> (i32, BTreeSet<String>) {
    let said = said.replace(&format!("{}/", folder.display()), "");
    (*status, said.lines().map(str::to_owned).collect())
}

#[test]
fn an_argument_goes_before_the_variable() {
    let folder = example(&[]);
    let missing = folder.path().join("missing.toml");
    for line in ["alarms", "deliveries retry 17", "suspense show 17", "matching show 4711"] {
        let (_, said) = tollgate(folder.path(), Some(&missing), line);
        assert!(said.contains("missing.toml"), "{line}: {said}");
        let (_, said) = tollgate(folder.path(), Some(&missing), &with_flow(line, "flow.toml"));
        assert!(!said.contains("missing.toml"), "{line}: {said}");
    }
}

#[test]
fn all_and_a_number_are_refused_with_and_without_a_flow_file() {
    let folder = example(&[]);
    for line in ["deliveries retry", "suspense retry", "alarms acknowledge"] {
        for given in ["17 --all", "--all 17", "flow.toml 17 --all"] {
            let (status, said) = tollgate(folder.path(), None, &format!("{line} {given}"));
            assert_eq!(status, 2, "{line} {given}: {said}");
        }
    }
}

#[test]
fn an_argument_that_is_missing_is_named() {
    let folder = example(&[]);
    for (line, name) in [
        ("suspense show", "NUMBER"),
        ("suspense show flow.toml", "NUMBER"),
        ("suspense edit flow.toml --octets 00", "NUMBER"),
        ("matching show", "KEY"),
        ("tariff counters", "ACCOUNT"),
    ] {
        let expected = (2, format!("<{name}> is missing\n"));
        assert_eq!(tollgate(folder.path(), None, line), expected, "{line}");
    }
}

#[test]
fn what_is_no_number_is_not_taken_for_the_flow_file() {
    let folder = example(&[]);
    for line in ["suspense show", "suspense edit --octets 00", "versions activate --because test"] {
        let expected = (2, "\"abc\" is not a number: <NUMBER> is expected\n".to_owned());
        assert_eq!(tollgate(folder.path(), None, &format!("{line} abc")), expected, "{line}");
    }
}

#[test]
fn options_may_stand_between_the_flow_file_and_what_follows_it() {
    let folder = example(&[]);
    tollgate(folder.path(), None, "run flow.toml --once");
    let (status, said) = tollgate(folder.path(), None, "suspense show flow.toml --json 1");
    assert_eq!(status, 0, "{said}");
    assert_eq!(tollgate(folder.path(), None, "suspense show --json 1"), (0, said));
}

#[test]
fn help_shows_where_the_flow_file_comes_from() {
    let folder = tempfile::tempdir().unwrap();
    for line in LINES {
        let is_name = |word: &&str| word.bytes().all(|letter| letter.is_ascii_lowercase());
        let names: Vec<&str> = line.split(' ').take_while(is_name).collect();
        let (_, help) = tollgate(folder.path(), None, &format!("{} --help", names.join(" ")));
        let shown = "[env: TOLLGATE_FLOW] [default: flow.toml]";
        assert!(help.replace("\n          ", " ").contains(shown), "{line}: {help}");
    }
}
