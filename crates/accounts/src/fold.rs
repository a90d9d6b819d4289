//! Folding: what batches have goes to the tables that people and the next start read, and batches are deleted.
//!
//! Accounts that changed are written as they are in memory, each with the last batch that it has; entries and sums are made
//! from the batches themselves. A batch is deleted when both have it.

use std::collections::HashMap;
use std::sync::{Arc, PoisonError};

use ledger::{AccountId, Currency, Effects, Millis, Totals};
use store::{Connection, OptionalExtension as _, QueryResult, params};

use crate::batch;
use crate::desk::AccountsError;
use crate::embedded::{Embedded, Worked};
use crate::ended_sessions::{self, EndedRow};
use crate::load::{Fault, blob, projected};
use crate::notices::{self, NoticeRow};
use crate::stored;

/// The accounts that are copied while a shard is locked: some tenths of a millisecond.
const COPIED_AT_ONCE: usize = 500;

/// The rows that are written in one change, so that others do not wait for long.
const ROWS_AT_ONCE: usize = 5_000;

/// The batches whose entries are made at once.
const BATCHES_AT_ONCE: i64 = 1_000;

/// What was folded.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Folded {
    /// The accounts that were written.
    pub accounts: usize,
    /// The entries that were written.
    pub entries: usize,
    /// The batches that were deleted.
    pub batches: usize,
}

/// An account as it is written.
struct AccountRow {
    id: AccountId,
    seq: i64,
    body: Vec<u8>,
}

/// An entry as it is written.
struct EntryRow {
    account: AccountId,
    number: u64,
    at: Millis,
    body: Vec<u8>,
}

impl Embedded {
    /// Folds all that happened until now. One thread at a time may do it, beside those that run tasks.
    ///
    /// # Errors
    ///
    /// The journal fails.
    pub fn fold(&self) -> Result<Folded, AccountsError> {
        self.check()?;
        let until = self.pending.last();
        let mut folded = Folded::default();
        for place in 0..self.shards.len() {
            folded.accounts += self.fold_accounts(place)?;
        }
        self.finish(Worked { batch: until, has_changed: false })?;
        folded.entries = self.project(until)?;
        // The last batch stays: the number of the next follows from it.
        let delete = "DELETE FROM account_batch WHERE seq <= ? AND seq < (SELECT max(seq) FROM account_batch)";
        folded.batches = self.journal.commit(move |db| db.execute(delete, [until]))?;
        Ok(folded)
    }

    fn fold_accounts(&self, place: usize) -> Result<usize, AccountsError> {
        let mut ids: Vec<AccountId> = self.shard(place).changed.iter().copied().collect();
        // In the order of the table, pages are written once.
        ids.sort_unstable();
        let written = self.copy_accounts(place, &ids);
        if written.is_err() {
            // Batches may be deleted only when the accounts have them: these are written another time.
            self.shard(place).changed.extend(&ids);
        }
        written.map(|()| ids.len())
    }

    fn copy_accounts(&self, place: usize, ids: &[AccountId]) -> Result<(), AccountsError> {
        let mut rows = Vec::new();
        for ids in ids.chunks(COPIED_AT_ONCE) {
            let mut shard = self.shard(place);
            let seq = shard.last;
            for id in ids {
                shard.changed.remove(id);
                let body = stored::account(shard.book.account(*id).expect("an account stays"));
                rows.push(AccountRow { id: *id, seq, body });
            }
            drop(shard);
            if rows.len() >= ROWS_AT_ONCE {
                self.write_accounts(std::mem::take(&mut rows))?;
            }
        }
        self.write_accounts(rows)
    }

    fn write_accounts(&self, rows: Vec<AccountRow>) -> Result<(), AccountsError> {
        let Some(last) = rows.iter().map(|row| row.seq).max() else { return Ok(()) };
        let pending = Arc::clone(&self.pending);
        let written = self.journal.commit(move |db| {
            // What an account has must be stored.
            let stored = pending.store(db)?;
            assert!(stored >= last, "no account is ahead of the batch that is being made");
            let write = "INSERT INTO account VALUES (?1, ?2, ?3)
                         ON CONFLICT (id) DO UPDATE SET seq = ?2, body = ?3";
            let mut write = db.prepare_cached(write)?;
            for AccountRow { id, seq, body } in rows {
                write.execute(params![id.0.cast_signed(), seq, body])?;
            }
            Ok(())
        });
        Ok(written?)
    }

    /// Makes the entries and sums of all batches until one that is stored. Returns the number of entries.
    pub(crate) fn project(&self, until: i64) -> Result<usize, AccountsError> {
        let _alone = self.projects.lock().unwrap_or_else(PoisonError::into_inner);
        let mut count = 0;
        while let Some(entries) = self.project_some(until)? {
            count += entries;
        }
        Ok(count)
    }

    /// Makes the entries and sums of some batches. Returns the number of entries; `None` if there are no more batches.
    fn project_some(&self, until: i64) -> Result<Option<usize>, AccountsError> {
        let reader = self.journal.reader()?;
        let read = self.projection(&reader, until).map_err(|fault| fault.of(&self.journal))?;
        let Some(Projection { seq, mut entries, totals, notices, ended }) = read else {
            return Ok(None);
        };
        entries.sort_unstable_by_key(|row| (row.account, row.number));
        let count = entries.len();
        self.journal.commit(move |db| {
            write_entries(db, entries)?;
            write_totals(db, &totals)?;
            notices::write(db, notices)?;
            ended_sessions::write(db, ended)?;
            db.execute("UPDATE account_projection SET seq = ?", [seq]).map(drop)
        })?;
        Ok(Some(count))
    }

    fn projection(&self, db: &Connection, until: i64) -> Result<Option<Projection>, Fault> {
        let from = projected(db)?;
        let until = until.min(from + BATCHES_AT_ONCE);
        if until <= from {
            return Ok(None);
        }
        let mut projection = Projection { seq: until, ..Projection::default() };
        let mut currencies = HashMap::new();
        let batches = "SELECT seq, body FROM account_batch WHERE seq > ? AND seq <= ? ORDER BY seq";
        let mut select = db.prepare_cached(batches)?;
        let mut rows = select.query([from, until])?;
        while let Some(row) = rows.next()? {
            let seq: i64 = row.get(0)?;
            let added = batch::each(blob(row, 1)?, |id, at, effects| {
                let currency = *currencies.entry(id).or_insert_with(|| self.currency(id));
                projection.add(id, (at, currency), effects);
                Ok::<(), ledger::EffectsDamaged>(())
            });
            added.map_err(|at| Fault::Damaged(format!("batch {seq} ({at})")))?;
        }
        Ok(Some(projection))
    }

    fn currency(&self, id: AccountId) -> Currency {
        self.look(id, |account| account.expect("an account stays").currency)
    }
}

/// The entries, notices, ended sessions and sums of some batches.
#[derive(Default)]
struct Projection {
    /// The last of these batches.
    seq: i64,
    entries: Vec<EntryRow>,
    notices: Vec<NoticeRow>,
    ended: Vec<EndedRow>,
    totals: Totals,
}

impl Projection {
    fn add(&mut self, account: AccountId, (at, currency): (Millis, Currency), effects: &Effects) {
        self.totals.add_entries(currency, &effects.list);
        self.notices.extend(notices::among(effects, account, at));
        self.ended.extend(ended_sessions::among(effects, account));
        for (entry, body) in stored::entries(effects) {
            self.entries.push(EntryRow { account, number: entry.number, at, body });
        }
    }
}

fn write_entries(db: &Connection, entries: Vec<EntryRow>) -> QueryResult<()> {
    let mut insert = db.prepare_cached("INSERT INTO account_entry VALUES (?, ?, ?, ?)")?;
    for EntryRow { account, number, at, body } in entries {
        insert.execute(params![account.0.cast_signed(), number.cast_signed(), at, body])?;
    }
    Ok(())
}

fn write_totals(db: &Connection, totals: &Totals) -> QueryResult<()> {
    let select =
        "SELECT sum FROM account_total WHERE currency = ? AND unit = ? AND kind = ? AND number = ?";
    let mut select = db.prepare_cached(select)?;
    let write = "INSERT INTO account_total VALUES (?1, ?2, ?3, ?4, ?5)
                 ON CONFLICT (currency, unit, kind, number) DO UPDATE SET sum = ?5";
    let mut write = db.prepare_cached(write)?;
    for ((currency, unit, system), sum) in totals.balances() {
        let (unit, kind) = (unit as i64, system.kind as i64);
        let key = params![currency.0, unit, kind, system.number];
        let before: Option<String> = select.query_row(key, |row| row.get(0)).optional()?;
        let before: i128 = match before {
            Some(text) => text.parse().map_err(store::unreadable)?,
            None => 0,
        };
        let sum = (before + sum).to_string();
        write.execute(params![currency.0, unit, kind, system.number, sum])?;
    }
    Ok(())
}
