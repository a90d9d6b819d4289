//! Fraud nodes: rules over what records say of their subjects, and what people make of their alerts.

mod actions;
mod back_test;
mod cases;
mod ends;
mod export;
mod index;
mod late;
mod law;
mod limits;
mod lists;
mod measures;
mod reports;
mod rules;

use std::fs;
use std::path::Path;

use serde_json::Value;
use tempfile::TempDir;

use crate::common::tollgate::tollgate;

const FLOW: &str = "\
[asn1]
modules = [\"events.asn1\"]

[network-element.switch]
collect = { dir = \"in\", pattern = \"*.csv\" }
decode  = { type = \"Events.Event\", codec = \"csv\", columns = [\"time\", \"caller\", \"called\", \"seconds\"] }

[fraud.calls]
from     = \"switch\"
type     = \"Events.Event\"
time     = \"record.time\"
subjects = [\"caller = record.caller\", 'pair = concat(record.caller, \">\", record.called)']
rules    = \"rules\"

[post-processing-system.archive]
from    = \"calls\"
encode  = { type = \"Events.Event\", codec = \"csv\", columns = [\"time\", \"caller\", \"called\", \"seconds\"] }
deliver = { dir = \"out\", name = \"{stem}.csv\" }
";

const EVENTS: &str = "\
Events DEFINITIONS AUTOMATIC TAGS ::= BEGIN
Event ::= SEQUENCE { time INTEGER, caller UTF8String, called UTF8String OPTIONAL, seconds INTEGER OPTIONAL }
END
";

/// 2026-06-01T12:00:00Z.
const NOON: i64 = 1_780_315_200;

/// Creates a flow with rules.
pub(crate) fn flow(rules: &[(&str, &str)]) -> TempDir {
    flow_with("", rules)
}

/// Creates a flow with rules, and with more settings of the node.
fn flow_with(more: &str, rules: &[(&str, &str)]) -> TempDir {
    let folder = TempDir::new().unwrap();
    let here = folder.path();
    let with_more = format!("rules    = \"rules\"\n{more}");
    fs::write(here.join("flow.toml"), FLOW.replace("rules    = \"rules\"\n", &with_more)).unwrap();
    fs::write(here.join("events.asn1"), EVENTS).unwrap();
    for made in ["in", "rules"] {
        fs::create_dir(here.join(made)).unwrap();
    }
    for (name, text) in rules {
        fs::write(here.join("rules").join(name).with_extension("toml"), text).unwrap();
    }
    folder
}

/// Puts a file of events: seconds after noon, caller, called, and the length of the call.
pub(crate) fn put(folder: &Path, name: &str, events: &[(i64, &str, &str, u32)]) {
    let line = |(after, caller, called, seconds): &(i64, &str, &str, u32)| {
        format!("{},{caller},{called},{seconds}\n", NOON + after)
    };
    let lines: String = events.iter().map(line).collect();
    fs::write(folder.join("in").join(name), format!("time,caller,called,seconds\n{lines}"))
        .unwrap();
}

pub(crate) fn run(folder: &Path) {
    let (status, said) = tollgate(folder, "run flow.toml --once");
    assert_eq!(status, 0, "{said}");
}

/// Returns the alerts of a flow.
fn alerts(folder: &Path, more: &str) -> Vec<Value> {
    let (status, listed) = tollgate(folder, format!("fraud alerts flow.toml --json {more}").trim());
    assert_eq!(status, 0, "{listed}");
    listed.lines().map(|line| serde_json::from_str(line).unwrap()).collect()
}

/// Returns rule, key, file and record of alerts.
fn found(alerts: &[Value]) -> Vec<(&str, &str, &str, i64)> {
    alerts
        .iter()
        .map(|of| {
            let text = |name: &str| of[name].as_str().unwrap();
            (text("rule"), text("key"), text("file"), of["record"].as_i64().unwrap())
        })
        .collect()
}

/// Expects a mistake of a file of the flow at a place.
fn expect_mistake(folder: &Path, file: &str, (place, message): (&str, &str)) {
    let (status, said) = tollgate(folder, "check flow.toml");
    assert_eq!(status, 2, "{said}");
    assert!(said.contains(&format!("{file}:{place}")) && said.contains(message), "{said}");
}
