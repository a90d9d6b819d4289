//! The flow of the tests: a rating node with the plan of the example, and what the commands say of it.

use std::fs;
use std::path::Path;
use std::process::Command;

use tempfile::TempDir;

pub(super) const HEADER: &str = "service,served,other,partner,start,duration,octets\n";

/// Returns a command in a folder.
pub(super) fn tollgate(folder: &Path, line: &str) -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_tollgate"));
    command.current_dir(folder).args(line.split(' '));
    command
}

/// Returns the status of a command and its output.
pub(super) fn run(folder: &Path, line: &str) -> (i32, String) {
    let output = tollgate(folder, line).output().unwrap();
    (output.status.code().unwrap_or(-1), String::from_utf8_lossy(&output.stderr).into_owned())
}

/// Creates the flow, with the example's plan in `tariff` and a file of these records.
pub(super) fn flow(records: &str) -> TempDir {
    let folder = TempDir::new().unwrap();
    let here = folder.path();
    fs::write(here.join("flow.toml"), include_str!("../flows/rating.toml")).unwrap();
    fs::write(here.join("rating.asn1"), include_str!("../flows/rating.asn1")).unwrap();
    for made in ["in", "tariff"] {
        fs::create_dir(here.join(made)).unwrap();
    }
    let plan = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../examples/tariff");
    for entry in fs::read_dir(plan).unwrap() {
        let entry = entry.unwrap();
        fs::copy(entry.path(), here.join("tariff").join(entry.file_name())).unwrap();
    }
    fs::write(here.join("in/calls.csv"), HEADER.to_owned() + records).unwrap();
    folder
}

pub(super) fn change(path: &Path, from: &str, to: &str) {
    let text = fs::read_to_string(path).unwrap();
    assert!(text.contains(from), "{from}");
    fs::write(path, text.replace(from, to)).unwrap();
}

/// Returns the reasons for which records are in suspense, in order.
pub(super) fn reasons(folder: &Path) -> Vec<String> {
    let output = tollgate(folder, "suspense list flow.toml --json").output().unwrap();
    let lines = String::from_utf8(output.stdout).unwrap();
    let reason = |line: &str| {
        let row: serde_json::Value = serde_json::from_str(line).unwrap();
        row["reason"].as_str().unwrap().to_owned()
    };
    lines.lines().map(reason).collect()
}

/// Creates the flow with a formatter of this script after the rating node.
pub(super) fn flow_with_script(records: &str, script: &str) -> TempDir {
    let folder = flow(records);
    fs::write(folder.path().join("special.dup"), script).unwrap();
    let system = "[post-processing-system.billing]\nfrom    = ";
    let formatter = "[formatter.special]\nfrom = \"price\"\nscript = \"special.dup\"\n\n";
    let with = format!("{formatter}{system}\"special\"");
    change(&folder.path().join("flow.toml"), &format!("{system}\"price\""), &with);
    folder
}

/// Creates a flow that keeps counters, with 100 minutes a month for each subscriber.
pub(super) fn counting(records: &str) -> TempDir {
    let folder = flow(records);
    change(&folder.path().join("flow.toml"), "counters = \"ignored\"", "counters = \"kept\"");
    let tariff = folder.path().join("tariff");
    change(&tariff.join("tariff.toml"), "subscriber = \"consumer\"", "subscriber = \"plus\"");
    folder
}

/// Returns a call of `seconds` seconds, on a day.
pub(super) fn call_of(seconds: u32, served: &str, day: &str) -> String {
    format!("telephony,{served},0721234567,,{day}120000Z,{seconds},\n")
}

pub(super) fn put(folder: &Path, name: &str, records: &str) {
    fs::write(folder.join("in").join(name), HEADER.to_owned() + records).unwrap();
}

/// Returns the prices of the calls in a file, in the order of its records.
pub(super) fn prices(folder: &Path, stem: &str) -> Vec<String> {
    let text = billed(folder, stem);
    text.lines().skip(1).map(|line| line.split(',').nth(3).unwrap().to_owned()).collect()
}

pub(super) fn counters(folder: &Path, line: &str) -> String {
    let output = tollgate(folder, &format!("tariff counters flow.toml {line}")).output().unwrap();
    String::from_utf8(output.stdout).unwrap() + &String::from_utf8_lossy(&output.stderr)
}

/// Returns the alarms of a flow; none if none are raised.
pub(super) fn alarms(folder: &Path) -> String {
    let output = tollgate(folder, "alarms flow.toml").output().unwrap();
    let listed = String::from_utf8(output.stdout).unwrap();
    assert_eq!(output.status.code(), Some(i32::from(!listed.is_empty())), "{listed}");
    listed
}

/// Renames the rating node.
pub(super) fn rename(folder: &Path, from: &str, to: &str) {
    let path = folder.join("flow.toml");
    change(&path, &format!("[rating.{from}]"), &format!("[rating.{to}]"));
    change(&path, &format!("from    = \"{from}\""), &format!("from    = \"{to}\""));
}

/// Returns a page of the how-to guides.
pub(super) fn page(name: &str) -> String {
    let folder = concat!(env!("CARGO_MANIFEST_DIR"), "/../../docs/how-to");
    fs::read_to_string(Path::new(folder).join(name)).unwrap()
}

/// Returns the blocks of a page that are in a language.
pub(super) fn blocks(page: &str, language: &str) -> Vec<String> {
    let opening = format!("```{language}\n");
    page.split(&opening).skip(1).map(|rest| rest.split("```").next().unwrap().to_owned()).collect()
}

/// Returns the output of a file; empty if it does not exist yet.
pub(super) fn billed(folder: &Path, stem: &str) -> String {
    fs::read_to_string(folder.join("out").join(stem).with_extension("csv")).unwrap_or_default()
}

/// A gateway that ends with the test.
#[cfg(unix)]
pub(super) struct Gateway(pub(super) std::process::Child);

#[cfg(unix)]
impl Drop for Gateway {
    fn drop(&mut self) {
        let _ = self.0.kill();
        let _ = self.0.wait();
    }
}
