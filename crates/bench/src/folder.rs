//! The folder where a benchmark works.

use std::fs;
use std::path::{Path, PathBuf};

use gateway::RunOptions;

use crate::error::BenchError;
use crate::product::Product;

/// Returns a folder in memory, or the system's temporary folder.
pub(super) fn memory_folder() -> PathBuf {
    let shared = PathBuf::from("/dev/shm");
    if shared.is_dir() { shared } else { std::env::temp_dir() }
}

/// A folder for the work, which may be removed at the end.
pub(super) struct Folder {
    pub(super) path: PathBuf,
    removed: bool,
}

/// The names of what a benchmark makes in the user's folder: its working folder, which it empties, and the file that
/// marks this folder as its own.
const OWN: &str = "tollgate-bench";
const MARK: &str = ".tollgate-bench";

impl Folder {
    /// Uses the user's folder, or else a temporary one in `elsewhere`.
    pub(super) fn of(given: Option<&Path>, elsewhere: &Path) -> Result<Self, BenchError> {
        given.map_or_else(|| Ok(Folder::removed(elsewhere)), Folder::within)
    }

    /// Creates an empty working folder within the user's folder. It is not removed at the end. Fails if the user's
    /// folder contains anything that no benchmark made.
    fn within(given: &Path) -> Result<Self, BenchError> {
        let read = |cause| BenchError::Read { path: given.into(), cause };
        let write = |cause| BenchError::WriteFile { path: given.into(), cause };
        fs::create_dir_all(given).map_err(write)?;
        let is_ours = given.join(MARK).is_file();
        for entry in fs::read_dir(given).map_err(read)? {
            let name = entry.map_err(read)?.file_name();
            if name != MARK && !(is_ours && name == OWN) {
                return Err(BenchError::NotEmpty { folder: given.into(), name });
            }
        }
        fs::write(given.join(MARK), "Benchmarks empty the folder beside this.\n").map_err(write)?;
        // The path is absolute, because the flow names folders within it and processes start there.
        let path = fs::canonicalize(given).map_err(read)?.join(OWN);
        if path.exists() {
            fs::remove_dir_all(&path).map_err(write)?;
        }
        fs::create_dir(&path).map_err(write)?;
        Ok(Folder { path, removed: false })
    }

    /// Returns a folder within another, which is removed at the end.
    pub(super) fn removed(within: &Path) -> Self {
        Folder {
            path: within.join(format!("tollgate-bench-{}", std::process::id())),
            removed: true,
        }
    }
}

/// Makes the journal of the example's flow, or of one with the same network elements. A gateway does that once in its
/// life: the flow runs without any files.
pub(super) fn make_journal(product: &Product, folder: &Path, flow: &str) -> Result<(), BenchError> {
    let (inputs, aside) = (folder.join("in"), folder.join("come"));
    fs::rename(&inputs, &aside)?;
    for centre in ["new-york", "boston"] {
        fs::create_dir_all(inputs.join(centre))?;
    }
    gateway::run(&folder.join(flow), product.parts, &RunOptions::once())?;
    fs::remove_dir_all(&inputs)?;
    Ok(fs::rename(&aside, &inputs)?)
}

impl Drop for Folder {
    fn drop(&mut self) {
        if self.removed {
            let _ = fs::remove_dir_all(&self.path);
        }
    }
}
