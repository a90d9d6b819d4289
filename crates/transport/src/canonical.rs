//! Canonical paths of folders.

use std::ffi::OsStr;
use std::fs;
use std::path::{Component, Path, PathBuf};

/// Returns the path of a folder without links, `.` and `..`, as far as it exists. In the part that
/// does not exist yet, `..` leads to the parent.
pub fn real_path(folder: &Path) -> PathBuf {
    let absolute = std::path::absolute(folder).unwrap_or_else(|_| folder.to_owned());
    let mut found = PathBuf::new();
    for component in absolute.components() {
        match component {
            Component::ParentDir => drop(found.pop()),
            Component::CurDir => {}
            other => {
                found.push(other);
                found = fs::canonicalize(&found).unwrap_or(found);
            }
        }
    }
    found
}

/// Returns whether a folder is another one, or is below it without a hidden folder in between.
pub(crate) fn is_within(folder: &Path, above: &Path) -> bool {
    let hidden = |name: &OsStr| name.to_string_lossy().starts_with('.');
    folder.strip_prefix(above).is_ok_and(|rest| !rest.iter().any(hidden))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_existing_or_missing_folder_has_one_canonical_path() {
        let here = tempfile::tempdir().expect("a folder");
        let base = real_path(here.path());
        for path in ["sub/../in", "./in", "in/x/..", "in"] {
            assert_eq!(real_path(&base.join(path)), base.join("in"), "{path}");
        }
        fs::create_dir_all(base.join("in")).expect("a folder");
        assert_eq!(real_path(&base.join("sub/../in")), base.join("in"));
    }
}
