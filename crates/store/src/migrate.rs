//! Versions of a database: one after the other, each whole or not at all.

use std::path::Path;

use rusqlite::{Connection, TransactionBehavior};

use crate::StoreError;

/// Brings a database to the last version.
pub(crate) fn migrate(
    connection: &mut Connection,
    path: &Path,
    migrations: &[&str],
) -> Result<(), StoreError> {
    let name = || path.display().to_string();
    let refused = |error: rusqlite::Error| crate::refused(path, &error);
    let known = migrations.len() as u32;
    let found: u32 =
        connection.query_row("PRAGMA user_version", [], |row| row.get(0)).map_err(refused)?;
    if found > known {
        return Err(StoreError::Newer { path: name(), found, known });
    }
    for (version, migration) in (1..=known).zip(migrations).skip(found as usize) {
        let transaction = connection
            .transaction_with_behavior(TransactionBehavior::Immediate)
            .map_err(refused)?;
        transaction.execute_batch(migration).map_err(refused)?;
        transaction.pragma_update(None, "user_version", version).map_err(refused)?;
        transaction.commit().map_err(refused)?;
    }
    Ok(())
}
