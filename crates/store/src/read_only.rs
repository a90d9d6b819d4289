//! Opens a database for reading. The usual way works beside a writer, by the shared memory of all users of the
//! database.
//!
//! That memory is a file beside the database, so it may have to be created. If it cannot be created, since the disk is
//! full or the folder belongs to another user, and no process uses the database, then it is read without.

use std::path::Path;

use rusqlite::{Connection, ErrorCode, OpenFlags};

use crate::clean_end::{has_log, version};
use crate::{Answer, BUSY_WAIT, StoreError, open_reader, open_there, refused, whole};

/// A database that is open for reading.
pub(crate) struct Looked {
    pub(crate) db: Connection,
    /// A connection that recovered the log. The database stays in that state while this connection is open.
    _up_to_log: Option<Connection>,
    /// The state of the file before the read. It is set if only the state can show a concurrent write.
    unshared: Option<String>,
}

impl Looked {
    /// Opens an existing database.
    pub(crate) fn open(path: &Path) -> Result<Self, StoreError> {
        let refused = |error| refused(path, &error);
        match shared(path) {
            // The first error says more than that of the second attempt.
            Err(error) if is_barred(&error) => alone(path).map_err(|_| refused(error)),
            looked => looked.map_err(refused),
        }
    }

    /// Returns whether all that was read is of one moment. If not, it is of no use.
    pub(crate) fn is_of_one_moment(&self, path: &Path) -> bool {
        self.unshared.is_none() || self.unshared == version(path)
    }
}

/// Opens a writable connection first: after a kill, only such a connection can recover the log. Queries use a read-only
/// connection, which may still have temporary tables; `query_only` would forbid these too.
fn shared(path: &Path) -> Answer<Looked> {
    let up_to_log = open_there(path)?;
    whole::leave_log(&up_to_log, true)?;
    up_to_log.query_row("PRAGMA schema_version", [], |_| Ok(()))?;
    Ok(Looked { db: open_reader(path)?, _up_to_log: Some(up_to_log), unshared: None })
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
fn alone(path: &Path) -> Answer<Looked> {
    match has_log(path) {
        // Reads the log into private memory. The exclusive lock keeps other processes out meanwhile.
        true => {
            let db = open_there(path)?;
            whole::leave_log(&db, true)?;
            db.pragma_update(None, "locking_mode", "EXCLUSIVE")?;
            db.query_row("PRAGMA schema_version", [], |_| Ok(()))?;
            db.pragma_update(None, "query_only", true)?;
            Ok(Looked { db, _up_to_log: None, unshared: None })
        }
        // Without a lock, the state of the file shows afterwards whether a process wrote to it.
        false => {
            let unshared = Some(version(path).ok_or(rusqlite::Error::InvalidQuery)?);
            let flags = OpenFlags::SQLITE_OPEN_READ_ONLY
                | OpenFlags::SQLITE_OPEN_NO_MUTEX
                | OpenFlags::SQLITE_OPEN_URI;
            let db = Connection::open_with_flags(unchanging(path), flags)?;
            db.busy_timeout(BUSY_WAIT)?;
            db.query_row("PRAGMA schema_version", [], |_| Ok(()))?;
            Ok(Looked { db, _up_to_log: None, unshared })
        }
    }
}

/// Returns the URI of a database that SQLite reads as if no process wrote it: <https://sqlite.org/uri.html>.
fn unchanging(path: &Path) -> String {
    let path = path.to_string_lossy();
    let path = path.replace('%', "%25").replace('?', "%3f").replace('#', "%23");
    format!("file:{path}?immutable=1")
}
