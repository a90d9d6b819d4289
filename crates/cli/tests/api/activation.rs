//! Tests that an activation that cannot be done completely is not done at all.

use std::fs;

use serde_json::json;

use crate::api::served::{Served, example};

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
