//! Tests replaying a change on collected files by the API: the result is that of the command, and nothing is left
//! behind.

use std::fs;
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use serde_json::{Value, json};
use tempfile::TempDir;

use crate::api::served::{As, Served, example, tollgate};
use crate::api::tariffs::{plan, rated};
use crate::common::wait::wait_for;

const SCRIPT: &str = "scripts/home_v8.dup";

fn example_with_archive() -> TempDir {
    let folder = example();
    let flow = folder.path().join("flow.toml");
    let text = fs::read_to_string(&flow).unwrap();
    fs::write(flow, text + "\n[archive]\nkeep = \"90 days\"\n").unwrap();
    folder
}

/// Returns the script with a change.
fn changed(folder: &Path) -> String {
    let text = fs::read_to_string(folder.join(SCRIPT)).unwrap();
    let changed = text.replace("out.version := 8", "out.version := 9");
    assert_ne!(changed, text);
    changed
}

fn draft(text: &str) -> Value {
    json!({"files": [{"name": SCRIPT, "text": text}]})
}

fn ended(served: &Served, who: &As) -> Value {
    let mut last = Value::Null;
    wait_for("it has ended", || {
        last = served.got(who, "/api/replay")["replay"].clone();
        last["state"] != "running"
    });
    last
}

fn works_in(served: &Served) -> PathBuf {
    served.folder.path().join("flow.state/replay")
}

#[test]
fn what_is_tried_by_the_api_differs_as_it_does_by_the_command() {
    let served = Served::start(example_with_archive());
    let anna = served.first();
    let vera = served.invited(&anna, "vera", "viewer");
    served.all_came(&anna);
    let state = served.got(&vera, "/api/replay");
    assert_eq!(state, json!({"replay": null, "files_max": 1000, "masked": true}));
    let here = served.folder.path().to_path_buf();
    wait_for("all are archived", || {
        let list = tollgate(&served.folder, "archive list flow.toml --json").output().unwrap();
        String::from_utf8_lossy(&list.stdout).matches("\"archived\"").count() == 4
    });
    let text = changed(&here);
    assert_eq!(served.ask(&vera, "POST", "/api/replay", Some(draft(&text))).status, 403);
    let begun = served.done(&anna, "POST", "/api/replay", Some(draft(&text)))["replay"].clone();
    assert_eq!((&begun["state"], &begun["drafts"]), (&json!("running"), &json!([SCRIPT])));
    assert_eq!((&begun["files"], &begun["who"]), (&json!(4), &json!("anna")));
    assert_eq!(served.ask(&vera, "DELETE", "/api/replay", None).status, 403);
    let found = ended(&served, &vera);
    assert_eq!((&found["state"], &found["files_done"]), (&json!("done"), &json!(4)), "{found}");
    let report = &found["report"];
    assert!(!works_in(&served).exists(), "nothing is left");

    fs::create_dir(here.join("new")).unwrap();
    fs::write(here.join("new/home_v8.dup"), &text).unwrap();
    let line = "replay flow.toml --with new/home_v8.dup --json";
    let wanted = tollgate(&served.folder, line).output().unwrap();
    assert_eq!(wanted.status.code(), Some(1));
    let wanted = String::from_utf8(wanted.stdout).unwrap();
    let last: Value = serde_json::from_str(wanted.lines().last().unwrap()).unwrap();
    assert_eq!(*report, last["report"], "the command prints the same");
    assert_eq!(report["differs"], true);
    let receivers = report["receivers"].as_array().unwrap();
    let of = |name: &str| receivers.iter().find(|of| of["post_processing_system"] == name).unwrap();
    assert!(of("home-billing")["changed"].as_u64().unwrap() > 0);
    let example = &report["examples"][0];
    assert_eq!(
        example["receivers"][0]["fields"],
        json!([{"field": "version", "before": "8", "after": "9"}])
    );
    assert!(report["examples"].as_array().unwrap().len() <= 100);
    let trail = served.got(&vera, "/api/trail");
    let started =
        trail["entries"].as_array().unwrap().iter().find(|of| of["action"] == "replay start");
    let started = started.expect("it is in the trail");
    assert_eq!(
        (&started["who"], &started["subject"]),
        (&json!("anna"), &json!(format!("{SCRIPT}, 4 files")))
    );

    // Files in a reason are named as the flow names them.
    let refusing = text.replace("out.version := 9;", "assert out.recordType == 77;");
    served.done(&anna, "POST", "/api/replay", Some(draft(&refusing)));
    let found = ended(&served, &anna);
    let reason = found["report"]["examples"][0]["after"]["reason"].as_str().expect("a reason");
    assert!(reason.starts_with("scripts/home_v8.dup:4:"), "{reason}");

    // A version that is saved and not active, for a period and a network element; only the last of its files are
    // replayed.
    let flow = served.got(&anna, "/api/flow")["text"].as_str().unwrap().to_owned();
    let version = |text: &str| {
        let save = json!({"text": text, "remark": "another"});
        served.done(&anna, "POST", "/api/flow/versions", Some(save))["version"].clone()
    };
    let same = version(&format!("{flow}\n# The same.\n"));
    let asked = json!({"version": same, "network_elements": ["msc-boston"], "from": "2020-01-01", "limit": 1});
    let begun = served.done(&anna, "POST", "/api/replay", Some(asked))["replay"].clone();
    assert_eq!((&begun["files"], &begun["files_left_out"]), (&json!(1), &json!(1)));
    assert_eq!(begun["report"], Value::Null, "what the last one found is no more");
    let found = ended(&served, &anna);
    assert_eq!(
        (&found["state"], &found["report"]["differs"]),
        (&json!("done"), &json!(false)),
        "{found}"
    );
    // An edited flow file: one receiver is removed.
    let (name, gone) = ("home-billing", "[post-processing-system.home-billing]");
    let (before, rest) = flow.split_once(gone).unwrap();
    let without = format!("{before}[{}", rest.trim_start().split_once("\n[").unwrap().1);
    let begun =
        served.done(&anna, "POST", "/api/replay", Some(json!({"text": without, "limit": 1})));
    assert_eq!(begun["replay"]["drafts"], json!([""]));
    let found = ended(&served, &anna);
    let receivers = found["report"]["receivers"].as_array().unwrap();
    let of = receivers.iter().find(|of| of["post_processing_system"] == name).unwrap();
    assert_eq!((&of["after"], &of["only_before"]), (&json!(0), &of["before"]), "{found}");
    assert_eq!(served.got(&anna, "/api/flow")["text"], flow, "nothing is changed by it");
}

#[test]
fn files_that_no_archive_has_are_tried_where_they_are() {
    let served = Served::start(example());
    let anna = served.first();
    served.all_came(&anna);
    let text = changed(served.folder.path());
    served.done(&anna, "POST", "/api/replay", Some(draft(&text)));
    let found = ended(&served, &anna);
    assert_eq!(found["state"], "done", "{found}");
    assert_eq!((&found["report"]["files"], &found["report"]["differs"]), (&json!(4), &json!(true)));
}

#[test]
fn what_cannot_be_tried_is_told_and_no_path_of_the_machine_is_taken() {
    let served = Served::start(example());
    let anna = served.first();
    served.all_came(&anna);
    let text = changed(served.folder.path());
    let with = |more: Value| {
        let mut asked = draft(&text);
        asked.as_object_mut().unwrap().extend(more.as_object().unwrap().clone());
        asked
    };
    let named = |name: &str| json!({"files": [{"name": name, "text": text}]});
    for (asked, status, wanted) in [
        (json!({}), 422, "give the change to try"),
        (with(json!({"version": 1})), 422, "not both"),
        (json!({"version": 4711}), 404, "there is no version 4711"),
        (named("/etc/passwd"), 422, "is no file of the flow"),
        (named("../flow.toml"), 422, "is no file of the flow"),
        (named("scripts/../scripts/home_v8.dup"), 422, "is no file of the flow"),
        (named("flow.state/lock"), 422, "is no file of the flow"),
        (named("scripts/another.dup"), 422, "is no file of the flow"),
        (with(json!({"from": "yesterday"})), 422, "\\\"yesterday\\\" is no time"),
        (with(json!({"from": "2026-01-02", "to": "2026-01-01"})), 422, "later than"),
        (with(json!({"to": "2001-01-01"})), 409, "no file came in this period"),
        (with(json!({"network_elements": ["nobody"]})), 404, "no network element \\\"nobody\\\""),
        (draft("NULL broken("), 422, "the change has mistakes"),
    ] {
        let answer = served.ask(&anna, "POST", "/api/replay", Some(asked.clone()));
        assert_eq!(answer.status, status, "{asked}: {}", answer.body);
        assert!(answer.body.contains(wanted), "{asked}: {}", answer.body);
        assert!(!answer.body.contains("flow.state/replay"), "{}", answer.body);
        assert!(!works_in(&served).exists(), "{asked}");
    }
    // The inputs no longer exist anywhere.
    fs::remove_dir_all(served.folder.path().join("in")).unwrap();
    let answer = served.ask(&anna, "POST", "/api/replay", Some(draft(&text)));
    assert_eq!(answer.status, 409, "{}", answer.body);
    assert!(
        answer.body.contains("of the 4 files that came in this period none exists"),
        "{}",
        answer.body
    );
    assert_eq!(served.got(&anna, "/api/replay")["replay"], Value::Null);
    assert_eq!(served.ask(&anna, "DELETE", "/api/replay", None).status, 409);
}

#[test]
fn a_table_of_a_tariff_is_tried_and_a_version_with_another_one() {
    let folder = rated();
    let calls = "service,served,other,partner,start,duration,octets\n\
        telephony,0701234567,0721234567,,20260601120000Z,60,\n\
        telephony,0701234567,0721234567,,20260601230000Z,60,\n";
    fs::write(folder.path().join("in/calls.csv"), calls).unwrap();
    let served = Served::start(folder);
    let anna = served.first();
    wait_for("the file", || {
        served.got(&anna, "/api/files")["files"].as_array().is_some_and(|files| files.len() == 1)
    });
    let name = "tariff/prices.csv";
    let there = fs::read_to_string(served.folder.path().join(name)).unwrap();
    let peak = "mobile,2026-01-01 Europe/Stockholm,,peak,,0.60,min";
    let dearer = there.replace(peak, &peak.replace("0.60", "0.90"));
    assert_ne!(dearer, there);
    let total = |asked: Value| {
        served.done(&anna, "POST", "/api/replay", Some(asked));
        let found = ended(&served, &anna);
        assert_eq!(found["state"], "done", "{found}");
        let report = &found["report"];
        assert_eq!(report["differing"], 1, "the other is at night: {report}");
        let fields = report["examples"][0]["receivers"][0]["fields"].as_array().unwrap().clone();
        let total = fields.iter().find(|field| field["field"] == "charge.total").unwrap();
        let text = |of: &str| total[of].as_str().unwrap().trim_matches('"').to_owned();
        (text("before"), text("after"))
    };
    let wanted = |before: &str, after: &str| (before.to_owned(), after.to_owned());
    let drafted = json!({"files": [{"name": name, "text": dearer}]});
    assert_eq!(total(drafted), wanted("109", "139"));
    assert_eq!(fs::read_to_string(served.folder.path().join(name)).unwrap(), there);
    // The earlier script, once the change is active, and one more table, which the flow did not have then.
    let flow = served.got(&anna, "/api/flow")["text"].clone();
    let save = json!({"text": flow, "remark": "as it was"});
    let version = served.done(&anna, "POST", "/api/flow/versions", Some(save))["version"].clone();
    let put = |name: &str, text: String| {
        let put = json!({"text": text, "remark": "another"});
        let put = served.done(&anna, "PUT", &format!("/api/tariffs/tariff/{name}"), Some(put));
        assert_eq!(put["answer"], "active", "{put}");
    };
    put("prices.csv", dearer);
    fs::copy(plan().join("ported.csv"), served.folder.path().join("tariff/ported.csv")).unwrap();
    put("tariff.toml", fs::read_to_string(plan().join("tariff.toml")).unwrap());
    assert_eq!(total(json!({"version": version})), wanted("139", "109"));
    assert!(served.folder.path().join("tariff/ported.csv").exists(), "nothing is removed by it");
}

/// Returns the nice value of the process of a replay.
#[cfg(target_os = "linux")]
fn niceness(served: &Served) -> i32 {
    let of = |entry: fs::DirEntry| -> Option<i32> {
        let called = fs::read(entry.path().join("cmdline")).ok()?;
        let stat = fs::read_to_string(entry.path().join("stat")).ok()?;
        let mut behind_name = stat.rsplit_once(") ")?.1.split(' ');
        let parent: u32 = behind_name.nth(1)?.parse().ok()?;
        let is_it = parent == served.process.id() && called.starts_with(b"tollgate: replay");
        // The 19th field, as proc(5) counts them.
        is_it.then(|| behind_name.nth(14)?.parse().ok()).flatten()
    };
    let mut all = fs::read_dir("/proc").unwrap().filter_map(Result::ok);
    all.find_map(of).expect("a process of a replay")
}

/// Begins a replay that takes long: the script computes much for each record.
fn begin_long(served: &Served, who: &As) {
    let text = changed(served.folder.path());
    let long = text.replace(
        "out.version := 9;",
        "declare turn INTEGER := 0; while (turn < 5000000) { turn += 1; } out.version := 9;",
    );
    served.done(who, "POST", "/api/replay", Some(draft(&long)));
    wait_for("it works", || works_in(served).join("after/state").exists());
}

#[test]
fn one_runs_at_a_time_and_can_be_cancelled() {
    let mut served = Served::start(example());
    let anna = served.first();
    let olaf = served.invited(&anna, "olaf", "operator");
    served.all_came(&anna);
    begin_long(&served, &anna);
    #[cfg(target_os = "linux")]
    assert_eq!(niceness(&served), 19);
    let text = changed(served.folder.path());
    let second = served.ask(&olaf, "POST", "/api/replay", Some(draft(&text)));
    assert_eq!(second.status, 409, "{}", second.body);
    assert!(second.body.contains("anna tries a change since"), "{}", second.body);
    let began = Instant::now();
    served.done(&olaf, "DELETE", "/api/replay", None);
    let found = ended(&served, &anna);
    assert!(began.elapsed() < Duration::from_secs(20), "{:?}", began.elapsed());
    assert_eq!((&found["state"], &found["cancelled_by"]), (&json!("cancelled"), &json!("olaf")));
    assert!(!works_in(&served).exists(), "nothing is left");

    // A replay ends with its gateway, whether the gateway is stopped or killed.
    begin_long(&served, &anna);
    served.process.kill().unwrap();
    served.process.wait().unwrap();
    wait_for("nothing is left", || !works_in(&served).exists());
}

#[test]
fn a_gateway_that_stops_does_not_wait_for_what_is_tried() {
    let mut served = Served::start(example());
    let anna = served.first();
    served.all_came(&anna);
    begin_long(&served, &anna);
    let began = Instant::now();
    let id = nix::unistd::Pid::from_raw(served.process.id() as i32);
    nix::sys::signal::kill(id, nix::sys::signal::Signal::SIGTERM).unwrap();
    assert!(served.process.wait().unwrap().code().is_some(), "it ends in order");
    assert!(began.elapsed() < Duration::from_secs(20), "{:?}", began.elapsed());
    assert!(!works_in(&served).exists(), "nothing is left");
}
