//! Tests two users who change the same thing at once: the second user gets a conflict, and no change of the first is
//! lost unnoticed.

use std::fs;

use serde_json::{Value, json};

use crate::api::served::{As, Served, example};

fn put_script(served: &Served, who: &As, file: &str) -> String {
    let script = served.got(who, &format!("/api/scripts/{file}"));
    let text = format!("{}\n-- Looked at.\n", script["text"].as_str().unwrap());
    let body = json!({"text": text, "based_on": script["digest"], "remark": "looked at"});
    served.done(who, "PUT", &format!("/api/scripts/{file}"), Some(body));
    text
}

#[test]
fn no_version_undoes_a_script_that_was_changed_since_it_was_made_or_looked_at() {
    let served = Served::start(example());
    let anna = served.first();
    served.all_came(&anna);
    let flow = served.got(&anna, "/api/flow");
    let file = flow["graph"]["nodes"]
        .as_array()
        .unwrap()
        .iter()
        .find_map(|node| node["script"].as_str())
        .expect("a script");
    let on_disk = || fs::read_to_string(served.folder.path().join(file)).unwrap();
    let edited = format!("{}\n# Edited.\n", flow["text"].as_str().unwrap());
    let save = || {
        let body = json!({"text": edited, "remark": "a comment"});
        let saved = served.done(&anna, "POST", "/api/flow/versions", Some(body));
        (saved["version"].as_i64().unwrap(), saved["found"].clone())
    };
    let activate = |version: i64, seen: Value| {
        let path = format!("/api/flow/versions/{version}/activate");
        let mut body = json!({"because": "approved"});
        body.as_object_mut().unwrap().extend(seen.as_object().unwrap().clone());
        served.ask(&anna, "POST", &path, Some(body))
    };

    let (version, found) = save();
    let looked = served.got(&anna, &format!("/api/flow/versions/{version}"));
    assert_eq!(looked["found"], found);
    let text = put_script(&served, &anna, file);
    let refused = activate(version, json!({"based_on": flow["digest"], "found": found}));
    assert_eq!((refused.status, on_disk()), (409, text.clone()), "{}", refused.body);
    let refused = activate(version, json!({"found": looked["found"]}));
    assert_eq!((refused.status, on_disk()), (409, text.clone()), "{}", refused.body);

    // A version that is saved again has the script as it is now.
    let (version, found) = save();
    let done = activate(version, json!({"based_on": flow["digest"], "found": found}));
    assert_eq!((done.status, on_disk()), (200, text), "{}", done.body);
    let now = served.got(&anna, "/api/flow");
    assert_eq!(now["text"], edited);
}

#[test]
fn a_correction_of_a_record_that_somebody_else_has_corrected_since_is_refused() {
    let served = Served::start(example());
    let anna = served.first();
    served.all_came(&anna);
    let id = served.got(&anna, "/api/suspense?limit=1")["records"][0]["id"].clone();
    let path = format!("/api/suspense/{id}");
    let shown = served.got(&anna, &path)["octets"].as_str().unwrap().to_owned();
    let correct = |octets: String, based_on: &str| {
        let body = json!({"octets": octets, "based_on": based_on, "because": "by hand"});
        served.ask(&anna, "PUT", &path, Some(body)).status
    };
    let first = format!("{shown}00");
    assert_eq!(correct(first.clone(), &shown), 200);
    assert_eq!(correct(format!("{shown}01"), &shown), 409);
    assert_eq!(served.got(&anna, &path)["octets"], first);
    assert_eq!(correct(shown, &first), 200);
}

#[test]
fn what_came_since_the_records_were_counted_is_not_discarded_with_them() {
    let served = Served::start(example());
    let anna = served.first();
    served.all_came(&anna);
    let groups = served.got(&anna, "/api/suspense/alike");
    let last =
        groups["groups"].as_array().unwrap().iter().map(|group| group["last"].as_i64()).max();
    let page = served.got(&anna, "/api/suspense?limit=3");
    let numbers: Vec<i64> =
        page["records"].as_array().unwrap().iter().filter_map(|r| r["id"].as_i64()).collect();
    assert_eq!(last.flatten(), Some(numbers[0]));
    let filter = json!({"state": "open", "up_to": numbers[2]});
    let body = json!({"filter": filter, "because": "test calls"});
    let discarded = served.done(&anna, "POST", "/api/suspense/discard", Some(body));
    assert_eq!(discarded["records"], 82);
    let left = served.got(&anna, "/api/suspense?limit=10");
    assert_eq!(left["records"].as_array().unwrap().len(), 2, "{left}");
}
