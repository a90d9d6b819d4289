//! Restricts a database and its side files to their owner: they contain call records and password
//! digests. SQLite gives its log the permissions of the database.

use std::fs::OpenOptions;
use std::io::{self, ErrorKind};
use std::path::Path;

use crate::StoreError;
use crate::check_mark::beside;

/// The suffixes of a database and of its side files.
const SUFFIXES: [&str; 5] = ["", "-wal", "-shm", "-looked", "-commits"];

/// Creates a missing database, empty, with access for its owner only. An existing database that
/// everyone can access is closed to group and others: that was a default, not a choice.
pub(crate) fn make_private(database: &Path) -> Result<(), StoreError> {
    let created = for_owner().create_new(true).open(database);
    match created.map(drop) {
        Err(error) if error.kind() == ErrorKind::AlreadyExists => {}
        created => return created.map_err(|error| store_error(database, &error)),
    }
    // A file of another owner cannot be changed, and keeps its permissions.
    SUFFIXES.iter().for_each(|suffix| drop(close_to_others(&beside(database, suffix))));
    Ok(())
}

/// Options for writing a file; if it is created, only its owner has access.
pub(crate) fn for_owner() -> OpenOptions {
    let mut options = OpenOptions::new();
    options.write(true);
    #[cfg(unix)]
    std::os::unix::fs::OpenOptionsExt::mode(&mut options, 0o600);
    options
}

/// Refuses anything but a regular file: SQLite would wait for the writer of a pipe.
pub(crate) fn check_is_plain(database: &Path) -> Result<(), StoreError> {
    match std::fs::metadata(database) {
        Ok(found) if !found.is_file() => {
            let reason = "it is not a plain file".to_owned();
            Err(StoreError::Database { path: database.display().to_string(), reason })
        }
        _ => Ok(()),
    }
}

#[cfg(unix)]
fn close_to_others(path: &Path) -> io::Result<()> {
    use std::os::unix::fs::PermissionsExt as _;
    let mut permissions = std::fs::metadata(path)?.permissions();
    let mode = permissions.mode();
    // Access for a group, but not for everyone, is the owner's choice and is kept.
    if mode & 0o007 != 0 {
        permissions.set_mode(mode & !0o077);
        std::fs::set_permissions(path, permissions)?;
    }
    Ok(())
}

#[cfg(not(unix))]
fn close_to_others(_: &Path) -> io::Result<()> {
    Ok(())
}

fn store_error(database: &Path, error: &io::Error) -> StoreError {
    StoreError::Database { path: database.display().to_string(), reason: error.to_string() }
}

#[cfg(all(test, unix))]
mod tests {
    use std::os::unix::fs::PermissionsExt as _;

    use super::*;
    use crate::Store;

    const TABLE: &str = "CREATE TABLE name (name TEXT UNIQUE) STRICT";

    fn modes(folder: &Path) -> Vec<(String, u32)> {
        let entries = std::fs::read_dir(folder).unwrap().map(|entry| entry.unwrap());
        let mut modes: Vec<_> = entries
            .map(|entry| {
                let mode = entry.metadata().unwrap().permissions().mode() & 0o777;
                (entry.file_name().to_string_lossy().into_owned(), mode)
            })
            .collect();
        modes.sort();
        modes
    }

    #[test]
    fn only_the_owner_can_read_a_database_and_its_side_files_even_if_others_could_before() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("store.db");
        for _ in 0..2 {
            let store = Store::open(&path, &[TABLE]).unwrap();
            store.commit(|db| db.execute("INSERT OR IGNORE INTO name VALUES ('a')", [])).unwrap();
            drop(store.reader().unwrap());
            let modes = modes(folder.path());
            assert_eq!(modes.len(), SUFFIXES.len(), "{modes:?}");
            assert!(modes.iter().all(|(_, mode)| *mode == 0o600), "{modes:?}");
            drop(store);
            let of_group = std::fs::Permissions::from_mode(0o640);
            std::fs::set_permissions(&path, of_group).unwrap();
            drop(Store::open(&path, &[TABLE]).unwrap());
            assert_eq!(path.metadata().unwrap().permissions().mode() & 0o777, 0o640);
            for what in ["", "-looked", "-commits"] {
                let open = std::fs::Permissions::from_mode(0o644);
                std::fs::set_permissions(beside(&path, what), open).unwrap();
            }
        }
    }

    #[test]
    fn a_shared_database_keeps_its_permissions() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("tariffs.db");
        drop(Store::open_shared(&path, &[TABLE]).unwrap());
        let shared = std::fs::Permissions::from_mode(0o664);
        std::fs::set_permissions(&path, shared).unwrap();
        drop(Store::open_shared(&path, &[TABLE]).unwrap());
        assert_eq!(path.metadata().unwrap().permissions().mode() & 0o777, 0o664);
    }

    #[test]
    fn only_a_plain_file_is_opened() {
        let folder = tempfile::tempdir().unwrap();
        let _listener =
            std::os::unix::net::UnixListener::bind(folder.path().join("socket")).unwrap();
        for path in [folder.path().to_owned(), folder.path().join("socket"), "/dev/zero".into()] {
            for opened in
                [Store::open(&path, &[TABLE]).map(drop), crate::read(&path, &[TABLE], |_| Ok(()))]
            {
                let message = opened.unwrap_err().to_string();
                assert!(message.contains("it is not a plain file"), "{message}");
            }
        }
    }
}
