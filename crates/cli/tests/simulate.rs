//! Tests simulated files against the decoder: two independent implementations.

use crate::common::wait::wait_for;
use assert_cmd::Command;
use serde_json::Value;
use tempfile::TempDir;

/// Simulates files and decodes each with the example's module; returns the expected and the decoded records.
fn simulated(arguments: &str) -> Vec<(Value, Vec<Value>, usize)> {
    let folder = TempDir::new().unwrap();
    let mut simulate = Command::cargo_bin("tollgate").unwrap();
    simulate.args(["simulate", "cdr"]).args(arguments.split(' ')).arg(folder.path());
    simulate.assert().success();
    let module = concat!(env!("CARGO_MANIFEST_DIR"), "/../../examples/msc-billing/asn1/msc.asn1");
    let mut found = Vec::new();
    for centre in ["new-york", "boston"] {
        for entry in std::fs::read_dir(folder.path().join(centre)).unwrap() {
            let path = entry.unwrap().path();
            if path.extension().is_none_or(|extension| extension != "ber") {
                continue;
            }
            let mut decode = Command::cargo_bin("tollgate").unwrap();
            decode.args(["asn1", "decode", "-m", module, "-t", "MSC.CallDataRecord"]).arg(&path);
            let output = decode.output().unwrap();
            let lines =
                output.stdout.split(|octet| *octet == b'\n').filter(|line| !line.is_empty());
            let records = lines.map(|line| serde_json::from_slice(line).unwrap()).collect();
            let faults = String::from_utf8_lossy(&output.stderr).lines().count();
            let expected = std::fs::read(format!("{}.expected.json", path.display())).unwrap();
            found.push((serde_json::from_slice(&expected).unwrap(), records, faults));
        }
    }
    assert!(!found.is_empty());
    found
}

fn seconds(records: &[Value]) -> u64 {
    records.iter().map(|record| record["callDuration"].as_u64().unwrap()).sum()
}

#[test]
fn every_sound_record_is_found_with_its_duration() {
    for (expected, records, faults) in simulated("--count 3000 --unknown-extensions 0.1") {
        assert_eq!(faults, 0);
        assert_eq!(records.len() as u64, expected["records"].as_u64().unwrap());
        let sums = &expected["duration_seconds"];
        let sum = sums["billable"].as_u64().unwrap() + sums["non_billable"].as_u64().unwrap();
        assert_eq!(seconds(&records), sum);
    }
}

#[test]
fn every_damaged_record_is_a_fault_and_costs_no_other() {
    let arguments = "--count 3000 --overrun 0.01 --flipped 0.01 --truncated 1";
    for (expected, records, faults) in simulated(arguments) {
        let damaged = expected["damaged"].as_u64().unwrap();
        assert_eq!(faults as u64, damaged);
        assert_eq!(records.len() as u64 + damaged, expected["records"].as_u64().unwrap());
    }
}

#[test]
#[cfg(unix)]
fn files_come_again_when_a_folder_that_was_away_is_back() {
    let folder = TempDir::new().unwrap();
    let place = |name: &str| folder.path().join(name);
    for made in ["in/new-york", "in/boston", "made"] {
        std::fs::create_dir_all(place(made)).unwrap();
    }
    let feed = concat!(env!("CARGO_MANIFEST_DIR"), "/../../examples/feed.sh");
    let mut feeder = std::process::Command::new(feed)
        .arg(env!("CARGO_BIN_EXE_tollgate"))
        .arg(place("in"))
        .arg("0.1")
        .env("TMPDIR", place("made"))
        .spawn()
        .unwrap();
    let names = |of: &str| {
        let entries = std::fs::read_dir(place(of)).unwrap().map(|entry| entry.unwrap().file_name());
        entries.map(|name| name.into_string().unwrap()).collect::<Vec<_>>()
    };
    let mut more = |of: &str| {
        let before = names(of).len();
        wait_for("more files", || {
            assert_eq!(feeder.try_wait().unwrap(), None, "it goes on");
            names(of).len() >= before + 2
        });
    };
    more("in/boston");
    std::fs::rename(place("in/boston"), place("away")).unwrap();
    // The folder disappeared while a file was being written.
    std::fs::write(place("away/.1.part"), "half").unwrap();
    more("in/new-york");
    std::fs::rename(place("away"), place("in/boston")).unwrap();
    more("in/boston");
    let mut kill = std::process::Command::new("kill");
    assert!(kill.arg(feeder.id().to_string()).status().unwrap().success());
    assert!(feeder.wait().unwrap().success());
    assert!(!names("in/boston").contains(&".1.part".to_owned()));
    assert_eq!(names("made"), [""; 0], "nothing is left behind");
}
