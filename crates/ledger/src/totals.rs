//! System accounts, and the sums of all accounts.

use std::collections::BTreeMap;

use crate::effect::{Effect, Entry};
use crate::unit::{Currency, Unit};

/// An account of the operator: where amounts come from and go to.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct SystemAccount {
    /// What it is for.
    pub kind: SystemKind,
    /// Which of its kind: a plan, a channel, a reason. The configuration names it.
    pub number: u16,
}

/// What a system account is for.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum SystemKind {
    /// What subscribers paid for services.
    Revenue,
    /// What they refilled, by channel.
    Refill,
    /// What they got as a bonus.
    Bonus,
    /// What expired.
    Expired,
    /// What people corrected, by reason.
    Adjustment,
    /// What is on its way from one account to another.
    Transfer,
    /// Fees.
    Fee,
    /// What subscribers paid for bundles, and what these consist of.
    Bundle,
    /// Nothing: usage of sessions that are not known, which is not paid.
    Orphan,
}

impl SystemKind {
    /// All kinds, in the order of their numbers in the journal.
    pub const ALL: [SystemKind; 9] = [
        SystemKind::Revenue,
        SystemKind::Refill,
        SystemKind::Bonus,
        SystemKind::Expired,
        SystemKind::Adjustment,
        SystemKind::Transfer,
        SystemKind::Fee,
        SystemKind::Bundle,
        SystemKind::Orphan,
    ];
}

/// The balances of system accounts.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Totals {
    sums: BTreeMap<(Currency, Unit, SystemAccount), i128>,
}

impl Totals {
    /// Adds an amount that a system account got.
    pub fn add(
        &mut self,
        (currency, unit, account): (Currency, Unit, SystemAccount),
        amount: i128,
    ) {
        *self.sums.entry((currency, unit, account)).or_default() += amount;
    }

    /// Adds what system accounts got by the entries among the effects of an account.
    pub fn add_entries(&mut self, currency: Currency, effects: &[Effect]) {
        for effect in effects {
            if let Effect::Entry(Entry { unit, system, amount, .. }) = *effect {
                self.add((currency, unit, system), -i128::from(amount));
            }
        }
    }

    /// Returns the balances, by currency, unit and account. Units other than money count for each currency apart.
    pub fn balances(
        &self,
    ) -> impl Iterator<Item = ((Currency, Unit, SystemAccount), i128)> + use<'_> {
        self.sums.iter().map(|(of, sum)| (*of, *sum))
    }
}
