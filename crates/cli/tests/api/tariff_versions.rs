//! Tests versions of a tariff plan in a database: listed, tried, loaded and withdrawn as by the command line.

use std::fs;

use serde_json::{Value, json};
use tempfile::TempDir;

use crate::api::served::{As, Served, tollgate};
use crate::api::tariffs::{call, rated};

/// Creates a flow that rates by a database with one version, of the example's plan.
fn in_database() -> TempDir {
    let folder = rated();
    let flow = folder.path().join("flow.toml");
    let text = fs::read_to_string(&flow).unwrap();
    fs::write(flow, text.replace("\"tariff\"", "\"tariffs.db\"")).unwrap();
    let mut load = tollgate(&folder, "tariff load tariff tariffs.db");
    let from = ["--valid-from", "2026-01-01 Europe/Stockholm", "--because", "prices of 2026"];
    assert!(load.args(from).output().unwrap().status.success());
    folder
}

const PLAN: &str = "tariffs.db";
const NEXT_YEAR: &str = "2099-01-01 Europe/Stockholm";

fn text(served: &Served, who: &As, version: i64, file: &str) -> String {
    let path = format!("/api/tariff-versions/{version}/{file}?plan={PLAN}");
    served.got(who, &path)["text"].as_str().expect("a text").to_owned()
}

/// Returns a draft on version 1: the example's prices with an expensive call.
fn dear(served: &Served, who: &As) -> Value {
    let prices = text(served, who, 1, "prices.csv");
    let dear = prices.replace(",0.60,", ",6.00,");
    assert_ne!(dear, prices);
    json!({"based_on": 1, "files": {"prices.csv": dear}})
}

fn loading(draft: &Value, valid_from: &str) -> Option<Value> {
    Some(json!({"plan": PLAN, "draft": draft, "valid_from": valid_from, "because": "dearer"}))
}

fn total(served: &Served, who: &As, start: &str, draft: Option<Value>) -> String {
    let mut asked = call(start).unwrap();
    asked["plan"] = json!(PLAN);
    asked["draft"] = draft.unwrap_or_default();
    let explained = served.done(who, "POST", "/api/tariffs", Some(asked));
    explained["price"]["total"].as_str().unwrap_or_else(|| panic!("{explained}")).to_owned()
}

#[test]
fn a_version_is_edited_tried_loaded_and_withdrawn() {
    let served = Served::start(in_database());
    let anna = served.first();
    let olaf = served.invited(&anna, "olaf", "operator");
    let versions = || served.got(&olaf, "/api/tariffs")["tariffs"][0]["versions"].clone();
    assert_eq!(versions()[0]["standing"], "valid");
    let files = served.got(&olaf, "/api/tariff-versions/1?plan=tariffs.db");
    let files: Vec<&str> =
        files["files"].as_array().unwrap().iter().map(|f| f["file"].as_str().unwrap()).collect();
    assert!(files.contains(&"prices.csv") && files.contains(&"tariff.toml"), "{files:?}");

    // A draft is checked and tried before it is loaded.
    let check = |draft: &Value| {
        let checked = json!({"plan": PLAN, "draft": draft});
        served.done(&olaf, "POST", "/api/tariff-versions/check", Some(checked))["diagnostics"]
            .clone()
    };
    let prices = text(&served, &olaf, 1, "prices.csv");
    let broken =
        json!({"based_on": 1, "files": {"prices.csv": prices.replacen(",0.60,", ",dear,", 1)}});
    let found = check(&broken);
    assert_eq!((&found[0]["file"], &found[0]["severity"]), (&json!("prices.csv"), &json!("error")));
    assert!(found[0]["line"].as_u64().unwrap() > 1, "{found}");
    let refused = served.done(&olaf, "POST", "/api/tariff-versions", loading(&broken, NEXT_YEAR));
    assert!(refused["version"].is_null() && refused["diagnostics"] == found, "{refused}");
    let dear = dear(&served, &olaf);
    assert_eq!(check(&dear), json!([]));
    let (now, then) = ("2026-06-01 18:59:30 Europe/Stockholm", "2099-06-02 12:00 Europe/Stockholm");
    let cheap = total(&served, &olaf, now, None);
    let tried = total(&served, &olaf, now, Some(dear.clone()));
    assert_ne!(tried, cheap);
    assert_eq!(total(&served, &olaf, now, Some(json!({"based_on": 1}))), cheap);
    let before = total(&served, &olaf, then, None);

    let loaded = served.done(&olaf, "POST", "/api/tariff-versions", loading(&dear, NEXT_YEAR));
    assert_eq!(loaded["version"], 2, "{loaded}");
    assert_ne!(loaded["gateway"]["answer"], "mistakes", "{loaded}");
    assert_eq!(versions()[1]["standing"], "coming");
    assert_eq!(versions()[0]["valid_to"], versions()[1]["valid_from"]);
    assert_eq!(total(&served, &olaf, now, None), cheap, "the call is of before");
    assert_ne!(total(&served, &olaf, then, None), before);
    // The command line takes out the same files.
    let taken = tollgate(&served.folder, "tariff take-out tariffs.db 2 out-of-2").output().unwrap();
    assert!(taken.status.success());
    let taken = fs::read_to_string(served.folder.path().join("out-of-2/prices.csv")).unwrap();
    assert_eq!(taken, text(&served, &olaf, 2, "prices.csv"));
    assert_eq!(json!(taken), dear["files"]["prices.csv"]);

    for (valid_from, status, code) in [
        (NEXT_YEAR, 409, "tariff-version-same-moment"),
        ("2099-06-01", 422, "tariff-valid-from-unreadable"),
        ("2020-01-01 UTC", 409, "tariff-version-in-past"),
    ] {
        let answer = served.ask(&olaf, "POST", "/api/tariff-versions", loading(&dear, valid_from));
        assert_eq!((answer.status, &answer.json()["code"]), (status, &json!(code)), "{valid_from}");
    }
    let withdraw = |version: i64, because: &str| {
        let path = format!("/api/tariff-versions/{version}/withdraw");
        served.ask(&olaf, "POST", &path, Some(json!({"plan": PLAN, "because": because})))
    };
    assert_eq!(withdraw(2, " ").status, 422);
    assert_eq!(withdraw(1, "it has begun").status, 409);
    assert_eq!(withdraw(7, "there is none").status, 404);
    assert_eq!(withdraw(2, "of another year").status, 200);
    assert_eq!(withdraw(2, "of another year").status, 409);
    assert_eq!(versions()[1]["standing"], "withdrawn");
    assert_eq!(versions()[1]["withdrawn"]["reason"], "of another year");
    assert_eq!(total(&served, &olaf, then, None), before);
    let trail = served.got(&anna, "/api/trail");
    let has = |action: &str, reason: &str| {
        trail["entries"].as_array().unwrap().iter().any(|entry| {
            entry["action"] == action && entry["who"] == "olaf" && entry["reason"] == reason
        })
    };
    assert!(has("tariff load", "dearer") && has("tariff withdraw", "of another year"), "{trail}");
}

#[test]
fn a_plan_is_one_that_the_flow_names_and_a_file_one_of_a_plans() {
    let served = Served::start(in_database());
    let anna = served.first();
    let vera = served.invited(&anna, "vera", "viewer");
    let dear = dear(&served, &vera);
    for plan in ["tariff", "other.db", "../tariffs.db", "/etc/passwd", "flow.state/versions.db"] {
        let look = format!("/api/tariff-versions/1?plan={plan}");
        assert_eq!(served.ask(&vera, "GET", &look, None).status, 404, "{plan}");
        let body = json!({"plan": plan, "draft": dear, "valid_from": NEXT_YEAR, "because": "x"});
        let answer = served.ask(&anna, "POST", "/api/tariff-versions", Some(body));
        assert_eq!(answer.status, 404, "{plan}: {}", answer.body);
    }
    for file in ["../flow.toml", "notes.txt", "bundle.csv", "/etc/passwd"] {
        let body = json!({"plan": PLAN, "draft": {"based_on": 1, "files": {file: "a,b"}}});
        let found = served.done(&vera, "POST", "/api/tariff-versions/check", Some(body));
        let said = found["diagnostics"].to_string();
        assert!(said.contains("is no table of a plan"), "{file}: {said}");
    }
    let none = served.ask(&vera, "GET", "/api/tariff-versions/1/x.csv?plan=tariffs.db", None);
    assert_eq!(none.status, 404);
    // A user who may only look changes nothing.
    let refused = served.ask(&vera, "POST", "/api/tariff-versions", loading(&dear, NEXT_YEAR));
    assert_eq!(refused.status, 403);
    let withdraw = Some(json!({"plan": PLAN, "because": "x"}));
    assert_eq!(served.ask(&vera, "POST", "/api/tariff-versions/1/withdraw", withdraw).status, 403);
    let versions = served.got(&vera, "/api/tariffs")["tariffs"][0]["versions"].clone();
    assert_eq!(versions.as_array().unwrap().len(), 1);
}

#[test]
fn a_database_without_a_valid_version_is_told_beside_the_other_plans() {
    let served = Served::start(in_database());
    let anna = served.first();
    fs::remove_file(served.folder.path().join("tariffs.db")).unwrap();
    let tariffs = served.got(&anna, "/api/tariffs");
    assert!(tariffs["tariffs"][0]["diagnostics"][0]["message"].is_string(), "{tariffs}");
    fs::write(served.folder.path().join("tariffs.db"), "no database").unwrap();
    let tariffs = served.got(&anna, "/api/tariffs");
    assert!(tariffs["tariffs"][0]["problem"].is_string(), "{tariffs}");
}

/// Returns the example's plan as texts, by the names of its files.
fn texts(served: &Served) -> Value {
    let entries = fs::read_dir(served.folder.path().join("tariff")).unwrap();
    let texts = entries.map(|entry| {
        let entry = entry.unwrap();
        let name = entry.file_name().into_string().unwrap();
        (name, json!(fs::read_to_string(entry.path()).unwrap()))
    });
    Value::Object(texts.collect())
}

#[test]
fn a_database_is_begun_with_its_first_version_which_may_begin_in_the_past() {
    let served = Served::start(rated());
    let anna = served.first();
    let (olaf, vera) =
        (served.invited(&anna, "olaf", "operator"), served.invited(&anna, "vera", "viewer"));
    let first = |plan: &str, files: Value| {
        Some(json!({
            "plan": plan, "draft": {"based_on": null, "files": files}, "valid_from": "2026-01-01 Europe/Stockholm",
            "because": "the first prices",
        }))
    };
    let load = |who: &As, plan: &str, files: Value| {
        served.ask(who, "POST", "/api/tariff-versions", first(plan, files))
    };
    let plan = "first.db";
    let lies = served.folder.path().join(plan);
    // A plan is checked and tried before its database exists.
    let checked = json!({"plan": plan, "draft": {"based_on": null, "files": {}}});
    let found = served.done(&vera, "POST", "/api/tariff-versions/check", Some(checked));
    assert!(found["diagnostics"][0]["text"].as_str().unwrap().contains("tariff.toml"), "{found}");
    let mut asked = call("2026-06-01 18:59:30 Europe/Stockholm").unwrap();
    (asked["plan"], asked["draft"]) = (json!(plan), json!({"files": texts(&served)}));
    let tried = served.done(&vera, "POST", "/api/tariffs", Some(asked));
    assert!(tried["price"]["total"].is_string(), "{tried}");
    let broken = load(&olaf, plan, json!({"tariff.toml": "name = 1"})).json();
    assert!(broken["version"].is_null() && !broken["diagnostics"][0].is_null(), "{broken}");
    assert!(!lies.exists(), "nothing is begun by mistakes");
    assert_eq!(load(&vera, plan, texts(&served)).status, 403);
    let long = format!("{}.db", "x".repeat(65));
    for name in [
        "../out.db",
        "/tmp/out.db",
        "sub/out.db",
        "out",
        ".db",
        "flow.toml",
        "a b.db",
        &long,
        "tariff",
    ] {
        let answer = load(&olaf, name, texts(&served));
        assert!([404, 409].contains(&answer.status), "{name}: {} {}", answer.status, answer.body);
    }
    let loaded = load(&olaf, plan, texts(&served));
    assert_eq!((loaded.status, &loaded.json()["version"]), (200, &json!(1)), "{}", loaded.body);
    // The plan exists, though no node names it, and gets its next version as others do.
    let listed = || served.got(&vera, "/api/tariffs")["tariffs"].clone();
    let one = listed().as_array().unwrap().iter().find(|one| one["plan"] == plan).cloned().unwrap();
    assert_eq!((&one["nodes"], &one["versions"][0]["standing"]), (&json!([]), &json!("valid")));
    assert_eq!(load(&olaf, plan, texts(&served)).status, 409, "it has begun");
    let mut next = first(plan, json!({})).unwrap();
    (next["draft"]["based_on"], next["valid_from"]) = (json!(1), json!(NEXT_YEAR));
    assert_eq!(served.done(&olaf, "POST", "/api/tariff-versions", Some(next))["version"], 2);
    // A node that names the plan rates by it.
    let flow = served.folder.path().join("flow.toml");
    let text = fs::read_to_string(&flow).unwrap();
    fs::write(&flow, text.replace("\"tariff\"", "\"first.db\"")).unwrap();
    assert!(tollgate(&served.folder, "check flow.toml").output().unwrap().status.success());
    let nodes: Vec<Value> =
        listed().as_array().unwrap().iter().map(|one| one["nodes"].clone()).collect();
    assert_eq!(nodes, [json!(["price"])]);
    let trail = served.got(&vera, "/api/trail");
    let entry = trail["entries"]
        .as_array()
        .unwrap()
        .iter()
        .find(|entry| entry["reason"] == "the first prices");
    assert_eq!(entry.expect("an entry")["who"], "olaf");
    // Other databases are not tariff databases.
    assert!(served.folder.path().join("flow.state/journal.db").exists());
    fs::copy(
        served.folder.path().join("flow.state/journal.db"),
        served.folder.path().join("other.db"),
    )
    .unwrap();
    assert_eq!(listed().as_array().unwrap().len(), 1);
}

#[test]
fn a_database_that_the_flow_names_before_it_is_there_is_begun() {
    let served = Served::start(rated());
    let anna = served.first();
    let flow = served.folder.path().join("flow.toml");
    let text = fs::read_to_string(&flow).unwrap();
    fs::create_dir(served.folder.path().join("plans")).unwrap();
    fs::write(&flow, text.replace("\"tariff\"", "\"plans/to-be.db\"")).unwrap();
    let one = served.got(&anna, "/api/tariffs")["tariffs"][0].clone();
    assert_eq!((&one["plan"], &one["versions"]), (&json!("plans/to-be.db"), &json!([])));
    let first = json!({
        "plan": "plans/to-be.db", "draft": {"based_on": null, "files": texts(&served)},
        "valid_from": "2026-01-01 Europe/Stockholm", "because": "the first prices",
    });
    let loaded = served.done(&anna, "POST", "/api/tariff-versions", Some(first));
    assert_eq!((&loaded["version"], &loaded["gateway"]["mistakes"]), (&json!(1), &json!([])));
}

/// Returns what a command prints as JSON. It succeeds.
fn printed(served: &Served, line: &str, more: &[&str]) -> Value {
    let output = tollgate(&served.folder, line).args(more).output().unwrap();
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    serde_json::from_slice(&output.stdout).expect("an object")
}

#[test]
fn the_commands_make_entries_of_the_audit_trail_and_print_what_the_api_returns() {
    let served = Served::start(in_database());
    let anna = served.first();
    let last = || served.got(&anna, "/api/trail")["entries"][0].clone();
    let next = ["--valid-from", NEXT_YEAR, "--because", "dearer", "--json"];
    let loaded = printed(&served, "tariff load tariff tariffs.db", &next);
    assert_eq!((&loaded["version"], &loaded["diagnostics"]), (&json!(2), &json!([])));
    assert!(["active", "pending"].map(|a| json!(a)).contains(&loaded["gateway"]["answer"]));
    let entry = last();
    assert_eq!((&entry["action"], &entry["reason"]), (&json!("tariff load"), &json!("dearer")));
    assert!(entry["subject"].as_str().unwrap().starts_with("tariffs.db, version 2, from "));

    let files = printed(&served, "tariff take-out tariffs.db 2 out", &["--json"]);
    assert_eq!(files, served.got(&anna, "/api/tariff-versions/2?plan=tariffs.db"));
    let listed = tollgate(&served.folder, "tariff versions tariffs.db --json").output().unwrap();
    let lines = String::from_utf8(listed.stdout).unwrap();
    let lines: Vec<Value> =
        lines.lines().map(|line| serde_json::from_str(line).expect("an object")).collect();
    let tariffs = served.got(&anna, "/api/tariffs");
    assert_eq!(json!(lines), tariffs["tariffs"][0]["versions"]);

    // The flow is found beside the database, wherever the command is started.
    let database = served.folder.path().join(PLAN);
    let withdraw = ["2", "--because", "of another year", "--json"];
    let output = std::process::Command::new(env!("CARGO_BIN_EXE_tollgate"))
        .env_remove("TOLLGATE_FLOW")
        .args(["tariff", "withdraw", database.to_str().unwrap()])
        .args(withdraw)
        .output()
        .unwrap();
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    let entry = last();
    assert_eq!(entry["action"], "tariff withdraw");
    assert_eq!(entry["subject"], "tariffs.db, version 2");
    // A refused change makes no entry.
    let again = tollgate(&served.folder, "tariff withdraw tariffs.db 2 --because again");
    assert_eq!({ again }.output().unwrap().status.code(), Some(2));
    assert_eq!(last(), entry);
}

#[test]
fn a_change_whose_entry_cannot_be_written_is_not_made() {
    let folder = in_database();
    let status = tollgate(&folder, "run flow.toml --once").output().unwrap().status;
    assert!(status.code().is_some_and(|code| code < 2));
    let journal = folder.path().join("flow.state/journal.db");
    fs::write(&journal, "no database").unwrap();
    for leftover in ["journal.db-wal", "journal.db-shm"] {
        let _ = fs::remove_file(folder.path().join("flow.state").join(leftover));
    }
    let next = ["--valid-from", NEXT_YEAR, "--because", "dearer"];
    let load = tollgate(&folder, "tariff load tariff tariffs.db").args(next).output().unwrap();
    assert_eq!(load.status.code(), Some(2), "{}", String::from_utf8_lossy(&load.stderr));
    let listed = tollgate(&folder, "tariff versions tariffs.db --json").output().unwrap();
    assert_eq!(String::from_utf8(listed.stdout).unwrap().lines().count(), 1);
}
