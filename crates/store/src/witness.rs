//! The witness: a file beside a database with the number of transactions that its writer has
//! committed.
//!
//! If a log is missing, empty or cut short, SQLite assumes that a power cut took its end, and drops
//! the transactions in it. To notice that, the database counts its writer's transactions, in the
//! field of its header that is free for programs (`application_id`). The witness has the number of
//! the last transaction that was on the disk. It is written after that and never synced, so it is
//! never ahead of the disk. A database with a lower count has lost transactions. So has one that
//! was restored from a copy; all later work would be done a second time.

use std::fs::File;
use std::io;
use std::path::{Path, PathBuf};

use rusqlite::Connection;

use crate::check_mark::beside;
use crate::private::for_owner;
use crate::{QueryResult, StoreError};

const COUNT: &str = "application_id";

/// The octets of the number. It always has as many digits, so each write replaces the one before.
const DIGITS: usize = 10;

/// The file beside a database.
#[derive(Debug)]
pub(crate) struct Witness {
    /// `None` if it could not be opened: no data is lost by that, but no loss is noticed.
    file: Option<File>,
    /// The number of transactions.
    count: u32,
}

impl Witness {
    /// Opens the witness of a database.
    ///
    /// # Errors
    ///
    /// The database has lost transactions. A new one has none to lose.
    pub(crate) fn open(
        connection: &Connection,
        path: &Path,
        is_new: bool,
    ) -> Result<Self, StoreError> {
        let noted = noted(path).filter(|_| !is_new);
        let count = compare(connection, path, noted)?;
        let file = for_owner().create(true).truncate(false).open(of(path)).ok();
        let opened = Witness { file, count };
        opened.write();
        Ok(opened)
    }

    /// Counts a transaction, as part of it.
    pub(crate) fn count(&self, transaction: &Connection) -> QueryResult<()> {
        transaction.pragma_update(None, COUNT, self.count.wrapping_add(1) as i32)
    }

    /// Notes that the transaction is on the disk.
    pub(crate) fn committed(&mut self) {
        self.count = self.count.wrapping_add(1);
        self.write();
    }

    /// Writes the number. If that fails, the file keeps a lower number, which is safe.
    fn write(&self) {
        let text = format!("{:0DIGITS$}\n", self.count);
        let _ = self.file.as_ref().map(|file| write_at_begin(file, text.as_bytes()));
    }
}

fn of(database: &Path) -> PathBuf {
    beside(database, "-commits")
}

/// Refuses a database that has lost transactions, for a process that does not own it. The transaction keeps out its owner,
/// who may have written the number of the last transaction only now.
///
/// # Errors
///
/// Transactions are missing.
pub(crate) fn check(transaction: &Connection, path: &Path) -> Result<(), StoreError> {
    compare(transaction, path, noted(path)).map(drop)
}

/// Returns the number in the witness of a database.
fn noted(database: &Path) -> Option<u32> {
    std::fs::read_to_string(of(database)).ok()?.trim_end().parse().ok()
}

/// Returns the number of transactions of a database that has as many as its witness.
fn compare(db: &Connection, path: &Path, noted: Option<u32>) -> Result<u32, StoreError> {
    let count = count(db).map_err(|error| crate::store_error(path, &error))?;
    let lost = noted.map_or(0, |noted| noted.wrapping_sub(count) as i32);
    match lost > 0 {
        true => {
            let (witness, path) = (of(path).display().to_string(), path.display().to_string());
            Err(StoreError::Lost { path, lost: lost as u32, witness })
        }
        false => Ok(count),
    }
}

fn count(connection: &Connection) -> QueryResult<u32> {
    connection.pragma_query_value(None, COUNT, |row| row.get::<_, i32>(0)).map(|count| count as u32)
}

#[cfg(unix)]
pub(crate) fn write_at_begin(file: &File, octets: &[u8]) -> io::Result<()> {
    std::os::unix::fs::FileExt::write_all_at(file, octets, 0)
}

#[cfg(not(unix))]
pub(crate) fn write_at_begin(mut file: &File, octets: &[u8]) -> io::Result<()> {
    use std::io::{Seek as _, Write as _};
    file.rewind()?;
    file.write_all(octets)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Store;

    const TABLE: &str = "CREATE TABLE name (name TEXT UNIQUE) STRICT";

    fn insert(store: &Store, name: &'static str) {
        store.commit(move |db| db.execute("INSERT INTO name VALUES (?)", [name])).unwrap();
    }

    /// Makes a database of three transactions, as a killed process leaves it.
    fn killed(folder: &Path) -> PathBuf {
        let (live, path) = (folder.join("live.db"), folder.join("store.db"));
        let store = Store::open(&live, &[TABLE]).unwrap();
        ["Ericsson", "Nokia", "Huawei"].into_iter().for_each(|name| insert(&store, name));
        for beside in ["", "-wal", "-commits"] {
            let of = |database: &Path| super::beside(database, beside);
            std::fs::copy(of(&live), of(&path)).unwrap();
        }
        path
    }

    fn names(path: &Path) -> Result<i64, StoreError> {
        let store = Store::open(path, &[TABLE])?;
        let reader = store.reader()?;
        Ok(reader.query_row("SELECT count(*) FROM name", [], |row| row.get(0)).unwrap())
    }

    #[test]
    fn a_database_has_all_transactions_after_a_kill() {
        let folder = tempfile::tempdir().unwrap();
        let path = killed(folder.path());
        assert_eq!(names(&path).unwrap(), 3);
        insert(&Store::open(&path, &[TABLE]).unwrap(), "ZTE");
        assert_eq!(names(&path).unwrap(), 4);
    }

    #[test]
    fn a_missing_empty_or_truncated_log_is_detected() {
        let damages: [fn(&Path, u64); 4] = [
            |log, _| std::fs::remove_file(log).unwrap(),
            |log, _| std::fs::write(log, "").unwrap(),
            |log, octets| std::fs::write(log, vec![0; octets as usize]).unwrap(),
            |log, octets| {
                File::options().write(true).open(log).unwrap().set_len(octets / 2).unwrap()
            },
        ];
        for damage in damages {
            let folder = tempfile::tempdir().unwrap();
            let path = killed(folder.path());
            let log = beside(&path, "-wal");
            damage(&log, log.metadata().unwrap().len());
            let refused = names(&path).unwrap_err();
            assert!(matches!(refused, StoreError::Lost { lost: 1..=3, .. }), "{refused}");
            std::fs::remove_file(of(&path)).unwrap();
            assert!(names(&path).is_ok_and(|names| names < 3), "the loss is accepted");
        }
    }

    /// Damage in the last transaction of a log looks like a power cut.
    #[test]
    fn a_refused_database_keeps_its_log() {
        let folder = tempfile::tempdir().unwrap();
        let path = killed(folder.path());
        let log = beside(&path, "-wal");
        let mut octets = std::fs::read(&log).unwrap();
        *octets.last_mut().unwrap() ^= 1;
        std::fs::write(&log, &octets).unwrap();
        let add = |db: &Connection| db.execute("INSERT INTO name VALUES ('ZTE')", []);
        for _ in 0..2 {
            let refused = names(&path).unwrap_err();
            assert!(matches!(refused, StoreError::Lost { lost: 1, .. }), "{refused}");
            let refused = crate::change(&path, &[TABLE], add).unwrap_err();
            assert!(matches!(refused, StoreError::Lost { lost: 1, .. }), "{refused}");
            assert!(std::fs::read(&log).unwrap() == octets);
        }
        std::fs::remove_file(of(&path)).unwrap();
        assert_eq!(names(&path).unwrap(), 2);
    }

    #[test]
    fn a_restored_copy_is_detected() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("store.db");
        insert(&Store::open(&path, &[TABLE]).unwrap(), "Ericsson");
        let copy = std::fs::read(&path).unwrap();
        insert(&Store::open(&path, &[TABLE]).unwrap(), "Nokia");
        std::fs::write(&path, copy).unwrap();
        assert!(matches!(names(&path), Err(StoreError::Lost { lost: 1, .. })));
    }

    #[test]
    fn a_new_database_has_lost_nothing() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("store.db");
        insert(&Store::open(&path, &[TABLE]).unwrap(), "Ericsson");
        std::fs::remove_file(&path).unwrap();
        assert_eq!(names(&path).unwrap(), 0);
    }
}
