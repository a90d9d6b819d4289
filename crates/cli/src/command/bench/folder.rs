//! Where a benchmark does its work.

use std::fs;
use std::path::{Path, PathBuf};

/// A folder of files in memory, or the system's temporary folder.
pub(super) fn memory_folder() -> PathBuf {
    let shared = PathBuf::from("/dev/shm");
    if shared.is_dir() { shared } else { std::env::temp_dir() }
}

/// A folder to work in.
pub(super) struct Folder {
    pub(super) path: PathBuf,
    removed: bool,
}

impl Folder {
    pub(super) fn kept(path: &Path) -> Self {
        Folder { path: path.into(), removed: false }
    }

    /// A folder of its own within another, removed at the end.
    pub(super) fn removed(within: &Path) -> Self {
        Folder {
            path: within.join(format!("tollgate-bench-{}", std::process::id())),
            removed: true,
        }
    }
}

impl Drop for Folder {
    fn drop(&mut self) {
        if self.removed {
            let _ = fs::remove_dir_all(&self.path);
        }
    }
}
