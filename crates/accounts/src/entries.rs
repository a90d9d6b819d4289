//! Entries as they are stored: those from some batches of the accounts of a row are in one row, too. A statement for each entry, or
//! for each account, costs more than all that is before the answer: each of them reads and writes another page.

use std::ops::Range;

use ledger::{AccountId, Effects, Entry, Millis};
use store::{Connection, QueryResult, params};

use crate::batch::{Batch, StoredOperation, operations};
use crate::fold::{accounts_of, row_of};
use crate::load::Fault;
use crate::stored;

/// The entries of some batches.
#[derive(Default)]
pub(crate) struct NewEntries {
    places: Vec<(AccountId, u64, Range<usize>)>,
    stored: Batch,
}

/// Entries of the accounts of a row as they are written.
pub(crate) struct EntriesRow {
    row: u64,
    body: Vec<u8>,
}

impl NewEntries {
    /// Adds the entries among the effects of an account.
    pub(crate) fn add(
        &mut self,
        account: AccountId,
        at: Millis,
        effects: &Effects,
        one: &mut Effects,
    ) {
        for (entry, remark) in effects.entries() {
            let from = self.stored.octets().len();
            one.put_entry(entry, remark);
            self.stored.add(account, at, one);
            self.places.push((account, entry.number, from..self.stored.octets().len()));
        }
    }

    pub(crate) fn len(&self) -> usize {
        self.places.len()
    }

    /// Returns their rows, in order.
    pub(crate) fn rows(&mut self) -> Vec<EntriesRow> {
        self.places.sort_unstable_by_key(|(account, number, _)| (*account, *number));
        let of_rows = self.places.chunk_by(|(one, ..), (next, ..)| row_of(*one) == row_of(*next));
        let octets = self.stored.octets();
        let row = |places: &[(AccountId, u64, Range<usize>)]| EntriesRow {
            row: row_of(places[0].0),
            body: places.iter().flat_map(|(.., place)| &octets[place.clone()]).copied().collect(),
        };
        of_rows.map(row).collect()
    }
}

/// Writes the entries of batches until one.
pub(crate) fn write(db: &Connection, seq: i64, rows: Vec<EntriesRow>) -> QueryResult<()> {
    let mut insert = db.prepare_cached("INSERT INTO account_entry VALUES (?, ?, ?)")?;
    for EntriesRow { row, body } in rows {
        insert.execute(params![row.cast_signed(), seq, body])?;
    }
    Ok(())
}

/// An entry that was read.
pub(crate) struct StoredEntry {
    pub(crate) account: AccountId,
    pub(crate) at: Millis,
    pub(crate) entry: Entry,
    pub(crate) remark: Vec<u8>,
}

/// Reads the entries of a row whose accounts are wanted, in order.
pub(crate) fn read(
    row: u64,
    body: &[u8],
    is_wanted: impl Fn(AccountId) -> bool,
) -> Result<Vec<StoredEntry>, Fault> {
    let damaged = || {
        let accounts = accounts_of(row);
        let text =
            format!("a row of entries of accounts {} to {}", accounts.start, accounts.end - 1);
        Fault::Damaged(text)
    };
    let mut entries = Vec::new();
    for operation in operations(body) {
        let StoredOperation { account, at, effects } = operation.map_err(|_| damaged())?;
        if is_wanted(account) {
            let (entry, remark) = stored::read_entry(effects).ok_or_else(damaged)?;
            entries.push(StoredEntry { account, at, entry, remark });
        }
    }
    Ok(entries)
}
