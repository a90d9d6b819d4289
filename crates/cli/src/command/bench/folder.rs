//! Where a benchmark does its work.

use std::fs;
use std::path::{Path, PathBuf};

use flow::RunOptions;

use crate::command::CommandError;
use crate::command::run::{PARTS, mistakes};

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

/// Makes the journal of the example's flow, or one with its network elements, which is done once in a gateway's life:
/// the flow is run while nothing has come.
pub(super) fn make_journal(folder: &Path, flow: &str) -> Result<(), CommandError> {
    let (inputs, aside) = (folder.join("in"), folder.join("come"));
    fs::rename(&inputs, &aside)?;
    for centre in ["new-york", "boston"] {
        fs::create_dir_all(inputs.join(centre))?;
    }
    flow::run(&folder.join(flow), PARTS, &RunOptions::once()).map_err(mistakes)?;
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
