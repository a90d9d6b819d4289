//! Many accounts in memory, and the sums over them.

use std::collections::{BTreeMap, HashMap};
use std::hash::{BuildHasherDefault, Hasher};

use crate::account::{Account, AccountId};
use crate::decide::{decide, refused};
use crate::effect::{Effect, Effects};
use crate::operation::{Action, NewAccount, Operation, Outcome, Receipt, Refusal};
use crate::totals::Totals;
use crate::unit::{AMOUNT_MAX, Currency, Unit};

/// The accounts of a ledger, or of a part of it.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Book {
    /// Each has its own memory: a table doubles when it is full, and room for half of the accounts is much more than for half
    /// of the places.
    accounts: HashMap<AccountId, Box<Account>, BuildHasherDefault<IdHasher>>,
    totals: Totals,
}

/// Hashes the numbers of accounts. The program gives these, so no client chooses ones that collide, and a request is spared a
/// keyed hash.
#[derive(Clone, Copy, Debug, Default)]
struct IdHasher(u64);

impl Hasher for IdHasher {
    fn finish(&self) -> u64 {
        self.0
    }

    fn write(&mut self, octets: &[u8]) {
        octets.iter().for_each(|octet| self.write_u64((*octet).into()));
    }

    fn write_u64(&mut self, number: u64) {
        // The table uses the upper bits and the lower ones (Knuth, "The Art of Computer Programming" 6.4).
        let mixed = (self.0 ^ number).wrapping_mul(0x9e37_79b9_7f4a_7c15);
        self.0 = mixed ^ (mixed >> 32);
    }
}

/// The sum of all buckets and system accounts of a unit, which is zero, and the two that it consists of.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Totalled {
    /// The sum of all buckets.
    pub buckets: i128,
    /// The sum of all system accounts.
    pub systems: i128,
}

impl Book {
    /// Returns an account.
    pub fn account(&self, id: AccountId) -> Option<&Account> {
        self.accounts.get(&id).map(|account| &**account)
    }

    /// Reads what accounts consist of, before they are worked on: the processor waits for the memory of many at once then, and not
    /// of one after the other.
    pub fn warm(&self, ids: impl Iterator<Item = AccountId>) {
        let found = ids.filter_map(|id| self.account(id));
        std::hint::black_box(found.fold(0, |read, account| read ^ account.read()));
    }

    /// Adds an account as it is stored, in place of the one that is there. The totals stay as they are.
    pub fn put(&mut self, id: AccountId, account: Account) {
        self.accounts.insert(id, Box::new(account));
    }

    /// Removes an account. The totals stay as they are.
    pub fn take(&mut self, id: AccountId) -> Option<Account> {
        self.accounts.remove(&id).map(|account| *account)
    }

    /// Returns the accounts in no order.
    pub fn accounts(&self) -> impl Iterator<Item = (AccountId, &Account)> {
        self.accounts.iter().map(|(id, account)| (*id, &**account))
    }

    /// Returns the balances of system accounts.
    pub fn totals(&self) -> &Totals {
        &self.totals
    }

    /// Does an operation. Its effects are added to `effects`, which may have those of operations before.
    pub fn perform(&mut self, operation: &Operation<'_>, effects: &mut Effects) -> Outcome {
        let Operation { account: id, at, action } = operation;
        let decide = |account: &mut _, effects: &mut _| decide(account, *at, action, effects);
        match (self.change(*id, effects, decide), action) {
            (Some(outcome), _) => outcome,
            (None, Action::Open(new)) => self.open(*id, *at, new, effects),
            (None, _) => refused(Refusal::AccountUnknown),
        }
    }

    /// Changes an account, and adds its new entries to the totals. `None` if there is none.
    pub(crate) fn change<T>(
        &mut self,
        id: AccountId,
        effects: &mut Effects,
        change: impl FnOnce(&mut Account, &mut Effects) -> T,
    ) -> Option<T> {
        let account = self.accounts.get_mut(&id)?;
        let before = effects.list.len();
        let changed = change(account, effects);
        self.totals.add_entries(account.currency, &effects.list[before..]);
        Some(changed)
    }

    /// Makes changes that were decided before.
    ///
    /// # Panics
    ///
    /// They are not those that follow for the account.
    pub fn replay(&mut self, id: AccountId, effects: &Effects) {
        let currency = self.restore(id, effects).currency;
        self.totals.add_entries(currency, &effects.list);
    }

    /// As [`replay`](Self::replay), for changes that the totals have.
    ///
    /// # Panics
    ///
    /// They are not those that follow for the account.
    pub fn restore(&mut self, id: AccountId, effects: &Effects) -> &Account {
        if let Some(Effect::Opened { currency, standing, credit_limit }) = effects.list.first() {
            let account = Account::opened(*currency, *standing, *credit_limit);
            assert!(
                self.accounts.insert(id, Box::new(account)).is_none(),
                "an account is opened once"
            );
        }
        let account = self.accounts.get_mut(&id).expect("effects are of accounts that are there");
        effects.list.iter().for_each(|effect| account.apply(effect, &effects.bytes));
        account
    }

    /// Returns the balances of system accounts, to be changed.
    pub fn totals_mut(&mut self) -> &mut Totals {
        &mut self.totals
    }

    fn open(
        &mut self,
        id: AccountId,
        at: i64,
        NewAccount { currency, standing, credit_limit }: &NewAccount,
        effects: &mut Effects,
    ) -> Outcome {
        if !(0..=AMOUNT_MAX).contains(credit_limit) {
            return refused(Refusal::AmountInvalid);
        }
        let (currency, standing, credit_limit) = (*currency, *standing, *credit_limit);
        let mut account = Account::opened(currency, standing, credit_limit);
        let opened = [Effect::Opened { currency, standing, credit_limit }, Effect::At(at)];
        opened.iter().for_each(|effect| account.apply(effect, &[]));
        effects.list.extend(opened);
        self.accounts.insert(id, Box::new(account));
        Outcome { receipt: Receipt::default(), is_repeated: false }
    }

    /// Returns the sums of each currency and unit. Each is zero, or amounts were lost or made.
    pub fn totalled(&self) -> BTreeMap<(Currency, Unit), Totalled> {
        let mut sums = BTreeMap::<(Currency, Unit), Totalled>::new();
        for account in self.accounts.values() {
            for bucket in account.buckets() {
                let sum = sums.entry((account.currency, bucket.unit)).or_default();
                sum.buckets += i128::from(bucket.amount);
            }
        }
        for ((currency, unit, _), amount) in self.totals.balances() {
            sums.entry((currency, unit)).or_default().systems += amount;
        }
        sums
    }
}
