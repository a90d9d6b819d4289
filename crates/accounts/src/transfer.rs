//! Transfers between two accounts, which may be in two shards. The effects of both are in one batch: whenever the program
//! ends, both are there or none.

use ledger::{Books, Effects, Outcome, Transfer};

use crate::batch::Batch;
use crate::desk::AccountsError;
use crate::embedded::{Also, Embedded, Shard, Worked, place_of};

impl Embedded {
    /// Makes a transfer. If it changed something, `also` runs in the transaction of its batch, as for
    /// [`run_with`](Self::run_with).
    ///
    /// # Errors
    ///
    /// It is not known whether it is done: the accounts must be opened again.
    pub fn transfer(
        &self,
        transfer: &Transfer<'_>,
        also: impl Also,
    ) -> Result<Outcome, AccountsError> {
        let (outcome, worked) = self.work_on_transfer(transfer, also)?;
        self.finish(worked)?;
        Ok(outcome)
    }

    fn work_on_transfer(
        &self,
        transfer: &Transfer<'_>,
        also: impl Also,
    ) -> Result<(Outcome, Worked), AccountsError> {
        let [from, to] = [transfer.from, transfer.to].map(|id| place_of(id, self.shards.len()));
        // Locks are taken in the order of shards: so no two transfers wait for each other.
        let places = if from == to { vec![from] } else { vec![from.min(to), from.max(to)] };
        let mut shards: Vec<_> = places.into_iter().map(|place| self.shard(place)).collect();
        self.check()?;
        let (mut sent, mut received) = (Effects::default(), Effects::default());
        let books = match &mut shards[..] {
            [low, high] if from < to => Books::Two { from: &mut low.book, to: &mut high.book },
            [low, high] => Books::Two { from: &mut high.book, to: &mut low.book },
            both => Books::Same(&mut both[0].book),
        };
        let outcome = transfer.perform(books, (&mut sent, &mut received));
        let mut batch = Batch::default();
        let last = shards.len() - 1;
        let (of_sender, of_receiver) = if from <= to { (0, last) } else { (last, 0) };
        shards[of_sender].add(transfer.from, &sent, &mut batch);
        shards[of_receiver].add(transfer.to, &received, &mut batch);
        let mut shards: Vec<&mut Shard> = shards.iter_mut().map(|shard| &mut **shard).collect();
        Ok((outcome, self.add(&mut shards, &batch, Some(Box::new(also)))))
    }
}
