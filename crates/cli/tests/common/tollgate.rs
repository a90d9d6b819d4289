//! The program, run until it ends.

use std::path::Path;
use std::process::Command;

/// Returns the status of a command in a folder, and its output.
pub(crate) fn tollgate(folder: &Path, line: &str) -> (i32, String) {
    tollgate_words(folder, &line.split(' ').collect::<Vec<_>>())
}

/// Returns the status of a command in a folder, and its output. Words may have spaces.
pub(crate) fn tollgate_words(folder: &Path, words: &[&str]) -> (i32, String) {
    let mut command = Command::new(env!("CARGO_BIN_EXE_tollgate"));
    let output = command.current_dir(folder).args(words).output().unwrap();
    let said = [output.stdout, output.stderr].concat();
    (output.status.code().unwrap(), String::from_utf8_lossy(&said).into_owned())
}
