//! Tests the tables that scripts read, as parts of a version of the flow.

use std::fs;

use serde_json::{Value, json};
use tempfile::TempDir;

use crate::api::served::{As, Served, example};

/// Creates the example with a filter that reads `tables/partners.csv`, and other tables that no version can contain.
fn with_table() -> TempDir {
    let folder = example();
    let here = folder.path();
    fs::create_dir(here.join("tables")).unwrap();
    fs::write(here.join("tables/partners.csv"), "digits,name\n46,SE\n").unwrap();
    let line = "x,".to_owned() + &"y".repeat(1 << 20) + "\n";
    let lines = (0..17).map(|number| format!("{number}{line}"));
    fs::write(here.join("tables/large.csv"), "key,value\n".to_owned() + &lines.collect::<String>())
        .unwrap();
    let script = here.join("scripts/is_roaming.dup");
    let text = fs::read_to_string(&script).unwrap();
    let declared = "declare partners TABLE \"../tables/partners.csv\";\n\
                    declare large TABLE \"../tables/large.csv\";\n";
    fs::write(script, format!("{declared}{text}")).unwrap();
    folder
}

fn save(served: &Served, who: &As, remark: &str) -> Value {
    let text = served.got(who, "/api/flow")["text"].clone();
    served.done(who, "POST", "/api/flow/versions", Some(json!({"text": text, "remark": remark})))
}

#[test]
fn going_back_to_a_version_brings_its_tables_back_and_what_it_has_not_is_named() {
    let served = Served::start(with_table());
    let anna = served.first();
    let first = save(&served, &anna, "as it is");
    let left_out = json!([{"name": "tables/large.csv", "why": "it has more than 16 MiB"}]);
    assert_eq!(first["left_out"], left_out);
    let table = served.folder.path().join("tables/partners.csv");
    let before = fs::read_to_string(&table).unwrap();
    fs::write(&table, "digits,name\n47,NO\n").unwrap();
    let path = format!("/api/flow/versions/{}", first["version"]);
    let version = served.got(&anna, &path);
    assert_eq!((&version["left_out"], &version["active"]), (&left_out, &json!(false)));
    let file = |version: &Value, name: &str| {
        let files = version["files"].as_array().unwrap().clone();
        files.into_iter().find(|file| file["name"] == name)
    };
    let kept = file(&version, "tables/partners.csv").expect("it is part of it");
    assert_eq!((&kept["text"], &kept["now"]), (&json!(before), &json!("digits,name\n47,NO\n")));
    assert_eq!(file(&version, "scripts/is_roaming.dup").unwrap()["is_other"], false);

    let activate = format!("{path}/activate");
    let answer = served.done(&anna, "POST", &activate, Some(json!({"because": "approved"})));
    assert_ne!(answer["answer"], "mistakes", "{answer}");
    assert_eq!(fs::read_to_string(&table).unwrap(), before);
    assert_eq!(served.got(&anna, &path)["active"], true);
    // The earlier table is kept as a version of its own.
    let versions = served.got(&anna, "/api/flow/versions");
    let last = versions["versions"][0]["version"].clone();
    let last = served.got(&anna, &format!("/api/flow/versions/{last}"));
    assert_eq!(file(&last, "tables/partners.csv").unwrap()["text"], "digits,name\n47,NO\n");
    assert_eq!(served.folder.path().join("tables/large.csv").metadata().unwrap().len() >> 20, 17);
}

#[test]
fn what_is_no_table_is_in_no_version_whoever_names_it() {
    let folder = example();
    fs::write(folder.path().join("secret.txt"), "hush-hush-0815\n").unwrap();
    let served = Served::start(folder);
    let anna = served.first();
    let script = "scripts/is_roaming.dup";
    let text = served.got(&anna, &format!("/api/scripts/{script}"))["text"].clone();
    // An existing file of these is not even read; the script is kept, as a version that does not run.
    let named =
        [("../secret.txt", 422), ("../flow.state/people.db", 422), ("../../other.csv", 200)];
    for (number, (named, status)) in named.iter().enumerate() {
        let declared = format!("declare t{number} TABLE \"{named}\";\n{}", text.as_str().unwrap());
        let body = json!({"text": declared, "remark": "look"});
        let answer = served.ask(&anna, "PUT", &format!("/api/scripts/{script}"), Some(body));
        assert_eq!(answer.status, *status, "{named}: {}", answer.body);
        let versions = served.got(&anna, "/api/flow/versions");
        let last = versions["versions"][0]["version"].clone();
        let version = served.got(&anna, &format!("/api/flow/versions/{last}"));
        let name = named.strip_prefix("../").unwrap();
        let left_out = version["left_out"].as_array().unwrap();
        assert!(left_out.iter().any(|left_out| left_out["name"] == name), "{named}: {left_out:?}");
        let files = version["files"].as_array().unwrap();
        assert!(files.iter().all(|file| file["name"] != name), "{named}");
        assert!(!version.to_string().contains("hush-hush"), "{named}");
    }
}
