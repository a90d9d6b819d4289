//! Tests simulated files of call data records, some of them damaged, in a flow that passes them on: every record must
//! be where the simulator says, and sound records must leave unchanged.

use std::fs;
use std::path::Path;

use format::OperatorModules;
use gateway::{Parts, RunOptions};
use simulate::cdr::{Options, generate};
use suspense::{Filter, Suspended};

/// The module of the example.
const MODULE: &str = include_str!("../../../examples/msc-billing/asn1/msc.asn1");

const FLOW: &str = r#"
[asn1]
modules = ["msc.asn1"]
[network-element.centre]
collect = { dir = "in", pattern = "*.ber", recursive = true }
decode = { type = "MSC.CallDataRecord" }
[post-processing-system.same]
from = "centre"
encode = { type = "MSC.CallDataRecord" }
deliver = { dir = "out", name = "{network-element}-{file}" }
[post-processing-system.json]
from = "centre"
encode = { codec = "json" }
deliver = { dir = "json" }
[post-processing-system.table]
from = "centre"
encode = { codec = "csv", columns = ["callingNumber", "callDuration", "location.cellId"] }
deliver = { dir = "table" }
"#;

#[test]
fn damaged_records_are_in_suspense_alone_and_sound_ones_leave_as_they_came() {
    let dir = Path::new(env!("CARGO_TARGET_TMPDIR")).join("call-records");
    let _ = fs::remove_dir_all(&dir);
    fs::create_dir_all(&dir).unwrap();
    fs::write(dir.join("msc.asn1"), MODULE).unwrap();
    fs::write(dir.join("flow.toml"), FLOW).unwrap();
    let options = Options {
        count: 20_000,
        files: 8,
        seed: 7,
        overrun: 0.01,
        flipped: 0.01,
        truncated: 0.5,
        unknown_extensions: 0.05,
        ..Options::default()
    };
    let generated = generate(&options, &dir.join("in")).unwrap();

    let parts = Parts {
        kinds: &[],
        formats: &OperatorModules,
        language: &node::NoLanguage,
        schemes: &[],
        codes: &[],
        listeners: &[],
        certificate: |_| None,
        channels: &[],
    };
    let options = RunOptions { workers: 2, ..RunOptions::once() };
    let report = gateway::run(&dir.join("flow.toml"), parts, &options).unwrap();

    assert_eq!((report.files.len(), report.problems.len()), (generated.len(), 0));
    let mut suspended = Vec::new();
    let listed = suspense::list(&dir.join("flow.toml"), &Filter::default(), |record| {
        suspended.push(record);
        Ok::<_, ()>(())
    });
    assert_eq!(listed.unwrap(), Ok(()));
    let mut damaged = 0;
    for file in &generated {
        let name = file.path.file_name().unwrap().to_str().unwrap();
        let account = report.files.iter().find(|account| account.file.ends_with(name)).unwrap();
        let expected = &file.expected;
        damaged += expected.damaged.total();
        assert_eq!(
            (account.records, account.suspended),
            (expected.records, expected.damaged.total()),
            "{name}"
        );
        let octets = fs::read(format!("{}.done", file.path.display())).unwrap();
        let of_file = suspended.iter().filter(|record| record.file == account.file);
        let sound = without(&octets, of_file);
        let out = fs::read(dir.join(format!("out/centre-{}", account.file))).unwrap();
        let lines =
            |file: String| fs::read_to_string(dir.join(file)).unwrap().lines().count() as u64;
        assert_eq!(lines(format!("json/centre-{}.json", account.file)), account.delivered);
        assert_eq!(lines(format!("table/centre-{}.csv", account.file)), account.delivered + 1);
        assert!(out == sound, "{name}: what came out is not what came in without the damaged");
    }
    assert!(damaged > 100, "{damaged}");
}

/// Returns a file's octets without those in suspense.
fn without<'s>(octets: &[u8], suspended: impl Iterator<Item = &'s Suspended>) -> Vec<u8> {
    let mut left = Vec::new();
    let mut at = 0;
    for record in suspended {
        let offset = record.offset as usize;
        left.extend_from_slice(&octets[at..offset]);
        at = offset + record.octets.len();
    }
    left.extend_from_slice(&octets[at..]);
    left
}

#[test]
fn what_modules_do_not_have_is_a_mistake_of_the_flow_file() {
    let dir = Path::new(env!("CARGO_TARGET_TMPDIR")).join("unknown-type");
    fs::create_dir_all(dir.join("in")).unwrap();
    fs::write(dir.join("msc.asn1"), MODULE).unwrap();
    let flow = FLOW.replacen("MSC.CallDataRecord", "MSC.CallDatRecord", 1);
    fs::write(dir.join("flow.toml"), flow.replace("codec = \"json\"", "codec = \"jason\""))
        .unwrap();
    let parts = Parts {
        kinds: &[],
        formats: &OperatorModules,
        language: &node::NoLanguage,
        schemes: &[],
        codes: &[],
        listeners: &[],
        certificate: |_| None,
        channels: &[],
    };
    let mistakes = gateway::check(&dir.join("flow.toml"), parts);
    assert_eq!(mistakes.len(), 1);
    let first = mistakes[0].to_string();
    assert!(first.contains("flow.toml:6:20: "), "{first}");
    assert!(first.contains("did you mean \"MSC.CallDataRecord\"?"), "{first}");
}
