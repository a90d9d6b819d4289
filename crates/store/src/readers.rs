//! Connections for reading. Opening one takes as long as many queries, since SQLite has to read the
//! schema first. So idle connections are reused.

use std::ops::Deref;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use rusqlite::Connection;

use crate::{StoreError, open_reader, store_error};

/// The maximum number of idle connections. Few threads read at the same moment, and each connection
/// holds two files and up to two megabytes.
const IDLE_MAX: usize = 4;

/// Readers of a database that another thread or process may write.
#[derive(Clone, Debug)]
pub struct Readers {
    path: PathBuf,
    idle: Arc<Idle>,
}

impl Readers {
    /// Returns the readers of a database that its writer has opened.
    pub fn of(path: &Path) -> Self {
        Readers { path: path.into(), idle: Arc::default() }
    }

    /// Returns a connection for reading, which sees all earlier commits. Do not change its
    /// settings: other threads use it later.
    pub fn lend(&self) -> Result<Reader, StoreError> {
        let connection = self.idle.take().map_or_else(|| self.open(), Ok)?;
        Ok(Reader { connection: Some(connection), idle: Arc::clone(&self.idle) })
    }

    /// Opens a connection of its own, whose settings the caller may change.
    pub fn open(&self) -> Result<Connection, StoreError> {
        open_reader(&self.path).map_err(|error| store_error(&self.path, &error))
    }

    /// Converts an error of a connection, adding the path of the database.
    pub fn error(&self, error: &rusqlite::Error) -> StoreError {
        store_error(&self.path, error)
    }

    /// Closes the idle connections. The writer has to be the last to close the database: only then
    /// is its log moved into it completely.
    pub(crate) fn close(&self) {
        self.idle.close();
    }

    /// Returns the path of the database.
    pub fn path(&self) -> &Path {
        &self.path
    }
}

/// A borrowed connection.
#[derive(Debug)]
pub struct Reader {
    /// `Some` until this is dropped.
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
        // A connection in a transaction would still read the old state.
        if let Some(usable) = self.connection.take().filter(Connection::is_autocommit) {
            self.idle.give_back(usable);
        }
    }
}

/// The idle connections; `None` once the database is closed.
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

    fn close(&self) {
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
    fn connections_are_reused_and_closed_at_the_end() {
        let folder = tempfile::tempdir().unwrap();
        let store = Store::open(&folder.path().join("store.db"), &["CREATE TABLE t (n)"]).unwrap();
        let readers = store.readers().clone();
        let idle_count = || readers.idle.lock().as_ref().map(Vec::len);
        for _ in 0..3 {
            let _one = readers.lend().unwrap();
            let _other = readers.lend().unwrap();
            assert_eq!(idle_count(), Some(0));
        }
        assert_eq!(idle_count(), Some(2));
        let many: Vec<_> = (0..9).map(|_| readers.lend().unwrap()).collect();
        drop(many);
        assert_eq!(idle_count(), Some(super::IDLE_MAX));
        let late = readers.lend().unwrap();
        drop(store);
        drop(late);
        assert_eq!(idle_count(), None);
    }
}
