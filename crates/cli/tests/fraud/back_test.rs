//! Back-tests: what a changed rule would have found in files that came already.

use std::fs;
use std::path::Path;
use std::thread::sleep;
use std::time::Duration;

use serde_json::{Value, json};
use tempfile::TempDir;

use super::{flow, put, run};
use crate::common::tollgate::{tollgate, tollgate_words};

const BUSY: &str =
    "about = \"caller\"\nat-least = 2\nwithin = \"1 hour\"\nagain = \"1 hour\"\nscore = 60\n";

/// Creates a flow with an archive, which has found two callers. One was decided to be fraud, the other one not.
fn with_archive() -> TempDir {
    let folder = flow(&[("busy", BUSY)]);
    let here = folder.path();
    let text = fs::read_to_string(here.join("flow.toml")).unwrap();
    fs::write(here.join("flow.toml"), format!("{text}\n[archive]\ndir = \"archive\"\n")).unwrap();
    put(here, "1.csv", &[(0, "4670", "1", 1), (1, "4671", "1", 1)]);
    run(here);
    // The archive knows by the second when a file was done.
    sleep(Duration::from_secs(1));
    put(here, "2.csv", &[(10, "4670", "1", 1), (11, "4671", "1", 1), (12, "4670", "1", 1)]);
    run(here);
    for (case, decision) in [("1", "--fraud"), ("2", "--not-fraud")] {
        let words = ["fraud", "decide", "flow.toml", case, decision, "--because", "so"];
        assert_eq!(tollgate_words(here, &words).0, 0);
    }
    folder
}

/// Tries another rule in place of the one that is there, and returns the lines of the result.
fn try_rule(folder: &Path, rule: &str, more: &[&str]) -> (Vec<Value>, String) {
    fs::write(folder.join("busy.toml"), rule).unwrap();
    let words = ["replay", "flow.toml", "--with", "busy.toml"];
    let (status, text) = tollgate_words(folder, &[&words[..], more].concat());
    assert!(status < 2, "{text}");
    let (_, lines) = tollgate_words(folder, &[&words[..], &["--json"], more].concat());
    (lines.lines().filter_map(|line| serde_json::from_str(line).ok()).collect(), text)
}

#[test]
fn a_stricter_rule_shows_whom_it_finds_no_more_and_what_was_decided_about_them() {
    let folder = with_archive();
    let (lines, text) = try_rule(folder.path(), &BUSY.replace("at-least = 2", "at-least = 3"), &[]);
    let lost: Vec<&Value> = lines.iter().filter_map(|line| line.get("alert")).collect();
    assert_eq!(lost.len(), 1);
    assert_eq!((&lost[0]["key"], &lost[0]["change"]), (&json!("4671"), &json!("only-before")));
    assert_eq!(lost[0]["decision"], "not-fraud");
    let report = &lines.last().unwrap()["report"];
    let rule = &report["alerts"][0];
    assert_eq!((&rule["before"], &rule["after"]), (&json!(2), &json!(1)));
    assert_eq!((&rule["fraud_before"], &rule["fraud_after"]), (&json!(1), &json!(1)));
    assert_eq!((&rule["not_fraud_before"], &rule["not_fraud_after"]), (&json!(1), &json!(0)));
    assert_eq!((&report["alert_days"], &report["differs"]), (&json!(1), &json!(true)));
    for expected in [
        "caller 4671: found no more by busy, decided: not-fraud",
        "events 2 >= 2",
        "alerts of busy: 2, 1 after (2.0 and 1.0 a day); 1 key found no more, 0 found in addition",
        "of its keys that are decided: fraud 1, 1 after; no fraud 1, 0 after",
    ] {
        assert!(text.contains(expected), "{expected}: {text}");
    }
    let (_, alerts) = tollgate(folder.path(), "fraud alerts flow.toml --json");
    assert_eq!(alerts.lines().count(), 2, "nothing has changed here");
}

#[test]
fn a_wider_rule_shows_whom_it_finds_in_addition() {
    let folder = with_archive();
    let (lines, text) = try_rule(folder.path(), &BUSY.replace("at-least = 2", "at-least = 1"), &[]);
    let report = &lines.last().unwrap()["report"];
    assert_eq!(report["alerts"][0]["only_after"], 0, "they are found earlier: {text}");
    let same = try_rule(folder.path(), BUSY, &[]).1;
    assert!(same.contains("nothing would change"), "{same}");
}

#[test]
fn what_came_before_is_run_first_but_does_not_count() {
    let folder = with_archive();
    let here = folder.path();
    let (_, files) = tollgate(here, "archive list flow.toml --json");
    let last: Value = files
        .lines()
        .map(|line| serde_json::from_str::<Value>(line).unwrap())
        .find(|of| of["file"] == "2.csv")
        .unwrap();
    let from = ["--from", last["done"].as_str().unwrap()];
    let stricter = BUSY.replace("at-least = 2", "at-least = 3");
    let (lines, text) = try_rule(here, &stricter, &from);
    let rule = |lines: &[Value]| lines.last().unwrap()["report"]["alerts"][0].clone();
    assert_eq!((&rule(&lines)["before"], &rule(&lines)["after"]), (&json!(2), &json!(1)), "{text}");
    let cold = [&from[..], &["--warm-up", "0"]].concat();
    let (lines, text) = try_rule(here, &stricter, &cold);
    assert_eq!((&rule(&lines)["before"], &rule(&lines)["after"]), (&json!(1), &json!(0)), "{text}");
}
