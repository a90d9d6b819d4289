//! Tests groups that wait in matching nodes: what the API shows of them, and how users end them.

use std::fs::{self, File};
use std::path::Path;
use std::time::{Duration, SystemTime};

use serde_json::{Value, json};
use tempfile::TempDir;

use crate::api::served::{As, Served, tollgate};
use crate::common::wait::wait_for;

const MODULE: &str = "
CALLS DEFINITIONS AUTOMATIC TAGS ::= BEGIN
Part ::= SEQUENCE { call INTEGER, number INTEGER, isLast BOOLEAN }
Call ::= SEQUENCE { call INTEGER, parts INTEGER }
END
";

const SCRIPT: &str = "
INTEGER key(part CONST Part) { return part.call; }

-- All parts up to the last are there.
BOOLEAN complete(parts CONST SEQUENCE OF Part)
{
  declare end, place INTEGER := 0;
  for (place := 0; place < count(parts); place += 1)
  {
    if (parts[place].isLast) { end := parts[place].number; }
  }
  return end == count(parts);
}

NULL combine(parts CONST SEQUENCE OF Part, call Call)
{
  assert parts[0].call != 13;
  call.call := parts[0].call;
  call.parts := count(parts);
}
";

const FLOW: &str = r#"
[asn1]
modules = ["calls.asn1"]

[network-element.msc]
collect = { dir = "in", pattern = "*.json" }
decode  = { type = "CALLS.Part", codec = "json" }

[matching.calls]
from   = "msc"
script = "calls.dup"
wait   = { arrival = "1 day" }

[post-processing-system.billing]
from    = "calls"
encode  = { codec = "json" }
deliver = { dir = "out" }
"#;

/// Creates a flow with the first parts of these calls. Each waits for its last part.
fn waiting(calls: impl Iterator<Item = u32>) -> TempDir {
    let folder = TempDir::new().unwrap();
    let here = folder.path();
    for (name, text) in [("calls.asn1", MODULE), ("calls.dup", SCRIPT), ("flow.toml", FLOW)] {
        fs::write(here.join(name), text).unwrap();
    }
    fs::create_dir(here.join("in")).unwrap();
    let line = |call| format!("{{\"call\":{call},\"number\":1,\"isLast\":false}}\n");
    put(here, "1.json", &calls.map(line).collect::<String>());
    folder
}

fn put(here: &Path, name: &str, lines: &str) {
    let path = here.join("in").join(name);
    fs::write(&path, lines).unwrap();
    // As old as a file that a network element has finished.
    let written = SystemTime::now() - Duration::from_secs(3600);
    File::options().write(true).open(path).unwrap().set_modified(written).unwrap();
}

/// Returns how many groups wait.
fn wait(served: &Served, who: &As) -> i64 {
    let nodes = served.ask(who, "GET", "/api/matching/nodes", None);
    if nodes.status != 200 {
        return 0;
    }
    nodes.json()["nodes"][0]["groups"].as_i64().unwrap_or(0)
}

fn groups(served: &Served, who: &As, query: &str) -> Vec<Value> {
    let listed = served.got(who, &format!("/api/matching{query}"));
    listed["groups"].as_array().unwrap().clone()
}

fn end(served: &Served, who: &As, asked: Value) -> Value {
    served.done(who, "POST", "/api/matching/end", Some(asked))
}

/// Returns what a command prints as JSON, one value a line.
fn lines(served: &Served, command: &str) -> Vec<Value> {
    let output = tollgate(&served.folder, command).output().unwrap();
    let printed = String::from_utf8(output.stdout).unwrap();
    printed.lines().map(|line| serde_json::from_str(line).unwrap()).collect()
}

#[test]
fn groups_are_told_of_and_ended_by_who_may_with_a_reason() {
    let served = Served::start(waiting([7, 8, 9, 13, 14].into_iter()));
    let anna = served.first();
    let (olaf, vera) =
        (served.invited(&anna, "olaf", "operator"), served.invited(&anna, "vera", "viewer"));
    wait_for("the groups", || wait(&served, &vera) == 5);
    put(served.folder.path(), "2.json", "{\"call\":7,\"number\":2,\"isLast\":false}\n");
    wait_for("its second part", || groups(&served, &olaf, "?key=7")[0]["records"] == 2);

    let nodes = served.got(&vera, "/api/matching/nodes")["nodes"].clone();
    assert_eq!(nodes[0]["node"], "calls");
    let all = groups(&served, &olaf, "");
    assert_eq!(groups(&served, &vera, "")[0]["key"], "•••", "a key may be a number");
    assert_eq!(nodes[0]["since"], all[0]["since"], "the oldest");
    let keys: Vec<&str> = all.iter().map(|group| group["key"].as_str().unwrap()).collect();
    assert_eq!(keys, ["7", "8", "9", "13", "14"]);
    assert!(all[0]["over"]["at"].is_string() && all[0]["parts"].is_null(), "{}", all[0]);
    // A page at a time.
    let page = served.got(&vera, "/api/matching?node=calls&limit=3");
    assert_eq!((page["groups"].as_array().unwrap().len(), &page["more"]), (3, &json!(true)));
    let rest = format!("/api/matching?node=calls&limit=3&after={}", page["groups"][2]["id"]);
    let rest = served.got(&vera, &rest);
    assert_eq!((rest["groups"].as_array().unwrap().len(), &rest["more"]), (2, &json!(false)));
    let other = served.ask(&vera, "GET", "/api/matching?node=others", None);
    assert_eq!((other.status, &other.json()["code"]), (404, &json!("name-unknown")));

    let path = |group: &Value| format!("/api/matching/{}", group["id"]);
    let shown = served.got(&olaf, &path(&all[0]))["group"].clone();
    assert_eq!(shown["parts"][1]["file"], "2.json");
    assert_eq!(shown["parts"][0]["network_element"], "msc");
    assert_eq!((&shown["parts"][0]["record"], &shown["release"]), (&json!(1), &Value::Null));
    let unknown = served.ask(&vera, "GET", "/api/matching/4711", None);
    assert_eq!((unknown.status, &unknown.json()["code"]), (404, &json!("group-unknown")));
    // The command and the API show the same.
    assert_eq!(lines(&served, "matching list flow.toml --json"), all);
    assert_eq!(lines(&served, "matching list flow.toml --json --limit 3"), all[..3]);
    assert!(lines(&served, "matching list flow.toml --json --limit 0").is_empty());
    let by_key = lines(&served, "matching show flow.toml 7 --json");
    assert_eq!(by_key, [json!({"group": shown})]);
    // By its number, which is no key of another.
    let by_number = format!("matching show flow.toml {} --json", all[0]["id"]);
    assert_eq!(lines(&served, &by_number), by_key);
    assert!(lines(&served, &format!("{by_number} --node others")).is_empty());

    let id = |place: usize| all[place]["id"].clone();
    for (who, asked, status, code) in [
        (&vera, json!({"end": "drop", "ids": [id(0)], "because": "no"}), 403, "role-insufficient"),
        (&olaf, json!({"end": "drop", "ids": [id(0)], "because": " "}), 422, "reason-missing"),
        (&olaf, json!({"end": "drop", "ids": [id(0)]}), 422, "reason-missing"),
        (&olaf, json!({"end": "drop", "because": "which?"}), 422, "groups-not-chosen"),
        (&olaf, json!({"end": "forget", "ids": [id(0)], "because": "no"}), 422, "request-invalid"),
        (
            &olaf,
            json!({"end": "drop", "node": "calls", "keys": "7", "because": "no"}),
            422,
            "request-invalid",
        ),
        (
            &olaf,
            json!({"end": "drop", "node": "others", "because": "none"}),
            409,
            "groups-not-waiting",
        ),
    ] {
        let answer = served.ask(who, "POST", "/api/matching/end", Some(asked.clone()));
        assert_eq!(answer.status, status, "{asked}: {}", answer.body);
        assert_eq!(answer.json()["code"], code, "{asked}: {}", answer.body);
    }
    assert_eq!(wait(&served, &vera), 5);

    let asked = json!({"end": "release", "ids": [id(0), id(3)], "because": "the rest is lost"});
    let ended = end(&served, &olaf, asked);
    assert_eq!((&ended["groups"], &ended["records"]), (&json!(2), &json!(3)), "{ended}");
    assert_eq!((&ended["released"], &ended["suspended"]), (&json!(1), &json!(1)), "{ended}");
    assert_eq!(ended["refused"][0]["key"], "13", "{ended}");
    assert!(ended["refused"][0]["reason"].as_str().unwrap().contains("assert"), "{ended}");
    let out = served.folder.path().join("out");
    let made = || {
        fs::read_dir(&out)
            .unwrap()
            .filter_map(|entry| fs::read_to_string(entry.unwrap().path()).ok())
    };
    wait_for("call 7", || {
        out.exists() && made().any(|text| text.contains("{\"call\":7,\"parts\":2}"))
    });
    let shown = served.got(&vera, &path(&all[0]))["group"].clone();
    assert_eq!(shown["release"], "expired");
    let asked = json!({"end": "release", "who": "olaf", "because": "the rest is lost"});
    assert_eq!(shown["asked"], asked);
    // For a key, groups that no longer wait are listed too.
    assert_eq!(groups(&served, &olaf, "?key=7").len(), 1);
    assert_eq!(groups(&served, &vera, "").len(), 3);

    let asked = json!({"end": "suspend", "node": "calls", "key": "8", "because": "two calls"});
    assert_eq!(end(&served, &olaf, asked)["suspended"], 1);
    let suspense = served.got(&olaf, "/api/suspense?reason=two%20calls");
    assert_eq!(suspense["records"][0]["reason"], "olaf set its group aside: two calls");
    let ended = lines(&served, "matching drop flow.toml 9 --because test --json");
    let expected = json!({
        "groups": 1, "records": 1, "released": 0, "suspended": 0, "dropped": 1, "completed": 0,
        "waiting": 0, "refused": [], "more": false, "problems": [],
    });
    assert_eq!(ended, [expected]);
    let asked = json!({"end": "drop", "node": "calls", "because": "test calls"});
    let ended = end(&served, &olaf, asked.clone());
    assert_eq!((&ended["dropped"], &ended["more"]), (&json!(1), &json!(false)), "{ended}");
    assert_eq!(wait(&served, &vera), 0);
    assert_eq!(served.ask(&olaf, "POST", "/api/matching/end", Some(asked)).status, 409);
    let trail = served.got(&vera, "/api/trail");
    let entries: Vec<&Value> = trail["entries"].as_array().unwrap().iter().collect();
    for (action, reason) in [
        ("matching release", "the rest is lost"),
        ("matching suspend", "two calls"),
        ("matching drop", "test calls"),
    ] {
        let is_it = |entry: &&&Value| {
            entry["action"] == action && entry["reason"] == reason && entry["who"] == "olaf"
        };
        assert_eq!(entries.iter().filter(is_it).count(), 1, "{action}: {trail}");
    }
}

#[test]
fn more_groups_than_are_ended_at_once_are_ended_in_two() {
    let served = Served::start(waiting(100..10_101));
    let anna = served.first();
    wait_for("the groups", || wait(&served, &anna) == 10_001);
    let numbers = |list: &str| {
        let groups = lines(&served, list).into_iter();
        groups.map(|group| group["id"].as_i64().unwrap()).collect::<Vec<i64>>()
    };
    let listed = numbers("matching list flow.toml --json");
    assert!(listed.len() == 10_001 && listed.is_sorted_by(|one, next| one < next));
    assert_eq!(numbers("matching list flow.toml --json --limit 1500"), listed[..1_500]);
    let drop = || json!({"end": "drop", "node": "calls", "because": "test calls"});
    let ended = end(&served, &anna, drop());
    assert_eq!((&ended["groups"], &ended["more"]), (&json!(10_000), &json!(true)), "{ended}");
    wait_for("their end", || wait(&served, &anna) == 1);
    let trail = served.got(&anna, "/api/trail")["entries"][0]["subject"].clone();
    assert!(trail.as_str().unwrap().ends_with(" and 9900 more"), "{trail}");
    assert_eq!(groups(&served, &anna, "")[0]["key"], "10100", "the oldest go first");
    let ended = end(&served, &anna, drop());
    assert_eq!((&ended["dropped"], &ended["more"]), (&json!(1), &json!(false)), "{ended}");
}
