//! Checks that a database is as it was written. Octets on a disk may change, and a program would
//! trust them.
//!
//! SQLite has no sums of its pages. It can compare the links between pages, the rows with their
//! types and checks, and the rows with their indexes. So data that must not be misread should be in
//! an index too.

use std::hash::{DefaultHasher, Hash as _, Hasher as _};
use std::path::Path;

use rusqlite::config::DbConfig::SQLITE_DBCONFIG_NO_CKPT_ON_CLOSE as NO_CHECKPOINT_ON_CLOSE;
use rusqlite::{Connection, ErrorCode};

use crate::{QueryResult, StoreError, Versions, store_error};

/// The largest database, in octets, whose indexes are compared with its rows at the start; this
/// takes half a second. A larger one gets all other checks, so that a million files do not delay
/// the start of a gateway.
const INDEXES_CHECKED_OCTETS_MAX: u64 = 64 << 20;

/// Returns whether a full check of the database takes long.
pub(crate) fn is_large(path: &Path) -> bool {
    std::fs::metadata(path).is_ok_and(|metadata| metadata.len() > INDEXES_CHECKED_OCTETS_MAX)
}

/// Refuses a damaged database.
pub(crate) fn check(connection: &Connection, path: &Path) -> Result<(), StoreError> {
    let store_error = |error: rusqlite::Error| store_error(path, &error);
    let pragma = if is_large(path) { "PRAGMA quick_check(1)" } else { "PRAGMA integrity_check(1)" };
    let found = connection.query_row(pragma, [], |row| row.get::<_, String>(0));
    let found = found.map_err(store_error)?;
    match found.as_str() {
        "ok" => Ok(()),
        _ => Err(damaged(path, found)),
    }
}

/// Sets whether the log stays when the last connection is closed. Moving the log into a damaged
/// database would hide the damage.
pub(crate) fn set_log_stays(connection: &Connection, stays: bool) -> QueryResult<()> {
    connection.set_db_config(NO_CHECKPOINT_ON_CLOSE, stays).map(drop)
}

/// Refuses a database whose tables differ from those of its last version; returns their sum.
/// Creating these tables for comparison is the most expensive part of a start, so tables with the
/// sum of an earlier check count as right.
pub(crate) fn check_tables(
    connection: &Connection,
    path: &Path,
    versions: Versions<'_>,
    right_before: Option<u64>,
) -> Result<u64, StoreError> {
    let found = tables(connection).map_err(|error| store_error(path, &error))?;
    let sum = sum(&found);
    if right_before == Some(sum) {
        return Ok(sum);
    }
    let right = Connection::open_in_memory().and_then(|right| {
        versions.steps(0).into_iter().try_for_each(|(_, step)| right.execute_batch(step))?;
        tables(&right)
    });
    match right.map_err(|error| store_error(path, &error))? == found {
        true => Ok(sum),
        false => Err(damaged(path, "its tables differ from those of its version".to_owned())),
    }
}

/// Returns a sum of tables. Another version of the program may compute another sum, which only
/// causes a check.
fn sum(tables: &Tables) -> u64 {
    let mut hasher = DefaultHasher::new();
    tables.hash(&mut hasher);
    hasher.finish()
}

/// The names of tables and indexes, and the SQL that created them.
type Tables = Vec<(String, Option<String>)>;

fn tables(connection: &Connection) -> QueryResult<Tables> {
    let mut tables = connection.prepare("SELECT name, sql FROM sqlite_schema ORDER BY name")?;
    tables.query_map([], |row| Ok((row.get(0)?, row.get(1)?)))?.collect()
}

/// Returns whether only damage explains an error.
pub(crate) fn is_damage(error: &rusqlite::Error) -> bool {
    let code = error.sqlite_error_code();
    matches!(code, Some(ErrorCode::DatabaseCorrupt | ErrorCode::NotADatabase))
}

pub(crate) fn damaged(path: &Path, reason: String) -> StoreError {
    StoreError::Damaged { path: path.display().to_string(), reason }
}
