//! Tests that an activation that cannot be done completely is not done at all.

use std::fs;

use serde_json::{Value, json};

use crate::api::served::{As, Served, example};

#[test]
fn a_version_of_which_one_file_cannot_be_written_changes_nothing() {
    let served = Served::start(example());
    let anna = served.first();
    served.all_came(&anna);
    let (file, begun) = ("scripts/is_billable.dup", "scripts/zz/new.dup");
    let on_disk = |file: &str| fs::read_to_string(served.folder.path().join(file)).unwrap();

    // A version with a second script; the first is changed after the version is saved.
    let text = "BOOLEAN isLong(cdr CONST CallDataRecord)\n{\n  return cdr.callDuration > 60;\n}\n";
    served.done(&anna, "POST", "/api/scripts", Some(json!({"file": begun, "text": text})));
    let node = format!("\n[filter.isLong]\nfrom = \"isRoaming.true\"\nscript = \"{begun}\"\n");
    let body = json!({"text": on_disk("flow.toml") + &node, "remark": "two scripts"});
    let version = served.done(&anna, "POST", "/api/flow/versions", Some(body))["version"].clone();
    let text = format!("-- Another.\n{}", on_disk(file));
    let body = json!({"text": text, "remark": "another"});
    served.done(&anna, "PUT", &format!("/api/scripts/{file}"), Some(body));
    let looks = || {
        let versions = served.got(&anna, "/api/flow/versions");
        (on_disk(file), on_disk("flow.toml"), versions)
    };

    let scripts = served.folder.path().join("scripts");
    let refused = |why: &str| {
        let before = looks();
        let path = format!("/api/flow/versions/{version}/activate");
        let answer = served.ask(&anna, "POST", &path, Some(json!({"because": "approved"})));
        assert_eq!(answer.status, 409, "{why}: {}", answer.body);
        assert!(answer.body.contains("could not write"), "{why}: {}", answer.body);
        assert_eq!(looks(), before, "{why}");
        let left = fs::read_dir(&scripts).unwrap().map(|entry| entry.unwrap().file_name());
        let hidden = left.filter(|name| name.to_string_lossy().starts_with('.'));
        assert_eq!(hidden.count(), 0, "{why}");
    };
    fs::remove_dir_all(scripts.join("zz")).unwrap();
    fs::write(scripts.join("zz"), "no folder").unwrap();
    let entries = || served.got(&anna, "/api/trail")["entries"].as_array().unwrap().clone();
    let before = entries();
    refused("it cannot be written");
    assert_eq!(entries(), before, "nothing was replaced yet");
    fs::remove_file(scripts.join("zz")).unwrap();
    fs::create_dir_all(scripts.join("zz/new.dup")).unwrap();
    refused("it cannot have its name");
    // The entry was made before the first file was replaced, and another one says that they were put back.
    let after = entries();
    let reasons: Vec<&str> = after.iter().filter_map(|entry| entry["reason"].as_str()).collect();
    assert!(reasons[0].starts_with("not active: could not write"), "{reasons:?}");
    assert_eq!((reasons[1], &after[2..]), ("approved", &before[..]));
}

#[test]
fn where_the_flow_wants_a_second_person_one_user_proposes_a_version_and_another_activates_it() {
    let flow_file = |folder: &std::path::Path| folder.join("flow.toml");
    let served = Served::start(example());
    let anna = served.first();
    let bo = served.invited(&anna, "bo", "operator");
    served.all_came(&anna);
    let on_disk = || fs::read_to_string(flow_file(served.folder.path())).unwrap();
    let save = |text: String| {
        let body = json!({"text": text, "remark": "draft"});
        served.done(&anna, "POST", "/api/flow/versions", Some(body))["version"].clone()
    };
    let request = |who: &As, version: &Value, what: &str, because: &str| {
        let path = format!("/api/flow/versions/{version}/{what}");
        served.ask(who, "POST", &path, Some(json!({"because": because})))
    };
    let activate = |who: &As, version: &Value, because: &str| {
        let answer = request(who, version, "activate", because);
        assert_eq!(answer.status, 200, "{}", answer.body);
        answer.json()["answer"].as_str().unwrap().to_owned()
    };
    let listed = |version: &Value| {
        let versions = served.got(&bo, "/api/flow/versions")["versions"].clone();
        let versions = versions.as_array().unwrap().clone();
        versions.into_iter().find(|of| of["version"] == *version).expect("the version")
    };
    let needs_second = |who: &As, version: &Value| {
        let body = json!({"version": version});
        let path = "/api/flow/consequences";
        served.done(who, "POST", path, Some(body))["needs_second_person"] == true
    };

    // The setting itself is a change for one: it is not there yet.
    let wanted = save(on_disk() + "\n[serve]\nsecond-person = true\n");
    assert_ne!(activate(&anna, &wanted, "four eyes"), "proposed");
    let before = on_disk();
    let version = save(format!("# Another.\n{before}"));
    assert!(needs_second(&anna, &version) && needs_second(&bo, &version));
    assert_eq!(activate(&anna, &version, "needed"), "proposed");
    assert!(needs_second(&anna, &version) && !needs_second(&bo, &version));
    assert_eq!(listed(&version)["proposal"]["because"], "needed");
    // Neither the same user nor a token is a second person.
    let made = json!({"name": "deploy", "role": "operator"});
    let made = served.done(&anna, "POST", "/api/tokens", Some(made));
    let bearer = format!("Bearer {}", made["token"].as_str().unwrap());
    let token = As { more: vec![("Authorization", bearer)], ..As::default() };
    for same in [&anna, &token] {
        assert_eq!(activate(same, &version, "again"), "proposed");
        assert_eq!(on_disk(), before);
    }
    // A proposal by a token does not count: the first activation by a person is a proposal.
    let by_token = save(format!("# By a token.\n{before}"));
    assert_eq!(activate(&token, &by_token, "a pipeline"), "proposed");
    assert_eq!(activate(&anna, &by_token, "looks good"), "proposed");
    assert_eq!(listed(&by_token)["proposal"]["who"], "anna");
    assert_eq!(activate(&token, &by_token, "again"), "proposed");
    assert_eq!(on_disk(), before);
    // It may be rejected, and proposed once more.
    assert_eq!(request(&bo, &version, "reject", " ").json()["code"], "reason-missing");
    assert_eq!(request(&bo, &version, "reject", "why?").json()["proposed_by"], "anna");
    assert_eq!(request(&bo, &version, "reject", "why?").json()["code"], "proposal-unknown");
    assert_eq!(activate(&bo, &version, "as asked"), "proposed");
    assert_ne!(activate(&anna, &version, "looked at"), "proposed");
    assert_eq!(on_disk(), format!("# Another.\n{before}"));
    let active = listed(&version);
    assert_eq!((&active["active"], &active["proposal"]), (&json!(true), &Value::Null));
    let activation = &active["activated"][0];
    let because = "looked at (proposed by bo: as asked)";
    assert_eq!((&activation["who"], &activation["because"]), (&json!("anna"), &json!(because)));
    // A script is a version, too.
    let file = "scripts/is_billable.dup";
    let script = || fs::read_to_string(served.folder.path().join(file)).unwrap();
    let text = format!("-- Another.\n{}", script());
    let put = json!({"text": text, "remark": "clearer"});
    let put = served.done(&anna, "PUT", &format!("/api/scripts/{file}"), Some(put));
    assert_eq!(put["answer"], "proposed");
    assert_ne!(script(), text);
    // A proposal is void once the files have changed.
    let proposed = served.got(&bo, "/api/flow/versions")["versions"][0]["version"].clone();
    assert!(listed(&proposed)["proposal"].is_object());
    fs::write(flow_file(served.folder.path()), format!("# By hand.\n{}", on_disk())).unwrap();
    assert_eq!(listed(&proposed)["proposal"], Value::Null);
    let trail = served.got(&anna, "/api/trail");
    let reasons: Vec<String> = { trail["entries"].as_array().unwrap().iter() }
        .filter(|entry| entry["action"] == "versions activate")
        .filter(|entry| entry["subject"] == format!("version {version}"))
        .map(|entry| entry["reason"].as_str().unwrap().to_owned())
        .collect();
    assert_eq!(reasons, [because, "proposed: as asked", "proposed: needed"]);
}
