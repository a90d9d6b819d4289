//! Connections to read by. To open one takes as long as many a question, since the database has to be understood first: so
//! those that are not needed for now are kept.

use std::ops::Deref;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use rusqlite::Connection;

use crate::{StoreError, open_reader, refused};

/// Most connections that are kept for whoever reads next: each has its cache.
const IDLE_MAX: usize = 8;

/// Those who read a database while somebody writes it, perhaps in another process.
#[derive(Clone, Debug)]
pub struct Readers {
    path: PathBuf,
    idle: Arc<Idle>,
}

/// Connections that are kept; none are any more where the database was closed.
type Idle = Mutex<Option<Vec<Connection>>>;

impl Readers {
    /// Of a database that the one who writes it has opened.
    pub fn of(path: &Path) -> Self {
        Readers { path: path.into(), idle: Arc::new(Mutex::new(Some(Vec::new()))) }
    }

    /// A connection to read by, which sees what was committed before.
    pub fn lend(&self) -> Result<Reader, StoreError> {
        let idle = lock(&self.idle).as_mut().and_then(Vec::pop);
        let connection = idle.map_or_else(|| self.open(), Ok)?;
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
        *lock(&self.idle) = None;
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
        let usable = self.connection.take().filter(Connection::is_autocommit);
        if let Some(idle) = lock(&self.idle).as_mut().filter(|idle| idle.len() < IDLE_MAX) {
            idle.extend(usable);
        }
    }
}

fn lock(idle: &Idle) -> MutexGuard<'_, Option<Vec<Connection>>> {
    idle.lock().unwrap_or_else(PoisonError::into_inner)
}
