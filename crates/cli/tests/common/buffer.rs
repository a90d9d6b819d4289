//! The buffer of files that network elements have pushed.

use std::fs;
use std::path::{Path, PathBuf};

/// Returns the in buffer of Boston.
pub(crate) fn buffer(folder: &Path) -> PathBuf {
    folder.join("flow.state/in/msc-boston")
}

/// Returns the names in a folder, including hidden ones; none if there is no folder.
pub(crate) fn names(folder: &Path) -> Vec<String> {
    let entries = fs::read_dir(folder).into_iter().flatten();
    let mut names: Vec<String> =
        entries.map(|entry| entry.unwrap().file_name().into_string().unwrap()).collect();
    names.sort();
    names
}
