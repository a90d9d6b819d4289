//! Tests the counts of the live figures: each record counts once at each place, whatever becomes of it, also after a
//! restart and in a new flow.

use std::collections::BTreeMap;
use std::fs::{self, File};
use std::path::Path;
use std::time::{Duration, SystemTime};

use runtime::time::{day, now_ms};
use serde_json::{Map, Value, json};
use tempfile::TempDir;

use crate::api::served::{As, PASSWORD, Served, tollgate};

const MODULE: &str = "
CALLS DEFINITIONS AUTOMATIC TAGS ::= BEGIN
Part ::= SEQUENCE { call INTEGER, number INTEGER, isLast BOOLEAN }
Call ::= SEQUENCE { call INTEGER, parts INTEGER }
END
";

const MATCHING: &str = "
INTEGER key(part CONST Part) { return part.call; }
BOOLEAN complete(parts CONST SEQUENCE OF Part) { return parts[count(parts) - 1].isLast; }
NULL combine(parts CONST SEQUENCE OF Part, call Call)
{
  call.call := parts[0].call;
  call.parts := count(parts);
}
";

/// Two filters that are one chain, and two branches behind them. Record 14 is refused within the chain, record 13 on
/// the second branch.
const FLOW: &str = r#"
[asn1]
modules = ["calls.asn1"]

[network-element.msc]
collect = { dir = "in", pattern = "*.json" }
decode  = { type = "CALLS.Part", codec = "json" }

[filter.isCall]
from   = "msc"
script = "isCall.dup"

[filter.isWanted]
from   = "isCall"
script = "isWanted.dup"

[filter.isSampled]
from   = "isWanted"
script = "isSampled.dup"

[filter.isValid]
from   = "isWanted"
script = "isValid.dup"

[duplicate-check.once]
from = "isValid"
type = "CALLS.Part"
key  = ["record.call", "record.number"]

[matching.calls]
from   = "once"
script = "calls.dup"
wait   = { arrival = "1 day" }

[post-processing-system.samples]
from    = "isSampled"
encode  = { codec = "json" }
deliver = { dir = "out/samples" }

[post-processing-system.billing]
from    = "calls"
encode  = { codec = "json" }
deliver = { dir = "out/billing" }
"#;

const FILTERS: [(&str, &str); 4] = [
    ("isCall", "return part.number > 0;"),
    ("isWanted", "assert part.call != 14; return part.call < 100;"),
    ("isSampled", "return part.call IN [2, 13];"),
    ("isValid", "assert part.call != 13; return TRUE;"),
];

/// A record of each outcome: it waits, it is delivered, three are filtered and refused at several nodes, it is a
/// duplicate, and it cannot be read.
const RECORDS: &str = r#"{"call":1,"number":1,"isLast":false}
{"call":2,"number":1,"isLast":true}
{"call":200,"number":1,"isLast":false}
{"call":3,"number":0,"isLast":false}
{"call":13,"number":1,"isLast":false}
{"call":14,"number":1,"isLast":false}
{"call":2,"number":1,"isLast":true}
{"call":"x","number":1,"isLast":false}
"#;

fn flow() -> TempDir {
    let folder = TempDir::new().unwrap();
    let here = folder.path();
    let mut files = vec![
        ("calls.asn1".to_owned(), MODULE.to_owned()),
        ("calls.dup".to_owned(), MATCHING.to_owned()),
        ("flow.toml".to_owned(), FLOW.to_owned()),
    ];
    files.extend(FILTERS.map(|(name, body)| {
        (format!("{name}.dup"), format!("BOOLEAN {name}(part CONST Part) {{ {body} }}\n"))
    }));
    files.iter().for_each(|(name, text)| fs::write(here.join(name), text).unwrap());
    fs::create_dir(here.join("in")).unwrap();
    put(here, "1.json", RECORDS);
    folder
}

/// Puts a file in, as old as one that a network element has finished.
fn put(here: &Path, name: &str, lines: &str) {
    let path = here.join("in").join(name);
    fs::write(&path, lines).unwrap();
    let written = SystemTime::now() - Duration::from_secs(3600);
    File::options().write(true).open(path).unwrap().set_modified(written).unwrap();
}

fn start(folder: TempDir) -> Served {
    let serve = tollgate(&folder, "serve flow.toml --listen 127.0.0.1:0");
    Served::by(serve, folder)
}

const WINDOWS: [&str; 3] = ["ten_seconds", "five_minutes", "today"];

/// Returns the first figures with so many records of the network element today. All figures until then add up.
fn figures(served: &Served, who: &As, records: u64) -> Value {
    let mut events = served.live(who).filter(|(event, _)| event == "figures").take(60);
    let found = events.find(|(_, data)| {
        WINDOWS.iter().for_each(|window| adds_up(data, window));
        data["elements"]["msc"]["today"]["in"] == records
    });
    found.expect("figures with these records").1
}

/// Asserts that each place has as many records as what became of them, and as many as came on its edges.
fn adds_up(figures: &Value, window: &str) {
    let mut came = BTreeMap::<&str, u64>::new();
    for edge in figures["edges"].as_array().unwrap() {
        let to = edge["to"].as_str().unwrap();
        *came.entry(to).or_default() += edge[window].as_u64().unwrap();
    }
    for kind in ["elements", "nodes", "systems"] {
        for (name, of) in figures[kind].as_object().unwrap() {
            let counts = of[window].as_object().unwrap();
            let records = counts["in"].as_u64();
            assert_eq!(records, Some(sum(counts)), "{window} of {name}: {of}");
            if kind != "elements" {
                let came = came.get(name.as_str()).copied().unwrap_or(0);
                assert_eq!(records, Some(came), "{window}, the edges to {name}: {figures}");
            }
        }
    }
}

fn sum(counts: &Map<String, Value>) -> u64 {
    let outcomes = ["out", "filtered", "suspended", "held", "duplicate"];
    outcomes.iter().filter_map(|outcome| counts.get(*outcome)?.as_u64()).sum()
}

/// Returns the counts of a place that are not 0, in the order of their names.
fn counts(of: &Value, window: &str) -> String {
    let words = of[window].as_object().expect("counts").iter();
    let words = words.filter(|(name, count)| **count != 0 && *name != "octets");
    words.map(|(name, count)| format!("{name} {count}")).collect::<Vec<_>>().join(", ")
}

/// Returns the records of each edge today.
fn edges(figures: &Value) -> BTreeMap<String, u64> {
    let text = |value: &Value| value.as_str().unwrap().to_owned();
    let edge = |edge: &Value| {
        let [from, stream, to] = ["from", "stream", "to"].map(|end| text(&edge[end]));
        let from = if stream.is_empty() { from } else { format!("{from}.{stream}") };
        (format!("{from} to {to}"), edge["today"].as_u64().unwrap())
    };
    figures["edges"].as_array().unwrap().iter().map(edge).collect()
}

fn login(served: &Served) -> As {
    let login = json!({"name": "anna", "password": PASSWORD});
    Served::session(&served.ask(&As::default(), "POST", "/login", Some(login)))
}

#[test]
fn each_record_counts_once_at_each_place_also_if_it_is_refused() {
    let served = start(flow());
    let anna = served.first();
    let figures = figures(&served, &anna, 8);
    for (kind, name, expected) in [
        ("elements", "msc", "duplicate 1, files 1, filtered 2, held 1, in 8, out 1, suspended 3"),
        ("nodes", "isCall", "filtered 1, in 7, out 6"),
        ("nodes", "isWanted", "filtered 1, in 6, out 4, suspended 1"),
        // What went there of records that another branch refused was taken back.
        ("nodes", "isSampled", "filtered 1, in 2, out 1"),
        ("nodes", "isValid", "in 4, out 3, suspended 1"),
        ("nodes", "once", "duplicate 1, in 3, out 2"),
        ("nodes", "calls", "held 1, in 2, made 1, out 1"),
        ("systems", "samples", "files 1, in 1, out 1"),
        ("systems", "billing", "files 1, in 1, out 1"),
    ] {
        for window in ["five_minutes", "today"] {
            assert_eq!(counts(&figures[kind][name], window), expected, "{window} of {name}");
        }
    }
    let found: Vec<_> =
        edges(&figures).into_iter().map(|(edge, of)| format!("{edge}: {of}")).collect();
    let expected = [
        "calls.out to billing: 1",
        "isCall.true to isWanted: 6",
        "isSampled.true to samples: 1",
        "isValid.true to once: 3",
        "isWanted.true to isSampled: 2",
        "isWanted.true to isValid: 4",
        "msc to isCall: 7",
        "once.first to calls: 2",
    ];
    assert_eq!(found, expected);
    let seconds = figures["seconds"]["five_minutes"].as_f64().unwrap();
    assert!((0.0..60.0).contains(&seconds), "it has just started: {seconds}");
}

#[test]
fn a_record_that_is_retried_counts_again_at_nodes_and_not_at_its_network_element() {
    let served = start(flow());
    let anna = served.first();
    let before = figures(&served, &anna, 8);
    let suspended = served.got(&anna, "/api/suspense")["records"].clone();
    let of_nodes = |record: &&Value| record["node"] == "isValid" || record["node"] == "once";
    let of_nodes = suspended.as_array().unwrap().iter().filter(of_nodes);
    let ids: Vec<&Value> = of_nodes.map(|record| &record["id"]).collect();
    assert_eq!(ids.len(), 2, "{suspended}");
    let retry = json!({ "ids": ids, "duplicates": true });
    served.done(&anna, "POST", "/api/suspense/retry", Some(retry));
    let mut events = served.live(&anna).filter(|(event, _)| event == "figures").take(60);
    let is_retried = |data: &Value| {
        WINDOWS.iter().for_each(|window| adds_up(data, window));
        // Record 13 is refused again. The duplicate passes, since a user wants it to.
        let is_refused = counts(&data["nodes"]["isValid"], "today") == "in 6, out 4, suspended 2";
        is_refused && counts(&data["nodes"]["once"], "today") == "duplicate 1, in 4, out 3"
    };
    let (_, after) = events.find(|(_, data)| is_retried(data)).expect("the figures of the retry");
    assert_eq!(after["elements"]["msc"]["today"], before["elements"]["msc"]["today"]);
    assert_eq!(edges(&after)["once.first to calls"], 3);
    assert_eq!(edges(&after)["msc to isCall"], 9);
}

#[test]
fn a_restart_keeps_what_was_counted_today() {
    let begun = day(now_ms());
    let served = start(flow());
    let anna = served.first();
    let before = figures(&served, &anna, 8);
    let served = start(served.ended());
    let anna = login(&served);
    let after = figures(&served, &anna, 8);
    put(served.folder.path(), "2.json", "{\"call\":5,\"number\":1,\"isLast\":true}\n");
    let later = figures(&served, &anna, 9);
    if day(now_ms()) != begun {
        // Today is another day, so there is nothing to compare.
        return;
    }
    assert_eq!(edges(&after), edges(&before));
    for kind in ["elements", "nodes", "systems"] {
        for (name, of) in before[kind].as_object().unwrap() {
            assert_eq!(after[kind][name]["today"], of["today"], "{name}");
            assert_eq!(counts(&after[kind][name], "five_minutes"), "", "{name}");
        }
    }
    let seconds = after["seconds"]["today"].as_f64().unwrap();
    let since_midnight = (now_ms() % 86_400_000) as f64 / 1_000.0;
    assert!((since_midnight - 60.0..=since_midnight).contains(&seconds), "{seconds}");
    let mut expected = edges(&before);
    for edge in [
        "calls.out to billing",
        "isCall.true to isWanted",
        "isValid.true to once",
        "isWanted.true to isSampled",
        "isWanted.true to isValid",
        "msc to isCall",
        "once.first to calls",
    ] {
        *expected.get_mut(edge).unwrap() += 1;
    }
    assert_eq!(edges(&later), expected);
    assert_eq!(counts(&later["nodes"]["calls"], "five_minutes"), "in 1, made 1, out 1");
}

#[test]
fn a_node_that_is_added_while_the_gateway_runs_counts_from_then_on() {
    let served = start(flow());
    let anna = served.first();
    let before = edges(&figures(&served, &anna, 8));
    let also = "
[filter.isAlso]
from   = \"isWanted\"
script = \"isCall.dup\"
[post-processing-system.also]
from    = \"isAlso\"
encode  = { codec = \"json\" }
deliver = { dir = \"out/also\" }
";
    let text = served.got(&anna, "/api/flow")["text"].as_str().unwrap().to_owned() + also;
    let body = Some(json!({"text": text, "remark": "one more"}));
    let version = served.done(&anna, "POST", "/api/flow/versions", body)["version"].clone();
    let path = format!("/api/flow/versions/{version}/activate");
    served.done(&anna, "POST", &path, Some(json!({"because": "approved"})));
    put(served.folder.path(), "2.json", "{\"call\":5,\"number\":1,\"isLast\":true}\n");
    let after = figures(&served, &anna, 9);
    let (edges, new) = (edges(&after), counts(&after["nodes"]["isAlso"], "today"));
    assert_eq!(new, "in 1, out 1");
    assert_eq!(edges["isWanted.true to isAlso"], 1);
    assert_eq!(edges["isAlso.true to also"], 1);
    assert_eq!(edges["isWanted.true to isValid"], before["isWanted.true to isValid"] + 1);
}
