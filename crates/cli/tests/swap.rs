//! Tests scripts that change while records flow: no record is lost, doubled, or processed by a mixture.
#![cfg(unix)]

use std::collections::BTreeSet;
use std::fs;
use std::io::{BufRead, BufReader};
use std::path::Path;
use std::process::{Command, Stdio};
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::sync::{Arc, Mutex};
use std::thread;
use std::time::Duration;

use crate::common::wait::wait_for;
use serde_json::Value;

const FLOW: &str = include_str!("flows/mark.toml");

const SWAPS: usize = 100;
const RECORDS: usize = 300;

/// Returns a script that writes its number into every record, after some work so that records take their time.
fn script(number: usize) -> String {
    format!(
        "NULL mark(cdr CallDataRecord)\n{{\n  declare i INTEGER;\n  cdr.sequenceNumber := {number};\n  \
         for (i := 0; i < 2000; i += 1) {{ cdr.callDuration := i; }}\n  \
         cdr.callDuration := {number};\n}}\n"
    )
}

/// Writes a file atomically.
fn put(path: &Path, octets: &[u8]) {
    let part = path.with_extension("part");
    fs::write(&part, octets).unwrap();
    fs::rename(part, path).unwrap();
}

#[test]
fn a_hundred_swaps_under_load_lose_double_and_mix_nothing() {
    let folder = tempfile::tempdir().unwrap();
    let here = folder.path();
    let module = concat!(env!("CARGO_MANIFEST_DIR"), "/../../examples/msc-billing/asn1/msc.asn1");
    fs::copy(module, here.join("msc.asn1")).unwrap();
    fs::write(here.join("flow.toml"), FLOW).unwrap();
    put(&here.join("mark.dup"), script(0).as_bytes());
    fs::create_dir(here.join("in")).unwrap();
    let simulated = Command::new(env!("CARGO_BIN_EXE_tollgate"))
        .current_dir(here)
        .args(["simulate", "cdr", "--count", &RECORDS.to_string(), "--files", "1"])
        .args(["--centre", "boston:8", "made"])
        .output()
        .unwrap();
    assert!(simulated.status.success());
    let records = fs::read(here.join("made/boston/boston-00001.ber")).unwrap();

    let mut gateway = Command::new(env!("CARGO_BIN_EXE_tollgate"))
        .current_dir(here)
        .args(["run", "flow.toml", "--json"])
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    let told = Arc::new(Mutex::new(Vec::<String>::new()));
    let listener = thread::spawn({
        let (told, log) = (Arc::clone(&told), gateway.stderr.take().unwrap());
        move || {
            BufReader::new(log).lines().for_each(|line| told.lock().unwrap().push(line.unwrap()))
        }
    });
    let count = |of: &str| told.lock().unwrap().iter().filter(|line| line.contains(of)).count();

    let (enough, fed) = (Arc::new(AtomicBool::new(false)), Arc::new(AtomicUsize::new(0)));
    let feeder = thread::spawn({
        let (enough, fed, input) = (Arc::clone(&enough), Arc::clone(&fed), here.join("in"));
        move || {
            while !enough.load(Ordering::Relaxed) {
                let number = fed.fetch_add(1, Ordering::Relaxed);
                put(&input.join(format!("{number:05}.ber")), &records);
                thread::sleep(Duration::from_millis(25));
            }
        }
    });
    // The gateway begins with the script that exists when it starts.
    wait_for("the first file", || count(" records, ") > 0);
    for swap in 1..=SWAPS {
        if swap == SWAPS / 2 {
            // A script that does not check changes nothing.
            put(&here.join("mark.dup"), b"NULL mark(cdr CallDataRecord) { cdr.nothing := 1; }\n");
            wait_for("a script with a mistake", || count("it goes on as it was") == 1);
        }
        let before = count("from now on");
        put(&here.join("mark.dup"), script(swap).as_bytes());
        wait_for("a swap", || count("from now on") > before);
    }
    enough.store(true, Ordering::Relaxed);
    feeder.join().unwrap();
    let fed = fed.load(Ordering::Relaxed);
    let done = || {
        let entries = fs::read_dir(here.join("in")).unwrap();
        entries
            .filter(|e| e.as_ref().unwrap().file_name().to_string_lossy().ends_with(".done"))
            .count()
    };
    wait_for("the rest of the files", || done() == fed);
    let stopped = Command::new("kill").args(["-INT", &gateway.id().to_string()]).status().unwrap();
    assert!(stopped.success());
    let output = gateway.wait_with_output().unwrap();
    listener.join().unwrap();

    let report: Value = serde_json::from_slice(&output.stdout).unwrap();
    let files = report["files"].as_array().unwrap();
    assert_eq!(files.len(), fed, "every file once");
    assert!(files.iter().all(|file| file["delivered"] == RECORDS), "{report}");
    let mut seen = BTreeSet::new();
    for number in 0..fed {
        let text =
            fs::read_to_string(here.join(format!("out/boston-{number:05}.ber.json"))).unwrap();
        let marks: BTreeSet<(u64, u64)> = text
            .lines()
            .map(|line| {
                let record: Value = serde_json::from_str(line).unwrap();
                let number = |name: &str| record[name].as_u64().unwrap();
                (number("sequenceNumber"), number("callDuration"))
            })
            .collect();
        assert_eq!(text.lines().count(), RECORDS);
        assert_eq!(marks.len(), 1, "one script a file: {marks:?}");
        let (first, second) = marks.into_iter().next().unwrap();
        assert_eq!(first, second, "one script a record");
        seen.insert(first);
    }
    assert!(seen.len() > SWAPS / 10, "{} scripts had files", seen.len());
    assert!(seen.iter().all(|number| *number <= SWAPS as u64));
}
