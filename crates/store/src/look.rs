//! Opening a database to look into it: usually beside who writes it, by the memory that its users share.
//!
//! That memory is a file beside the database, which somebody must be able to make. Where nobody can, since there is no
//! room or the folder is another user's, and nobody uses the database, it is read without.

use std::path::Path;

use rusqlite::{Connection, ErrorCode, OpenFlags};

use crate::clean_end::{has_log, version};
use crate::{Answer, BUSY_WAIT, StoreError, open_reader, open_there, refused, whole};

/// A database that is open to be looked into.
pub(crate) struct Looked {
    pub(crate) db: Connection,
    /// One that brought the database up to its log, which it is as long as somebody has that open.
    _up_to_log: Option<Connection>,
    /// What its file was like, where nothing but that tells whether somebody writes it meanwhile.
    unshared: Option<String>,
}

impl Looked {
    /// Opens a database that is there.
    pub(crate) fn open(path: &Path) -> Result<Self, StoreError> {
        let refused = |error| refused(path, &error);
        match shared(path) {
            // Why the usual way is barred says more than why another is.
            Err(error) if is_barred(&error) => alone(path).map_err(|_| refused(error)),
            looked => looked.map_err(refused),
        }
    }

    /// Whether all that was read is of one moment; else it is worth nothing.
    pub(crate) fn is_of_one_moment(&self, path: &Path) -> bool {
        self.unshared.is_none() || self.unshared == version(path)
    }
}

/// Who was killed leaves a log behind, and only one that may write brings the database up to it. Who asks may not write,
/// but have temporary tables, which `query_only` would forbid too.
fn shared(path: &Path) -> Answer<Looked> {
    let up_to_log = open_there(path)?;
    whole::leave_log(&up_to_log, true)?;
    up_to_log.query_row("PRAGMA schema_version", [], |_| Ok(()))?;
    Ok(Looked { db: open_reader(path)?, _up_to_log: Some(up_to_log), unshared: None })
}

/// Whether the memory that users share cannot be made.
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

/// Opens a database that nobody uses.
fn alone(path: &Path) -> Answer<Looked> {
    match has_log(path) {
        // Its log is read into a memory of one's own; whoever comes is kept out for so long.
        true => {
            let db = open_there(path)?;
            whole::leave_log(&db, true)?;
            db.pragma_update(None, "locking_mode", "EXCLUSIVE")?;
            db.query_row("PRAGMA schema_version", [], |_| Ok(()))?;
            db.pragma_update(None, "query_only", true)?;
            Ok(Looked { db, _up_to_log: None, unshared: None })
        }
        // Nothing keeps anybody out, so it is seen afterwards whether somebody came.
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

/// The name of a database that is read as if nobody wrote it: <https://sqlite.org/uri.html>.
fn unchanging(path: &Path) -> String {
    let path = path.to_string_lossy();
    let path = path.replace('%', "%25").replace('?', "%3f").replace('#', "%23");
    format!("file:{path}?immutable=1")
}
