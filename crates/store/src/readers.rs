//! Connections to read by. To open one takes as long as many a question, since the database has to be understood first: so
//! those that are not needed for now are kept.

use std::ops::Deref;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use rusqlite::Connection;

use crate::{StoreError, open_reader, refused};

/// Most connections that are kept for whoever reads next: few threads read at the same moment, and each holds two files and
/// up to two megabytes.
const IDLE_MAX: usize = 4;

/// Those who read a database while somebody writes it, perhaps in another process.
#[derive(Clone, Debug)]
pub struct Readers {
    path: PathBuf,
    idle: Arc<Idle>,
}

impl Readers {
    /// Of a database that the one who writes it has opened.
    pub fn of(path: &Path) -> Self {
        Readers { path: path.into(), idle: Arc::default() }
    }

    /// A connection to read by, which sees what was committed before. Others have it later, so it has no settings of
    /// anybody's own.
    pub fn lend(&self) -> Result<Reader, StoreError> {
        let connection = self.idle.take().map_or_else(|| self.open(), Ok)?;
        Ok(Reader { connection: Some(connection), idle: Arc::clone(&self.idle) })
    }

    /// A connection to read by, for who has settings of its own for it.
    pub fn open(&self) -> Result<Connection, StoreError> {
        open_reader(&self.path).map_err(|error| refused(&self.path, &error))
    }

    /// An error of a connection, with the name of the database.
    pub fn refused(&self, error: &rusqlite::Error) -> StoreError {
        refused(&self.path, error)
    }

    /// Keeps no connections any more. Whoever closes the database is to be the last who has it open: only then does nothing
    /// stay in its log.
    pub(crate) fn end(&self) {
        self.idle.end();
    }

    /// The database.
    pub fn path(&self) -> &Path {
        &self.path
    }
}

/// A connection that is lent.
#[derive(Debug)]
pub struct Reader {
    /// There until this is dropped.
    connection: Option<Connection>,
    idle: Arc<Idle>,
}

impl Deref for Reader {
    type Target = Connection;

    fn deref(&self) -> &Connection {
        self.connection.as_ref().expect("it is there until this is dropped")
    }
}

impl Drop for Reader {
    fn drop(&mut self) {
        // One that still is within a transaction would go on seeing what was.
        if let Some(usable) = self.connection.take().filter(Connection::is_autocommit) {
            self.idle.give_back(usable);
        }
    }
}

/// Connections that nobody has; none are kept where the database was closed.
#[derive(Debug)]
struct Idle(Mutex<Option<Vec<Connection>>>);

impl Default for Idle {
    fn default() -> Self {
        Idle(Mutex::new(Some(Vec::new())))
    }
}

impl Idle {
    fn take(&self) -> Option<Connection> {
        self.lock().as_mut().and_then(Vec::pop)
    }

    fn give_back(&self, connection: Connection) {
        if let Some(idle) = self.lock().as_mut().filter(|idle| idle.len() < IDLE_MAX) {
            idle.push(connection);
        }
    }

    fn end(&self) {
        *self.lock() = None;
    }

    fn lock(&self) -> MutexGuard<'_, Option<Vec<Connection>>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

#[cfg(test)]
mod tests {
    use crate::Store;

    #[test]
    fn a_connection_is_opened_once_for_who_reads_one_after_the_other_and_not_kept_at_the_end() {
        let folder = tempfile::tempdir().unwrap();
        let store = Store::open(&folder.path().join("store.db"), &["CREATE TABLE t (n)"]).unwrap();
        let readers = store.readers().clone();
        let kept = || readers.idle.lock().as_ref().map(Vec::len);
        for _ in 0..3 {
            let _one = readers.lend().unwrap();
            let _other = readers.lend().unwrap();
            assert_eq!(kept(), Some(0));
        }
        assert_eq!(kept(), Some(2));
        let many: Vec<_> = (0..9).map(|_| readers.lend().unwrap()).collect();
        drop(many);
        assert_eq!(kept(), Some(super::IDLE_MAX));
        let late = readers.lend().unwrap();
        drop(store);
        drop(late);
        assert_eq!(kept(), None);
    }
}
