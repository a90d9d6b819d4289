//! Tests correcting and retrying records in suspense.

use std::fs;

use serde_json::{Value, json};

use crate::api::served::{Served, example, tollgate};

#[test]
fn a_record_that_cannot_be_read_is_mended_by_its_octets_and_retried() {
    let served = Served::start(example());
    let anna = served.first();
    served.all_came(&anna);
    let id = served.got(&anna, "/api/suspense?limit=1")["records"][0]["id"].clone();
    let path = format!("/api/suspense/{id}");
    assert_eq!(served.got(&anna, &path)["json"], Value::Null);
    let file = "/api/records?network_element=msc-boston&file=boston-00002.ber";
    let sound = served.got(&anna, file)["records"][0]["octets"].as_str().unwrap().to_owned();
    let put = |said: Value| served.ask(&anna, "PUT", &path, Some(said));
    for (octets, because) in
        [("6", "odd"), ("6g", "no digit"), ("\u{e5}", "no digit"), (sound.as_str(), " ")]
    {
        let answer = put(json!({"octets": octets, "because": because}));
        assert_eq!(answer.status, 422, "{octets}: {}", answer.body);
    }
    for (said, status, code) in [
        (json!({"because": "nothing"}), 422, "record-content-missing"),
        (
            json!({"json": {"callDuration": 1}, "octets": sound, "because": "both"}),
            422,
            "record-content-missing",
        ),
        (json!({"octets": sound, "because": " "}), 422, "reason-missing"),
        (json!({"json": {"nothing": 1}, "because": "no record"}), 422, "record-not-valid"),
        (
            json!({"octets": sound, "based_on": "00", "because": "late"}),
            409,
            "record-changed-meanwhile",
        ),
    ] {
        let answer = put(said);
        assert_eq!(answer.status, status, "{code}: {}", answer.body);
        assert_eq!(answer.json()["code"], code, "{}", answer.body);
    }
    let nobody = served.ask(&anna, "GET", "/api/suspense/99999", None);
    assert_eq!((nobody.status, &nobody.json()["code"]), (404, &json!("record-unknown")));
    let cut = put(json!({"octets": "6a 81", "because": "a part"})).json();
    assert!(cut["problem"].is_string(), "{cut}");
    let (upper, lower) = sound.split_at(2);
    let written = format!("{}\n {lower}", upper.to_uppercase());
    let whole = put(json!({"octets": written, "because": "as the switch has it"})).json();
    assert_eq!(whole, json!({"octets": sound, "problem": null}));
    let shown = tollgate(&served.folder, &format!("suspense show flow.toml {id} --json")).output();
    let shown: Value = serde_json::from_slice(&shown.unwrap().stdout).unwrap();
    assert_eq!(shown, served.got(&anna, &path), "the command shows what the API does");
    let retried = served.done(&anna, "POST", "/api/suspense/retry", Some(json!({"ids": [id]})));
    assert_eq!((&retried["asked"], &retried["delivered"]), (&json!(1), &json!(1)), "{retried}");
}

#[test]
fn a_record_that_was_damaged_in_the_journal_is_shown_as_none_and_mended_by_its_octets() {
    let served = Served::start(example());
    let anna = served.first();
    served.all_came(&anna);
    let id = served.got(&anna, "/api/suspense?limit=1")["records"][0]["id"].clone();
    let path = format!("/api/suspense/{id}");
    let file = served.got(&anna, "/api/records?network_element=msc-boston&file=boston-00002.ber");
    let [one, other] = [0, 1].map(|place| file["records"][place]["octets"].as_str().unwrap());
    let mend = || {
        let octets = json!({"octets": one, "because": "as its file has it"});
        served.done(&anna, "PUT", &path, Some(octets));
        assert_eq!(served.got(&anna, &path)["problem"], Value::Null);
    };
    mend();
    let journal = served.folder.path().join("flow.state/journal.db");
    let journal = rusqlite::Connection::open(journal).unwrap();
    let update = "UPDATE suspense SET octets = unhex(?) WHERE id = ?";
    assert_eq!(journal.execute(update, (other, id.as_i64())).unwrap(), 1);
    drop(journal);
    let shown = served.got(&anna, &path);
    let problem = shown["problem"].as_str().expect("it is said");
    assert!(shown["json"].is_null() && problem.contains("damaged in the journal"), "{shown}");
    let retry = || served.done(&anna, "POST", "/api/suspense/retry", Some(json!({"ids": [id]})));
    assert_eq!(retry()["damaged"], json!([id]));
    mend();
    let retried = retry();
    assert_eq!((&retried["delivered"], &retried["damaged"]), (&json!(1), &json!([])), "{retried}");
}

#[test]
fn a_suspended_record_is_mended_and_retried() {
    let served = Served::start(example());
    let anna = served.first();
    served.all_came(&anna);
    let groups = served.got(&anna, "/api/suspense/alike");
    let records: u64 =
        groups["groups"].as_array().unwrap().iter().filter_map(|g| g["records"].as_u64()).sum();
    assert_eq!(records, 84);
    let page = served.got(&anna, "/api/suspense?limit=10");
    let ids: Vec<i64> =
        page["records"].as_array().unwrap().iter().filter_map(|r| r["id"].as_i64()).collect();
    assert!(ids.is_sorted_by(|a, b| a > b) && ids.len() == 10 && page["more"] == true, "{ids:?}");
    let next = served.got(&anna, &format!("/api/suspense?limit=1000&before={}", ids[9]));
    assert_eq!((next["records"].as_array().unwrap().len(), &next["more"]), (74, &json!(false)));
    let readable = ids.iter().chain(&[]).find_map(|id| {
        let shown = served.got(&anna, &format!("/api/suspense/{id}"));
        (!shown["json"].is_null()).then_some((*id, shown))
    });
    if let Some((id, shown)) = readable {
        let same = json!({"json": shown["json"], "because": "as it is"});
        assert_eq!(
            served.ask(&anna, "PUT", &format!("/api/suspense/{id}"), Some(same)).status,
            409
        );
        let none = json!({"json": {"nothing": 1}, "because": "wrong"});
        assert_eq!(
            served.ask(&anna, "PUT", &format!("/api/suspense/{id}"), Some(none)).status,
            422
        );
    }
    let retried = served.done(&anna, "POST", "/api/suspense/retry", Some(json!({"ids": [ids[0]]})));
    assert_eq!((&retried["asked"], &retried["suspended"]), (&json!(1), &json!(1)), "{retried}");
    let discard = |body: Value| served.ask(&anna, "POST", "/api/suspense/discard", Some(body));
    assert_eq!(
        discard(json!({"ids": [ids[0]], "because": " "})).status,
        422,
        "a reason is asked for"
    );
    assert_eq!(
        discard(json!({"because": "all"})).status,
        422,
        "all are not meant by saying nothing"
    );
    assert_eq!(discard(json!({"ids": [ids[0]], "because": "a test call"})).json()["records"], 1);
    let open = served.got(&anna, "/api/suspense?limit=1000");
    assert_eq!(open["records"].as_array().unwrap().len(), 83);
    let trail = served.got(&anna, "/api/trail?limit=1");
    let entry = &trail["entries"][0];
    assert_eq!(
        (&entry["action"], &entry["reason"]),
        (&json!("suspense discard"), &json!("a test call"))
    );
}

#[test]
fn who_asks_for_a_retry_is_answered_while_it_is_in_work_or_where_nobody_could_do_it() {
    let folder = example();
    let filter = folder.path().join("scripts/is_billable.dup");
    let passes = |statement: &str| {
        let text = format!("BOOLEAN isBillable(cdr CONST CallDataRecord) {{ {statement} }}");
        fs::write(&filter, text).unwrap();
    };
    passes("assert FALSE; return TRUE;");
    let served = Served::start(folder);
    let anna = served.first();
    served.all_came(&anna);
    let all = Some(json!({"filter": {"node": "isBillable"}}));
    let retry = || served.ask(&anna, "POST", "/api/suspense/retry", all.clone());
    let flow = served.folder.path().join("flow.toml");
    let text = fs::read(&flow).unwrap();
    fs::write(&flow, "").unwrap();
    let nobody = retry();
    let problem = nobody.json()["error"].to_string();
    assert!(nobody.status == 409 && problem.contains("has no network elements"), "{problem}");
    fs::write(&flow, text).unwrap();
    // Some hundredths of a second for each of twenty thousand records.
    passes("declare i INTEGER; for (i := 0; i < 9000000; i += 1) { } assert FALSE; return i > 0;");
    let answer = retry();
    let waiting = answer.json()["waiting"].as_u64().unwrap();
    assert!(answer.status == 200 && waiting > 1_000, "{}", answer.body);
    // They are not to be retried any more.
    let take_back =
        |body: Value| served.ask(&anna, "POST", "/api/suspense/retry/take-back", Some(body));
    let nothing = take_back(json!({}));
    assert_eq!((nothing.status, &nothing.json()["code"]), (422, &json!("records-not-chosen")));
    let taken_back = take_back(json!({"filter": {"node": "isBillable"}})).json();
    assert!(taken_back["taken_back"].as_u64().is_some_and(|records| records > 0), "{taken_back}");
    let trail = served.got(&anna, "/api/trail?limit=1");
    assert_eq!(trail["entries"][0]["action"], "suspense retry --take-back");
}
