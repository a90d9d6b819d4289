//! Folders by the names they really have.

use std::ffi::OsStr;
use std::fs;
use std::path::{Component, Path, PathBuf};

/// A folder without links, `.` and `..` in its path, as far as it is there; of what is not there yet, `..` is
/// taken for the folder above.
pub fn real(folder: &Path) -> PathBuf {
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

/// Whether a folder is another, or lies below it and is not hidden on the way there.
pub(crate) fn lies_within(folder: &Path, above: &Path) -> bool {
    let hidden = |name: &OsStr| name.to_string_lossy().starts_with('.');
    folder.strip_prefix(above).is_ok_and(|rest| !rest.iter().any(hidden))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_folder_has_one_name_whether_it_is_there_or_not() {
        let here = tempfile::tempdir().expect("a folder");
        let base = real(here.path());
        for path in ["sub/../in", "./in", "in/x/..", "in"] {
            assert_eq!(real(&base.join(path)), base.join("in"), "{path}");
        }
        fs::create_dir_all(base.join("in")).expect("a folder");
        assert_eq!(real(&base.join("sub/../in")), base.join("in"));
    }
}
