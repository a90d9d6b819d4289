//! How far ended sessions are recorded, as it is stored.

use std::ffi::OsStr;
use std::os::unix::ffi::OsStrExt as _;

use store::{Connection, QueryResult, params};

use crate::records::{RecordFile, Recorded};

pub(super) fn recorded(db: &Connection) -> QueryResult<Recorded> {
    let select = "SELECT last, first, folder FROM session_record";
    db.query_row(select, [], |row| {
        let last = row.get::<_, i64>(0)?.cast_unsigned();
        let (first, folder): (Option<i64>, Option<Vec<u8>>) = (row.get(1)?, row.get(2)?);
        let file = first.zip(folder).map(|(first, folder)| RecordFile {
            folder: OsStr::from_bytes(&folder).into(),
            first: first.cast_unsigned(),
            last,
        });
        Ok(Recorded { last, file })
    })
}

/// Stores that sessions are in a file, unless one of them is in another, or another file waits for its name. Returns whether
/// it is stored.
pub(super) fn record(db: &Connection, file: &RecordFile) -> QueryResult<bool> {
    let RecordFile { folder, first, last } = file;
    let update = "UPDATE session_record SET last = ?1, first = ?2, folder = ?3
                  WHERE last < ?2 AND first IS NULL";
    let values = params![last.cast_signed(), first.cast_signed(), folder.as_os_str().as_bytes()];
    db.execute(update, values).map(|changed| changed == 1)
}

/// Stores that sessions until one are recorded.
pub(super) fn skip(db: &Connection, last: u64) -> QueryResult<()> {
    let update = "UPDATE session_record SET last = ?, first = NULL, folder = NULL";
    db.execute(update, [last.cast_signed()]).map(drop)
}
