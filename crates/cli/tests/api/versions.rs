//! Tests changing, saving, activating and restoring the flow.

use std::fs;

use serde_json::{Value, json};

use crate::api::served::{Served, example};
use crate::common::wait::wait_for;

#[test]
fn the_flow_is_changed_saved_activated_and_brought_back_while_it_runs() {
    let served = Served::start(example());
    let anna = served.first();
    served.all_came(&anna);
    let flow = served.got(&anna, "/api/flow");
    let names: Vec<&str> = flow["graph"]["nodes"]
        .as_array()
        .unwrap()
        .iter()
        .filter_map(|n| n["name"].as_str())
        .collect();
    assert!(names.contains(&"isRoaming") && names.contains(&"msc-boston"), "{names:?}");
    assert_eq!(flow["diagnostics"], json!([]));
    // A mistake is reported where it is.
    let edits = json!([{"do": "connect", "from": "isRoamin.false", "to": "home-billing"}]);
    let edit = |text: &Value, edits: Value| {
        served.done(&anna, "POST", "/api/flow/edit", Some(json!({"text": text, "edits": edits})))
    };
    let wrong = edit(&flow["text"], edits);
    let mistake = &wrong["diagnostics"][0];
    assert_eq!((&mistake["node"], &mistake["severity"]), (&json!("home-billing"), &json!("error")));
    assert!(mistake["hint"].as_str().unwrap().contains("isRoaming"), "{mistake}");
    // A text with mistakes may be saved, and is not activated: the flow stays as it was.
    let save = |text: &Value, remark: &str| {
        let body = json!({"text": text, "remark": remark});
        served.done(&anna, "POST", "/api/flow/versions", Some(body))["version"].as_i64().unwrap()
    };
    let activate = |version: i64, based_on: &Value| {
        let path = format!("/api/flow/versions/{version}/activate");
        served.ask(&anna, "POST", &path, Some(json!({"based_on": based_on})))
    };
    let on_disk = || fs::read_to_string(served.folder.path().join("flow.toml")).unwrap();
    let before = on_disk();
    let version = save(&wrong["text"], "wrong");
    let answer = activate(version, &flow["digest"]).json();
    assert_eq!(answer["answer"], "mistakes", "{answer}");
    assert_eq!(on_disk(), before);
    // One more receiver, beside a comment that stays.
    let first_comment = before.lines().find(|line| line.starts_with('#')).expect("a comment");
    let settings = json!({"encode.type": "MSC.CallDataRecord", "deliver.dir": "out/all"});
    let edits = json!([{
        "do": "add", "kind": "post-processing-system", "name": "everything", "from": ["msc-boston"],
        "settings": settings
    }]);
    let right = edit(&flow["text"], edits);
    let errors = right["diagnostics"]
        .as_array()
        .unwrap()
        .iter()
        .filter(|d| d["severity"] == "error")
        .count();
    assert_eq!(errors, 0, "{}", right["diagnostics"]);
    let version = save(&right["text"], "a receiver of all");
    assert_eq!(on_disk(), before, "kept is not activated");
    let answer = activate(version, &flow["digest"]).json();
    assert!(answer["answer"] == "active" || answer["answer"] == "pending", "{answer}");
    assert!(
        on_disk().contains(first_comment)
            && on_disk().contains("[post-processing-system.everything]")
    );
    // A user who loaded the file before a change may not overwrite that change.
    assert_eq!(activate(version, &flow["digest"]).status, 409);
    // New files now go to the new receiver.
    let came = served.folder.path().join("in/boston/boston-00002.ber.done");
    fs::copy(&came, served.folder.path().join("in/boston/late.ber.part")).unwrap();
    let again = served.folder.path().join("in/boston/late.ber.part");
    let mut octets = fs::read(&again).unwrap();
    octets.truncate(octets.len() / 2);
    fs::write(&again, &octets).unwrap();
    fs::rename(&again, served.folder.path().join("in/boston/late.ber")).unwrap();
    wait_for("the new receiver's file", || {
        fs::read_dir(served.folder.path().join("out/all")).is_ok_and(|folder| folder.count() > 0)
    });
    // And back: the first version is the flow that was found at the start.
    let versions = served.got(&anna, "/api/flow/versions");
    let versions = versions["versions"].as_array().unwrap();
    let find = |remark: &str| versions.iter().find(|v| v["remark"] == remark).expect("a version");
    assert_eq!(find("a receiver of all")["active"], true);
    assert_eq!(find("a receiver of all")["activated"][0]["who"], "anna");
    let found = find("as it was found")["version"].as_i64().unwrap();
    let now = served.got(&anna, "/api/flow")["digest"].clone();
    assert_eq!(activate(found, &now).status, 200);
    assert_eq!(on_disk(), before);
}
