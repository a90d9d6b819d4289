//! Accounts in memory, with their effects in a journal.
//!
//! Accounts are split into shards, each behind a lock. A run works on its tasks of a shard, makes a batch of their effects,
//! and begins to store it, all under the lock: so batches are stored in the order in which they were made, and the next
//! run of the shard goes on while this one waits for the disk. A run that only looked waits for what it saw.

use std::collections::{BTreeMap, HashSet};
use std::num::NonZero;
use std::sync::atomic::{AtomicI64, Ordering};
use std::sync::{Arc, Condvar, Mutex, MutexGuard, OnceLock, PoisonError};

use journal::Journal;
use ledger::{Account, AccountId, Book, Currency, Effects, SystemAccount, Totalled, Unit};
use store::{Committing, Connection, QueryResult, StoreError, params};

use crate::batch::Batch;
use crate::deadlines::Deadlines;
use crate::desk::{Accounts, AccountsError, Desk, Task};
use crate::load::{Loaded, load};

/// Accounts in memory, with their effects in a journal.
#[derive(Debug)]
pub struct Embedded {
    pub(crate) journal: Arc<Journal>,
    pub(crate) shards: Vec<Mutex<Shard>>,
    /// The number of the last batch that was begun.
    last: AtomicI64,
    /// Held while a batch gets its number and is begun: both are in one order.
    begins: Mutex<()>,
    stored: Stored,
    /// Held while entries and sums are made of batches.
    pub(crate) projects: Mutex<()>,
    /// Held while a voucher is used or changed.
    pub(crate) vouchers: Mutex<()>,
    /// Why a batch was not stored. Nothing is done after that.
    failure: OnceLock<String>,
}

/// A part of the accounts.
#[derive(Debug, Default)]
pub(crate) struct Shard {
    pub(crate) book: Book,
    /// The last batch with effects of this shard.
    pub(crate) last: i64,
    /// Accounts that changed since they were last folded.
    pub(crate) changed: HashSet<AccountId>,
    /// What happens by itself.
    pub(crate) deadlines: Deadlines,
    /// Memory for the effects of a task.
    effects: Effects,
}

impl Shard {
    /// Makes changes of an account that are stored.
    pub(crate) fn restore(&mut self, id: AccountId, effects: &Effects) -> &Account {
        let account = self.book.restore(id, effects);
        self.deadlines.note(id, account, effects);
        account
    }

    /// Adds what was done with an account to a batch.
    pub(crate) fn add(&mut self, id: AccountId, effects: &Effects, batch: &mut Batch) {
        if effects.list.is_empty() {
            return;
        }
        let account = self.book.account(id).expect("it has changed");
        batch.add(id, account.at, effects);
        self.changed.insert(id);
        self.deadlines.note(id, account, effects);
    }
}

/// What a caller stores in the transaction of a batch.
pub trait Also: FnOnce(&Connection) -> QueryResult<()> + Send + 'static {}

impl<F: FnOnce(&Connection) -> QueryResult<()> + Send + 'static> Also for F {}

/// The last batch that is stored, and those who wait for one.
#[derive(Debug, Default)]
struct Stored {
    last: Mutex<i64>,
    changed: Condvar,
}

impl Embedded {
    /// Reads the accounts of a journal, whose schema has [`TABLES`](crate::TABLES).
    ///
    /// # Errors
    ///
    /// The journal cannot be read, or is damaged.
    pub fn open(journal: Arc<Journal>) -> Result<Self, AccountsError> {
        let processors = std::thread::available_parallelism().map_or(1, NonZero::get);
        let Loaded { shards, last } = load(&journal, processors)?;
        Ok(Embedded {
            journal,
            shards: shards.into_iter().map(Mutex::new).collect(),
            last: AtomicI64::new(last),
            begins: Mutex::new(()),
            stored: Stored { last: Mutex::new(last), changed: Condvar::new() },
            projects: Mutex::new(()),
            vouchers: Mutex::new(()),
            failure: OnceLock::new(),
        })
    }

    pub(crate) fn shard(&self, place: usize) -> MutexGuard<'_, Shard> {
        // A panic within the ledger leaves a shard half changed.
        self.shards[place].lock().expect("no work on this shard has panicked")
    }

    /// Returns the journal.
    pub fn journal(&self) -> &Journal {
        &self.journal
    }

    /// Calls `look` with an account as it is in memory, which may be ahead of the disk for a moment.
    pub fn look<T>(&self, id: AccountId, look: impl FnOnce(Option<&Account>) -> T) -> T {
        look(self.shard(place_of(id, self.shards.len())).book.account(id))
    }

    /// Returns the sums of each currency and unit. Each is zero, or amounts were lost or made. No task may run meanwhile.
    pub fn totalled(&self) -> BTreeMap<(Currency, Unit), Totalled> {
        let mut sums = BTreeMap::<(Currency, Unit), Totalled>::new();
        for place in 0..self.shards.len() {
            for (of, Totalled { buckets, systems }) in self.shard(place).book.totalled() {
                let sum = sums.entry(of).or_default();
                sum.buckets += buckets;
                sum.systems += systems;
            }
        }
        sums
    }

    /// Returns the balance of a system account.
    pub fn system_balance(&self, currency: Currency, unit: Unit, system: SystemAccount) -> i128 {
        let of_shard = |place| {
            let shard = self.shard(place);
            let mut balances = shard.book.totals().balances();
            balances.find(|(of, _)| *of == (currency, unit, system)).map_or(0, |(_, sum)| sum)
        };
        (0..self.shards.len()).map(of_shard).sum()
    }

    /// Returns why a batch was not stored. The accounts must be opened again then.
    pub fn failure(&self) -> Option<&str> {
        self.failure.get().map(String::as_str)
    }

    pub(crate) fn check(&self) -> Result<(), AccountsError> {
        match self.failure.get() {
            Some(reason) => Err(AccountsError::Failed { reason: reason.clone() }),
            None => Ok(()),
        }
    }

    /// Works on tasks of a shard. Returns their batch on its way to the disk; or the number of the batch that they saw.
    fn work<'t, T: Task + 't>(
        &self,
        place: usize,
        tasks: impl Iterator<Item = &'t mut T>,
        also: impl Also,
    ) -> Result<Begun, AccountsError> {
        let mut shard = self.shard(place);
        self.check()?;
        let mut batch = Batch::default();
        let mut effects = std::mem::take(&mut shard.effects);
        for task in tasks {
            let id = task.account();
            effects.clear();
            task.work(&mut Desk::new(&mut shard.book, id, &mut effects));
            shard.add(id, &effects, &mut batch);
        }
        shard.effects = effects;
        Ok(self.begin(&mut [shard], batch, also))
    }

    /// Begins to store a batch of effects of shards.
    pub(crate) fn begin(
        &self,
        shards: &mut [MutexGuard<'_, Shard>],
        batch: Batch,
        also: impl Also,
    ) -> Begun {
        if batch.is_empty() {
            let last = shards.iter().map(|shard| shard.last).max();
            return Begun::Looked(last.expect("a run has a shard"));
        }
        let body = batch.into_octets();
        let _order = self.begins.lock().unwrap_or_else(PoisonError::into_inner);
        let seq = self.last.load(Ordering::Relaxed) + 1;
        self.last.store(seq, Ordering::Relaxed);
        shards.iter_mut().for_each(|shard| shard.last = seq);
        let store = move |db: &Connection| insert(db, seq, &body).and_then(|()| also(db));
        Begun::Batch(seq, self.journal.begin(store))
    }

    /// Works on a task as [`run`](Accounts::run) does. If it changed something, `also` runs in the transaction of its
    /// batch: for rows of the caller that must be there if the change is, such as an entry of the audit trail.
    ///
    /// `also` must not fail for reasons of its own: the accounts in memory are ahead then, as after any batch that failed,
    /// and must be opened again.
    ///
    /// # Errors
    ///
    /// It is not known whether the task is done: the accounts must be opened again.
    pub fn run_with<T: Task>(&self, task: &mut T, also: impl Also) -> Result<(), AccountsError> {
        let place = place_of(task.account(), self.shards.len());
        let begun = self.work(place, std::iter::once(task), also)?;
        self.finish(begun)
    }

    /// Returns the number of the last batch that was begun.
    pub(crate) fn last(&self) -> &AtomicI64 {
        &self.last
    }

    /// Waits until a batch is stored.
    pub(crate) fn wait_for(&self, seq: i64) -> Result<(), AccountsError> {
        let mut last = self.stored.last.lock().unwrap_or_else(PoisonError::into_inner);
        while *last < seq {
            self.check()?;
            last = self.stored.changed.wait(last).unwrap_or_else(PoisonError::into_inner);
        }
        Ok(())
    }

    /// Returns the number of the last batch that is known to be stored.
    pub(crate) fn last_stored(&self) -> i64 {
        *self.stored.last.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn has_stored(&self, seq: i64) {
        let mut last = self.stored.last.lock().unwrap_or_else(PoisonError::into_inner);
        *last = seq.max(*last);
        self.stored.changed.notify_all();
    }

    fn has_failed(&self, error: &StoreError) {
        let _ = self.failure.set(error.to_string());
        let _last = self.stored.last.lock().unwrap_or_else(PoisonError::into_inner);
        self.stored.changed.notify_all();
    }

    pub(crate) fn finish(&self, begun: Begun) -> Result<(), AccountsError> {
        match begun {
            Begun::Looked(seq) => self.wait_for(seq),
            Begun::Batch(seq, committing) => {
                let stored = committing.wait();
                match &stored {
                    Ok(()) => self.has_stored(seq),
                    Err(error) => self.has_failed(error),
                }
                Ok(stored?)
            }
        }
    }
}

/// What a run has begun in a shard.
pub(crate) enum Begun {
    /// A batch, by its number.
    Batch(i64, Committing<()>),
    /// Nothing: it saw what this batch has changed.
    Looked(i64),
}

impl Accounts for Embedded {
    fn run<T: Task>(&self, tasks: &mut [T]) -> Result<(), AccountsError> {
        let count = self.shards.len();
        let mut begun = Vec::with_capacity(count);
        let mut failed = Ok(());
        for place in 0..count {
            let is_own = |task: &&mut T| place_of(task.account(), count) == place;
            let mut own = tasks.iter_mut().filter(is_own).peekable();
            if own.peek().is_none() {
                continue;
            }
            match self.work(place, own, |_| Ok(())) {
                Ok(of_shard) => begun.push(of_shard),
                Err(error) => failed = Err(error),
            }
        }
        // Each is waited for, so that a failure of any is found.
        begun.into_iter().map(|of_shard| self.finish(of_shard)).fold(failed, Result::and)
    }
}

/// Returns the shard of an account.
pub(crate) fn place_of(AccountId(id): AccountId, shards: usize) -> usize {
    // Numbers of accounts are often in a row, or end alike (Knuth, "The Art of Computer Programming" 6.4).
    (id.wrapping_mul(0x9e37_79b9_7f4a_7c15) >> 32) as usize % shards
}

/// Stores a batch, if it is the next one. After one that failed, none may follow.
fn insert(db: &Connection, seq: i64, body: &[u8]) -> QueryResult<()> {
    let insert = "INSERT INTO account_batch SELECT ?1, ?2 WHERE ?1 = 1 + (SELECT ifnull(max(seq), 0) FROM account_batch)";
    match db.prepare_cached(insert)?.execute(params![seq, body])? {
        1 => Ok(()),
        _ => Err(store::undone(BatchMissing)),
    }
}

#[derive(Debug, thiserror::Error)]
#[error("a batch of changes before this one was not stored")]
struct BatchMissing;
