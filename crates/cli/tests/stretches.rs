//! Tests large files that several threads read: the outputs are those of one thread, octet for octet.
#![cfg(target_os = "linux")]

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use crate::common::children::{children, kill};
use crate::common::suspense;
use crate::common::wait::wait_for;
use serde_json::Value;
use tempfile::TempDir;

/// Additions to the example: its records also go out as JSON and as XML, with their numbers in them, and are summed.
const MORE: &str = r#"
[formatter.mark]
from = ["msc-new-york", "msc-boston"]
script = "mark.dup"
[post-processing-system.marked]
from = "mark"
encode = { type = "MSC.CallDataRecord", codec = "json" }
deliver = { dir = "out/marked" }
[post-processing-system.roaming-xml]
from = "roaming-v8"
encode = { type = "Billing.RoamingRecord", codec = "xml" }
deliver = { dir = "out/xml" }
[post-processing-system.parts]
from = "mark"
encode = { type = "MSC.CallDataRecord", codec = "csv", columns = ["sequenceNumber"] }
deliver = { dir = "out/parts", split = { records-max = 700, size-max = "3 kB" } }
[log]
file = "log/gateway.log"
rotate = "never"
levels = { worker = "debug" }
"#;

const MARK: &str = "NULL mark(call CallDataRecord, context CONST RecordContext)
{
  call.sequenceNumber := context.recordNumber;
}";

fn tollgate(folder: &Path, line: &str) -> String {
    let mut command = Command::new(env!("CARGO_BIN_EXE_tollgate"));
    let output = command.current_dir(folder).args(line.split(' ')).output().unwrap();
    let said = String::from_utf8_lossy(&output.stderr).into_owned();
    assert!(output.status.code().is_some_and(|code| code < 2), "{line}: {said}");
    String::from_utf8(output.stdout).unwrap()
}

/// Creates the example with one file of `count` records, some of them damaged; `change` changes its flow.
fn example(count: usize, change: impl Fn(String) -> String) -> TempDir {
    let folder = TempDir::new().unwrap();
    let here = folder.path();
    tollgate(here, "init .");
    for centre in ["new-york", "boston"] {
        fs::remove_dir_all(here.join("in").join(centre)).unwrap();
        fs::create_dir(here.join("in").join(centre)).unwrap();
    }
    let flow = fs::read_to_string(here.join("flow.toml")).unwrap() + MORE;
    let sums =
        "\naudit = { seconds = \"record.callDuration\" }\n[post-processing-system.statistics]";
    let flow = flow.replace("\n[post-processing-system.statistics]", sums);
    let summed = "decode  = { type = \"MSC.CallDataRecord\" }\naudit = { seconds = \"record.callDuration\" }";
    let flow = flow.replace("decode  = { type = \"MSC.CallDataRecord\" }", summed);
    fs::write(here.join("flow.toml"), change(flow)).unwrap();
    fs::write(here.join("mark.dup"), MARK).unwrap();
    let faults = "--flipped 0.003 --overrun 0.003 --truncated 1 --unknown-extensions 0.01";
    let centre = "--files 1 --centre boston:8 in";
    tollgate(here, &format!("simulate cdr --count {count} {faults} {centre}"));
    // An old file is taken at once, without waiting whether it is still written to.
    let file = fs::File::options().write(true).open(here.join("in/boston/boston-00001.ber"));
    file.unwrap().set_modified(std::time::UNIX_EPOCH).unwrap();
    folder
}

/// Returns a copy of a folder in which nothing has been done.
fn copy(of: &Path) -> TempDir {
    let folder = TempDir::new().unwrap();
    let mut command = Command::new("cp");
    let copied = command.arg("-a").arg(of.join(".")).arg(folder.path()).status();
    assert!(copied.unwrap().success());
    folder
}

fn contents(folder: &Path) -> BTreeMap<PathBuf, Vec<u8>> {
    let mut found = BTreeMap::new();
    for entry in fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        let name = PathBuf::from(path.file_name().unwrap());
        match path.is_dir() {
            true => {
                found.extend(contents(&path).into_iter().map(|(file, of)| (name.join(file), of)))
            }
            false => drop(found.insert(name, fs::read(path).unwrap())),
        }
    }
    found
}

/// The outcome of a run without its times: outputs, records in suspense, and the audit.
#[derive(PartialEq)]
struct Outcome {
    outputs: BTreeMap<PathBuf, Vec<u8>>,
    aside: Vec<String>,
    audit: Value,
}

fn outcome(folder: &Path) -> Outcome {
    let audit = tollgate(folder, "audit flow.toml --json");
    let mut audit: Value = serde_json::from_str(&audit).unwrap();
    audit.as_object_mut().unwrap().remove("as_of");
    assert_eq!(audit["differences"].as_array().unwrap().len(), 0, "{audit}");
    Outcome { outputs: contents(&folder.join("out")), aside: suspense(folder), audit }
}

/// Asserts that two runs had the same outcome.
fn same(one: &Path, other: &Path) {
    let (one, other) = (outcome(one), outcome(other));
    assert_eq!(one.audit, other.audit);
    assert_eq!(one.aside, other.aside);
    let names = |of: &Outcome| of.outputs.keys().cloned().collect::<Vec<_>>();
    assert_eq!(names(&one), names(&other));
    assert!(one == other, "an output is not the same");
}

/// Several threads: of the gateway's own process, and of processes beside it.
const TOGETHER: [&str; 2] = ["--workers 3", "--processes 2 --workers 2"];

/// Returns in how many stretches files were read according to the log. Each line names its file and where it was
/// logged, even if that is a process beside the gateway.
fn stretches(folder: &Path) -> u64 {
    let log = fs::read_to_string(folder.join("log/gateway.log")).unwrap();
    let lines = log.lines().map(|line| serde_json::from_str::<Value>(line).unwrap());
    let of = |line: Value| {
        let stretches = line["stretches"].as_u64()?;
        let file = line["file"].as_str().unwrap_or_else(|| panic!("of which file is {line}"));
        assert!(line["message"].as_str().unwrap().contains(file), "{line}");
        assert!(line["network_element"].is_string(), "{line}");
        let is_of_worker = line["target"].as_str().unwrap().starts_with("flow::worker");
        assert!(is_of_worker && line["level"] == "DEBUG", "{line}");
        Some(stretches)
    };
    lines.filter_map(of).sum()
}

/// Returns whether a log has lines from processes beside the gateway.
fn is_of_processes(folder: &Path) -> bool {
    fs::read_to_string(folder.join("log/gateway.log"))
        .unwrap()
        .contains("\"process\":\"processing process")
}

/// Asserts that several threads read a file with the same outcome as one, and returns the outcome. A file is only cut
/// if other threads are idle, which depends on chance, so the run is repeated until it is.
fn whoever_reads(of: &Path, stretch_octets: usize) -> Outcome {
    let alone = copy(of);
    tollgate(alone.path(), "run flow.toml --once --workers 1");
    assert_eq!(stretches(alone.path()), 0);
    for who in TOGETHER {
        let is_cut = |_| {
            let together = copy(of);
            let run = format!("run flow.toml --once {who} --stretch-octets {stretch_octets}");
            tollgate(together.path(), &run);
            same(alone.path(), together.path());
            let is_cut = stretches(together.path()) > 5;
            assert!(!is_cut || is_of_processes(together.path()) == who.contains("processes"));
            is_cut
        };
        assert!((0..50).any(is_cut), "{who}: it is never cut");
    }
    outcome(alone.path())
}

#[test]
fn a_large_file_is_the_same_whoever_reads_it() {
    let folder = example(30_000, |flow| flow);
    assert!(whoever_reads(folder.path(), 40_000).aside.len() > 50);
}

#[test]
fn a_large_file_of_lines_is_the_same_whoever_reads_it() {
    // The outputs of the example are the inputs here.
    let made = example(20_000, |flow| flow);
    tollgate(made.path(), "run flow.toml --once");
    for (codec, from, ty, written) in [
        ("json", "out/marked/msc-boston-boston-00001.ber.json", "MSC.CallDataRecord", "xml"),
        ("csv", "out/statistics/msc-boston-boston-00001.csv", "Billing.UnbilledCall", "csv"),
    ] {
        let folder = TempDir::new().unwrap();
        let here = folder.path();
        tollgate(here, "init .");
        fs::remove_dir_all(here.join("in")).unwrap();
        fs::create_dir(here.join("in")).unwrap();
        let lines = fs::read_to_string(made.path().join(from)).unwrap();
        let mut damaged = String::new();
        for (line, number) in lines.lines().zip(0_u32..) {
            damaged += if number % 997 == 996 { "\"" } else { "" };
            damaged += line;
            damaged += if number % 61 == 0 { "\r\n\n" } else { "\n" };
        }
        fs::write(here.join("in/lines.x"), damaged).unwrap();
        let flow = format!(
            "[asn1]\nmodules = [\"asn1/msc.asn1\", \"asn1/billing.asn1\"]\n\
             [network-element.lines]\ncollect = {{ dir = \"in\" }}\n\
             decode = {{ type = \"{ty}\", codec = \"{codec}\" }}\n\
             [post-processing-system.out]\nfrom = \"lines\"\nencode = {{ codec = \"{written}\" }}\n\
             deliver = {{ dir = \"out\" }}\n\
             [log]\nfile = \"log/gateway.log\"\nrotate = \"never\"\nlevel = \"debug\"\n"
        );
        fs::write(here.join("flow.toml"), flow).unwrap();
        assert!(whoever_reads(here, 2_000).aside.len() > 3);
    }
}

#[test]
fn a_gateway_that_is_killed_in_a_large_file_begins_it_again() {
    let alone = example(60_000, |flow| flow);
    let copies = TOGETHER.map(|who| (who, copy(alone.path())));
    tollgate(alone.path(), "run flow.toml --once --workers 1");
    for (who, killed) in copies {
        for _ in 0..3 {
            let mut command = Command::new(env!("CARGO_BIN_EXE_tollgate"));
            command.current_dir(killed.path()).args(["run", "flow.toml"]).args(who.split(' '));
            command.args(["--stretch-octets", "20000"]).stdout(Stdio::null()).stderr(Stdio::null());
            let mut gateway = command.spawn().unwrap();
            let part = killed.path().join("out/marked/.msc-boston-boston-00001.ber.json.part");
            let is_large = || part.metadata().is_ok_and(|part| part.len() > 1 << 20);
            wait_for("what is made of it", is_large);
            gateway.kill().unwrap();
            gateway.wait().unwrap();
        }
        tollgate(killed.path(), &format!("run flow.toml --once {who} --stretch-octets 20000"));
        same(alone.path(), killed.path());
    }
}

/// Returns whether a process does processing tasks, and no errands.
fn does_tasks(process: u32) -> bool {
    let named = fs::read(format!("/proc/{process}/cmdline")).unwrap_or_default();
    named.starts_with(b"tollgate: processing process")
}

/// Helping threads end with the process that they help: others begin the file again, and it is not taken for a file
/// that kills processes.
#[test]
fn a_process_that_is_killed_in_a_large_file_has_it_begun_again() {
    let alone = example(60_000, |flow| flow);
    let killed = copy(alone.path());
    tollgate(alone.path(), "run flow.toml --once --workers 1");
    let mut command = Command::new(env!("CARGO_BIN_EXE_tollgate"));
    let run =
        ["run", "flow.toml", "--processes", "2", "--workers", "2", "--stretch-octets", "20000"];
    command.current_dir(killed.path()).args(run).stdout(Stdio::null()).stderr(Stdio::null());
    let mut gateway = command.spawn().unwrap();
    let part = killed.path().join("out/marked/.msc-boston-boston-00001.ber.json.part");
    let is_large = || part.metadata().is_ok_and(|part| part.len() > 1 << 20);
    for _ in 0..2 {
        let mut processing = Vec::new();
        wait_for("what is made of it", || {
            processing = children(gateway.id());
            processing.retain(|process| does_tasks(*process));
            !processing.is_empty() && is_large()
        });
        fs::remove_file(&part).unwrap();
        processing.into_iter().for_each(|process| assert!(kill(process)));
    }
    let done = killed.path().join("in/boston/boston-00001.ber.done");
    wait_for("the file", || done.exists());
    gateway.kill().unwrap();
    gateway.wait().unwrap();
    tollgate(killed.path(), "run flow.toml --once");
    same(alone.path(), killed.path());
    assert!(stretches(killed.path()) > 5);
}

#[test]
fn a_file_is_not_cut_where_what_becomes_of_a_record_depends_on_those_before() {
    let check = "[duplicate-check.once]\nfrom = \"isBillable\"\ntype = \"MSC.CallDataRecord\"\n\
                 key = \"record.sequenceNumber\"\nwindow = \"1 day\"\n";
    let counted = "decode  = { type = \"MSC.CallDataRecord\" }\nrecord-sequence = { number = \
                   \"record.sequenceNumber\", first = 0, last = 99999999 }";
    let with_check = |flow: String| flow + check;
    let with_numbers =
        |flow: String| flow.replacen("decode  = { type = \"MSC.CallDataRecord\" }", counted, 2);
    for of in [example(5_000, with_check), example(5_000, with_numbers)] {
        for who in TOGETHER {
            let folder = copy(of.path());
            tollgate(folder.path(), &format!("run flow.toml --once {who} --stretch-octets 10000"));
            assert_eq!(stretches(folder.path()), 0);
        }
    }
}
