//! Tests tariff plans: the price of a call, and a price that is changed while records flow, and changed back.

use std::fs;
use std::path::Path;

use serde_json::{Value, json};
use tempfile::TempDir;

use crate::api::served::{As, Served, tollgate};

/// Creates a flow with a rating node and the example's plan, without one of its tables.
pub(crate) fn rated() -> TempDir {
    let folder = TempDir::new().unwrap();
    let here = folder.path();
    fs::write(here.join("flow.toml"), include_str!("../flows/rating.toml")).unwrap();
    fs::write(here.join("rating.asn1"), include_str!("../flows/rating.asn1")).unwrap();
    for made in ["in", "tariff"] {
        fs::create_dir(here.join(made)).unwrap();
    }
    for entry in fs::read_dir(plan()).unwrap() {
        let entry = entry.unwrap();
        fs::copy(entry.path(), here.join("tariff").join(entry.file_name())).unwrap();
    }
    let settings = here.join("tariff/tariff.toml");
    let text = fs::read_to_string(&settings).unwrap();
    let without = text.replace("\"ported.csv\", ", "");
    assert_ne!(without, text);
    fs::write(settings, without).unwrap();
    fs::remove_file(here.join("tariff/ported.csv")).unwrap();
    folder
}

pub(crate) fn plan() -> std::path::PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../../examples/tariff")
}

const CALL: [&str; 6] = [
    "--from=0701234567",
    "--to=0721234567",
    "--start=2026-06-01 18:59:30 Europe/Stockholm",
    "--duration=60",
    "--service=telephony",
    "--json",
];

pub(crate) fn call(start: &str) -> Option<Value> {
    Some(json!({
        "plan": "tariff", "service": "telephony", "from": "0701234567", "to": "0721234567",
        "start": start, "duration": "60", "subscriber": "",
    }))
}

const START: &str = "2026-06-01 18:59:30 Europe/Stockholm";

fn total(served: &Served, who: &As) -> String {
    let explained = served.done(who, "POST", "/api/tariffs", call(START));
    explained["price"]["total"].as_str().expect("a price").to_owned()
}

#[test]
fn a_call_is_priced_as_the_command_line_does_it_step_by_step() {
    let served = Served::start(rated());
    let anna = served.first();
    let vera = served.invited(&anna, "vera", "viewer");
    let tariffs = served.got(&vera, "/api/tariffs");
    let tariff = &tariffs["tariffs"][0];
    assert_eq!((&tariff["plan"], &tariff["nodes"]), (&json!("tariff"), &json!(["price"])));
    assert_eq!((&tariff["currency"], &tariff["diagnostics"]), (&json!("SEK"), &json!([])));
    let services = tariff["services"].as_array().unwrap();
    assert!(services.contains(&json!("telephony")), "{services:?}");
    let explained = served.done(&vera, "POST", "/api/tariffs", call(START));
    let mut command = tollgate(&served.folder, "tariff explain tariff");
    let said = command.args(CALL).output().unwrap();
    let said: Value = serde_json::from_slice(&said.stdout).unwrap();
    assert!(explained["price"]["total"].is_string(), "{explained}");
    assert_eq!(explained, said);
    let none = json!({"plan": "tariff", "service": "telephony", "from": "0701234567", "to": "000999",
        "start": START, "duration": "60"});
    let none = served.done(&vera, "POST", "/api/tariffs", Some(none));
    assert!(none["price"].is_null(), "{none}");
    assert!(none["problem"].as_str().unwrap().contains("none begins with 0"), "{none}");
    let any_path = json!({"plan": "/etc", "start": START, "reach": "any-path"});
    for (body, status, code) in [
        (call("2026-06-01 18:59:30"), 422, json!("tariff-usage-unreadable")),
        (Some(json!({"plan": "/etc", "start": START})), 404, json!("tariff-plan-unknown")),
        (Some(json!({"plan": "../tariff", "start": START})), 404, json!("tariff-plan-unknown")),
        (Some(json!({"plan": "tariff"})), 422, json!("request-invalid")),
        // Only a command chooses a path.
        (Some(any_path), 422, json!("request-invalid")),
    ] {
        let answer = served.ask(&vera, "POST", "/api/tariffs", body);
        let found = answer.json();
        assert_eq!((answer.status, &found["code"]), (status, &code), "{found}");
    }
    for outside in ["tariff/../flow.toml", "flow.toml", "/etc/passwd", "tariff/none.csv", "tariff"]
    {
        let answer = served.ask(&vera, "GET", &format!("/api/tariffs/{outside}"), None);
        assert_eq!(answer.status, 404, "{outside}: {}", answer.body);
    }
}

#[test]
fn a_price_is_changed_while_records_flow_and_taken_back_with_its_version() {
    let served = Served::start(rated());
    let anna = served.first();
    let before = total(&served, &anna);
    let path = "/api/tariffs/tariff/prices.csv";
    let table = served.got(&anna, path);
    let text = table["text"].as_str().unwrap();
    let dear = text.replace(",0.60,", ",6.00,");
    assert_ne!(dear, text);
    let broken = text.replace(",0.60,", ",dear,");
    let looked = served.done(&anna, "POST", path, Some(json!({"text": broken})));
    assert_eq!(looked["diagnostics"][0]["severity"], "error", "{looked}");
    let put = |text: &str, based_on: &Value| {
        served.ask(
            &anna,
            "PUT",
            path,
            Some(json!({"text": text, "based_on": based_on, "remark": "x"})),
        )
    };
    assert_eq!(put(&broken, &table["digest"]).json()["answer"], "mistakes");
    assert_eq!(total(&served, &anna), before);
    assert_ne!(put(&dear, &table["digest"]).json()["answer"], "mistakes");
    assert_ne!(total(&served, &anna), before);
    assert_eq!(put(text, &table["digest"]).status, 409, "another user changed it");
    // A table that the plan did not have: returning to the version before removes it again.
    let ported = served.folder.path().join("tariff/ported.csv");
    fs::copy(plan().join("ported.csv"), &ported).unwrap();
    let versions = served.got(&anna, "/api/flow/versions");
    let first = versions["versions"].as_array().unwrap().last().unwrap()["version"].clone();
    let activate = format!("/api/flow/versions/{first}/activate");
    let answer = served.done(&anna, "POST", &activate, Some(json!({"because": "approved"})));
    assert_ne!(answer["answer"], "mistakes", "{answer}");
    assert!(!ported.exists());
    assert_eq!(total(&served, &anna), before);
    // The earlier plan is kept as a version, so nothing is lost.
    let versions = served.got(&anna, "/api/flow/versions");
    let last = versions["versions"][0]["version"].clone();
    let activate = format!("/api/flow/versions/{last}/activate");
    served.done(&anna, "POST", &activate, Some(json!({"because": "approved"})));
    assert!(ported.exists());
    let trail = served.got(&anna, "/api/trail");
    let trail = trail["entries"].as_array().unwrap();
    assert!(trail.iter().any(|entry| entry["action"] == "tariff put"), "{trail:?}");
}
