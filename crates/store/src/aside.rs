//! Moves a damaged database out of the way if the program can do without it, with all its side
//! files, for later inspection.

use std::io;
use std::path::{Path, PathBuf};

use crate::check_mark::beside;

/// The suffixes of a database and its side files. A new database must not find any of them. The
/// database itself is moved last: as long as it exists, no new one is created.
const SUFFIXES: [&str; 5] = ["-wal", "-shm", "-commits", "-looked", ""];

/// Renames a database and its side files to names with the suffix `end`, and returns the new path
/// of the database. No process may have it open. If the name is taken, a number is added.
pub fn put_aside(database: &Path, end: &str) -> io::Result<PathBuf> {
    let target = free(&beside(database, end));
    for suffix in SUFFIXES {
        match std::fs::rename(beside(database, suffix), beside(&target, suffix)) {
            Err(error) if error.kind() != io::ErrorKind::NotFound => return Err(error),
            _ => {}
        }
    }
    Ok(target)
}

/// Returns a path at which nothing exists.
fn free(path: &Path) -> PathBuf {
    let others = (2..).map(|number| beside(path, &format!("-{number}")));
    let mut names = std::iter::once(path.to_path_buf()).chain(others);
    names.find(|name| name.symlink_metadata().is_err()).expect("there is no end of numbers")
}
