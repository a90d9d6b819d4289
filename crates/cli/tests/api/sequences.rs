//! Tests accepting gaps in the sequence numbers of network elements as lost.

use std::fs;

use serde_json::{Value, json};

use crate::api::served::{As, Served, example};
use crate::common::wait::wait_for;

/// Boston numbers its files: 2 and 4 came.
const COUNTED: &str = r#"
[network-element.msc-boston.file-sequence]
name  = "boston-{number}.ber"
first = 1
last  = 99999
"#;

/// Returns the lines of the report of one kind.
fn lines(served: &Served, who: &As, what: &str) -> Vec<Value> {
    let report = served.got(who, "/api/sequences");
    let lines = report["lines"].as_array().expect("lines").iter();
    lines.filter(|line| line["what"] == what).cloned().collect()
}

#[test]
fn files_that_are_missing_are_accepted_to_be_lost_for_a_reason() {
    let folder = example();
    let flow = folder.path().join("flow.toml");
    let text = fs::read_to_string(&flow).unwrap();
    fs::write(&flow, text + COUNTED).unwrap();
    let served = Served::start(folder);
    let anna = served.first();
    let vera = served.invited(&anna, "vera", "viewer");
    served.all_came(&anna);
    wait_for("what is missing", || !lines(&served, &anna, "missing").is_empty());
    let missing = &lines(&served, &anna, "missing")[0];
    assert_eq!((&missing["of"], &missing["first"]), (&json!("file"), &json!(3)), "{missing}");
    let alarms = || served.ask(&anna, "GET", "/api/alarms", None).body;
    wait_for("the alarm", || alarms().contains("sequence"));

    let accept = |who: &As, change: Value| {
        let mut lost = json!({
            "network_element": "msc-boston", "of": "file", "numbers": "3", "because": "the disk burnt"
        });
        lost.as_object_mut().unwrap().extend(change.as_object().unwrap().clone());
        served.ask(who, "POST", "/api/sequences/accept", Some(lost))
    };
    assert_eq!(accept(&vera, json!({})).status, 403, "a viewer only looks");
    for (change, status, said) in [
        (json!({"because": " "}), 422, "give a reason"),
        (json!({"numbers": "three"}), 422, "17-19"),
        (json!({"numbers": "9-4"}), 422, "4-9 was meant"),
        (json!({"numbers": "7"}), 409, "none of them is missing"),
        (json!({"network_element": "nowhere"}), 404, "nowhere"),
        (json!({"of": "record"}), 404, "msc-boston records are not counted"),
        (json!({"series": "other"}), 404, "not counted"),
        (json!({"of": "total"}), 422, "total"),
        (json!({"more": 1}), 422, "more"),
    ] {
        let answer = accept(&anna, change.clone());
        assert_eq!(answer.status, status, "{change}: {}", answer.body);
        assert!(answer.json()["error"].as_str().unwrap().contains(said), "{}", answer.body);
    }
    assert_eq!(accept(&anna, json!({"numbers": "2-4"})).json(), json!({"accepted": 1}));

    assert_eq!(lines(&served, &anna, "missing"), [] as [Value; 0]);
    let accepted = &lines(&served, &anna, "accepted")[0];
    assert_eq!(accepted["note"], "anna: the disk burnt", "{accepted}");
    assert!(!alarms().contains("sequence"), "the alarm is cleared: {}", alarms());
    let entry = &served.got(&anna, "/api/trail?limit=1")["entries"][0];
    assert_eq!(
        (&entry["who"], &entry["action"], &entry["reason"]),
        (&json!("anna"), &json!("sequence --accept"), &json!("the disk burnt")),
    );
    assert_eq!(accept(&anna, json!({})).status, 409, "it is accepted already");
}
