//! Migrates a database from version to version, each in one transaction.

use std::path::Path;

use rusqlite::{Connection, TransactionBehavior};

use crate::{StoreError, Versions};

/// Migrates a database to the latest version.
pub(crate) fn migrate(
    connection: &mut Connection,
    path: &Path,
    versions: Versions<'_>,
) -> Result<(), StoreError> {
    let error = |cause: rusqlite::Error| crate::store_error(path, &cause);
    let (found, _) = numbers(connection, path, versions)?;
    for (version, migration) in versions.steps(found) {
        let transaction =
            connection.transaction_with_behavior(TransactionBehavior::Immediate).map_err(error)?;
        transaction.execute_batch(migration).map_err(error)?;
        transaction.pragma_update(None, "user_version", version).map_err(error)?;
        transaction.commit().map_err(error)?;
    }
    Ok(())
}

/// Checks that a database has the latest version.
pub(crate) fn check(
    connection: &Connection,
    path: &Path,
    versions: Versions<'_>,
) -> Result<(), StoreError> {
    let (found, known) = numbers(connection, path, versions)?;
    match found < known {
        true => Err(StoreError::Older { path: path.display().to_string(), found, known }),
        false => Ok(()),
    }
}

/// Returns the version of a database, and the latest known version, which is not lower.
fn numbers(
    connection: &Connection,
    path: &Path,
    versions: Versions<'_>,
) -> Result<(u32, u32), StoreError> {
    let known = versions.last();
    let found = connection
        .query_row("PRAGMA user_version", [], |row| row.get(0))
        .map_err(|error| crate::store_error(path, &error))?;
    match found > known {
        true => Err(StoreError::Newer { path: path.display().to_string(), found, known }),
        false => Ok((found, known)),
    }
}
