//! Reads the accounts of a journal: each as it was folded, and then what happened since.

use std::collections::HashMap;

use journal::Journal;
use ledger::{AccountId, Currency, EffectsDamaged, SystemAccount, SystemKind, Unit};
use store::{Connection, QueryError, Row};

use crate::batch;
use crate::desk::AccountsError;
use crate::embedded::{Shard, place_of};
use crate::fold::row_of;

/// The accounts of a journal.
pub(crate) struct Loaded {
    pub(crate) shards: Vec<Shard>,
    /// The last batch.
    pub(crate) last: i64,
}

pub(crate) fn load(journal: &Journal, shards: usize) -> Result<Loaded, AccountsError> {
    let reader = journal.reader()?;
    let shards = (0..shards).map(|_| Shard::default()).collect();
    let mut loading = Loading { shards, folded: HashMap::new(), last: 0 };
    loading.read(&reader).map_err(|fault| fault.of(journal))?;
    let Loading { shards, last, .. } = loading;
    Ok(Loaded { shards, last })
}

/// Why rows of the journal cannot be used.
pub(crate) enum Fault {
    /// They cannot be read.
    Query(QueryError),
    /// This row is damaged.
    Damaged(String),
}

impl Fault {
    pub(crate) fn of(self, journal: &Journal) -> AccountsError {
        match self {
            Fault::Damaged(row) => AccountsError::Damaged { row },
            Fault::Query(error) => match journal.answer::<()>(Err(error)) {
                Err(error) => error.into(),
                Ok(()) => unreachable!("an error stays one"),
            },
        }
    }
}

impl From<QueryError> for Fault {
    fn from(error: QueryError) -> Self {
        Fault::Query(error)
    }
}

struct Loading {
    shards: Vec<Shard>,
    /// The last batch that the accounts of each row have.
    folded: HashMap<u64, i64>,
    last: i64,
}

impl Loading {
    fn read(&mut self, db: &Connection) -> Result<(), Fault> {
        self.accounts(db)?;
        self.totals(db)?;
        self.batches(db)
    }

    fn shard(&mut self, id: AccountId) -> &mut Shard {
        let place = place_of(id, self.shards.len());
        &mut self.shards[place]
    }

    fn accounts(&mut self, db: &Connection) -> Result<(), Fault> {
        let mut select = db.prepare("SELECT row, seq, body FROM account ORDER BY row")?;
        let mut rows = select.query([])?;
        while let Some(next) = rows.next()? {
            let row = next.get::<_, i64>(0)?.cast_unsigned();
            self.folded.insert(row, next.get(1)?);
            let restored = batch::each(blob(next, 2)?, |id, _, effects| {
                self.shard(id).restore(id, effects);
                Ok::<(), EffectsDamaged>(())
            });
            restored.map_err(|at| Fault::Damaged(format!("row {row} of the accounts ({at})")))?;
        }
        Ok(())
    }

    /// Reads the sums. They are those of all accounts, so any shard may have them.
    fn totals(&mut self, db: &Connection) -> Result<(), Fault> {
        let totals = self.shards[0].book.totals_mut();
        let mut select =
            db.prepare("SELECT currency, unit, kind, number, sum FROM account_total")?;
        let mut rows = select.query([])?;
        while let Some(row) = rows.next()? {
            let (unit, kind): (u8, u8) = (row.get(1)?, row.get(2)?);
            let sum: String = row.get(4)?;
            let (Some(unit), Some(kind), Ok(sum)) = (
                Unit::ALL.get(usize::from(unit)),
                SystemKind::ALL.get(usize::from(kind)),
                sum.parse(),
            ) else {
                return Err(Fault::Damaged("a sum".into()));
            };
            let system = SystemAccount { kind: *kind, number: row.get(3)? };
            totals.add((Currency(row.get(0)?), *unit, system), sum);
        }
        Ok(())
    }

    /// Makes the changes since accounts were folded and sums were made.
    fn batches(&mut self, db: &Connection) -> Result<(), Fault> {
        let projected = projected(db)?;
        let mut select = db.prepare("SELECT seq, body FROM account_batch ORDER BY seq")?;
        let mut rows = select.query([])?;
        while let Some(row) = rows.next()? {
            let seq: i64 = row.get(0)?;
            self.last = seq;
            let made = batch::each(blob(row, 1)?, |id, _, effects| {
                let is_folded = self.folded.get(&row_of(id)).is_some_and(|folded| *folded >= seq);
                let shard = self.shard(id);
                let account = match is_folded {
                    true => shard.book.account(id),
                    false => {
                        shard.changed.insert(id);
                        Some(shard.restore(id, effects))
                    }
                };
                let currency = account.map(|account| account.currency);
                if let Some(currency) = currency.filter(|_| seq > projected) {
                    shard.book.totals_mut().add_entries(currency, &effects.list);
                }
                Ok::<(), EffectsDamaged>(())
            });
            made.map_err(|at| Fault::Damaged(format!("batch {seq} ({at})")))?;
        }
        let last = self.last;
        self.shards.iter_mut().for_each(|shard| shard.last = last);
        Ok(())
    }
}

/// Returns the last batch whose entries and sums are in their tables.
pub(crate) fn projected(db: &Connection) -> Result<i64, QueryError> {
    db.query_row("SELECT seq FROM account_projection", [], |row| row.get(0))
}

pub(crate) fn blob<'r>(row: &'r Row<'_>, column: usize) -> Result<&'r [u8], QueryError> {
    row.get_ref(column)?.as_blob().map_err(store::unreadable)
}
