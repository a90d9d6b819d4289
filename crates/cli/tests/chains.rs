//! Tests that a flow whose scripted nodes are joined to chains does what each node does alone in the interpreter: the
//! same outputs, the same counts of every node, and the same records in suspense for the same reasons.

use std::collections::BTreeMap;
use std::fs;
use std::path::Path;
use std::process::Command;

use crate::common::suspense;
use gateway::{Parts, RunOptions};
use node::Kind;
use processing::{Dup, Execution, KINDS, KINDS_INTERPRETED};
use serde_json::Value;
use simulate::cdr::{Options, generate};
use tempfile::TempDir;

/// Nodes that may be in a chain, and nodes that may not: a filter of many streams, a node with two sources, two
/// formatters in a row, a filter after them, streams that no node or two nodes take, and a formatter that emits.
const FLOW: &str = r#"
[asn1]
modules = ["msc.asn1", "bill.asn1"]

[network-element.centre]
collect = { dir = "in", pattern = "*.ber", recursive = true }
decode = { type = "MSC.CallDataRecord" }

[filter.kind]
from = "centre"
script = "kind.dup"

[filter.long]
from = "kind.call"
script = "long.dup"

[filter.odd]
from = ["long.false", "kind.message"]
script = "odd.dup"

[formatter.bill]
from = "odd.true"
script = "bill.dup"

[formatter.round]
from = "bill"
script = "round.dup"

[filter.dear]
from = "round"
script = "dear.dup"

[formatter.twice]
from = "long.true"
script = "twice.dup"

[post-processing-system.billing]
from = ["dear.true", "twice"]
encode = { type = "Bill.Bill", codec = "json" }
deliver = { dir = "out/billing" }

[post-processing-system.cheap]
from = "dear.false"
encode = { type = "Bill.Bill" }
deliver = { dir = "out/cheap" }

[post-processing-system.messages]
from = "kind.message"
encode = { type = "MSC.CallDataRecord" }
deliver = { dir = "out/messages" }
"#;

const BILL: &str = "Bill DEFINITIONS IMPLICIT TAGS ::= BEGIN
Bill ::= SEQUENCE { number [0] IA5String, seconds [1] INTEGER } END";

const SCRIPTS: [(&str, &str); 7] = [
    (
        "kind.dup",
        "ENUMERATED { call, message, other } kind(cdr CONST CallDataRecord)
{
  assert cdr.sequenceNumber % 50 != 0;
  if (cdr.recordType IN [6, 7]) { return message; }
  if (cdr.recordType == 2) { return other; }
  return call;
}",
    ),
    ("long.dup", "BOOLEAN long(cdr CONST CallDataRecord) { return cdr.callDuration > 100; }"),
    (
        "odd.dup",
        "BOOLEAN odd(cdr CONST CallDataRecord)
{
  assert 100 / (cdr.sequenceNumber % 31) >= 0;
  return cdr.sequenceNumber % 2 == 1;
}",
    ),
    (
        "bill.dup",
        "NULL bill(in CONST CallDataRecord, out Bill)
{
  assert in.sequenceNumber % 41 != 0;
  out.number := concat(\"nr \", toString(in.sequenceNumber));
  out.seconds := in.callDuration;
}",
    ),
    (
        "round.dup",
        "NULL round(in CONST Bill, out Bill)
{
  assert in.seconds % 17 != 3;
  out.number := concat(in.number, \"!\");
  out.seconds := (in.seconds + 9) / 10 * 10;
}",
    ),
    (
        "dear.dup",
        "BOOLEAN dear(bill CONST Bill) { assert bill.seconds != 20; return bill.seconds > 30; }",
    ),
    (
        "twice.dup",
        "NULL twice(in CONST CallDataRecord, out Bill)
{
  out.number := \"twice\";
  out.seconds := in.callDuration;
  emit(out);
  if (in.sequenceNumber % 3 == 0) { emit(out); }
}",
    ),
];

/// The visible results of a run.
struct Left {
    outputs: BTreeMap<String, Vec<u8>>,
    suspense: Vec<String>,
    counts: Vec<String>,
}

fn run(kinds: &[&dyn Kind], execution: Execution) -> Left {
    let temp = TempDir::new().unwrap();
    let folder = temp.path();
    let module = concat!(env!("CARGO_MANIFEST_DIR"), "/../../examples/msc-billing/asn1/msc.asn1");
    fs::copy(module, folder.join("msc.asn1")).unwrap();
    fs::write(folder.join("bill.asn1"), BILL).unwrap();
    fs::write(folder.join("flow.toml"), FLOW).unwrap();
    for (name, script) in SCRIPTS {
        fs::write(folder.join(name), script).unwrap();
    }
    let simulated = Options { count: 6_000, overrun: 0.01, ..Options::default() };
    generate(&simulated, &folder.join("in")).unwrap();
    let language = &Dup(execution);
    let parts = Parts {
        kinds,
        formats: &format::OperatorModules,
        language,
        certificate: |_| None,
        channels: &[],
        schemes: &[],
        codes: &[],
        listeners: &[],
    };
    let options = RunOptions { workers: 2, ..RunOptions::once() };
    let report = gateway::run(&folder.join("flow.toml"), parts, &options).unwrap();
    assert!(report.problems.is_empty(), "{:?}", report.problems);
    let audit = Command::new(env!("CARGO_BIN_EXE_tollgate"))
        .current_dir(folder)
        .args(["audit", "flow.toml", "--json"])
        .output()
        .unwrap();
    let audit = String::from_utf8(audit.stdout).unwrap();
    let audit: Value = serde_json::from_str(&audit).unwrap();
    assert_eq!(audit["differences"], Value::Array(Vec::new()));
    let here = folder.display().to_string();
    Left {
        outputs: outputs(&folder.join("out")),
        suspense: suspense(folder).iter().map(|line| line.replace(&here, "here")).collect(),
        counts: audit["counts"].as_array().unwrap().iter().map(Value::to_string).collect(),
    }
}

fn outputs(folder: &Path) -> BTreeMap<String, Vec<u8>> {
    let systems = fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path());
    let files = systems.flat_map(|system| fs::read_dir(system).unwrap());
    files
        .map(|entry| entry.unwrap().path())
        .map(|path| (path.strip_prefix(folder).unwrap().display().to_string(), path))
        .map(|(name, path)| (name, fs::read(path).unwrap()))
        .collect()
}

#[test]
fn chains_leave_what_nodes_one_by_one_leave() {
    let joined = run(KINDS, Execution::MachineCode);
    let alone = run(KINDS_INTERPRETED, Execution::Interpreter);
    assert_eq!(joined.counts, alone.counts);
    assert_eq!(joined.counts.len(), 11, "the element, seven nodes, three systems");
    for (joined, alone) in joined.suspense.iter().zip(&alone.suspense) {
        assert_eq!(joined, alone);
    }
    assert_eq!(joined.suspense.len(), alone.suspense.len());
    for node in ["kind", "odd", "bill", "round", "dear"] {
        let of_node = format!("\"node\":\"{node}\"");
        assert!(joined.suspense.iter().any(|line| line.contains(&of_node)), "{node} refuses some");
    }
    for (name, octets) in &joined.outputs {
        assert!(Some(octets) == alone.outputs.get(name), "{name} is another");
    }
    assert_eq!(joined.outputs.len(), alone.outputs.len());
    assert_eq!(joined.outputs.len(), 12, "four files for each of three systems");
}
