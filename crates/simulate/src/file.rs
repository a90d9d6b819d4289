//! Writes files, and the folders that they are in.

use std::fs;
use std::io;
use std::path::{Path, PathBuf};

/// A file or its folder could not be written.
#[derive(Debug, thiserror::Error)]
#[error("could not write \"{}\"", path.display())]
pub struct WriteError {
    /// The file.
    pub path: PathBuf,
    /// The reason.
    #[source]
    pub cause: io::Error,
}

/// Writes a file, and overwrites an existing one.
pub(crate) fn write(path: &Path, octets: &[u8]) -> Result<(), WriteError> {
    let folder = path.parent().map_or(Ok(()), fs::create_dir_all);
    let written = folder.and_then(|()| fs::write(path, octets));
    written.map_err(|cause| WriteError { path: path.to_owned(), cause })
}
