//! Why files are not archived, or archived files not removed.

use std::io;
use std::path::PathBuf;

use store::StoreError;

/// Why the archiver waits before it tries again.
#[derive(Debug, thiserror::Error)]
pub(super) enum ArchiverError {
    /// The journal cannot be read or written.
    #[error(transparent)]
    Journal(#[from] StoreError),
    /// An input is not found, because its folder cannot be read.
    #[error("could not look for \"{}\": {cause}", path.display())]
    Find { path: PathBuf, cause: io::Error },
    /// It is unknown whether the archive has a file.
    #[error("could not look into the archive \"{}\": {cause}", dir.display())]
    Look { dir: PathBuf, cause: io::Error },
    /// The disk has no room beyond its reserve, in octets.
    #[error(
        "less than {} would be free on the disk of \"{}\": nothing is archived, and files stay where they are",
        diagnostics::octets(*least),
        dir.display()
    )]
    NoRoom { least: u64, dir: PathBuf },
    /// A file cannot be copied into the archive.
    #[error(
        "could not archive \"{}\" in \"{}\": {cause}; files stay where they are until it can be",
        source_path.display(),
        dir.display()
    )]
    Copy { source_path: PathBuf, dir: PathBuf, cause: io::Error },
    /// Files cannot be synced or renamed in the archive.
    #[error("could not write the archive \"{}\": {cause}", dir.display())]
    Write { dir: PathBuf, cause: io::Error },
    /// An archived file that is too old cannot be removed.
    #[error("could not remove \"{}\": {cause}", path.display())]
    Remove { path: PathBuf, cause: io::Error },
    /// The input of an archived file cannot be removed.
    #[error("\"{}\" is archived, and could not be removed: {cause}", path.display())]
    RemoveInput { path: PathBuf, cause: io::Error },
}
