//! Folding: what batches have goes to the tables that people and the next start read, and batches are deleted.
//!
//! Accounts that changed are written as they are in memory, each with the last batch that it has; entries and sums are made
//! from the batches themselves. A batch is deleted when both have it.

use std::ops::Range;
use std::sync::PoisonError;

use ledger::{AccountId, Currency, Effects, Millis, Totals};
use store::{Connection, OptionalExtension as _, QueryResult, params};

use crate::batch::{self, Batch};
use crate::desk::AccountsError;
use crate::embedded::{Embedded, Shard, Worked};
use crate::ended_sessions::{self, NewEnded};
use crate::entries::{self, NewEntries};
use crate::load::{Fault, blob, projected};
use crate::notices::{self, NoticeRow};

/// The accounts of a row: about a page of the database, which is written whole if one of them has changed.
const ROW_ACCOUNTS: u64 = 16;

/// The rows that are copied while a shard is locked: some tenths of a millisecond.
const COPIED_AT_ONCE: usize = 32;

/// The octets that are written in one change, so that others do not wait for long.
const OCTETS_AT_ONCE: usize = 2 << 20;

/// The batches whose entries are made at once, and the octets after which no other is read.
const BATCHES_AT_ONCE: i64 = 1_000;
const BATCH_OCTETS_AT_ONCE: usize = 32 << 20;

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

/// Returns the row of an account.
pub(crate) fn row_of(AccountId(id): AccountId) -> u64 {
    id / ROW_ACCOUNTS
}

/// Returns the accounts of a row.
pub(crate) fn accounts_of(row: u64) -> Range<u64> {
    let first = row.saturating_mul(ROW_ACCOUNTS);
    first..first.saturating_add(ROW_ACCOUNTS)
}

/// Accounts as they are written.
struct AccountsRow {
    row: u64,
    seq: i64,
    accounts: Batch,
}

impl Embedded {
    /// Folds all that happened until now. One thread at a time may do it, beside those that run tasks.
    ///
    /// # Errors
    ///
    /// The journal fails.
    pub fn fold(&self) -> Result<Folded, AccountsError> {
        self.check()?;
        // The accounts must have all of the batches that are deleted.
        let until = self.pending.close();
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
        // Its memory goes, too: after many accounts were opened, it is large.
        let changed = std::mem::take(&mut self.shard(place).changed);
        let mut ids: Vec<AccountId> = changed.into_iter().collect();
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
        let of_rows: Vec<&[AccountId]> =
            ids.chunk_by(|one, next| row_of(*one) == row_of(*next)).collect();
        let (mut rows, mut octets, mut effects) = (Vec::new(), 0, Effects::default());
        for of_rows in of_rows.chunks(COPIED_AT_ONCE) {
            let mut shard = self.shard(place);
            self.pending.close();
            for ids in of_rows {
                let row = shard.copy(row_of(ids[0]), &mut effects);
                octets += row.accounts.octets().len();
                rows.push(row);
                ids.iter().for_each(|id| {
                    shard.changed.remove(id);
                });
            }
            drop(shard);
            if octets >= OCTETS_AT_ONCE {
                octets = 0;
                self.write_accounts(std::mem::take(&mut rows))?;
            }
        }
        self.write_accounts(rows)
    }

    fn write_accounts(&self, rows: Vec<AccountsRow>) -> Result<(), AccountsError> {
        let Some(last) = rows.iter().map(|row| row.seq).max() else { return Ok(()) };
        // What an account has must be stored. Rows that cannot be written are tried again, so they have a transaction of
        // their own.
        self.finish(Worked { batch: last, has_changed: false })?;
        let written = self.journal.commit_alone(move |db| {
            let write = "INSERT INTO account VALUES (?1, ?2, ?3)
                         ON CONFLICT (row) DO UPDATE SET seq = ?2, body = ?3";
            let mut write = db.prepare_cached(write)?;
            for AccountsRow { row, seq, accounts } in rows {
                write.execute(params![row.cast_signed(), seq, accounts.octets()])?;
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
        let Some(Projection { seq, mut entries, totals, notices, ended, .. }) = read else {
            return Ok(None);
        };
        let count = entries.len();
        let rows = entries.rows();
        self.journal.commit_alone(move |db| {
            entries::write(db, seq, rows)?;
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
        let (mut projection, mut octets) = (Projection::default(), 0);
        let batches = "SELECT seq, body FROM account_batch WHERE seq > ? AND seq <= ? ORDER BY seq";
        let mut select = db.prepare_cached(batches)?;
        let mut rows = select.query([from, until])?;
        while let Some(row) = rows.next()? {
            let (seq, body) = (row.get(0)?, blob(row, 1)?);
            let added = batch::each(body, |id, at, effects| {
                projection.add(id, at, effects, || self.currency(id));
                Ok::<(), ledger::EffectsDamaged>(())
            });
            added.map_err(|at| Fault::Damaged(format!("batch {seq} ({at})")))?;
            projection.seq = seq;
            octets += body.len();
            if octets >= BATCH_OCTETS_AT_ONCE {
                break;
            }
        }
        Ok(Some(projection))
    }

    fn currency(&self, id: AccountId) -> Currency {
        self.look(id, |account| account.expect("an account stays").currency)
    }
}

impl Shard {
    /// Copies the accounts of a row.
    fn copy(&self, row: u64, effects: &mut Effects) -> AccountsRow {
        let mut accounts = Batch::default();
        for id in (row * ROW_ACCOUNTS..=row * ROW_ACCOUNTS + (ROW_ACCOUNTS - 1)).map(AccountId) {
            if let Some(account) = self.book.account(id) {
                effects.clear();
                effects.add_account(account);
                accounts.add(id, account.at, effects);
            }
        }
        AccountsRow { row, seq: self.last, accounts }
    }
}

/// The entries, notices, ended sessions and sums of some batches.
#[derive(Default)]
struct Projection {
    /// The last of these batches.
    seq: i64,
    entries: NewEntries,
    notices: Vec<NoticeRow>,
    ended: NewEnded,
    totals: Totals,
    /// Memory for an entry or an ended session.
    one: Effects,
}

impl Projection {
    fn add(
        &mut self,
        account: AccountId,
        at: Millis,
        effects: &Effects,
        currency: impl FnOnce() -> Currency,
    ) {
        let Projection { entries, notices, ended, totals, one, .. } = self;
        if effects.entries().next().is_some() {
            totals.add_entries(currency(), &effects.list);
            entries.add(account, at, effects, one);
        }
        notices.extend(notices::among(effects, account, at));
        ended.add(account, effects, one);
    }
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
