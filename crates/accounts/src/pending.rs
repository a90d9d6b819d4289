//! The batch that is being made: what was decided, and is not yet on its way to the disk.
//!
//! Runs add to it while they hold their shard, so it has the effects of each account in their order. The writer of the
//! journal takes all of it when it comes to it: what was decided while the disk was busy is one batch, and one row.
//!
//! Accounts are folded with the number of the last batch that they have. An effect that came into that batch afterwards would
//! be taken for folded, and lost by the next start: so a fold closes the batch, and what is decided later is in another.

use std::fmt;
use std::sync::{Mutex, MutexGuard, PoisonError};

use store::{Connection, QueryResult, params};

use crate::batch::Batch;

/// What a caller stores in the transaction of a batch.
pub(crate) type BoxedAlso = Box<dyn FnOnce(&Connection) -> QueryResult<()> + Send>;

/// The batch that is being made.
pub(crate) struct Pending(Mutex<Next>);

struct Next {
    /// Its number.
    seq: i64,
    batch: Batch,
    /// Those before it that were closed, and are not stored.
    closed: Vec<Batch>,
    also: Vec<BoxedAlso>,
    /// The last batch that the writer was called for.
    called: i64,
    /// Memory for the batch after it.
    spare: Batch,
}

impl fmt::Debug for Pending {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Pending").finish_non_exhaustive()
    }
}

impl Next {
    /// Returns the number of the last batch with effects.
    fn last(&self) -> i64 {
        if self.batch.is_empty() { self.seq - 1 } else { self.seq }
    }
}

impl Pending {
    /// Returns an empty batch after those that are stored.
    pub(crate) fn after(last: i64) -> Self {
        let (batch, spare) = Default::default();
        let (closed, also) = Default::default();
        Pending(Mutex::new(Next { seq: last + 1, batch, closed, also, called: last, spare }))
    }

    fn lock(&self) -> MutexGuard<'_, Next> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Adds effects, and what a caller stores with them. Returns the number of their batch.
    pub(crate) fn add(&self, effects: &Batch, also: Option<BoxedAlso>) -> i64 {
        let mut next = self.lock();
        next.batch.append(effects);
        next.also.extend(also);
        next.seq
    }

    /// Closes the batch, if it has effects. Returns the number of the last batch with effects: none is added to it.
    pub(crate) fn close(&self) -> i64 {
        let mut next = self.lock();
        if !next.batch.is_empty() {
            let batch = std::mem::take(&mut next.batch);
            next.closed.push(batch);
            next.seq += 1;
        }
        next.last()
    }

    /// Returns whether the writer was called for a batch.
    pub(crate) fn is_called_for(&self, seq: i64) -> bool {
        self.lock().called >= seq
    }

    /// Notes that the writer is called for all that is there.
    pub(crate) fn note_call(&self) {
        let mut next = self.lock();
        next.called = next.last();
    }

    /// Stores the batch and those before it in a transaction. Returns the number of the last batch.
    pub(crate) fn store(&self, db: &Connection) -> QueryResult<i64> {
        let (last, closed, mut batch, also) = {
            let mut next = self.lock();
            let last = next.last();
            next.seq = last + 1;
            let spare = std::mem::take(&mut next.spare);
            let batch = std::mem::replace(&mut next.batch, spare);
            (last, std::mem::take(&mut next.closed), batch, std::mem::take(&mut next.also))
        };
        let open = Some(&batch).filter(|batch| !batch.is_empty());
        let count = closed.len() + usize::from(open.is_some());
        let first = last + 1 - count as i64;
        if count == 0 {
            check_stored(db, last)?;
        }
        for (seq, batch) in (first..).zip(closed.iter().chain(open)) {
            insert(db, seq, batch.octets())?;
        }
        also.into_iter().try_for_each(|also| also(db))?;
        batch.clear();
        self.lock().spare = batch;
        Ok(last)
    }
}

/// Stores a batch, if it is the next one. After one that failed, none may follow.
fn insert(db: &Connection, seq: i64, body: &[u8]) -> QueryResult<()> {
    let insert = "INSERT INTO account_batch SELECT ?1, ?2 WHERE ?1 = 1 + (SELECT ifnull(max(seq), 0) FROM account_batch)";
    match db.prepare_cached(insert)?.execute(params![seq, body])? {
        1 => Ok(()),
        _ => Err(store::undone(BatchMissing)),
    }
}

/// Checks that a batch that was taken before has not failed.
fn check_stored(db: &Connection, seq: i64) -> QueryResult<()> {
    let select = "SELECT ifnull(max(seq), 0) FROM account_batch";
    match db.prepare_cached(select)?.query_row([], |row| row.get::<_, i64>(0))? {
        stored if stored == seq => Ok(()),
        _ => Err(store::undone(BatchMissing)),
    }
}

#[derive(Debug, thiserror::Error)]
#[error("a batch of changes before this one was not stored")]
struct BatchMissing;

#[cfg(test)]
mod tests {
    use ledger::{AccountId, Effects};

    use super::*;

    fn opened() -> (Connection, Pending, Batch) {
        let db = Connection::open_in_memory().unwrap();
        db.execute_batch(crate::TABLES).unwrap();
        let mut effects = Batch::default();
        effects.add(AccountId(1), 0, &Effects::default());
        (db, Pending::after(0), effects)
    }

    #[test]
    fn what_several_runs_have_decided_is_one_batch() {
        let (db, pending, effects) = opened();
        assert_eq!([pending.add(&effects, None), pending.add(&effects, None)], [1, 1]);
        // Each of them calls the writer.
        assert_eq!([pending.store(&db).unwrap(), pending.store(&db).unwrap()], [1, 1]);
        assert_eq!(pending.add(&effects, None), 2);
        assert_eq!(pending.store(&db).unwrap(), 2);
    }

    #[test]
    fn nothing_is_added_to_a_batch_that_is_closed() {
        let (db, pending, effects) = opened();
        assert_eq!(pending.close(), 0, "there is none");
        assert_eq!((pending.add(&effects, None), pending.close(), pending.close()), (1, 1, 1));
        assert_eq!((pending.add(&effects, None), pending.close()), (2, 2));
        assert_eq!((pending.add(&effects, None), pending.store(&db).unwrap()), (3, 3));
        let lengths = "SELECT group_concat(length(body)) FROM account_batch";
        let lengths: String = db.query_row(lengths, [], |row| row.get(0)).unwrap();
        let length = effects.octets().len();
        assert_eq!(lengths, format!("{length},{length},{length}"));
        assert_eq!((pending.add(&effects, None), pending.close()), (4, 4));
        assert_eq!(pending.store(&db).unwrap(), 4, "closed ones are stored without another");
    }

    #[test]
    fn all_runs_of_a_batch_that_failed_fail_and_none_follows() {
        let (db, pending, effects) = opened();
        pending.add(&effects, Some(Box::new(|_| Err(store::undone(BatchMissing)))));
        pending.add(&effects, None);
        db.execute_batch("BEGIN").unwrap();
        assert!(pending.store(&db).is_err());
        db.execute_batch("ROLLBACK").unwrap();
        assert!(pending.store(&db).is_err(), "its effects were in that batch");
        pending.add(&effects, None);
        assert!(pending.store(&db).is_err());
    }
}
