//! Whether a database is as it was written: octets on a disk may change, and what was not noticed is trusted.
//!
//! SQLite has no sums of its pages. What it can hold against each other are the pages' links, the rows and their
//! types and checks, and the rows and their indexes; so what must not be read wrongly should be in an index too.

use std::hash::{DefaultHasher, Hash as _, Hasher as _};
use std::path::Path;

use rusqlite::config::DbConfig::SQLITE_DBCONFIG_NO_CKPT_ON_CLOSE as NO_CHECKPOINT_ON_CLOSE;
use rusqlite::{Connection, ErrorCode};

use crate::{Answer, StoreError, refused};

/// Largest database whose indexes are held against its rows when it is opened, in octets: half a second. Of a larger
/// one, so that a million files do not keep a gateway from starting, all but that.
const INDEXES_CHECKED_OCTETS_MAX: u64 = 64 << 20;

/// Whether it takes long to look at all of a database.
pub(crate) fn is_large(path: &Path) -> bool {
    std::fs::metadata(path).is_ok_and(|metadata| metadata.len() > INDEXES_CHECKED_OCTETS_MAX)
}

/// Refuses a database that is damaged; what was written last then stays in its log.
pub(crate) fn check(connection: &Connection, path: &Path) -> Result<(), StoreError> {
    let refused = |error: rusqlite::Error| refused(path, &error);
    let pragma = if is_large(path) { "PRAGMA quick_check(1)" } else { "PRAGMA integrity_check(1)" };
    leave_log(connection, true).map_err(refused)?;
    let found = connection.query_row(pragma, [], |row| row.get::<_, String>(0)).map_err(refused)?;
    match found.as_str() {
        "ok" => leave_log(connection, false).map_err(refused),
        _ => Err(damaged(path, found)),
    }
}

/// Whether a log stays when the last connection is closed: to bring a damaged one into the database would hide that.
pub(crate) fn leave_log(connection: &Connection, stays: bool) -> Answer<()> {
    connection.set_db_config(NO_CHECKPOINT_ON_CLOSE, stays).map(drop)
}

/// Refuses a database whose tables are not those that its migrations make; gives their sum. To make them costs more than
/// all else at a start, and tables of the sum of those that were right before are right.
pub(crate) fn check_tables(
    connection: &Connection,
    path: &Path,
    migrations: &[&str],
    right_before: Option<u64>,
) -> Result<u64, StoreError> {
    let found = tables(connection).map_err(|error| refused(path, &error))?;
    let sum = sum(&found);
    if right_before == Some(sum) {
        return Ok(sum);
    }
    let right = Connection::open_in_memory().and_then(|right| {
        migrations.iter().try_for_each(|migration| right.execute_batch(migration))?;
        tables(&right)
    });
    match right.map_err(|error| refused(path, &error))? == found {
        true => Ok(sum),
        false => Err(damaged(path, "its tables are not as they were made".to_owned())),
    }
}

/// The sum of tables; of another program it may be another, and is only a reason to look.
fn sum(tables: &Tables) -> u64 {
    let mut hasher = DefaultHasher::new();
    tables.hash(&mut hasher);
    hasher.finish()
}

/// The names of tables and indexes, and how they were made.
type Tables = Vec<(String, Option<String>)>;

fn tables(connection: &Connection) -> Answer<Tables> {
    let mut tables = connection.prepare("SELECT name, sql FROM sqlite_schema ORDER BY name")?;
    tables.query_map([], |row| Ok((row.get(0)?, row.get(1)?)))?.collect()
}

/// Whether an error is one that only damage explains.
pub(crate) fn is_damage(error: &rusqlite::Error) -> bool {
    let code = error.sqlite_error_code();
    matches!(code, Some(ErrorCode::DatabaseCorrupt | ErrorCode::NotADatabase))
}

pub(crate) fn damaged(path: &Path, reason: String) -> StoreError {
    StoreError::Damaged { path: path.display().to_string(), reason }
}
