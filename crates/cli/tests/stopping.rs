//! Tests a gateway that is stopped or killed in the middle of its work: the next run continues, and in the end every
//! record was delivered or suspended once.

use std::collections::BTreeMap;
use std::path::Path;
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

use crate::common::suspense;
use serde_json::Value;
use tempfile::TempDir;

/// Files and records of the work: enough that a run is stopped before its end.
const FILES: u64 = 24;
const RECORDS: u64 = 240_000;

fn tollgate(folder: &Path) -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_tollgate"));
    command.current_dir(folder);
    command
}

fn run(folder: &Path, line: &str) -> (i32, String) {
    let output = tollgate(folder).args(line.split(' ')).output().unwrap();
    (output.status.code().unwrap_or(-1), String::from_utf8_lossy(&output.stdout).into_owned())
}

fn flow() -> TempDir {
    let folder = TempDir::new().unwrap();
    assert_eq!(run(folder.path(), "init .").0, 0);
    std::fs::remove_dir_all(folder.path().join("in")).unwrap();
    let simulate = format!("simulate cdr --count {RECORDS} --files {FILES} --flipped 0.001 in");
    assert_eq!(run(folder.path(), &simulate).0, 0);
    folder
}

fn start(folder: &Path) -> Child {
    let mut command = tollgate(folder);
    command.args(["run", "flow.toml", "--once", "--workers", "1"]);
    command.stdout(Stdio::null()).stderr(Stdio::null()).spawn().unwrap()
}

fn done(folder: &Path) -> usize {
    let centres = ["in/new-york", "in/boston"];
    let files = centres.iter().flat_map(|centre| std::fs::read_dir(folder.join(centre)).unwrap());
    files
        .filter(|file| file.as_ref().unwrap().path().extension().is_some_and(|e| e == "done"))
        .count()
}

/// Waits until the gateway has finished `files` files, or ended.
fn wait_for(folder: &Path, child: &mut Child, files: usize) {
    let end = Instant::now() + Duration::from_secs(60);
    while done(folder) < files && child.try_wait().unwrap().is_none() {
        assert!(Instant::now() < end, "the gateway does nothing");
        std::thread::yield_now();
    }
}

/// Returns the octets of every output file.
fn outputs(folder: &Path) -> BTreeMap<String, Vec<u8>> {
    let mut found = BTreeMap::new();
    found.insert("suspense".into(), suspense(folder).join("\n").into());
    for made in ["out/home", "out/roaming", "out/statistics"] {
        for file in std::fs::read_dir(folder.join(made)).unwrap() {
            let path = file.unwrap().path();
            let name = format!("{made}/{}", path.file_name().unwrap().to_string_lossy());
            found.insert(name, std::fs::read(path).unwrap());
        }
    }
    found
}

/// Returns the outputs of an undisturbed run on the same files.
fn undisturbed(folder: &Path) -> BTreeMap<String, Vec<u8>> {
    let other = TempDir::new().unwrap();
    assert_eq!(run(other.path(), "init .").0, 0);
    std::fs::remove_dir_all(other.path().join("in")).unwrap();
    for centre in ["in/new-york", "in/boston"] {
        std::fs::create_dir_all(other.path().join(centre)).unwrap();
        for file in std::fs::read_dir(folder.join(centre)).unwrap() {
            let path = file.unwrap().path();
            let name = path.file_name().unwrap().to_string_lossy().into_owned();
            let name = name.trim_end_matches(".done");
            std::fs::copy(&path, other.path().join(centre).join(name)).unwrap();
        }
    }
    run(other.path(), "run flow.toml --once");
    outputs(other.path())
}

fn check(folder: &Path) {
    let (_, shown) = run(folder, "run flow.toml --once --json");
    let report: Value = serde_json::from_str(&shown).unwrap();
    assert!(report["files"].as_array().unwrap().len() < FILES as usize, "it went on, not anew");
    assert_eq!(done(folder) as u64, FILES);
    let (found, wanted) = (outputs(folder), undisturbed(folder));
    let names = |files: &BTreeMap<String, Vec<u8>>| files.keys().cloned().collect::<Vec<_>>();
    assert_eq!(names(&found), names(&wanted));
    for (name, octets) in &wanted {
        assert!(found[name] == *octets, "{name} differs from that of a run nobody disturbed");
    }
}

#[test]
#[cfg(unix)]
fn after_ctrl_c_the_next_run_continues() {
    let folder = flow();
    let mut child = start(folder.path());
    wait_for(folder.path(), &mut child, 3);
    let interrupted =
        Command::new("kill").args(["-INT", &child.id().to_string()]).status().unwrap();
    assert!(interrupted.success());
    assert!(child.wait().unwrap().code().is_some(), "it ends by itself");
    let before = done(folder.path());
    assert!((3..FILES as usize).contains(&before), "it was stopped after {before} files");
    // Delivered files are complete, and no other files are there.
    for (name, octets) in outputs(folder.path()) {
        assert!(!octets.is_empty() && !name.contains(".part"), "{name}");
    }
    check(folder.path());
}

#[test]
fn after_a_kill_the_next_run_repeats_what_was_in_hand() {
    let folder = flow();
    for files in [2, 5, 9] {
        let mut child = start(folder.path());
        wait_for(folder.path(), &mut child, files);
        child.kill().unwrap();
        child.wait().unwrap();
    }
    check(folder.path());
    let parts = std::fs::read_dir(folder.path().join("out/home")).unwrap();
    let parts = parts
        .filter(|file| file.as_ref().unwrap().file_name().to_string_lossy().ends_with(".part"));
    assert_eq!(parts.count(), 0, "what a kill left behind was overwritten");
}
