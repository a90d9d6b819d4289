//! Reports of what was found, and what became of it.

use std::fs;
use std::path::Path;

use serde_json::{Value, json};
use tempfile::TempDir;

use super::{flow, put, run};
use crate::api::served::Served;
use crate::common::tollgate::{tollgate, tollgate_words};

const BUSY: &str = "about = \"caller\"\nat-least = 2\nwithin = \"1 minute\"\nagain = \"1 second\"\nscore = 60\n\
                    type = \"wangiri\"\n";
const PAIRS: &str = "about = \"pair\"\nat-least = 2\nwithin = \"1 minute\"\nagain = \"1 second\"\nscore = 10\n\
                     mode = \"shadow\"\n";

fn report(folder: &Path, by: &str) -> Value {
    let (status, said) = tollgate(folder, &format!("fraud report flow.toml --by {by} --json"));
    assert_eq!(status, 0, "{said}");
    serde_json::from_str(&said).unwrap()
}

/// Makes a flow with two cases, one of which is decided.
fn found() -> TempDir {
    let folder = flow(&[("busy", BUSY), ("pairs", PAIRS)]);
    let here = folder.path();
    put(here, "1.csv", &[(0, "1", "9", 1), (1, "1", "9", 1), (2, "2", "9", 1)]);
    run(here);
    // The last one is of a time to come.
    put(here, "2.csv", &[(3_600, "2", "8", 1), (3_601, "2", "7", 1), (2_400_000_000, "3", "7", 1)]);
    run(here);
    let decide = ["fraud", "decide", "flow.toml", "1", "--fraud", "--because", "so"];
    let (status, said) = tollgate_words(here, &decide);
    assert_eq!(status, 0, "{said}");
    folder
}

#[test]
fn a_report_has_what_was_found_and_decided_by_day_rule_element_and_type() {
    let folder = found();
    let by_day = report(folder.path(), "day");
    let expected = json!({
        "of": "", "node": null, "records": 6, "late": 1, "alerts": 2, "shadow": 1, "points": 120, "cases": 2,
        "fraud": 1, "not_fraud": 0, "unsure": 0, "actions": 0,
    });
    assert_eq!(by_day["total"], expected);
    // The test may run over midnight.
    let sum = |of: &str| -> i64 {
        let rows = by_day["rows"].as_array().unwrap();
        rows.iter().map(|row| row[of].as_i64().unwrap()).sum()
    };
    assert_eq!((sum("records"), sum("alerts"), sum("cases"), sum("fraud")), (6, 2, 2, 1));
    let by_rule = report(folder.path(), "rule");
    let rules = by_rule["rows"].as_array().unwrap();
    let figures = |row: &Value| {
        let count = |of: &str| row[of].as_i64().unwrap();
        (
            row["of"].as_str().unwrap().to_owned(),
            count("alerts"),
            count("shadow"),
            count("cases"),
            count("fraud"),
        )
    };
    let all: Vec<_> = rules.iter().map(figures).collect();
    assert_eq!(all, [("busy".to_owned(), 2, 0, 2, 1), ("pairs".to_owned(), 0, 1, 0, 0)]);
    assert_eq!((&rules[0]["node"], &rules[0]["records"]), (&json!("calls"), &Value::Null));
    let by_element = report(folder.path(), "element");
    let row = &by_element["rows"][0];
    assert_eq!(
        (&row["of"], &row["records"], &row["cases"]),
        (&json!("switch"), &json!(6), &json!(2))
    );
    let by_type = report(folder.path(), "type");
    let all: Vec<_> = by_type["rows"].as_array().unwrap().iter().map(figures).collect();
    assert_eq!(all, [(String::new(), 0, 1, 0, 0), ("wangiri".to_owned(), 2, 0, 2, 1)]);
}

#[test]
fn actions_that_were_carried_out_count_for_their_rules() {
    let folder = flow(&[("busy", &format!("{BUSY}actions = \"note\"\n"))]);
    let here = folder.path();
    let path = here.join("flow.toml");
    let text = fs::read_to_string(&path).unwrap();
    fs::write(&path, text + "\n[action.note]\ncommand = [\"true\"]\napprove = \"no one\"\nmax-age = \"9999 days\"\n")
        .unwrap();
    put(here, "1.csv", &[(0, "1", "9", 1), (1, "1", "9", 1)]);
    run(here);
    for by in ["rule", "type", "day"] {
        let report = report(here, by);
        assert_eq!(
            (&report["total"]["actions"], &report["rows"][0]["actions"]),
            (&json!(1), &json!(1)),
            "{by}"
        );
    }
}

#[test]
fn a_period_is_chosen_in_whole_hours_and_a_table_says_it_all() {
    let folder = found();
    let (status, said) = tollgate(folder.path(), "fraud report flow.toml --to 2026-01-01 --json");
    assert_eq!(status, 0, "{said}");
    let none: Value = serde_json::from_str(&said).unwrap();
    assert_eq!((&none["rows"], &none["total"]["records"]), (&json!([]), &json!(0)));
    let (_, csv) = tollgate(folder.path(), "fraud report flow.toml --by rule --csv");
    let lines: Vec<&str> = csv.lines().collect();
    assert_eq!(lines[1], "busy,calls,,,2,0,120,2,1,0,0,0");
    let (_, text) = tollgate(folder.path(), "fraud report flow.toml --by element");
    let words: Vec<&str> = text.lines().next().unwrap().split_whitespace().collect();
    assert_eq!(words[..4], ["switch", "6", "1", "2"], "{text}");
    let (status, said) = tollgate(folder.path(), "fraud report flow.toml --by caller");
    assert!(status != 0 && said.contains("element"), "{said}");
}

#[test]
fn a_viewer_sees_reports() {
    let served = Served::start(found());
    let anna = served.first();
    let vera = served.invited(&anna, "vera", "viewer");
    let report = served.got(&vera, "/api/fraud/report?by=type");
    assert_eq!((&report["by"], &report["total"]["alerts"]), (&json!("type"), &json!(2)));
    let wrong = served.ask(&vera, "GET", "/api/fraud/report?from=2026-02-01&to=2026-01-01", None);
    assert_eq!(wrong.json()["code"], "period-reversed");
}
