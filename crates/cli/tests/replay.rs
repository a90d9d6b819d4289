//! Tests the replay of a change on files that were collected before: it shows every effect of the change and nothing
//! else.
#![cfg(unix)]

use crate::matching::flow;
use std::collections::BTreeMap;
use std::fs;
use std::path::Path;
use std::process::{Child, Command, Stdio};
use std::time::UNIX_EPOCH;

use crate::common::wait::wait_for;
use serde_json::{Value, json};
use tempfile::TempDir;

const FILES: u64 = 1000;
/// Records of a file; the first is the last of the file before it, once more.
const RECORDS: u64 = 8;

const MODULE: &str = "Calls DEFINITIONS AUTOMATIC TAGS ::= BEGIN
Call ::= SEQUENCE { id INTEGER, seconds INTEGER, price INTEGER OPTIONAL }
END
";

const FLOW: &str = r#"
[asn1]
modules = ["modules/calls.asn1"]
[network-element.boston]
collect = { dir = "in", pattern = "*.json" }
decode = { type = "Calls.Call", codec = "json" }
audit = { seconds = "record.seconds" }
[duplicate-check.once]
from = "boston"
type = "Calls.Call"
key = ["record.id"]
[filter.pass]
from = "once"
script = "scripts/pass.dup"
[formatter.price]
from = "pass"
script = "scripts/price.dup"
[post-processing-system.billing]
from = "price"
encode = { codec = "csv", header = true }
deliver = { dir = "out/billing" }
audit = { seconds = "record.seconds" }
[post-processing-system.all]
from = "boston"
encode = { codec = "json" }
deliver = { dir = "out/all" }
[archive]
source = "remove"
"#;

const PASS: &str = "BOOLEAN pass(call CONST Call) { return TRUE; }";
const PRICE: &str = "NULL price(call Call) { call.price := call.seconds * 2; }";

/// The planted changes: calls that are filtered out, refused, and priced differently.
const PASS_BUT_SOME: &str = "BOOLEAN pass(call CONST Call) { return call.id % 101 != 7; }";
const PRICE_OTHERWISE: &str = "NULL price(call Call)
{
  assert call.id % 211 != 3;
  call.price := call.seconds * 2;
  if (call.id % 97 == 5) { call.price := call.price + 1; }
}";

fn command(folder: &Path, line: &str) -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_tollgate"));
    command.current_dir(folder).args(line.split(' '));
    command
}

fn run(folder: &Path, line: &str) -> (i32, String, String) {
    let output = command(folder, line).output().unwrap();
    let text = |octets: Vec<u8>| String::from_utf8(octets).unwrap();
    (output.status.code().unwrap_or(-1), text(output.stdout), text(output.stderr))
}

fn seconds(id: u64) -> u64 {
    1 + id % 600
}

/// Returns the ids of a file.
fn ids(file: u64) -> impl Iterator<Item = u64> {
    let first = file * (RECORDS - 1);
    first..first + RECORDS
}

fn put(folder: &Path, file: u64) {
    let line = |id| format!("{{\"id\":{id},\"seconds\":{}}}\n", seconds(id));
    let path = folder.join(format!("in/{file:04}.json"));
    fs::write(&path, ids(file).map(line).collect::<String>()).unwrap();
    fs::File::options().write(true).open(path).unwrap().set_modified(UNIX_EPOCH).unwrap();
}

/// Creates a flow that has processed `files` files, and has them in its archive.
fn archived(files: u64) -> TempDir {
    let folder = TempDir::new().unwrap();
    let here = folder.path();
    for name in ["in", "modules", "scripts", "new"] {
        fs::create_dir(here.join(name)).unwrap();
    }
    let write = |name: &str, text: &str| fs::write(here.join(name), text).unwrap();
    write("modules/calls.asn1", MODULE);
    write("flow.toml", FLOW);
    write("scripts/pass.dup", PASS);
    write("scripts/price.dup", PRICE);
    write("new/pass.dup", PASS_BUT_SOME);
    write("new/price.dup", PRICE_OTHERWISE);
    for file in 0..files {
        put(here, file);
    }
    let (status, _, said) = run(here, "run flow.toml --once --workers 1");
    assert_eq!(status, i32::from(files > 1), "{said}");
    assert_eq!(fs::read_dir(here.join("in")).unwrap().count(), 0);
    folder
}

/// The result of a replay: its status, the records that differ by file and number, the files, and the totals.
struct Found {
    status: i32,
    records: BTreeMap<(String, u64), Value>,
    files: Vec<Value>,
    report: Value,
}

impl Found {
    /// Returns the entry of a list of the report for a name, without the name.
    fn entry(&self, list: &str, key: &str, name: &str) -> Value {
        let entries = self.report[list].as_array().unwrap();
        let found = entries.iter().find(|entry| entry[key] == name);
        let mut entry = found.unwrap_or_else(|| panic!("no {name} in {entries:?}")).clone();
        entry.as_object_mut().unwrap().remove(key);
        entry
    }

    /// Returns the counts of records with an outcome.
    fn count(&self, what: &str) -> Value {
        self.entry("counts", "what", what)
    }

    /// Returns the counts of records for a receiver.
    fn receiver(&self, name: &str) -> Value {
        self.entry("receivers", "post_processing_system", name)
    }

    /// Returns a sum before and after.
    fn sum(&self, of: &str) -> [String; 2] {
        let sum = self.entry("sums", "of", of);
        ["before", "after"].map(|key| sum[key].as_str().unwrap().to_owned())
    }
}

fn replay(folder: &Path, line: &str) -> Found {
    let (status, out, said) = run(folder, &format!("replay flow.toml --json {line}"));
    assert!(matches!(status, 0 | 1), "{line}: {said}");
    let (records, files) = (BTreeMap::new(), Vec::new());
    let mut found = Found { status, records, files, report: Value::Null };
    for line in out.lines() {
        let mut line: Value = serde_json::from_str(line).unwrap();
        if let Some(record) = line.get_mut("record") {
            let file = record["file"].as_str().unwrap().to_owned();
            let known =
                found.records.insert((file, record["record"].as_u64().unwrap()), record.take());
            assert_eq!(known, None, "a record is told once");
        } else if let Some(file) = line.get_mut("file") {
            found.files.push(file.take());
        } else {
            found.report = line["report"].take();
        }
    }
    found
}

/// A gateway that runs until this value is dropped.
struct Gateway(Child);

impl Drop for Gateway {
    fn drop(&mut self) {
        let _ = self.0.kill();
        let _ = self.0.wait();
    }
}

/// Returns all results of the flow that the journal and the folders have.
fn state(folder: &Path) -> Vec<String> {
    let mut state: Vec<String> =
        ["archive list flow.toml --json", "suspense list flow.toml --json"]
            .map(|line| run(folder, line).1)
            .into();
    for name in ["in", "out/billing", "out/all"] {
        let entries = fs::read_dir(folder.join(name)).unwrap();
        state.push(format!("{name}: {}", entries.count()));
    }
    state
}

#[test]
fn a_replay_over_a_thousand_files_shows_what_was_planted_and_nothing_else() {
    let folder = archived(FILES);
    let here = folder.path();
    let gateway =
        command(here, "run flow.toml").stdout(Stdio::null()).stderr(Stdio::null()).spawn();
    let _gateway = Gateway(gateway.unwrap());
    let before = state(here);
    let found = replay(here, "--with new/pass.dup new/price.dup");
    assert_eq!(found.status, 1);
    assert_eq!(state(here), before, "nothing is done for the flow itself");

    let mut planted = BTreeMap::new();
    let [mut filtered, mut refused, mut again, mut priced] = [0_u64; 4];
    let mut lost = 0;
    for file in 0..FILES {
        for (place, id) in ids(file).enumerate() {
            // A duplicate goes no further, whatever the scripts do; the second record of a call that is refused is not
            // one.
            let is_duplicate = file > 0 && place == 0;
            if is_duplicate && (id % 101 == 7 || id % 211 != 3) {
                continue;
            }
            if is_duplicate {
                again += 1;
                planted.insert((format!("{file:04}.json"), 1), ("refused again", id));
                continue;
            }
            let change = if id % 101 == 7 {
                (filtered, lost) = (filtered + 1, lost + seconds(id));
                "filtered"
            } else if id % 211 == 3 {
                (refused, lost) = (refused + 1, lost + seconds(id));
                "refused"
            } else if id % 97 == 5 {
                priced += 1;
                "priced"
            } else {
                continue;
            };
            planted.insert((format!("{file:04}.json"), place as u64 + 1), (change, id));
        }
    }
    assert!(filtered > 60 && refused > 30 && priced > 60, "{filtered} {refused} {priced}");
    let told: Vec<_> = found.records.keys().collect();
    assert_eq!(told, planted.keys().collect::<Vec<_>>());
    for (at, (change, id)) in &planted {
        let record = &found.records[at];
        let billing = |change: &str, fields: Value| json!({"post_processing_system": "billing", "change": change, "fields": fields});
        let gone = |system: &str| json!({"post_processing_system": system, "change": "only-before", "fields": []});
        match *change {
            // The system that gets all records still does.
            "filtered" => {
                assert_eq!(record["before"]["what"], "delivered");
                assert_eq!(record["after"]["what"], "delivered");
                assert_eq!(record["receivers"], json!([gone("billing")]));
            }
            "refused" => {
                assert_eq!(record["before"]["what"], "delivered");
                assert_eq!(record["after"]["what"], "suspended");
                assert_eq!(record["after"]["at"], "price");
                let reason = record["after"]["reason"].as_str().unwrap();
                assert!(reason.starts_with("scripts/price.dup:3:"), "{reason}");
                assert!(reason.contains("call.id % 211 != 3"), "{reason}");
                assert_eq!(record["receivers"], json!([gone("all"), gone("billing")]));
            }
            "refused again" => {
                assert_eq!(record["before"]["what"], "duplicate");
                assert_eq!(record["after"]["what"], "suspended");
                assert_eq!(record["receivers"], json!([]));
            }
            _ => {
                assert_eq!(record["before"]["what"], "delivered");
                assert_eq!(record["before"], record["after"]);
                let price = seconds(*id) * 2;
                let [before, after] = [price, price + 1].map(|price| price.to_string());
                let fields = json!([{"field": "price", "before": before, "after": after}]);
                assert_eq!(record["receivers"], json!([billing("changed", fields)]));
            }
        }
    }

    let records = FILES * RECORDS;
    let duplicates = FILES - 1;
    let report = &found.report;
    let files: std::collections::BTreeSet<&String> = planted.keys().map(|(file, _)| file).collect();
    assert_eq!(
        (&report["files"], &report["files_differing"]),
        (&json!(FILES), &json!(files.len()))
    );
    assert_eq!(found.files.len(), files.len());
    assert_eq!(report["differing"], filtered + refused + again + priced);
    let counted = |before: u64, after: u64| json!({"before": before, "after": after});
    assert_eq!(found.count("records"), counted(records, records));
    assert_eq!(found.count("duplicate"), counted(duplicates, duplicates - again));
    assert_eq!(found.count("suspended"), counted(0, refused + again));
    let billed = records - duplicates;
    assert_eq!(
        found.receiver("billing"),
        json!({"before": billed, "after": billed - filtered - refused, "only_before": filtered + refused,
            "only_after": 0, "changed": priced})
    );
    let sum: u64 = (0..billed).map(seconds).sum();
    assert_eq!(found.sum("billing written seconds"), [sum, sum - lost].map(|sum| sum.to_string()));
}

#[test]
fn what_a_replay_has_shown_is_so_when_it_is_activated_and_not_before() {
    let folder = archived(20);
    let here = folder.path();
    let gateway =
        command(here, "run flow.toml").stdout(Stdio::null()).stderr(Stdio::null()).spawn();
    let _gateway = Gateway(gateway.unwrap());
    let billed = |file: u64| -> Vec<u64> {
        let made = here.join(format!("out/billing/boston-{file:04}.json.csv"));
        wait_for("what is made", || made.exists());
        let text = fs::read_to_string(made).unwrap();
        text.lines().skip(1).map(|line| line.split(',').next().unwrap().parse().unwrap()).collect()
    };
    let is_planted = |id: &u64| id % 101 == 7;
    let found = replay(here, "--with new/pass.dup");
    // All calls of twenty files, duplicates counted once.
    let shown = (0..20 * (RECORDS - 1) + 1).filter(is_planted).count();
    assert_eq!((found.status, &found.report["differing"]), (1, &shown.into()));
    // Two files that have no record in common with any other.
    let mut later = (22..).step_by(2).filter(|file| ids(*file).any(|id| is_planted(&id)));
    let [before, behind] = [later.next().unwrap(), later.next().unwrap()];
    put(here, before);
    assert_eq!(billed(before), ids(before).collect::<Vec<_>>());
    fs::copy(here.join("new/pass.dup"), here.join("scripts/pass.dup")).unwrap();
    assert_eq!(run(here, "reload flow.toml").0, 0);
    put(here, behind);
    assert_eq!(billed(behind), ids(behind).filter(|id| !is_planted(id)).collect::<Vec<_>>());
}

#[test]
fn files_that_a_flow_names_with_ways_up_are_tried_as_others_are() {
    let folder = archived(30);
    let here = folder.path();
    let own = here.file_name().unwrap().to_str().unwrap();
    let text = FLOW
        .replace("scripts/pass.dup", "empty/../scripts/pass.dup")
        .replace("scripts/price.dup", &format!("../{own}/scripts/price.dup"));
    fs::create_dir(here.join("empty")).unwrap();
    fs::write(here.join("flow.toml"), text).unwrap();
    let of_pass = replay(here, "--with new/pass.dup").report["differing"].clone();
    assert!(of_pass.as_u64() > Some(0), "{of_pass}");
    for with in ["scripts/pass.dup=new/pass.dup", "empty/../scripts/pass.dup=new/pass.dup"] {
        assert_eq!(replay(here, &format!("--with {with}")).report["differing"], of_pass, "{with}");
    }
    let of_price = replay(here, "--with new/price.dup").report["differing"].clone();
    assert!(of_price.as_u64() > Some(0) && of_price != of_pass, "{of_price}");
    // A flow without `..` in its paths uses the same files.
    fs::write(here.join("flow.toml"), FLOW).unwrap();
    assert_eq!(replay(here, "--with new/price.dup").report["differing"], of_price);
}

#[test]
fn where_nothing_would_change_nothing_is_shown() {
    let folder = archived(30);
    let here = folder.path();
    for with in ["flow.toml", "scripts/price.dup", "price.dup=scripts/price.dup"] {
        let (status, out, said) = run(here, &format!("replay flow.toml --with {with}"));
        assert_eq!(
            (status, out.as_str()),
            (0, "30 files, 240 records: nothing would change\n"),
            "{said}"
        );
    }
    // The same price, written in another way.
    fs::write(here.join("new/price.dup"), PRICE.replace("* 2", "+ call.seconds")).unwrap();
    assert_eq!(replay(here, "--with new/price.dup").status, 0);
}

#[test]
fn modules_columns_and_receivers_of_a_changed_flow_are_compared_too() {
    let folder = archived(3);
    let here = folder.path();
    let module = MODULE.replace("seconds INTEGER,", "seconds INTEGER (0..8),");
    fs::write(here.join("new/calls.asn1"), module).unwrap();
    let found = replay(here, "--with new/calls.asn1 --files 0001.json");
    assert_eq!(found.count("records"), json!({"before": 8, "after": 8}));

    let other = FLOW.replace("header = true", "header = true, columns = [\"price\", \"id\"]");
    let other =
        other.replace("system.all]", "system.everything]").replace("\"out/all\"", "\"out/every\"");
    fs::write(here.join("other.toml"), other).unwrap();
    let found = replay(here, "--with other.toml");
    assert_eq!(found.receiver("billing")["changed"], 22);
    assert_eq!(found.report["headers"], json!(["billing"]));
    assert_eq!(
        (&found.receiver("all")["only_before"], &found.receiver("everything")["only_after"]),
        (&22.into(), &22.into())
    );
    assert!(!here.join("out/every").exists(), "nothing is delivered");
}

#[test]
fn files_that_are_given_need_no_archive() {
    let folder = archived(2);
    let here = folder.path();
    let (status, out, said) = run(here, "archive fetch flow.toml --into back");
    assert_eq!((status, out.lines().count()), (0, 2), "{said}");
    let flow = FLOW.split("[archive]").next().unwrap();
    fs::write(here.join("flow.toml"), flow).unwrap();
    let given = "--network-element boston --given back/boston/0000.json back/boston/0001.json";
    let found = replay(here, &format!("{given} --with new/pass.dup"));
    assert_eq!((found.status, &found.report["differing"]), (1, &1.into()));
    let (status, _, said) = run(here, "replay flow.toml --with new/pass.dup");
    assert!(status == 2 && said.contains("has no archive"), "{said}");
}

#[test]
fn groups_that_end_are_compared_whatever_files_their_records_came_in() {
    let flow = calls("");
    assert_eq!(replay(flow.path(), "--with flow.toml").status, 0);
    let script = fs::read_to_string(flow.path().join("calls.dup")).unwrap();
    let script = script.replace("call.seconds += parts[place].seconds", "call.seconds += 1");
    fs::create_dir(flow.path().join("new")).unwrap();
    fs::write(flow.path().join("new/calls.dup"), script).unwrap();
    let found = replay(flow.path(), "--with new/calls.dup");
    // Call 7 was complete with file 2; the time of call 8 was over; calls 5 and 9 have one second in any case.
    assert_eq!(found.status, 1);
    assert_eq!(
        (&found.report["differing"], &found.report["groups_differing"]),
        (&1.into(), &1.into())
    );
    let of_call = &found.records[&("2.json".to_owned(), 1)];
    assert_eq!(
        of_call["receivers"][0]["fields"],
        json!([{"field": "seconds", "before": "90", "after": "2"}])
    );
    assert_eq!(found.records[&("calls".to_owned(), 0)]["key"], "8");
    // The totals include groups as well as files: 90 + 5 + 1 + 1 seconds, and as many as there are parts.
    assert_eq!(
        found.receiver("billing"),
        json!({"before": 4, "after": 4, "only_before": 0, "only_after": 0, "changed": 2})
    );
    assert_eq!(found.sum("billing written seconds"), ["97", "5"]);
}

#[test]
fn groups_are_in_the_totals_also_when_their_keys_are_forgotten_soon() {
    let flow = calls("");
    for (element, name, call) in [("boston", "4.json", 1), ("chicago", "5.json", 2)] {
        // Years later, by the times of the records.
        flow.put(element, name, &format!("{call} whole 1 @60000000 +1"));
        flow.run();
    }
    let found = replay(flow.path(), "--with flow.toml");
    assert_eq!(found.sum("billing written seconds"), ["99", "99"], "{}", found.report);
    assert_eq!(found.receiver("billing")["before"], 6, "{}", found.report);
}

#[test]
fn groups_that_go_to_suspense_are_compared_and_nobody_is_told_of_mistakes() {
    let flow = calls("expired = \"suspend\"");
    let set_aside = || flow.command("suspense list flow.toml --json");
    let live = (set_aside(), flow.account(), flow.made());
    assert_eq!(live.0.1.lines().count(), 1, "{}", live.0.1);
    let found = replay(flow.path(), "--with flow.toml");
    assert_eq!((found.status, found.records.len()), (0, 0), "{}", found.report);

    let text = fs::read_to_string(flow.path().join("flow.toml")).unwrap();
    let text = text.replace("expired = \"suspend\"", "expired = \"emit\"");
    fs::write(flow.path().join("emitted.toml"), text).unwrap();
    let found = replay(flow.path(), "--with emitted.toml");
    assert_eq!((found.status, found.records.len()), (1, 1), "{}", found.report);
    let group = &found.records[&("calls".to_owned(), 0)];
    assert_eq!(
        (&group["key"], &group["before"]["what"], &group["before"]["at"], &group["after"]["what"]),
        (&json!("8"), &json!("suspended"), &json!("calls"), &json!("delivered"))
    );
    let reason = group["before"]["reason"].as_str().unwrap();
    assert!(reason.contains("time"), "{reason}");
    assert_eq!(
        group["receivers"],
        json!([{"post_processing_system": "billing", "change": "only-after", "fields": []}])
    );
    assert_eq!(
        found.receiver("billing"),
        json!({"before": 3, "after": 4, "only_before": 0, "only_after": 1, "changed": 0})
    );
    assert_eq!(found.sum("billing written seconds"), ["92", "97"]);
    assert_eq!(
        (set_aside(), flow.account(), flow.made()),
        live,
        "nothing is done for the flow itself"
    );
}

/// Creates a flow whose node has ended groups: call 7 was complete with file 2; the time of call 8 was over; calls 5
/// and 9 are complete, with one second each.
fn calls(table: &str) -> flow::Flow {
    let flow = flow::Flow::new(&format!("wait = {{ record-time = \"2 hours\" }}\n{table}"));
    let text = fs::read_to_string(flow.path().join("flow.toml")).unwrap();
    let audit = "audit = { seconds = \"record.seconds\" }\n";
    let text = text.replace("codec = \"json\" }\n", &format!("codec = \"json\" }}\n{audit}"));
    let text = text.replace("wait =", &format!("{audit}wait ="));
    fs::write(flow.path().join("flow.toml"), text + "[archive]\n").unwrap();
    flow.put("boston", "1.json", "7 first 1 @0 +60; 8 first 1 @0 +5");
    flow.run();
    flow.put("chicago", "2.json", "7 last 2 @60 +30; 9 whole 1 @9000 +1");
    flow.run();
    flow.put("boston", "3.json", "5 whole 1 @9001 +1");
    flow.run();
    flow
}

#[test]
fn what_cannot_be_tried_is_told() {
    let folder = archived(1);
    let here = folder.path();
    for (with, wanted) in [
        ("new/missing.dup", "cannot read \"new/missing.dup\""),
        ("flow.state/lock", "the flow has no file \"lock\""),
        ("nobody.dup=new/pass.dup", "the flow has no file \"nobody.dup\""),
        ("new/pass.dup pass.dup=new/pass.dup", "both \"new/pass.dup\" and \"new/pass.dup\" would"),
    ] {
        let (status, _, said) = run(here, &format!("replay flow.toml --with {with}"));
        assert!(status == 2 && said.contains(wanted), "{with}: {said}");
    }
    fs::write(here.join("new/pass.dup"), "BOOLEAN pass(call CONST Call) { return 7; }").unwrap();
    let (status, _, said) = run(here, "replay flow.toml --with new/pass.dup");
    assert!(status == 2 && said.contains("the candidate does not run"), "{said}");
    let (status, _, said) = run(here, "replay flow.toml --with flow.toml --files nothing");
    assert!(status == 2 && said.contains("no such files"), "{said}");
}
