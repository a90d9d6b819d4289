//! The mark of a clean end: beside a database that was closed with nothing left to be written, what its file was like
//! then.
//!
//! To look at all of a large database takes minutes at ten gigabytes, and a start after an upgrade should not. A file
//! that nobody has written since it was looked at, and that the program itself closed, is taken to be what it was; but
//! a disk may change what nobody writes, so not for longer than [`TRUSTED`]. Any doubt is a reason to look: a file
//! that was copied, restored or written by another, a log beside it, a clock that went back.

use std::path::{Path, PathBuf};
use std::time::{Duration, SystemTime, UNIX_EPOCH};

/// How long after it was looked at as a whole a database is trusted, whatever ends were clean since.
const TRUSTED: Duration = Duration::from_secs(7 * 24 * 60 * 60);

/// What is known of a database that was closed, and to which nobody wrote since.
#[derive(Clone, Copy, Debug)]
pub(crate) struct CleanEnd {
    /// When it was looked at as a whole.
    pub(crate) checked: SystemTime,
    /// The sum of its tables, which were [right](crate::whole::check_tables).
    pub(crate) tables: u64,
}

/// What is known of a database, if that is still good. The mark is gone then, and stands for no other end.
pub(crate) fn take(database: &Path) -> Option<CleanEnd> {
    let mark = std::fs::read_to_string(mark(database)).ok()?;
    std::fs::remove_file(self::mark(database)).ok()?;
    let (seconds, rest) = mark.split_once(' ')?;
    let (tables, rest) = rest.split_once(' ')?;
    let tables = tables.parse().ok()?;
    let checked = UNIX_EPOCH.checked_add(Duration::from_secs(seconds.parse().ok()?))?;
    // In the future it is of a clock that went back.
    let is_recent = SystemTime::now().duration_since(checked).ok()? < TRUSTED;
    (is_recent && rest == version(database)?).then_some(CleanEnd { checked, tables })
}

/// Marks a database that was closed. Where that fails it is looked at again at the next start.
pub(crate) fn leave(database: &Path, CleanEnd { checked, tables }: CleanEnd) {
    let Ok(checked) = checked.duration_since(UNIX_EPOCH) else { return };
    if let Some(version) = version(database) {
        let _ = std::fs::write(mark(database), format!("{} {tables} {version}", checked.as_secs()));
    }
}

fn mark(database: &Path) -> PathBuf {
    beside(database, "-clean")
}

pub(crate) fn beside(database: &Path, what: &str) -> PathBuf {
    let mut path = database.as_os_str().to_owned();
    path.push(what);
    path.into()
}

/// Whether something of a database is in its log.
pub(crate) fn has_log(database: &Path) -> bool {
    std::fs::metadata(beside(database, "-wal")).is_ok_and(|log| log.len() > 0)
}

/// What tells a file from one that was written or put in its place since; none where not all of it is in the one file.
/// Its time is that of the last change of anything, which nobody sets.
#[cfg(unix)]
pub(crate) fn version(database: &Path) -> Option<String> {
    use std::os::unix::fs::MetadataExt as _;
    if has_log(database) {
        return None;
    }
    let file = std::fs::metadata(database).ok()?;
    let (device, inode, octets) = (file.dev(), file.ino(), file.len());
    Some(format!("{device} {inode} {octets} {}.{:09}", file.ctime(), file.ctime_nsec()))
}

#[cfg(not(unix))]
pub(crate) fn version(_: &Path) -> Option<String> {
    None
}

#[cfg(all(test, unix))]
mod tests {
    use super::*;
    use crate::{Store, StoreError};

    const TABLE: &str = "CREATE TABLE name (name TEXT UNIQUE) STRICT";

    /// A database that is large enough for its end to matter.
    fn large(folder: &Path) -> PathBuf {
        let path = folder.join("store.db");
        let store = Store::open(&path, &[TABLE]).unwrap();
        let insert = "INSERT INTO name VALUES ('Ericsson'), (printf('%.*c', 70000000, 'a'))";
        store.commit(|db| db.execute(insert, [])).unwrap();
        path
    }

    /// Writes over the beginning of a page, which says what the page is or where the next one lies.
    fn damage(path: &Path, page: u64) {
        use std::os::unix::fs::FileExt as _;
        let file = std::fs::File::options().write(true).open(path).unwrap();
        file.write_all_at(&[0xff; 8], page * 4096).unwrap();
    }

    fn is_refused(path: &Path) -> bool {
        matches!(Store::open(path, &[TABLE]), Err(StoreError::Damaged { .. }))
    }

    #[test]
    fn what_was_closed_and_not_written_since_is_not_looked_at_again() {
        let folder = tempfile::tempdir().unwrap();
        let path = large(folder.path());
        drop(Store::open(&path, &[TABLE]).unwrap());
        let (marked, checked) = (mark(&path), std::fs::read_to_string(mark(&path)).unwrap());
        damage(&path, 1);
        // As a disk does it, which tells nobody.
        leave(&path, CleanEnd { checked: SystemTime::now(), tables: 0 });
        assert!(!is_refused(&path), "it was trusted");
        assert!(marked.exists(), "and is again");
        leave(&path, CleanEnd { checked: SystemTime::now() - TRUSTED, tables: 0 });
        assert!(is_refused(&path), "not for ever");
        assert!(!marked.exists());
        leave(&path, CleanEnd { checked: SystemTime::now() + TRUSTED, tables: 0 });
        assert!(is_refused(&path), "nor by a clock that went back");
        std::fs::write(&marked, checked).unwrap();
        assert!(is_refused(&path), "nor where it was written since");
    }

    #[test]
    fn what_was_not_closed_is_looked_at() {
        let folder = tempfile::tempdir().unwrap();
        let path = large(folder.path());
        let store = Store::open(&path, &[TABLE]).unwrap();
        assert!(!mark(&path).exists(), "a mark stands for one end");
        store.commit(|db| db.execute("INSERT INTO name VALUES ('Nokia')", [])).unwrap();
        let reader = store.reader().unwrap();
        reader.execute_batch("BEGIN; SELECT * FROM sqlite_schema").unwrap();
        drop(store);
        assert!(!mark(&path).exists(), "some of it is in the log");
        drop(reader);
        // The log has no other of this page.
        damage(&path, 1_000);
        assert!(is_refused(&path));
    }

    #[test]
    fn what_is_small_is_looked_at_whatever_its_end_was() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("store.db");
        drop(Store::open(&path, &[TABLE]).unwrap());
        damage(&path, 1);
        leave(&path, CleanEnd { checked: SystemTime::now(), tables: 0 });
        assert!(is_refused(&path));
    }

    #[test]
    fn tables_that_are_others_than_at_the_end_are_seen() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("store.db");
        drop(Store::open(&path, &[TABLE]).unwrap());
        let end = take(&path).unwrap();
        let change = "PRAGMA writable_schema = ON;
            UPDATE sqlite_schema SET sql = replace(sql, 'TEXT', 'BLOB') WHERE type = 'table'";
        rusqlite::Connection::open(&path).unwrap().execute_batch(change).unwrap();
        // As a disk does it, which tells nobody.
        leave(&path, end);
        assert!(is_refused(&path));
    }
}
