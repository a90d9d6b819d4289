//! The accounts of a batch of tasks: copies that are decided on, and what there is to store of them.

use accounts::{Desk, Task};
use ledger::{Account, AccountId, Book, Effects, Millis, Operation, Outcome, Transfer};

use crate::call::Call;
use crate::copies::AccountCopy;
use crate::deadlines;

/// Copies of some accounts that are decided on.
#[derive(Default)]
pub(crate) struct Drafts {
    /// In the order of accounts.
    drafts: Vec<Draft>,
    book: Book,
    /// What the accounts leave beside themselves.
    call: Call,
    /// Memory for the effects of a task.
    effects: Effects,
}

struct Draft {
    id: AccountId,
    version: i64,
    due: Option<Millis>,
    has_changed: bool,
}

impl Drafts {
    /// Adds the copy of an account. Accounts come in order.
    pub(crate) fn add(&mut self, id: AccountId, copy: AccountCopy) {
        assert!(self.drafts.last().is_none_or(|last| last.id < id), "accounts are locked in order");
        let AccountCopy { version, due, account } = copy;
        self.drafts.push(Draft { id, version, due, has_changed: false });
        if let Some(account) = account {
            self.book.put(id, account);
        }
    }

    /// Adds the copy of an account whose row is due: it changes in any case.
    pub(crate) fn add_due(&mut self, id: AccountId, copy: AccountCopy) {
        self.add(id, copy);
        self.drafts.last_mut().expect("it was added").has_changed = true;
    }

    /// Returns an account. `None` if there is none.
    pub(crate) fn account(&self, id: AccountId) -> Option<&Account> {
        self.book.account(id)
    }

    /// Returns whether anything has changed.
    pub(crate) fn have_changed(&self) -> bool {
        self.drafts.iter().any(|draft| draft.has_changed)
    }

    /// Works on a task.
    pub(crate) fn work<T: Task>(&mut self, task: &mut T) {
        self.at_desk(task.account(), |desk| task.work(desk));
    }

    /// Works on an account.
    pub(crate) fn at_desk<R>(&mut self, id: AccountId, work: impl FnOnce(&mut Desk<'_>) -> R) -> R {
        let mut effects = self.effects();
        let result = work(&mut Desk::new(&mut self.book, id, &mut effects));
        self.note(id, effects);
        result
    }

    /// Performs an operation.
    pub(crate) fn perform(&mut self, operation: &Operation<'_>) -> Outcome {
        let mut effects = self.effects();
        let outcome = self.book.perform(operation, &mut effects);
        self.note(operation.account, effects);
        outcome
    }

    /// Makes a transfer between two of the accounts.
    pub(crate) fn transfer(&mut self, transfer: &Transfer<'_>) -> Outcome {
        let (mut sent, mut received) = (self.effects(), Effects::default());
        let books = ledger::Books::Same(&mut self.book);
        let outcome = transfer.perform(books, (&mut sent, &mut received));
        self.note(transfer.from, sent);
        self.note(transfer.to, received);
        outcome
    }

    fn effects(&mut self) -> Effects {
        let mut effects = std::mem::take(&mut self.effects);
        effects.clear();
        effects
    }

    /// Notes what has changed in an account, which has it already.
    fn note(&mut self, id: AccountId, effects: Effects) {
        if !effects.list.is_empty() {
            let place = self.drafts.binary_search_by_key(&id, |draft| draft.id);
            let place = place.expect("only accounts that were added are worked on");
            self.drafts[place].has_changed = true;
            let account = self.book.account(id).expect("it has changed");
            self.call.add_effects(place, (account.at, account.currency), &effects);
        }
        self.effects = effects;
    }

    /// Returns the call that stores the accounts, and the copies that the front has if it is done. `next_due` returns when
    /// an account is due, of which it was known that it was due at a time.
    pub(crate) fn finish(
        mut self,
        next_due: impl Fn(&Account, Option<Millis>) -> Option<Millis>,
    ) -> (Call, Vec<(AccountId, AccountCopy)>) {
        let mut copies = Vec::with_capacity(self.drafts.len());
        for Draft { id, mut version, mut due, has_changed } in self.drafts {
            let account = self.book.take(id);
            let of = account.as_ref();
            if has_changed {
                let after = next_due(of.expect("it has changed"), due);
                self.call.add_account((id, version), of, after);
                (version, due) = (version + 1, after);
            } else {
                self.call.add_account((id, version), None, due);
            }
            copies.push((id, AccountCopy { version, due, account }));
        }
        (self.call, copies)
    }
}

/// Returns when an account is due, as the index should have it. It changes as rarely as possible: a time that is too early
/// costs one look, a change of the index costs more.
pub(crate) fn lazily_due(account: &Account, known: Option<Millis>) -> Option<Millis> {
    let next = deadlines::next(account, account.at, deadlines::FORGET_LATER)?;
    Some(known.map_or(next, |known| known.min(next)))
}
