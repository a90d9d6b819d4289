//! Tests what the API shows of how threads are shared.

use std::fs;

use serde_json::{Value, json};
use tempfile::TempDir;

use crate::api::served::{Served, tollgate};
use crate::common::wait::wait_for;

/// Creates a flow of two network elements, of which one has a thread of its own, and many files of the other.
#[cfg(target_os = "linux")]
fn shared(files: usize) -> TempDir {
    let folder = TempDir::new().unwrap();
    let here = folder.path();
    let mut flow = "[asn1]\nmodules = [\"calls.asn1\"]\n".to_owned();
    for name in ["many", "own"] {
        fs::create_dir_all(here.join("in").join(name)).unwrap();
        flow += &format!(
            "[network-element.{name}]\ncollect = {{ dir = \"in/{name}\" }}\n\
             decode = {{ type = \"CALLS.Call\", codec = \"json\" }}\n"
        );
    }
    flow += "[post-processing-system.all]\nfrom = [\"many\", \"own\"]\nencode = { codec = \"json\" }\n\
             deliver = { dir = \"out\" }\n[group.calls]\nnetwork-elements = [\"own\"]\nthreads = 1\n\
             [log]\nfile = \"log\"\nrotate = \"never\"\nformat = \"text\"\n";
    fs::write(here.join("flow.toml"), flow).unwrap();
    let module = "CALLS DEFINITIONS ::= BEGIN\nCall ::= SEQUENCE { number INTEGER }\nEND\n";
    fs::write(here.join("calls.asn1"), module).unwrap();
    for number in 0..files {
        let file = here.join(format!("in/many/far-{number}.json"));
        fs::write(file, format!("{{\"number\":{number}}}\n")).unwrap();
    }
    folder
}

#[cfg(target_os = "linux")]
#[test]
fn who_asks_hears_how_many_threads_work_for_whom_and_why() {
    let folder = shared(1_500);
    let mut serve = tollgate(&folder, "serve flow.toml --listen 127.0.0.1:0");
    serve.env("LD_PRELOAD", crate::common::preload::library("far"));
    let served = Served::by(serve, folder);
    let anna = served.first();
    let balance = || served.got(&anna, "/api/balance");
    let decisions = |of: &Value| of["decisions"].as_array().unwrap().clone();
    let begun = balance();
    let processors = std::thread::available_parallelism().unwrap().get();
    assert_eq!((&begun["processors"], &begun["is_found"]), (&json!(processors), &json!(true)));
    let groups = json!([
        {"name": "calls", "network_elements": ["own"], "own": {"processes": 0, "threads": 1}, "priority": null, "weight": null},
        {"name": null, "network_elements": ["many"], "own": null, "priority": 0, "weight": 1},
    ]);
    assert_eq!(begun["groups"], groups);
    let first = decisions(&begun).last().cloned().expect("one to begin with");
    assert!(first["why"].as_str().unwrap().contains("groups leave of the processors"), "{first}");
    let threads = processors.saturating_sub(1).max(1);
    assert!(first["what"].as_str().unwrap().contains(&format!(" {threads} thread")), "{first}");
    // The threads wait for a disk that is far away.
    let is_new = || decisions(&balance()).len() > 1;
    wait_for("a decision", is_new);
    let now = balance();
    let second = &decisions(&now)[decisions(&now).len() - 2];
    let why = second["why"].as_str().unwrap();
    assert!(why.contains("perhaps the rest waits for disks"), "{second}");
    let last = decisions(&now)[0]["what"].as_str().unwrap().to_owned();
    assert!(last.contains(&format!(" {} thread", now["common"]["threads"])), "{now}");
    let log = fs::read_to_string(served.folder.path().join("log")).unwrap();
    for decision in [&first, second] {
        let word = |key: &str| decision[key].as_str().unwrap();
        let text = format!("{}: {}", word("what"), word("why"));
        assert!(log.contains(&text), "{text}: {log}");
        assert!(decision["at"].as_str().unwrap().ends_with('Z'), "{decision}");
    }
}

#[cfg(target_os = "linux")]
#[test]
fn threads_of_processes_are_told_as_the_flow_has_them() {
    let folder = shared(0);
    let path = folder.path().join("flow.toml");
    let flow = fs::read_to_string(&path).unwrap();
    let flow = flow.replace("threads = 1", "processes = 1\nthreads = 2");
    fs::write(&path, flow + "[processing]\nprocesses = 2\nthreads = 3\n").unwrap();
    let served = Served::start(folder);
    let anna = served.first();
    let balance = served.got(&anna, "/api/balance");
    assert_eq!(balance["common"], json!({"processes": 2, "threads": 3}));
    assert_eq!(balance["groups"][0]["own"], json!({"processes": 1, "threads": 2}));
    assert_eq!(balance["is_found"], false);
    let decision = &balance["decisions"][0];
    let what = "files are processed by 3 threads of each of 2 processes, those of \"calls\" by 2 threads of a process";
    assert_eq!(decision["what"], what);
    assert!(decision["why"].as_str().unwrap().starts_with("as the flow says"), "{decision}");
}

#[cfg(target_os = "linux")]
#[test]
fn threads_that_the_flow_does_not_say_are_not_told_as_its_own() {
    let folder = shared(0);
    let path = folder.path().join("flow.toml");
    let flow = fs::read_to_string(&path).unwrap();
    fs::write(&path, flow + "[processing]\nprocesses = 2\n").unwrap();
    let served = Served::start(folder);
    let anna = served.first();
    let balance = served.got(&anna, "/api/balance");
    let decision = &balance["decisions"][0];
    let what = decision["what"].as_str().unwrap();
    assert!(what.contains(" of each of 2 processes, those of \"calls\" by 1 thread"), "{decision}");
    assert_eq!(decision["why"], "so many that all processors have something to do");
    // Once a changed flow runs, its settings are shown.
    let flow = fs::read_to_string(&path).unwrap();
    fs::write(&path, flow.replace("\nthreads = 1", "\nthreads = 2")).unwrap();
    let last = || served.got(&anna, "/api/balance")["decisions"][0]["what"].clone();
    wait_for("the change", || last().as_str().unwrap().ends_with("\"calls\" by 2 threads"));
}

#[cfg(target_os = "linux")]
#[test]
fn who_asks_hears_how_many_threads_carry_to_whom() {
    let folder = shared(0);
    let path = folder.path().join("flow.toml");
    let mut flow = fs::read_to_string(&path).unwrap();
    for name in ["partner", "report", "other"] {
        flow += &format!(
            "[post-processing-system.{name}]\nfrom = \"many\"\nencode = {{ codec = \"json\" }}\n\
             deliver = {{ dir = \"far/{name}\", at-once = 2 }}\n"
        );
    }
    flow += "[group.partners]\npost-processing-systems = [\"partner\"]\nthreads = 2\n\
             [group.reports]\npost-processing-systems = [\"report\"]\nweight = 3\n\
             [delivering]\nthreads = 3\n";
    fs::write(&path, &flow).unwrap();
    let served = Served::start(folder);
    let anna = served.first();
    let delivering = || served.got(&anna, "/api/balance")["delivering"].clone();
    let groups = json!([
        {"name": "partners", "post_processing_systems": ["partner"], "threads": 2, "priority": null, "weight": null},
        {"name": "reports", "post_processing_systems": ["report"], "threads": null, "priority": 0, "weight": 3},
        {"name": null, "post_processing_systems": ["other"], "threads": null, "priority": 0, "weight": 1},
    ]);
    // Outputs to the receiver in whose folder files get their names need no delivery.
    assert_eq!(delivering(), json!({"threads": 3, "groups": groups}));
    fs::write(&path, flow.replace("threads = 3", "threads = 4")).unwrap();
    wait_for("the change", || delivering() == json!({"threads": 4, "groups": groups}));
}
