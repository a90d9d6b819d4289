//! How files are now, by their sizes and times.

use std::io;
use std::path::PathBuf;

use runtime::time::since_epoch_ns;
use serde::{Deserialize, Serialize};

/// The size of a file, and when it was last written to, in nanoseconds since 1970.
pub(crate) type Version = (i64, i64);

/// How a file is now.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) enum Lies {
    As(Version),
    Gone,
    /// It is not seen.
    Unknown,
}

/// How these files are now.
pub(crate) fn versions(paths: &[PathBuf]) -> Vec<Lies> {
    let lies = |path: &PathBuf| match std::fs::symlink_metadata(path) {
        Ok(found) => {
            let modified_ns = found.modified().map_or(0, since_epoch_ns);
            Lies::As((found.len() as i64, modified_ns))
        }
        Err(error) if error.kind() == io::ErrorKind::NotFound => Lies::Gone,
        Err(_) => Lies::Unknown,
    };
    paths.iter().map(lies).collect()
}
