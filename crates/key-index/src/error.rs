//! Why an index cannot be read or written.

use std::io;
use std::path::{Path, PathBuf};

/// Why an index cannot be read or written.
#[derive(Debug, thiserror::Error)]
pub enum IndexError {
    /// A file or a folder cannot be read or written.
    #[error("\"{}\": {cause}", path.display())]
    File {
        /// The file or folder.
        path: PathBuf,
        /// Why.
        #[source]
        cause: io::Error,
    },
    /// A file does not have its checksum.
    #[error("\"{}\" is damaged; if you delete its folder, the index begins again with what comes", path.display())]
    Damaged {
        /// The file.
        path: PathBuf,
    },
    /// A later version has written a file.
    #[error("\"{}\" was written by a later version", path.display())]
    Form {
        /// The file.
        path: PathBuf,
    },
}

impl IndexError {
    /// Returns what makes an error of one of a file.
    pub(crate) fn of(path: &Path) -> impl Fn(io::Error) -> IndexError + use<> {
        let path = path.to_owned();
        move |cause| IndexError::File { path: path.clone(), cause }
    }

    /// Returns whether a file is not there.
    pub(crate) fn is_gone(&self) -> bool {
        matches!(self, IndexError::File { cause, .. } if cause.kind() == io::ErrorKind::NotFound)
    }
}
