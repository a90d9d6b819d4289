//! Puts a damaged database aside if the program can do without it. All its side files go too, for later inspection.

use std::io;
use std::path::{Path, PathBuf};

use crate::clean_end::beside;

/// The suffixes of a database and its side files. A new database must not find any of them. The database itself is the
/// last: as long as it exists, no new one begins.
const PARTS: [&str; 5] = ["-wal", "-shm", "-commits", "-looked", ""];

/// Renames a database and its side files to names with the suffix `end`, and returns the new path of the database. No
/// process may have it open. If the name is taken, a number is added.
pub fn put_aside(database: &Path, end: &str) -> io::Result<PathBuf> {
    let place = free(&beside(database, end));
    for what in PARTS {
        match std::fs::rename(beside(database, what), beside(&place, what)) {
            Err(error) if error.kind() != io::ErrorKind::NotFound => return Err(error),
            _ => {}
        }
    }
    Ok(place)
}

/// Returns a path at which nothing exists.
fn free(place: &Path) -> PathBuf {
    let others = (2..).map(|number| beside(place, &format!("-{number}")));
    let mut names = std::iter::once(place.to_path_buf()).chain(others);
    names.find(|name| name.symlink_metadata().is_err()).expect("there is no end of numbers")
}
