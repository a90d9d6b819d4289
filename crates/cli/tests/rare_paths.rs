//! Tests rare paths of records: records that become many, records that are refused after some of those are already
//! written, and more different paths than can be remembered. Trace and audit are compared with the expected outputs of
//! each record.
#![cfg(target_os = "linux")]

use std::collections::BTreeMap;
use std::fs;
use std::path::Path;
use std::process::Command;
use std::time::{Duration, Instant, UNIX_EPOCH};

use serde_json::{Value, json};
use tempfile::TempDir;

const MODULE: &str = "
ITEMS DEFINITIONS AUTOMATIC TAGS ::= BEGIN
Item ::= SEQUENCE { number INTEGER, pieces INTEGER, bits INTEGER }
Piece ::= SEQUENCE { number INTEGER, place INTEGER, isOdd BOOLEAN }
END
";

/// A flow that cuts an item into pieces, which go to one of two systems by the item's bits; the item itself goes to a
/// third.
const FLOW: &str = r#"
[asn1]
modules = ["items.asn1"]
[network-element.items]
collect = { dir = "in" }
decode = { type = "ITEMS.Item", codec = "json" }
[formatter.cut]
from = "items"
script = "cut.dup"
[filter.isOdd]
from = "cut"
script = "is_odd.dup"
[formatter.mild]
from = "items"
script = "mild.dup"
[post-processing-system.even]
from = "isOdd.false"
encode = { codec = "json" }
deliver = { dir = "out/even" }
[post-processing-system.odd]
from = "isOdd.true"
encode = { codec = "json" }
deliver = { dir = "out/odd" }
[post-processing-system.whole]
from = "mild"
encode = { codec = "json" }
deliver = { dir = "out/whole" }
[log]
file = "log/gateway.log"
rotate = "never"
level = "debug"
"#;

const SCRIPTS: [(&str, &str); 3] = [
    (
        "cut.dup",
        "NULL cut(item CONST Item, piece Piece)
{
  declare place, bits INTEGER := 0;
  bits := item.bits;
  piece.number := item.number;
  for (place := 0; place < item.pieces; place += 1) {
    piece.place := place;
    piece.isOdd := bits % 2 == 1;
    bits := bits / 2;
    emit(piece);
  }
}",
    ),
    ("is_odd.dup", "BOOLEAN isOdd(piece CONST Piece) { return piece.isOdd; }"),
    (
        "mild.dup",
        "NULL mild(item CONST Item, whole Item) { assert item.number % 11 != 10; whole := item; }",
    ),
];

/// The largest number of steps of a path that are noted.
const STEPS_MAX: usize = 64;

struct Item {
    number: usize,
    pieces: usize,
    bits: u32,
}

impl Item {
    /// Returns items that differ as much as possible: most of them take a path of their own.
    fn all(count: usize) -> Vec<Item> {
        let mut state = 5_u64;
        let item = |number| {
            state = state.wrapping_mul(6364136223846793005).wrapping_add(1442695040888963407);
            let pieces = [1, 2, 20, 20, 30, 33, 60][number % 7];
            Item { number, pieces, bits: (state >> 40) as u32 }
        };
        (0..count).map(item).collect()
    }

    fn is_refused(&self) -> bool {
        self.number % 11 == 10
    }

    /// Returns the system of each piece.
    fn systems(&self) -> Vec<&'static str> {
        let is_odd = |place: usize| place < 32 && self.bits >> place & 1 == 1;
        (0..self.pieces).map(|place| if is_odd(place) { "odd" } else { "even" }).collect()
    }

    /// Returns the steps of the item that are noted.
    fn way(&self) -> Vec<Value> {
        let mut steps = vec![json!({"made": {"node": "cut"}})];
        for system in self.systems() {
            let stream = if system == "odd" { "true" } else { "false" };
            steps.push(json!({"passed": {"node": "isOdd", "stream": stream}}));
            steps.push(json!({"written": {"system": system}}));
        }
        let is_written = |step: &Value| step.get("written").is_some();
        if self.is_refused() {
            let beyond = steps.split_off(steps.len().min(STEPS_MAX));
            steps.retain(|step| !is_written(step));
            if beyond.iter().any(|step| !is_written(step)) {
                steps.push("more".into());
            }
            steps.push(json!({"suspended": {"at": "mild"}}));
            return steps;
        }
        steps.push(json!({"passed": {"node": "mild", "stream": "out"}}));
        steps.push(json!({"written": {"system": "whole"}}));
        let beyond = steps.split_off(steps.len().min(STEPS_MAX));
        if !beyond.is_empty() {
            steps.push("more".into());
        }
        for system in ["even", "odd", "whole"] {
            let written = json!({"system": system});
            match beyond.iter().filter(|step| step.get("written") == Some(&written)).count() {
                0 => {}
                1 => steps.push(json!({"written": written})),
                _ => steps.push(json!({"written-often": written})),
            }
        }
        steps
    }
}

fn tollgate(folder: &Path, line: &str) -> String {
    let mut command = Command::new(env!("CARGO_BIN_EXE_tollgate"));
    let output = command.current_dir(folder).args(line.split(' ')).output().unwrap();
    let said = String::from_utf8_lossy(&output.stderr).into_owned();
    assert!(output.status.code().is_some_and(|code| code < 2), "{line}: {said}");
    String::from_utf8(output.stdout).unwrap()
}

/// Creates the flow with one file of items, and `more` in its flow file.
fn items(items: &[Item], more: &str) -> TempDir {
    let folder = TempDir::new().unwrap();
    let write = |name: &str, text: &str| fs::write(folder.path().join(name), text).unwrap();
    write("items.asn1", MODULE);
    SCRIPTS.iter().for_each(|(name, text)| write(name, text));
    write("flow.toml", &format!("{FLOW}{more}"));
    let line = |Item { number, pieces, bits }: &Item| {
        format!("{{\"number\":{number},\"pieces\":{pieces},\"bits\":{bits}}}\n")
    };
    fs::create_dir(folder.path().join("in")).unwrap();
    write("in/a.json", &items.iter().map(line).collect::<String>());
    // An old file is taken at once, without waiting whether it is still written to.
    let file = fs::File::options().write(true).open(folder.path().join("in/a.json")).unwrap();
    file.set_modified(UNIX_EPOCH).unwrap();
    folder
}

/// Asserts that each place has the records it was given, and that no refused record is anywhere.
fn is_accounted_for(folder: &Path, items: &[Item]) {
    let audit: Value = serde_json::from_str(&tollgate(folder, "audit flow.toml --json")).unwrap();
    assert_eq!(audit["differences"], json!([]));
    let count = |node: Value, column: &str| {
        let counts = audit["counts"].as_array().unwrap().iter();
        let of_node = counts.filter(|count| count["node"] == node);
        of_node.map(|count| count[column].as_u64().unwrap() as usize).sum::<usize>()
    };
    let kept: Vec<&Item> = items.iter().filter(|item| !item.is_refused()).collect();
    let pieces: usize = kept.iter().map(|item| item.pieces).sum();
    let refused = items.len() - kept.len();
    let odd = kept.iter().flat_map(|item| item.systems()).filter(|of| *of == "odd").count();
    for (node, column, wanted) in [
        (Value::Null, "delivered", kept.len()),
        (Value::Null, "suspended", refused),
        ("cut".into(), "records", kept.len()),
        ("cut".into(), "made", pieces),
        ("isOdd".into(), "delivered", pieces),
        ("mild".into(), "delivered", kept.len()),
        ("mild".into(), "suspended", refused),
        ("odd".into(), "delivered", odd),
        ("even".into(), "delivered", pieces - odd),
        ("whole".into(), "delivered", kept.len()),
    ] {
        let log = || fs::read_to_string(folder.join("log/gateway.log")).unwrap_or_default();
        assert_eq!(count(node.clone(), column), wanted, "{node} {column}: {audit}\n{}", log());
    }
}

/// Asserts that the paths of one in `one_of` items, and the places of their outputs, agree with the files.
fn is_traced(folder: &Path, items: &[Item], one_of: usize) {
    let read = |system: &str| {
        fs::read_to_string(folder.join(format!("out/{system}/items-a.json.json"))).unwrap()
    };
    let outputs = ["even", "odd", "whole"].map(|system| (system, read(system)));
    let lines = |(system, text): &(&'static str, String)| {
        let lines: Vec<String> = text.split_inclusive('\n').map(str::to_owned).collect();
        (*system, lines)
    };
    let lines: BTreeMap<&str, Vec<String>> = outputs.iter().map(lines).collect();
    // By system: how many records were before, and where they end.
    let mut made: BTreeMap<&str, (usize, usize)> = BTreeMap::new();
    let mut wanted = Vec::new();
    for item in items {
        let mut outputs = Vec::new();
        let systems = item.systems().into_iter().chain(["whole"]);
        for system in systems.filter(|_| !item.is_refused()) {
            let (record, offset) = made.entry(system).or_default();
            let line = &lines[system][*record];
            let number = serde_json::from_str::<Value>(line).unwrap()["number"].clone();
            assert_eq!(number, item.number);
            *record += 1;
            outputs.push(json!([system, *record, *offset, line.len()]));
            *offset += line.len();
        }
        wanted.push((item, outputs));
    }
    let chosen: Vec<_> = wanted.iter().skip(one_of / 2).step_by(one_of).collect();
    let numbers: Vec<String> =
        chosen.iter().map(|(item, _)| (item.number + 1).to_string()).collect();
    let traced = format!("trace flow.toml --json --file a.json --record {}", numbers.join(","));
    let traced = tollgate(folder, &traced);
    assert_eq!(traced.lines().count(), chosen.len());
    for ((item, outputs), traced) in chosen.into_iter().zip(traced.lines()) {
        let traced: Value = serde_json::from_str(traced).unwrap();
        assert_eq!(traced["record"], item.number + 1);
        assert_eq!(traced["way"], json!(item.way()), "{}", item.number);
        let made = traced["outputs"].as_array().unwrap().iter();
        let columns = ["post_processing_system", "record", "offset", "octets"];
        let made =
            made.map(|made| Value::from(columns.map(|column| made[column].clone()).to_vec()));
        assert_eq!(made.collect::<Vec<_>>(), *outputs, "{}", item.number);
    }
}

#[test]
fn each_record_is_accounted_for_and_traced_however_many_are_made_of_it_and_whoever_refuses_it() {
    let all = Item::all(200);
    let folder = items(&all, "");
    tollgate(folder.path(), "run flow.toml --once");
    is_accounted_for(folder.path(), &all);
    is_traced(folder.path(), &all, 1);
}

#[test]
fn there_may_be_more_ways_than_are_remembered() {
    let all = Item::all(5_000);
    for (more, line) in [("", ""), ("", " --processes 2 --workers 1")] {
        let folder = items(&all, more);
        tollgate(folder.path(), &format!("run flow.toml --once{line}"));
        is_accounted_for(folder.path(), &all);
        is_traced(folder.path(), &all, 41);
    }
    let folder = items(&all, "[trace]\nenabled = false\n");
    tollgate(folder.path(), "run flow.toml --once");
    is_accounted_for(folder.path(), &all);
}

/// The record that fills the tree of paths may be a refused one, whose path is needed once more. One of each eleven is.
#[test]
fn whichever_record_fills_the_tree_of_paths_each_is_accounted_for() {
    for first in 0..11 {
        let all: Vec<Item> = Item::all(1_200).into_iter().skip(first).collect();
        let folder = items(&all, "");
        tollgate(folder.path(), "run flow.toml --once --workers 1");
        is_accounted_for(folder.path(), &all);
    }
}

/// A file is only cut if other threads are idle, which depends on chance and on a busy machine is rare, so the run is repeated
/// until it is.
#[test]
fn ways_of_records_are_the_same_whoever_reads_them() {
    let all = Item::all(5_000);
    let begun = Instant::now();
    while begun.elapsed() < Duration::from_secs(100) {
        let folder = items(&all, "");
        tollgate(folder.path(), "run flow.toml --once --workers 3 --stretch-octets 5000");
        is_accounted_for(folder.path(), &all);
        is_traced(folder.path(), &all, 101);
        let log = fs::read_to_string(folder.path().join("log/gateway.log")).unwrap();
        let lines = log.lines().map(|line| serde_json::from_str::<Value>(line).unwrap());
        if lines.filter_map(|line| line["stretches"].as_u64()).sum::<u64>() > 5 {
            return;
        }
    }
    panic!("it is never cut");
}
