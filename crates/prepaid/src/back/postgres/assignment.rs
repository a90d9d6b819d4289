//! The accounts of records that were rated elsewhere, in a database.

use accounts::AccountsError;
use ledger::{AccountId, KEYS_RETENTION, Key, Millis};

use super::{Postgres, account, column};

/// The maximum number of rows that are deleted at once.
const DELETED_MAX: i64 = 20_000;

impl Postgres {
    pub(in crate::back) fn assign_records(
        &self,
        records: Vec<(Key, Option<AccountId>)>,
        now: Millis,
    ) -> Result<Vec<Option<AccountId>>, AccountsError> {
        let mut new: Vec<([u8; 16], i64)> = records
            .iter()
            .filter_map(|(key, id)| Some((key.0.to_le_bytes(), (*id)?.0.cast_signed())))
            .collect();
        // In one order, so that no two statements wait for each other.
        new.sort_unstable();
        let keys: Vec<&[u8]> = new.iter().map(|(key, _)| &key[..]).collect();
        let accounts: Vec<i64> = new.iter().map(|(_, id)| *id).collect();
        let insert = "INSERT INTO rated_record
             SELECT key, account, $3 FROM unnest($1::bytea[], $2::bigint[]) AS u(key, account)
             ON CONFLICT DO NOTHING";
        self.front.ask(insert, &[&keys, &accounts, &now])?;
        // What another process has decided is seen by a statement of its own only.
        let select = "SELECT r.account FROM unnest($1::bytea[]) WITH ORDINALITY AS u(key, place)
             LEFT JOIN rated_record r ON r.key = u.key ORDER BY u.place";
        let keys: Vec<[u8; 16]> = records.iter().map(|(key, _)| key.0.to_le_bytes()).collect();
        let keys: Vec<&[u8]> = keys.iter().map(|key| &key[..]).collect();
        let rows = self.front.ask(select, &[&keys])?;
        rows.iter().map(|row| Ok(column::<Option<i64>>(row, 0)?.map(account))).collect()
    }

    pub(in crate::back) fn forget_records(&self, now: Millis) -> Result<(), AccountsError> {
        let delete = "DELETE FROM rated_record WHERE key IN (
                          SELECT key FROM rated_record WHERE at_ms < $1 LIMIT $2)";
        let over = now.saturating_sub(KEYS_RETENTION);
        self.front.ask(delete, &[&over, &DELETED_MAX]).map(drop)
    }
}
