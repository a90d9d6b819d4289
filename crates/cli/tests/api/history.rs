//! Tests that the history of a gateway is still there after a restart.

use std::fs;

use serde_json::{Value, json};
use tempfile::TempDir;

use crate::api::served::{As, PASSWORD, Served, example, tollgate};
use crate::common::wait::wait_for;

/// Returns the step in seconds and the sum of the records, from a plot of the last `minutes` minutes.
fn records(served: &Served, who: &As, minutes: u32) -> (i64, f64) {
    let history = served.got(who, &format!("/api/history?minutes={minutes}"));
    let step = history["step_seconds"].as_i64().expect("a step");
    let rates = history["records"].as_array().expect("records");
    assert_eq!(history["at"].as_array().map(Vec::len), Some(rates.len()), "{history}");
    (step, rates.iter().filter_map(Value::as_f64).sum())
}

#[cfg(unix)]
#[test]
fn what_was_done_is_plotted_also_behind_a_start() {
    let served = Served::start(example());
    let anna = served.first();
    served.all_came(&anna);
    // A request for more minutes than there are returns all that there are.
    for (minutes, step) in [(15, 1), (60, 3), (1_440, 60), (43_200, 1_800), (4_000_000_000, 1_800)]
    {
        wait_for("records of the plot", || {
            let (found, records) = records(&served, &anna, minutes);
            assert_eq!(found, step, "{minutes}");
            records > 0.0
        });
    }
    let folder = served.ended();
    assert!(folder.path().join("flow.state/history.db").exists());
    let served = Served::start(folder);
    let login = json!({"name": "anna", "password": PASSWORD});
    let anna = Served::session(&served.ask(&As::default(), "POST", "/login", Some(login)));
    wait_for("the journal", || served.ask(&anna, "GET", "/api/files", None).status == 200);
    for minutes in [1_440, 43_200] {
        assert!(records(&served, &anna, minutes).1 > 0.0, "{minutes}");
    }
}

/// Creates the example with a log file.
fn logged() -> TempDir {
    let folder = example();
    let flow = folder.path().join("flow.toml");
    let text = fs::read_to_string(&flow).unwrap();
    fs::write(flow, text + "\n[log]\nfile = \"log/gateway.log\"\n").unwrap();
    folder
}

/// Asserts that the file named in the audit trail was put aside unchanged, that the log mentions it, and that plots go
/// on.
fn is_put_aside(served: &Served, who: &As, octets: &[u8]) {
    let mut entry = Value::Null;
    wait_for("the trail", || {
        let trail = served.ask(who, "GET", "/api/trail", None);
        let entries = if trail.status == 200 { trail.json()["entries"].clone() } else { json!([]) };
        let mut entries = entries.as_array().unwrap().clone().into_iter();
        entry = entries.find(|entry| entry["action"] == "history put aside").unwrap_or_default();
        !entry.is_null()
    });
    assert_eq!(entry["who"], "the gateway");
    let name = entry["subject"].as_str().unwrap();
    assert!(name.starts_with("history.db.damaged-2"), "{entry}");
    assert!(entry["reason"].as_str().unwrap().contains("is damaged"), "{entry}");
    let state = served.folder.path().join("flow.state");
    assert_eq!(fs::read(state.join(name)).unwrap(), octets);
    let logs = fs::read_dir(served.folder.path().join("log")).unwrap();
    let logs = logs.map(|file| fs::read_to_string(file.unwrap().path()).unwrap());
    let log: String = logs.collect();
    let warned = log.lines().filter(|line| line.contains("WARN") && line.contains(name)).count();
    assert_eq!(warned, 1, "{log}");
    wait_for("a point of the plot", || {
        let history = served.got(who, "/api/history?minutes=15");
        history["records"].as_array().is_some_and(|points| !points.is_empty())
    });
}

#[test]
fn a_history_that_is_none_is_put_aside_and_not_written_over() {
    let folder = logged();
    let text = b"these are notes of somebody, and no database at all";
    let state = folder.path().join("flow.state");
    fs::create_dir(&state).unwrap();
    fs::write(state.join("history.db"), text).unwrap();
    let served = Served::start(folder);
    let anna = served.first();
    is_put_aside(&served, &anna, text);
}

#[cfg(unix)]
#[test]
fn a_history_that_was_damaged_is_put_aside_and_people_are_still_known() {
    let served = Served::start(logged());
    served.first();
    let folder = served.ended();
    let history = folder.path().join("flow.state/history.db");
    let mut octets = fs::read(&history).unwrap();
    let half = octets.len() / 2;
    octets[half..].fill(0xa5);
    fs::write(&history, &octets).unwrap();
    let served = Served::start(folder);
    let login = json!({"name": "anna", "password": PASSWORD});
    let anna = Served::session(&served.ask(&As::default(), "POST", "/login", Some(login)));
    is_put_aside(&served, &anna, &octets);
    // The present figures survive the next start.
    let served = Served::start(served.ended());
    let login = json!({"name": "anna", "password": PASSWORD});
    let anna = Served::session(&served.ask(&As::default(), "POST", "/login", Some(login)));
    let asides = fs::read_dir(served.folder.path().join("flow.state")).unwrap();
    let asides = asides.filter(|entry| {
        let name = entry.as_ref().unwrap().file_name().into_string().unwrap();
        name.starts_with("history.db.damaged-") && !name.contains("Z-")
    });
    assert_eq!(asides.count(), 1);
    wait_for("the journal", || served.ask(&anna, "GET", "/api/files", None).status == 200);
}

#[cfg(unix)]
#[test]
fn people_that_are_damaged_keep_a_gateway_from_being_served() {
    let served = Served::start(example());
    let folder = served.ended();
    let people = folder.path().join("flow.state/people.db");
    fs::write(&people, "these are notes of somebody, and no database at all").unwrap();
    let serve = tollgate(&folder, "serve flow.toml --listen 127.0.0.1:0").output().unwrap();
    let said = String::from_utf8_lossy(&serve.stderr);
    assert!(!serve.status.success() && said.contains("people.db"), "{said}");
    assert!(fs::read_to_string(people).unwrap().starts_with("these are notes"));
}
