//! Tests that run the examples: every octet of their output is compared with the files of `tests/golden`. With
//! `UPDATE=1` these are written again; read the difference before committing it.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use crate::common::suspense;
use assert_cmd::Command;
use tempfile::TempDir;

fn repository() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../..")
}

fn tollgate(folder: &Path, line: &str) -> (i32, String) {
    let mut command = Command::cargo_bin("tollgate").unwrap();
    let output = command.current_dir(folder).args(line.split(' ')).output().unwrap();
    (output.status.code().unwrap(), String::from_utf8_lossy(&output.stderr).into_owned())
}

fn copy(from: &Path, to: &Path) {
    std::fs::create_dir_all(to).unwrap();
    for entry in std::fs::read_dir(from).unwrap() {
        let entry = entry.unwrap();
        let target = to.join(entry.file_name());
        match entry.file_type().unwrap().is_dir() {
            true => copy(&entry.path(), &target),
            false => drop(std::fs::copy(entry.path(), target).unwrap()),
        }
    }
}

/// Returns all files below a folder by their names.
fn files(folder: &Path) -> BTreeMap<PathBuf, Vec<u8>> {
    let mut found = BTreeMap::new();
    let mut folders = vec![folder.to_path_buf()];
    while let Some(next) = folders.pop() {
        for entry in std::fs::read_dir(&next).into_iter().flatten() {
            let path = entry.unwrap().path();
            match path.is_dir() {
                true => folders.push(path),
                false => {
                    let name = path.strip_prefix(folder).unwrap().to_path_buf();
                    found.insert(name, std::fs::read(&path).unwrap());
                }
            }
        }
    }
    found
}

/// Runs an example, after `before`, and compares the files in `out` and the records in suspense.
fn check(example: &str, before: &str, status: i32) {
    check_run(example, before, "run flow.toml --once", status);
}

fn check_run(example: &str, before: &str, run: &str, status: i32) {
    let examples = TempDir::new().unwrap();
    for needed in [example, "tariff"] {
        copy(&repository().join("examples").join(needed), &examples.path().join(needed));
    }
    let folder = examples.path().join(example);
    for made in ["out", "flow.state"] {
        let _ = std::fs::remove_dir_all(folder.join(made));
    }
    if !before.is_empty() {
        let (status, wrong) = tollgate(&folder, before);
        assert_eq!(status, 0, "{wrong}");
    }
    let (found, wrong) = tollgate(&folder, run);
    assert_eq!(found, status, "{wrong}");
    std::fs::write(folder.join("out/suspense"), suspense(&folder).join("\n")).unwrap();
    let golden = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/golden").join(example);
    if std::env::var_os("UPDATE").is_some() {
        let _ = std::fs::remove_dir_all(&golden);
        copy(&folder.join("out"), &golden.join("out"));
    }
    let (wanted, found) = (files(&golden.join("out")), files(&folder.join("out")));
    let names = |files: &BTreeMap<PathBuf, Vec<u8>>| files.keys().cloned().collect::<Vec<_>>();
    assert_eq!(names(&wanted), names(&found), "{example}: the files in out");
    for (name, octets) in &wanted {
        assert!(found[name] == *octets, "{example}: out/{} differs", name.display());
    }
}

#[test]
fn two_switching_centres() {
    let simulate = "simulate cdr --count 60 --files 2 --seed 7 --overrun 0.05 --flipped 0.05 --truncated 1 --unknown-extensions 0.1 in";
    check("msc-billing", simulate, 1);
}

#[test]
fn packet_gateway() {
    check("pgw", "", 0);
}

#[test]
fn transferred_account() {
    check("tap", "", 0);
}

#[test]
fn records_that_belong_together() {
    // One worker gives groups the same numbers each time; outputs are named by them.
    check_run("matching", "", "run flow.toml --once --workers 1", 1);
}

#[test]
fn special_prices() {
    check("rating", "", 1);
}

#[test]
fn the_scripts_of_all_examples_are_formatted_have_no_warnings_and_pass_their_tests() {
    for example in ["msc-billing", "tap", "matching", "rating"] {
        let folder = repository().join("examples").join(example);
        let scripts: Vec<String> = std::fs::read_dir(folder.join("scripts"))
            .unwrap()
            .map(|entry| format!("scripts/{}", entry.unwrap().file_name().to_string_lossy()))
            .filter(|name| name.ends_with(".dup"))
            .collect();
        let scripts = scripts.join(" ");
        assert_eq!(tollgate(&folder, "check flow.toml"), (0, String::new()), "{example}");
        assert_eq!(tollgate(&folder, &format!("dup fmt --check {scripts}")).0, 0, "{example}");
        assert_eq!(tollgate(&folder, &format!("dup test {scripts}")).0, 0, "{example}");
    }
}
