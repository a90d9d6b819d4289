//! Opens a database for reading. The usual way works beside a writer, by the shared memory of all
//! users of the database.
//!
//! That memory is a file beside the database, so it may have to be created. If it cannot be
//! created, since the disk is full or the folder belongs to another user, and no process uses the
//! database, then it is read without.

use std::path::Path;

use rusqlite::{Connection, ErrorCode, OpenFlags};

use crate::check_mark::{has_log, version};
use crate::{
    BUSY_WAIT, QueryResult, StoreError, integrity, open_existing, open_reader, store_error,
};

/// A database that is open for reading.
pub(crate) struct ReadOnly {
    pub(crate) db: Connection,
    /// A connection that recovered the log. The database stays in that state while this connection
    /// is open.
    _recovery: Option<Connection>,
    /// The version of the file before the read. It is set if only this can show a concurrent write.
    version: Option<String>,
}

impl ReadOnly {
    /// Opens an existing database.
    pub(crate) fn open(path: &Path) -> Result<Self, StoreError> {
        let store_error = |error| store_error(path, &error);
        match open_shared(path) {
            // The first error says more than that of the second attempt.
            Err(error) if is_barred(&error) => open_alone(path).map_err(|_| store_error(error)),
            opened => opened.map_err(store_error),
        }
    }

    /// Returns whether all results are from one snapshot. If not, they must not be used.
    pub(crate) fn is_consistent(&self, path: &Path) -> bool {
        self.version.is_none() || self.version == version(path)
    }
}

/// Opens a writable connection first: after a kill, only such a connection can recover the log.
/// Queries use a read-only connection, which may still have temporary tables; `query_only` would
/// forbid these too.
fn open_shared(path: &Path) -> QueryResult<ReadOnly> {
    let recovery = open_existing(path)?;
    integrity::set_log_stays(&recovery, true)?;
    recovery.query_row("PRAGMA schema_version", [], |_| Ok(()))?;
    Ok(ReadOnly { db: open_reader(path)?, _recovery: Some(recovery), version: None })
}

/// Returns whether the error means that the shared memory cannot be created.
fn is_barred(error: &rusqlite::Error) -> bool {
    let code = error.sqlite_error_code();
    matches!(
        code,
        Some(
            ErrorCode::ReadOnly
                | ErrorCode::CannotOpen
                | ErrorCode::PermissionDenied
                | ErrorCode::SystemIoFailure
                | ErrorCode::DiskFull
        )
    )
}

/// Opens a database that no process uses.
fn open_alone(path: &Path) -> QueryResult<ReadOnly> {
    match has_log(path) {
        // Reads the log into private memory. The exclusive lock keeps other processes out
        // meanwhile.
        true => {
            let db = open_existing(path)?;
            integrity::set_log_stays(&db, true)?;
            db.pragma_update(None, "locking_mode", "EXCLUSIVE")?;
            db.query_row("PRAGMA schema_version", [], |_| Ok(()))?;
            db.pragma_update(None, "query_only", true)?;
            Ok(ReadOnly { db, _recovery: None, version: None })
        }
        // Without a lock, the state of the file shows afterwards whether a process wrote to it.
        false => {
            let version = Some(version(path).ok_or(rusqlite::Error::InvalidQuery)?);
            let flags = OpenFlags::SQLITE_OPEN_READ_ONLY
                | OpenFlags::SQLITE_OPEN_NO_MUTEX
                | OpenFlags::SQLITE_OPEN_URI;
            let db = Connection::open_with_flags(immutable_uri(path), flags)?;
            db.busy_timeout(BUSY_WAIT)?;
            db.query_row("PRAGMA schema_version", [], |_| Ok(()))?;
            Ok(ReadOnly { db, _recovery: None, version })
        }
    }
}

/// Returns the URI of a database that SQLite reads as if no process wrote it:
/// <https://sqlite.org/uri.html>.
fn immutable_uri(path: &Path) -> String {
    let path = path.to_string_lossy();
    let path = path.replace('%', "%25").replace('?', "%3f").replace('#', "%23");
    format!("file:{path}?immutable=1")
}
