//! What network elements have pushed.

use std::fs;
use std::path::{Path, PathBuf};

/// The in buffer of Boston.
pub(crate) fn buffer(folder: &Path) -> PathBuf {
    folder.join("flow.state/in/msc-boston")
}

/// What is in a folder, hidden names too; nothing where there is none.
pub(crate) fn names(folder: &Path) -> Vec<String> {
    let entries = fs::read_dir(folder).into_iter().flatten();
    let mut names: Vec<String> =
        entries.map(|entry| entry.unwrap().file_name().into_string().unwrap()).collect();
    names.sort();
    names
}
