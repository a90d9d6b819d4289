//! Bonuses: what an account gets with a refill, by rules.
//!
//! Which rules a refill meets is decided with the refill, in one operation: so the first refill is the first, also if two come
//! at once, and a refill that comes again gets no other bonus.

use crate::decide::Decision;
use crate::effect::Effect;
use crate::operation::{Credit, Refusal};
use crate::purchase::{Allowance, check_allowances};
use crate::totals::{SystemAccount, SystemKind};

/// The maximum number of bonuses of a refill.
pub const BONUSES_MAX: usize = 16;

/// A rule, and what an account gets by it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Bonus<'o> {
    /// The rule, where the allowances come from.
    pub of: SystemAccount,
    /// Whether it is only for the first refill of an account.
    pub only_first: bool,
    /// The least amount that is refilled; 0 for any.
    pub least: i64,
    /// What the account gets.
    pub allowances: &'o [Allowance],
}

/// A refill, and the bonuses that it may get.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Refill<'o> {
    /// What was paid. Other credits than refills get no bonus.
    pub credit: Credit<'o>,
    /// The rules; [`BONUSES_MAX`] at most. They are no part of what the operation is: a retry may have others.
    pub bonuses: &'o [Bonus<'o>],
}

/// Checks that bonuses are not too many, and what they give.
pub(crate) fn check_bonuses(bonuses: &[Bonus<'_>]) -> Result<(), Refusal> {
    if bonuses.len() > BONUSES_MAX {
        return Err(Refusal::AmountInvalid);
    }
    bonuses.iter().try_for_each(|bonus| check_allowances(bonus.allowances))
}

impl Decision<'_> {
    /// Notes a refill, and gives the bonuses whose rules it meets.
    pub(crate) fn reward(&mut self, amount: i64, bonuses: &[Bonus<'_>]) {
        let is_first = !self.account.is_refilled;
        if is_first {
            self.make(Effect::Refilled);
        }
        for Bonus { of, only_first, least, allowances } in bonuses {
            if amount >= *least && (is_first || !only_first) {
                self.give(allowances, *of);
            }
        }
    }
}

impl Credit<'_> {
    /// Returns whether a subscriber has paid it.
    pub(crate) fn is_refill(&self) -> bool {
        self.from.kind == SystemKind::Refill
    }
}
