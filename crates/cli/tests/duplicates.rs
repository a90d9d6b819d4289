//! What comes twice is set aside and counted, not processed and not dropped.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use tempfile::TempDir;

fn tollgate(folder: &Path, line: &str) -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_tollgate"));
    command.current_dir(folder).args(line.split(' '));
    command
}

fn run(folder: &Path, line: &str) -> (i32, String) {
    let output = tollgate(folder, line).output().unwrap();
    (output.status.code().unwrap_or(-1), String::from_utf8_lossy(&output.stderr).into_owned())
}

fn empty_flow() -> TempDir {
    let folder = TempDir::new().unwrap();
    assert_eq!(run(folder.path(), "init .").0, 0);
    fs::remove_dir_all(folder.path().join("in")).unwrap();
    folder
}

/// The files of a folder, those hidden left out; none where there is no folder.
fn files(folder: &Path) -> Vec<PathBuf> {
    let Ok(entries) = fs::read_dir(folder) else { return Vec::new() };
    let paths = entries.map(|entry| entry.unwrap().path());
    let shown = |path: &PathBuf| !path.file_name().unwrap().to_string_lossy().starts_with('.');
    paths.filter(shown).collect()
}

const OUTPUTS: [&str; 3] = ["out/home", "out/roaming", "out/statistics"];

fn take_outputs(folder: &Path) -> usize {
    let made: Vec<_> = OUTPUTS.iter().flat_map(|made| files(&folder.join(made))).collect();
    made.iter().for_each(|path| fs::remove_file(path).unwrap());
    made.len()
}

#[test]
fn a_file_that_came_before_is_set_aside_and_its_records_are_counted() {
    let folder = empty_flow();
    let simulate = "simulate cdr --count 50 --files 2 --centre boston:8 in";
    assert_eq!(run(folder.path(), simulate).0, 0);
    let input = |name: &str| folder.path().join("in/boston").join(name);
    let again = |from: &str, to: &str| fs::copy(input(from), input(to)).unwrap();
    // Twice within one run, and again in the next.
    again("boston-00001.ber", "boston-00003.ber");
    let account = |out: &str| -> serde_json::Value { serde_json::from_str(out).unwrap() };
    let once = tollgate(folder.path(), "run flow.toml --once --json").output().unwrap();
    let said = String::from_utf8_lossy(&once.stderr);
    assert!(said.contains("came before, as \"boston-0000"), "{said}");
    assert_eq!(once.status.code(), Some(1), "a duplicate is a fault");
    let files = account(&String::from_utf8_lossy(&once.stdout))["files"].clone();
    let duplicates: Vec<u64> =
        files.as_array().unwrap().iter().map(|file| file["duplicate"].as_u64().unwrap()).collect();
    assert_eq!(duplicates.iter().sum::<u64>(), 25, "{files}");
    assert!(take_outputs(folder.path()) > 0);

    again("boston-00002.ber.done", "boston-00004.ber");
    let (status, said) = run(folder.path(), "run flow.toml --once");
    assert!(status == 1 && said.contains("boston-00004.ber\" came before"), "{said}");
    assert_eq!(take_outputs(folder.path()), 0);
    assert!(input("boston-00004.ber.duplicate").exists());
    let (status, said) = run(folder.path(), "run flow.toml --once");
    assert!(status == 1 && said.contains("new-york") && !said.contains("before"), "{said}");
}

#[test]
fn what_makes_a_file_a_duplicate_the_flow_says() {
    // By what, and whether a file of another name, of other contents, and of both counts as one.
    let cases = [
        ("off", [false, false, false]),
        ("name", [false, true, true]),
        ("contents", [true, false, true]),
        ("both", [false, false, true]),
        ("either", [true, true, true]),
    ];
    for (by, expected) in cases {
        let found = [("b.ber", "first"), ("a.ber", "second"), ("a.ber", "first")].map(
            |(name, contents)| {
                let folder = empty_flow();
                let flow = folder.path().join("flow.toml");
                let text = fs::read_to_string(&flow).unwrap();
                let told = format!("\"*.ber\" }}\nduplicates = {{ files = \"{by}\" }}");
                fs::write(&flow, text.replace("\"*.ber\" }", &told)).unwrap();
                let simulate = "simulate cdr --count 50 --files 1 --centre boston:8 in";
                assert_eq!(run(folder.path(), simulate).0, 0);
                let first = folder.path().join("in/boston/boston-00001.ber");
                let second = folder.path().join("second");
                let simulate =
                    "simulate cdr --seed 2 --count 50 --files 1 --centre boston:8 second";
                assert_eq!(run(folder.path(), simulate).0, 0);
                let octets = fs::read(&first).unwrap();
                fs::rename(&first, first.with_file_name("a.ber")).unwrap();
                run(folder.path(), "run flow.toml --once");
                take_outputs(folder.path());
                let octets = match contents {
                    "first" => octets,
                    _ => fs::read(second.join("boston/boston-00001.ber")).unwrap(),
                };
                fs::write(first.with_file_name(name), octets).unwrap();
                let (_, said) = run(folder.path(), "run flow.toml --once");
                assert_eq!(
                    take_outputs(folder.path()) == 0,
                    said.contains("came before"),
                    "{said}"
                );
                said.contains("came before")
            },
        );
        assert_eq!(found, expected, "{by}");
    }
}
