//! Handles of database files, beside those of SQLite.
//!
//! SQLite's locks are POSIX's: when any handle of a file is closed, its process loses all locks on that file
//! (<https://sqlite.org/howtocorrupt.html>, 2.2). Another process would take the database for closed, and remove its
//! log. So a handle stays open until its file is removed, and a database that is opened again gets the same one.

use std::fs::File;
use std::path::Path;
use std::sync::Arc;

/// Returns a handle of a file; `None` if it cannot be opened. Handles of files that were removed are closed.
#[cfg(unix)]
pub(crate) fn of(path: &Path) -> Option<Arc<File>> {
    use std::os::unix::fs::MetadataExt as _;
    use std::sync::{Mutex, PoisonError};
    static OPEN: Mutex<Vec<Arc<File>>> = Mutex::new(Vec::new());
    let mut open = OPEN.lock().unwrap_or_else(PoisonError::into_inner);
    open.retain(|file| file.metadata().map_or(true, |file| file.nlink() > 0));
    let wanted = std::fs::metadata(path).ok()?;
    let is_wanted = |file: &&Arc<File>| {
        let metadata = file.metadata();
        metadata.is_ok_and(|file| (file.dev(), file.ino()) == (wanted.dev(), wanted.ino()))
    };
    if let Some(known) = open.iter().find(is_wanted) {
        return Some(Arc::clone(known));
    }
    let file = File::options().write(true).open(path).ok().map(Arc::new)?;
    open.push(Arc::clone(&file));
    Some(file)
}

/// Returns no handle: checkpoints only take longer without one.
#[cfg(not(unix))]
pub(crate) fn of(_: &Path) -> Option<Arc<File>> {
    None
}

#[cfg(all(test, target_os = "linux"))]
mod tests {
    use std::os::unix::fs::MetadataExt as _;

    use super::*;
    use crate::Store;

    const TABLE: &str = "CREATE TABLE name (name TEXT)";

    #[test]
    fn a_reader_keeps_its_locks_when_the_store_is_closed() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("store.db");
        let store = Store::open(&path, &[TABLE]).unwrap();
        let reader = store.reader().unwrap();
        reader.query_row("SELECT count(*) FROM name", [], |_| Ok(())).unwrap();
        // The thread of checkpoints opens a handle to copy so much.
        let insert = "INSERT INTO name VALUES (printf('%.*c', 1000000, 'a'))";
        store.commit(|db| db.execute(insert, [])).unwrap();
        let inode = format!(":{} ", path.metadata().unwrap().ino());
        let is_locked = || std::fs::read_to_string("/proc/locks").unwrap().contains(&inode);
        assert!(is_locked());
        drop(store);
        assert!(is_locked(), "another process would take the database for closed");
        drop(reader);
        assert!(!is_locked());
    }

    #[test]
    fn a_file_has_one_handle_until_it_is_removed() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("store.db");
        File::create(&path).unwrap();
        let first = of(&path).unwrap();
        assert!(Arc::ptr_eq(&first, &of(&path).unwrap()));
        std::fs::remove_file(&path).unwrap();
        assert!(of(&path).is_none());
        assert_eq!(Arc::strong_count(&first), 1, "no other has it");
    }
}
