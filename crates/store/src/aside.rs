//! Putting a database aside that is damaged, and that somebody can do without: with all that belongs to it, so that who looks
//! at it later has all that there is.

use std::io;
use std::path::{Path, PathBuf};

use crate::clean_end::beside;

/// What lies beside a database and is part of it, or says something of it: none of that is to be taken for a new one's.
/// The database itself is the last: as long as it is there nothing is begun anew.
const PARTS: [&str; 5] = ["-wal", "-shm", "-commits", "-looked", ""];

/// Renames a database that nobody has open, and what lies beside it, to names that end so; returns that of the database. What
/// has the name already stays.
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

/// A name that nothing has.
fn free(place: &Path) -> PathBuf {
    let others = (2..).map(|number| beside(place, &format!("-{number}")));
    let mut names = std::iter::once(place.to_path_buf()).chain(others);
    names.find(|name| name.symlink_metadata().is_err()).expect("there is no end of numbers")
}
