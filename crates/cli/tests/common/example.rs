//! The example flow, as a user has it.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use tempfile::TempDir;

/// Returns a command in a folder.
pub(crate) fn tollgate(folder: &Path, line: &str) -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_tollgate"));
    command.current_dir(folder).args(line.split(' '));
    command
}

/// Returns the status of a command and its output.
pub(crate) fn run(folder: &Path, line: &str) -> (i32, String) {
    let output = tollgate(folder, line).output().unwrap();
    (output.status.code().unwrap_or(-1), String::from_utf8_lossy(&output.stderr).into_owned())
}

/// Creates the example flow without inputs.
pub(crate) fn empty_flow() -> TempDir {
    let folder = TempDir::new().unwrap();
    assert_eq!(run(folder.path(), "init .").0, 0);
    fs::remove_dir_all(folder.path().join("in")).unwrap();
    folder
}

/// Returns the files of a folder without the hidden ones; none if there is no folder.
pub(crate) fn files(folder: &Path) -> Vec<PathBuf> {
    let Ok(entries) = fs::read_dir(folder) else { return Vec::new() };
    let paths = entries.map(|entry| entry.unwrap().path());
    let shown = |path: &PathBuf| !path.file_name().unwrap().to_string_lossy().starts_with('.');
    paths.filter(shown).collect()
}

const OUTPUTS: [&str; 3] = ["out/home", "out/roaming", "out/statistics"];

/// Takes away the delivered files; returns how many there were.
pub(crate) fn take_outputs(folder: &Path) -> usize {
    let made: Vec<_> = OUTPUTS.iter().flat_map(|made| files(&folder.join(made))).collect();
    made.iter().for_each(|path| fs::remove_file(path).unwrap());
    made.len()
}
