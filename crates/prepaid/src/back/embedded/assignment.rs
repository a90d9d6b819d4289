//! The accounts of records that were rated elsewhere: each is decided once.

use ledger::{AccountId, KEYS_RETENTION, Key, Millis};
use store::{Connection, OptionalExtension as _, QueryResult, params};

/// The maximum number of rows that are deleted at once.
const DELETED_MAX: i64 = 20_000;

/// Returns the accounts of records by their keys. If one is not decided yet, it is the one beside the key from now on.
pub(super) fn assign(
    db: &Connection,
    records: &[(Key, Option<AccountId>)],
    now: Millis,
) -> QueryResult<Vec<Option<AccountId>>> {
    let mut select = db.prepare_cached("SELECT account FROM rated_record WHERE key = ?")?;
    let mut insert = db.prepare_cached("INSERT INTO rated_record VALUES (?, ?, ?)")?;
    let mut assign = |(key, account): &(Key, Option<AccountId>)| {
        let key = key.0.to_le_bytes();
        let known: Option<i64> = select.query_row([key], |row| row.get(0)).optional()?;
        if let Some(known) = known {
            return Ok(Some(AccountId(known.cast_unsigned())));
        }
        if let Some(AccountId(account)) = account {
            insert.execute(params![key, account.cast_signed(), now])?;
        }
        Ok(*account)
    };
    records.iter().map(&mut assign).collect()
}

/// Returns whether there are records whose keys the ledger has forgotten.
pub(super) fn are_any_over(db: &Connection, now: Millis) -> QueryResult<bool> {
    db.prepare_cached("SELECT 1 FROM rated_record WHERE at_ms < ?")?
        .exists([now.saturating_sub(KEYS_RETENTION)])
}

/// Deletes records whose keys the ledger has forgotten. They are not debited any more, since they are too old.
pub(super) fn delete_over(db: &Connection, now: Millis) -> QueryResult<()> {
    let delete = "DELETE FROM rated_record WHERE key IN (
                      SELECT key FROM rated_record WHERE at_ms < ? LIMIT ?)";
    db.prepare_cached(delete)?
        .execute(params![now.saturating_sub(KEYS_RETENTION), DELETED_MAX])
        .map(drop)
}
