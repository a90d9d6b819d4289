//! Tests undoing what was done with records and files: discarded records are opened again, and collected files may be
//! collected once more.

use std::fs;

use serde_json::{Value, json};

use crate::api::served::{As, Served, example};
use crate::common::wait::wait_for;

/// Returns the numbers of the records in suspense in a state, the last first.
fn numbers(served: &Served, who: &As, state: &str) -> Vec<i64> {
    let found = served.got(who, &format!("/api/suspense?limit=1000&state={state}"));
    let records = found["records"].as_array().expect("records").iter();
    records.filter_map(|record| record["id"].as_i64()).collect()
}

fn last_of_trail(served: &Served, who: &As) -> Value {
    served.got(who, "/api/trail?limit=1")["entries"][0].clone()
}

#[test]
fn a_word_that_is_misspelt_or_left_out_does_not_mean_all_records() {
    let served = Served::start(example());
    let anna = served.first();
    served.all_came(&anna);
    for (deed, bodies) in [
        (
            "discard",
            vec![
                json!({"filter": {"network_elemnt": "msc-boston"}, "because": "typo"}),
                json!({"filter": {"node": "isBillable"}, "because": "typo", "idz": [1]}),
                json!({"filter": {"state": "retried"}, "because": "others"}),
                json!({"filter": {"state": "all"}, "because": "others"}),
                json!({"filter": {}, "because": "nothing said"}),
                json!({"filter": {"state": "open"}, "because": "nothing said"}),
            ],
        ),
        (
            "retry",
            vec![
                json!({"filter": {"nod": "isBillable"}}),
                json!({"filter": {"state": "discarded"}, "all": true}),
                json!({"filter": {"node": "isBillable"}, "duplicate": true}),
                json!({"filter": {}}),
            ],
        ),
        ("reopen", vec![json!({"filter": {"state": "discarded"}, "because": "nothing said"})]),
    ] {
        for body in bodies {
            let path = format!("/api/suspense/{deed}");
            let answer = served.ask(&anna, "POST", &path, Some(body.clone()));
            assert_eq!(answer.status, 422, "{deed} {body}: {}", answer.body);
        }
    }
    assert_eq!(numbers(&served, &anna, "open").len(), 84);
}

#[test]
fn records_that_were_discarded_are_opened_again_one_some_or_all_that_fit() {
    let served = Served::start(example());
    let anna = served.first();
    let vera = served.invited(&anna, "vera", "viewer");
    served.all_came(&anna);
    let all = json!({"all": true, "because": "in a hurry"});
    let discarded = served.done(&anna, "POST", "/api/suspense/discard", Some(all));
    assert_eq!(discarded["records"], 84);
    let ids = numbers(&served, &anna, "discarded");
    assert_eq!((ids.len(), numbers(&served, &anna, "open").len()), (84, 0));

    let reopen =
        |who: &As, body: Value| served.ask(who, "POST", "/api/suspense/reopen", Some(body));
    assert_eq!(reopen(&vera, json!({"ids": [ids[0]], "because": "no"})).status, 403);
    for (body, said) in [
        (json!({"ids": [ids[0]], "because": " "}), "give a reason"),
        (json!({"because": "all"}), "say which records"),
        (
            json!({"filter": {"state": "retried"}, "because": "all"}),
            "only records that were discarded",
        ),
    ] {
        let answer = reopen(&anna, body);
        assert!(answer.status == 422 && answer.body.contains(said), "{}", answer.body);
    }
    assert_eq!(
        reopen(&anna, json!({"ids": [ids[0], 9_999], "because": "one"})).json()["records"],
        1
    );
    let shown = served.got(&anna, &format!("/api/suspense/{}", ids[0]));
    let history = shown["history"].as_array().unwrap().iter();
    let did: Vec<&Value> = history.map(|event| &event["action"]).collect();
    assert_eq!(did, ["suspense discard", "suspense reopen"], "{shown}");
    assert_eq!(shown["record"]["state"], "open");

    // All records that match, with one audit entry for them; each record refers to it.
    let boston = json!({"network_element": "msc-boston", "state": "discarded"});
    let before = numbers(&served, &anna, "discarded").len();
    let reopened =
        reopen(&anna, json!({"filter": boston, "because": "the subscriber called"})).json();
    let many = reopened["records"].as_u64().expect("how many") as usize;
    assert!(many > 1 && many < before, "{reopened}");
    assert_eq!(numbers(&served, &anna, "discarded").len(), before - many);
    let entry = last_of_trail(&served, &anna);
    assert_eq!((&entry["action"], &entry["who"]), (&json!("suspense reopen"), &json!("anna")));
    let subject = entry["subject"].as_str().unwrap();
    assert!(
        subject.starts_with(&format!("{many} records: of \"msc-boston\", numbers ")),
        "{entry}"
    );
    let of_boston = served.got(&anna, "/api/suspense?network_element=msc-boston&limit=1");
    let one = &of_boston["records"][0]["id"];
    let shown = served.got(&anna, &format!("/api/suspense/{one}"));
    assert_eq!(shown["history"].as_array().unwrap().last().unwrap()["action"], "suspense reopen");
    // The view of the record may have an entry.
    let entry = last_of_trail(&served, &anna);
    assert_eq!(reopen(&anna, json!({"filter": boston, "because": "again"})).json()["records"], 0);
    assert_eq!(last_of_trail(&served, &anna), entry, "nothing was done");
}

#[test]
fn files_that_were_processed_come_again_for_a_reason_and_are_no_duplicates() {
    let served = Served::start(example());
    let anna = served.first();
    let vera = served.invited(&anna, "vera", "viewer");
    served.all_came(&anna);
    let file = |name: &str| {
        let found = served.got(&anna, &format!("/api/files?name={name}"));
        found["files"][0].clone()
    };
    let boston = served.folder.path().join("in/boston");
    let comes = |name: &str| {
        fs::copy(boston.join("boston-00002.ber.done"), boston.join(".part")).unwrap();
        fs::rename(boston.join(".part"), boston.join(name)).unwrap();
        wait_for(name, || !file(name).is_null());
        file(name)
    };
    // The same file under another name is a duplicate until a user asks for either of them to be processed again.
    let duplicate = comes("boston-00005.ber");
    let original = file("boston-00002.ber");
    assert_eq!(
        (&duplicate["duplicate_of"], &duplicate["delivered"]),
        (&original["job"], &json!(0))
    );
    assert_eq!(original["may_come_again"], false);

    let again = |who: &As, body: Value| served.ask(who, "POST", "/api/files/again", Some(body));
    let chosen = json!({"jobs": [duplicate["job"]], "because": "the receiver lost it"});
    assert_eq!(again(&vera, chosen.clone()).status, 403);
    for (body, code) in [
        (json!({"jobs": [1], "because": " "}), json!("reason-missing")),
        (json!({"because": "all of them"}), json!("files-not-chosen")),
        (json!({"jobs": [1], "because": "x", "more": 1}), json!("request-invalid")),
    ] {
        let answer = again(&anna, body);
        assert_eq!((answer.status, &answer.json()["code"]), (422, &code), "{}", answer.body);
    }
    assert_eq!(
        again(&anna, json!({"network_element": "nowhere", "because": "x"})).json()["files"],
        0
    );
    assert_eq!(again(&anna, chosen.clone()).json()["files"], 2);
    let entry = last_of_trail(&served, &anna);
    assert_eq!((&entry["who"], &entry["action"]), (&json!("anna"), &json!("files again")));
    assert_eq!(entry["reason"], "the receiver lost it");
    let subject = entry["subject"].as_str().unwrap();
    let names =
        ["boston-00002.ber", "boston-00005.ber"].map(|name| format!("\"msc-boston/{name}\""));
    let names_both = names.iter().all(|name| subject.contains(name));
    assert!(subject.starts_with("2 files: ") && names_both, "{subject}");
    assert_eq!(file("boston-00002.ber")["may_come_again"], true);
    assert_eq!(again(&anna, chosen).json()["files"], 0, "they may already");

    let processed = comes("boston-00007.ber");
    assert!(processed["duplicate_of"].is_null(), "{processed}");
    assert_eq!(processed["delivered"], original["delivered"], "{processed}");
}
