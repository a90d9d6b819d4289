//! Cases: the alerts about a subscriber, until people decide what they are.

use std::path::Path;

use serde_json::{Value, json};
use tempfile::TempDir;

use super::{alerts, flow, flow_with, put, run};
use crate::common::tollgate::{tollgate, tollgate_words};

/// A rule for each called number, so that a case has several.
fn called(number: &str, score: u32, more: &str) -> String {
    format!(
        "about = \"caller\"\nwhere = 'record.called == \"{number}\"'\nat-least = 1\nwithin = \"1 minute\"\n\
         again = \"1 second\"\nscore = {score}\n{more}"
    )
}

fn with_rules() -> TempDir {
    flow(&[
        ("low", &called("1", 30, "type = \"wangiri\"\n")),
        ("high", &called("2", 40, "severity = \"major\"\n")),
        ("worst", &called("3", 1, "severity = \"critical\"\n")),
        ("tried", &called("4", 1_000, "mode = \"shadow\"\n")),
    ])
}

/// Processes calls of a caller as a file.
fn call(folder: &Path, file: &str, calls: &[(i64, &str, &str)]) {
    let calls: Vec<_> =
        calls.iter().map(|(at, caller, called)| (*at, *caller, *called, 1)).collect();
    put(folder, file, &calls);
    run(folder);
}

fn cases(folder: &Path, more: &str) -> Vec<Value> {
    let (status, listed) = tollgate(folder, format!("fraud cases flow.toml --json {more}").trim());
    assert_eq!(status, 0, "{listed}");
    listed.lines().map(|line| serde_json::from_str(line).unwrap()).collect()
}

fn case(folder: &Path, number: i64) -> Value {
    let (status, shown) = tollgate(folder, &format!("fraud case flow.toml {number} --json"));
    assert_eq!(status, 0, "{shown}");
    serde_json::from_str(&shown).unwrap()
}

/// Runs a command about cases, whose words are apart.
fn change(folder: &Path, words: &[&str]) -> (i32, String) {
    tollgate_words(folder, &[&["fraud"], words].concat())
}

#[test]
fn enough_points_within_a_time_open_a_case_which_takes_what_follows() {
    let folder = with_rules();
    let here = folder.path();
    call(
        here,
        "1.csv",
        &[(0, "4670", "1"), (10, "4670", "1"), (20, "4671", "2"), (30, "4670", "4")],
    );
    assert!(cases(here, "").is_empty(), "a rule counts once, and one that is tried out does not");
    call(here, "2.csv", &[(40, "4670", "2"), (50, "4672", "3")]);
    let open = cases(here, "");
    let keys: Vec<_> = open.iter().map(|of| (&of["key"], &of["score"], &of["severity"])).collect();
    assert_eq!(
        keys,
        [
            (&json!("4670"), &json!(70), &json!("major")),
            (&json!("4672"), &json!(1), &json!("critical")),
        ],
        "the most points first; a critical alert needs none"
    );
    assert_eq!(open[0]["rules"], json!(["high", "low"]));
    assert_eq!(open[0]["fraud_types"], json!(["wangiri"]));
    assert_eq!(open[0]["alerts"], 3);
    call(here, "3.csv", &[(60, "4670", "1"), (70, "4670", "4")]);
    let whole = case(here, open[0]["id"].as_i64().unwrap());
    assert_eq!((&whole["alerts"], &whole["score"]), (&json!(4), &json!(70)));
    assert_eq!(
        (&whole["first"], &whole["last"]),
        (&json!("2026-06-01T12:00:00Z"), &json!("2026-06-01T12:01:00Z"))
    );
    let files: Vec<_> = whole["found"].as_array().unwrap().iter().map(|of| &of["file"]).collect();
    assert_eq!(files, ["3.csv", "2.csv", "1.csv", "1.csv"], "the newest first");
    let shadow = alerts(here, "--rule tried");
    assert!(
        shadow.len() == 2 && shadow.iter().all(|of| of["shadow"] == true && of["case"].is_null())
    );
}

#[test]
fn the_flow_says_how_many_points_open_a_case_within_which_time() {
    let folder = flow_with(
        "case-at = 30\ncase-within = \"1 minute\"\n",
        &[("low", &called("1", 20, "")), ("high", &called("2", 20, ""))],
    );
    let here = folder.path();
    call(
        here,
        "1.csv",
        &[(0, "4670", "1"), (60, "4670", "2"), (100, "4671", "1"), (159, "4671", "2")],
    );
    let keys: Vec<Value> = cases(here, "").into_iter().map(|of| of["key"].clone()).collect();
    assert_eq!(keys, ["4671"]);
}

#[test]
fn points_of_another_day_open_no_case() {
    let folder = with_rules();
    call(folder.path(), "1.csv", &[(0, "4670", "1")]);
    call(folder.path(), "2.csv", &[(24 * 3_600, "4670", "2")]);
    assert!(cases(folder.path(), "").is_empty());
}

#[test]
fn a_decided_case_stays_as_it_is_and_new_alerts_open_another_one() {
    let folder = with_rules();
    let here = folder.path();
    call(here, "1.csv", &[(0, "4670", "1"), (1, "4670", "2")]);
    assert_eq!(change(here, &["assign", "flow.toml", "1", "--to", "anna"]).0, 0);
    assert_eq!(cases(here, "--assigned anna").len(), 1);
    assert_eq!(cases(here, "--unassigned").len(), 0);
    assert_eq!(change(here, &["assign", "flow.toml", "1"]).0, 0);
    assert_eq!(cases(here, "--unassigned").len(), 1);
    assert_eq!(change(here, &["assign", "flow.toml", "1", "--to", "anna"]).0, 0);
    let (status, said) = change(here, &["remark", "flow.toml", "1", "--text", " "]);
    assert!(status != 0 && said.contains("write a remark"), "{said}");
    let (status, said) = change(here, &["decide", "flow.toml", "1", "--fraud", "--because", " "]);
    assert!(status != 0 && said.contains("say why"), "{said}");
    let (status, said) =
        change(here, &["decide", "flow.toml", "1", "--fraud", "--because", "a false name"]);
    assert!(status == 0 && said.contains("1 case decided"), "{said}");
    let (status, said) =
        change(here, &["decide", "flow.toml", "1", "--unsure", "--because", "or not"]);
    assert!(status == 1 && said.contains("0 cases decided"), "it is decided already: {said}");
    assert!(cases(here, "").is_empty());
    let decided = &cases(here, "--state decided")[0];
    assert_eq!(
        (&decided["decision"], &decided["reason"]),
        (&json!("fraud"), &json!("a false name"))
    );
    // Its points count no more: the next case begins without them.
    call(here, "2.csv", &[(5, "4670", "1")]);
    assert!(cases(here, "").is_empty());
    call(here, "3.csv", &[(6, "4670", "2")]);
    let open = cases(here, "");
    assert_eq!((&open[0]["id"], &open[0]["alerts"]), (&json!(2), &json!(2)));
    let (status, said) =
        change(here, &["reopen", "flow.toml", "1", "--because", "the name was true"]);
    assert!(status != 0 && said.contains("there is an open one about the same key"), "{said}");
    assert_eq!(
        change(here, &["decide", "flow.toml", "2", "--not-fraud", "--because", "it was"]).0,
        0
    );
    assert_eq!(change(here, &["reopen", "flow.toml", "1", "--because", "the name was true"]).0, 0);
    assert_eq!(change(here, &["remark", "flow.toml", "1", "--text", "she calls back"]).0, 0);
    let whole = case(here, 1);
    let steps: Vec<_> =
        whole["steps"].as_array().unwrap().iter().map(|of| (&of["step"], &of["remark"])).collect();
    let expected = [
        ("assigned", "anna"),
        ("assigned", ""),
        ("assigned", "anna"),
        ("fraud", "a false name"),
        ("reopened", "the name was true"),
        ("remark", "she calls back"),
    ];
    assert_eq!(
        steps,
        expected
            .map(|(step, remark)| (json!(step), json!(remark)))
            .iter()
            .map(|(step, remark)| (step, remark))
            .collect::<Vec<_>>()
    );
    assert_eq!(whole["others"][0]["decision"], "not-fraud");
    let (_, audit) = tollgate(here, "trail flow.toml");
    assert!(audit.contains("case 1: fraud") && audit.contains("a false name"), "{audit}");
    let (status, said) = change(here, &["case", "flow.toml", "17"]);
    assert!(status != 0 && said.contains("there is no case 17"), "{said}");
}

#[test]
fn decisions_count_for_rules() {
    let folder = with_rules();
    let here = folder.path();
    for (number, caller) in ["1", "2", "3", "4"].into_iter().enumerate() {
        let at = number as i64 * 10;
        call(
            here,
            &format!("{number}.csv"),
            &[(at, caller, "1"), (at + 1, caller, "2"), (at + 2, caller, "4")],
        );
    }
    for (number, decision) in [("1", "--fraud"), ("2", "--not-fraud"), ("3", "--fraud")] {
        assert_eq!(
            change(here, &["decide", "flow.toml", number, decision, "--because", "so"]).0,
            0
        );
    }
    let (_, listed) = tollgate(here, "fraud rules flow.toml --json");
    let figures: Vec<Value> =
        listed.lines().map(|line| serde_json::from_str(line).unwrap()).collect();
    let of = |rule: &str| figures.iter().find(|of| of["rule"] == rule).unwrap();
    let high = of("high");
    assert_eq!((&high["alerts"], &high["cases"], &high["open"]), (&json!(4), &json!(4), &json!(1)));
    assert_eq!(
        (&high["fraud"], &high["not_fraud"], &high["precision_percent"]),
        (&json!(2), &json!(1), &json!(66))
    );
    let tried = of("tried");
    assert_eq!(
        (&tried["alerts"], &tried["shadow"], &tried["cases"]),
        (&json!(0), &json!(4), &json!(0))
    );
    let (_, table) = tollgate(here, "fraud rules flow.toml");
    assert!(table.contains("calls\thigh\t4\t0\t4\t1\t2\t1\t66"), "{table}");
}

#[test]
fn cases_are_given_to_users_that_exist_and_the_answer_says_which_changed() {
    let folder = with_rules();
    let here = folder.path();
    call(here, "1.csv", &[(0, "4670", "3"), (1, "4671", "3")]);
    assert_eq!(change(here, &["assign", "flow.toml", "1", "--to", "nora"]).0, 0, "without users");
    let (status, said) = tollgate(here, "people invite flow.toml anna --role administrator");
    assert_eq!(status, 0, "{said}");
    let (status, said) = change(here, &["assign", "flow.toml", "1", "2", "--to", "ana"]);
    assert!(status != 0 && said.contains("there is no user \"ana\""), "{said}");
    assert!(said.contains("did you mean \"anna\"?"), "{said}");
    let decide = ["decide", "flow.toml", "2", "--fraud", "--because", "so", "--json"];
    let (_, decided) = change(here, &decide);
    let decided: Value = serde_json::from_str(&decided).unwrap();
    assert_eq!(decided, json!({"changed": 1, "cases": [2]}));
    let (_, given) = change(here, &["assign", "flow.toml", "1", "2", "--to", "anna", "--json"]);
    let given: Value = serde_json::from_str(&given).unwrap();
    assert_eq!(given, json!({"changed": 1, "cases": [1]}), "case 2 is decided");
}
