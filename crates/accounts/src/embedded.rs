//! Accounts in memory, with their effects in a journal.
//!
//! Accounts are split into shards, each behind a lock. A run works on its tasks of a shard, and adds their effects to the
//! batch that is being made, all under the lock: so a batch has the effects of an account in their order, and the next run
//! of the shard goes on while this one waits for the disk. When a run is through with all shards, it calls the writer of
//! the journal, who stores all that is there by then. A run that only looked waits for what it saw.

use std::collections::{BTreeMap, HashSet};
use std::num::NonZero;
use std::sync::{Arc, Condvar, Mutex, MutexGuard, OnceLock, PoisonError};

use journal::Journal;
use ledger::{Account, AccountId, Book, Currency, Effects, SystemAccount, Totalled, Unit};
use store::{Connection, QueryResult, StoreError};

use crate::batch::Batch;
use crate::deadlines::Deadlines;
use crate::desk::{Accounts, AccountsError, Desk, Task};
use crate::fold::row_of;
use crate::load::{Loaded, load};
use crate::pending::{BoxedAlso, Pending};

/// The tasks whose accounts are read before the first of them is worked on: what they consist of fits into the cache of a
/// processor.
const WARMED_AT_ONCE: usize = 64;

/// Accounts in memory, with their effects in a journal.
#[derive(Debug)]
pub struct Embedded {
    pub(crate) journal: Arc<Journal>,
    pub(crate) shards: Vec<Mutex<Shard>>,
    pub(crate) pending: Arc<Pending>,
    stored: Stored,
    /// Held while entries and sums are made of batches.
    pub(crate) projects: Mutex<()>,
    /// Held while a voucher is used or changed.
    pub(crate) vouchers: Mutex<()>,
    /// Why a batch was not stored. Nothing is done after that.
    failure: OnceLock<String>,
    /// Whether what tasks of a run change is stored.
    is_durable: bool,
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
    /// Memory for those of a run.
    batch: Batch,
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

    /// Notes what was done with an account that is not stored.
    fn note(&mut self, id: AccountId, effects: &Effects) {
        if !effects.list.is_empty() {
            let account = self.book.account(id).expect("it has changed");
            self.deadlines.note(id, account, effects);
        }
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
            pending: Arc::new(Pending::after(last)),
            stored: Stored { last: Mutex::new(last), changed: Condvar::new() },
            projects: Mutex::new(()),
            vouchers: Mutex::new(()),
            failure: OnceLock::new(),
            is_durable: true,
        })
    }

    /// Returns the accounts in a state in which runs store nothing. This is for measurements: what runs change is lost at the
    /// end.
    pub fn without_durability(self) -> Self {
        Embedded { is_durable: false, ..self }
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

    /// Works on the tasks of a shard among some.
    fn work<T: Task>(
        &self,
        place: usize,
        tasks: &mut [T],
        also: Option<BoxedAlso>,
    ) -> Result<Worked, AccountsError> {
        let mut shard = self.shard(place);
        self.check()?;
        let mut batch = std::mem::take(&mut shard.batch);
        let mut effects = std::mem::take(&mut shard.effects);
        for tasks in tasks.chunks_mut(WARMED_AT_ONCE) {
            let is_own = |id: &AccountId| place_of(*id, self.shards.len()) == place;
            shard.book.warm(tasks.iter().map(Task::account).filter(is_own));
            for task in tasks.iter_mut().filter(|task| is_own(&task.account())) {
                let id = task.account();
                effects.clear();
                task.work(&mut Desk::new(&mut shard.book, id, &mut effects));
                match self.is_durable {
                    true => shard.add(id, &effects, &mut batch),
                    false => shard.note(id, &effects),
                }
            }
        }
        let worked = self.add(&mut [&mut shard], &batch, also);
        batch.clear();
        (shard.batch, shard.effects) = (batch, effects);
        Ok(worked)
    }

    /// Adds effects of shards to the batch that is being made.
    pub(crate) fn add(
        &self,
        shards: &mut [&mut Shard],
        effects: &Batch,
        also: Option<BoxedAlso>,
    ) -> Worked {
        if effects.is_empty() {
            let saw = shards.iter().map(|shard| shard.last).max().unwrap_or_default();
            return Worked { batch: saw, has_changed: false };
        }
        let batch = self.pending.add(effects, also);
        shards.iter_mut().for_each(|shard| shard.last = batch);
        Worked { batch, has_changed: true }
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
        let worked = self.work(place, std::slice::from_mut(task), Some(Box::new(also)))?;
        self.finish(worked)
    }

    /// Waits until another run has stored a batch.
    fn wait_for(&self, seq: i64) -> Result<(), AccountsError> {
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

    /// Waits until all that a run did and saw is stored.
    pub(crate) fn finish(
        &self,
        Worked { batch, has_changed }: Worked,
    ) -> Result<(), AccountsError> {
        match has_changed || !self.pending.is_called_for(batch) {
            true => self.store_pending(),
            false => self.wait_for(batch),
        }
    }

    /// Stores all that is decided.
    fn store_pending(&self) -> Result<(), AccountsError> {
        let pending = Arc::clone(&self.pending);
        pending.note_call();
        let stored = self.journal.begin(move |db| pending.store(db)).wait();
        match &stored {
            Ok(last) => self.has_stored(*last),
            Err(error) => self.has_failed(error),
        }
        Ok(stored.map(drop)?)
    }
}

/// What a run has done.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Worked {
    /// The last batch with what it did, or saw.
    pub(crate) batch: i64,
    /// Whether it has changed anything.
    pub(crate) has_changed: bool,
}

impl Worked {
    fn and(self, other: Worked) -> Self {
        let has_changed = self.has_changed || other.has_changed;
        Worked { batch: self.batch.max(other.batch), has_changed }
    }
}

impl Accounts for Embedded {
    fn run<T: Task>(&self, tasks: &mut [T]) -> Result<(), AccountsError> {
        let count = self.shards.len();
        let mut all = Worked::default();
        for place in 0..count {
            if tasks.iter().any(|task| place_of(task.account(), count) == place) {
                all = all.and(self.work(place, tasks, None)?);
            }
        }
        self.finish(all)
    }
}

/// Returns the shard of an account. Those of a row of the table are in one shard.
pub(crate) fn place_of(id: AccountId, shards: usize) -> usize {
    // Numbers of accounts are often in a row, or end alike (Knuth, "The Art of Computer Programming" 6.4).
    (row_of(id).wrapping_mul(0x9e37_79b9_7f4a_7c15) >> 32) as usize % shards
}
