//! Tests changing, saving, activating and restoring the flow.

use std::fs;

use serde_json::{Value, json};

use crate::api::served::{Served, example, tollgate};
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
        let body = json!({"based_on": based_on, "because": "approved"});
        served.ask(&anna, "POST", &path, Some(body))
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
    let activated = &find("a receiver of all")["activated"][0];
    assert_eq!((&activated["who"], &activated["because"]), (&json!("anna"), &json!("approved")));
    let found = find("as it was found")["version"].as_i64().unwrap();
    let now = served.got(&anna, "/api/flow")["digest"].clone();
    assert_eq!(activate(found, &now).status, 200);
    assert_eq!(on_disk(), before);
}

#[test]
fn a_version_of_the_files_on_the_disk_has_the_user_who_saved_it_and_the_remark() {
    let served = Served::start(example());
    let anna = served.first();
    let text = served.got(&anna, "/api/flow")["text"].clone();
    let save = |remark: &str| {
        let body = json!({"text": text, "remark": remark});
        served.done(&anna, "POST", "/api/flow/versions", Some(body))
    };
    let newest = || served.got(&anna, "/api/flow/versions")["versions"][0].clone();
    let saved = save("repaired");
    assert_eq!(saved["unchanged"], false, "{saved}");
    let version = newest();
    assert_eq!(
        (&version["version"], &version["who"], &version["remark"]),
        (&saved["version"], &json!("anna"), &json!("repaired"))
    );
    // What a user saved stays, and the next user is told.
    let again = save("something else");
    assert_eq!((&again["version"], &again["unchanged"]), (&saved["version"], &json!(true)));
    let command = |remark: &str| {
        let line = format!("versions save flow.toml --remark {remark}");
        let done = tollgate(&served.folder, &line).output().unwrap();
        String::from_utf8(done.stdout).unwrap()
    };
    let said = command("third");
    assert!(said.contains("has these files already, and keeps its remark"), "{said}");
    assert_eq!(newest(), version);
    // A file that is changed on the disk is found there first.
    let file = served.folder.path().join("flow.toml");
    fs::write(&file, format!("{}\n# Changed.\n", text.as_str().unwrap())).unwrap();
    let said = command("changed");
    let next = newest();
    assert_eq!(said, format!("version {} is saved\n", next["version"]));
    assert_ne!(next["version"], version["version"]);
    assert_eq!(next["remark"], "changed", "{next}");
    assert_ne!(next["who"], "somebody outside the interface", "{next}");
}

/// Returns the text of a flow file without the tables of these names.
fn without(text: &str, names: &[&str]) -> String {
    let mut rest = String::new();
    let mut is_left_out = false;
    for line in text.lines() {
        if line.starts_with('[') {
            let path = line.trim_matches(['[', ']']);
            is_left_out = names.iter().any(|name| path.split('.').nth(1) == Some(name));
        }
        if !is_left_out {
            rest += line;
            rest.push('\n');
        }
    }
    rest
}

#[test]
fn the_consequences_of_an_activation_are_shown_by_the_api_and_the_command() {
    let served = Served::start(example());
    let anna = served.first();
    served.all_came(&anna);
    let flow = served.got(&anna, "/api/flow");
    let text = without(flow["text"].as_str().unwrap(), &["msc-boston", "isRoaming"]);
    let ask = |body: Value| served.ask(&anna, "POST", "/api/flow/consequences", Some(body));
    let shown = ask(json!({"text": text})).json();
    assert_eq!(shown["network_elements_removed"], json!(["msc-boston"]), "{shown}");
    assert_eq!(shown["nodes_removed"][0]["node"], "isRoaming", "{shown}");
    assert_eq!(shown["nodes_added"], json!([]), "{shown}");
    // Nothing is lost by the flow as it is.
    let same = ask(json!({"text": flow["text"]})).json();
    let is_nothing = |of: &Value| *of == json!([]) || *of == json!(false);
    assert!(same.as_object().unwrap().values().all(is_nothing), "{same}");
    for (body, status, code) in [
        (json!({}), 422, "flow-not-chosen"),
        (json!({"version": 1, "text": ""}), 422, "flow-not-chosen"),
        (json!({"text": "no [TOML"}), 422, "flow-text-unreadable"),
        (json!({"version": 4711}), 404, "version-unknown"),
    ] {
        let answer = ask(body.clone());
        assert_eq!((answer.status, &answer.json()["code"]), (status, &json!(code)), "{body}");
    }
    let body = json!({"text": text, "remark": "less"});
    let version = served.done(&anna, "POST", "/api/flow/versions", Some(body))["version"].clone();
    let command = |line: &str| {
        let done = tollgate(&served.folder, line).output().unwrap();
        let errors = String::from_utf8(done.stderr).unwrap();
        (String::from_utf8(done.stdout).unwrap(), errors)
    };
    let (printed, errors) = command(&format!("versions consequences flow.toml {version} --json"));
    assert_eq!(serde_json::from_str::<Value>(&printed).expect(&errors), shown);
    let (printed, _) = command(&format!("versions consequences flow.toml {version}"));
    assert!(printed.starts_with("1 network element stops being collected: msc-boston\n"));
}

#[test]
fn a_command_saves_and_activates_versions_beside_the_server() {
    let served = Served::start(example());
    let anna = served.first();
    served.all_came(&anna);
    let path = served.folder.path().join("flow.toml");
    let before = fs::read_to_string(&path).unwrap();
    fs::write(served.folder.path().join("draft.toml"), format!("{before}# Edited.\n")).unwrap();
    let command = |line: &[&str]| {
        let done = tollgate(&served.folder, "versions").args(line).output().unwrap();
        let errors = String::from_utf8(done.stderr).unwrap();
        (done.status.code(), String::from_utf8(done.stdout).unwrap(), errors)
    };
    let (code, saved, errors) =
        command(&["save", "flow.toml", "--text", "draft.toml", "--remark", "a comment", "--json"]);
    assert_eq!(code, Some(0), "{errors}");
    let version = serde_json::from_str::<Value>(&saved).unwrap()["version"].to_string();
    let listed = served.got(&anna, "/api/flow/versions")["versions"][0].clone();
    assert_eq!(
        (&listed["version"].to_string(), &listed["remark"]),
        (&version, &json!("a comment"))
    );
    // Without a reason, nothing is activated.
    let (code, _, errors) = command(&["activate", "flow.toml", &version, "--because", " "]);
    assert!(code != Some(0) && errors.contains("give a reason"), "{errors}");
    assert_eq!(fs::read_to_string(&path).unwrap(), before);
    let (code, printed, errors) =
        command(&["activate", "flow.toml", &version, "--because", "change 4711"]);
    assert_eq!(code, Some(0), "{errors}");
    assert!(printed.starts_with("no network element, node or receiver is added or removed\n"));
    assert!(fs::read_to_string(&path).unwrap().ends_with("# Edited.\n"));
    let listed = served.got(&anna, "/api/flow/versions")["versions"][0].clone();
    assert_eq!(listed["activated"][0]["because"], "change 4711", "{listed}");
    let entry = served.got(&anna, "/api/trail?limit=1")["entries"][0].clone();
    assert_eq!(
        (&entry["action"], &entry["reason"]),
        (&json!("versions activate"), &json!("change 4711"))
    );
    // The command shows what the API answers.
    let (_, shown, _) = command(&["show", "flow.toml", &version, "--json"]);
    let path = format!("/api/flow/versions/{version}");
    assert_eq!(serde_json::from_str::<Value>(&shown).unwrap(), served.got(&anna, &path));
}

#[test]
fn a_command_manages_users_and_tokens_beside_the_server() {
    let served = Served::start(example());
    let anna = served.first();
    served.all_came(&anna);
    let command = |line: &str| {
        let done = tollgate(&served.folder, line).output().unwrap();
        let errors = String::from_utf8(done.stderr).unwrap();
        (done.status.code(), String::from_utf8(done.stdout).unwrap(), errors)
    };
    let (code, link, errors) = command("people invite flow.toml bo --role viewer");
    assert!(code == Some(0) && link.starts_with("/welcome#"), "{link}{errors}");
    let (code, _, errors) = command("people invite flow.toml bo --role viewer");
    assert!(code != Some(0) && errors.contains("there is a \"bo\" already"), "{errors}");
    let (code, _, errors) = command("people remove flow.toml anna");
    assert!(code != Some(0) && errors.contains("the last administrator"), "{errors}");
    assert_eq!(command("people role flow.toml bo --role operator").0, Some(0));
    let (_, listed, _) = command("people list flow.toml --json");
    let listed: Vec<Value> =
        listed.lines().map(|line| serde_json::from_str(line).unwrap()).collect();
    assert_eq!(json!(listed), served.got(&anna, "/api/people")["people"]);
    assert_eq!(command("people remove flow.toml bo").0, Some(0));
    let (_, made, errors) = command("token make flow.toml grafana --role viewer --json");
    let id = serde_json::from_str::<Value>(&made).expect(&errors)["id"].clone();
    assert_eq!(served.got(&anna, "/api/tokens")["tokens"][0]["name"], "grafana");
    assert_eq!(command(&format!("token remove flow.toml {id}")).0, Some(0));
    let trail = served.got(&anna, "/api/trail?limit=5");
    let of = |place: usize| trail["entries"][place]["action"].as_str().unwrap().to_owned();
    let expected = ["token remove", "token make", "people remove", "people role", "people invite"];
    assert_eq!([0, 1, 2, 3, 4].map(of), expected, "{trail}");
}
