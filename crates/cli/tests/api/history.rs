//! What a gateway did is there when it is started again.

use std::fs;

use serde_json::{Value, json};

use crate::served::{As, PASSWORD, Served, example, tollgate};
use crate::wait::wait_for;

/// Records of the time that is past, by the points of a plot of so many minutes.
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
    // Of more minutes than are kept, those that are.
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

#[test]
fn a_history_that_is_none_is_told_and_not_written_over() {
    let folder = example();
    let state = folder.path().join("flow.state");
    fs::create_dir_all(&state).unwrap();
    let history = state.join("history.db");
    fs::write(&history, "these are notes of somebody, and no database at all").unwrap();
    let serve = tollgate(&folder, "serve flow.toml --listen 127.0.0.1:0").output().unwrap();
    let said = String::from_utf8_lossy(&serve.stderr);
    assert!(!serve.status.success() && said.contains("history.db"), "{said}");
    assert!(fs::read_to_string(history).unwrap().starts_with("these are notes"));
}
