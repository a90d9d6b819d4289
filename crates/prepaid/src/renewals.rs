//! Bundles that renew, and fees: what accounts pay in each period.
//!
//! The ledger has the subscriptions of an account, each with its next period. What a period costs, and when the next one
//! begins, is what the definition says when the period is charged. A bundle or fee that is no longer in the definition ends.

use accounts::{Accounts as _, AccountsError, Desk, Task};
use ledger::{
    AccountId, Action, Millis, Period, Renewal, Standing, Subscription, SystemAccount, SystemKind,
};
use rating::Length;
use runtime::time::shown;

use crate::back::Settled;
use crate::definition::{Bundle, Contents, Fee, Recurrence};
use crate::remark::Remark;
use crate::rules::Rules;
use crate::system::System;

/// The accounts that begin to pay a fee at once.
const BEGUN_AT_ONCE: usize = 10_000;

/// What is charged for a period.
struct Recurring<'r> {
    price: i64,
    contents: Option<&'r Contents>,
    rolls_over: bool,
    recurrence: Recurrence,
}

impl Rules {
    fn recurring(&self, of: SystemAccount) -> Option<Recurring<'_>> {
        let name = self.offer_of(of)?;
        if of.kind == SystemKind::Fee {
            let Fee { amount, recurrence, .. } = self.fees.iter().find(|fee| fee.name == name)?;
            let (price, recurrence) = (*amount, *recurrence);
            return Some(Recurring { price, contents: None, rolls_over: false, recurrence });
        }
        let Bundle { price, contents, recurrence, rolls_over, .. } = self.bundle(name)?;
        let (price, rolls_over, recurrence) = (*price, *rolls_over, (*recurrence)?);
        Some(Recurring { price, contents: Some(contents), rolls_over, recurrence })
    }

    /// Returns the period after one. Periods are counted from an anchor, so that those of a month that begin on the 31st do
    /// not stay on the 28th after February. With another length than before, they are counted from this one.
    pub(crate) fn next_period(&self, period: Period, every: Length) -> Period {
        let Period { anchor, count, begin } = period;
        let is_of_anchor = self.after(anchor, every, count) == begin;
        let (anchor, count) = if is_of_anchor { (anchor, count) } else { (begin, 0) };
        let count = count.saturating_add(1);
        Period { anchor, count, begin: self.after(anchor, every, count) }
    }

    /// Returns the fees of an account, with the first period of each for one that is opened at a time.
    pub(crate) fn first_fees(&self, at: Millis) -> Vec<(SystemAccount, Period)> {
        let first = |fee: &Fee| {
            let begin = at.max(fee.from);
            let of = self.system_account(SystemKind::Fee, &fee.name)?;
            Some((of, Period { anchor: begin, count: 0, begin }))
        };
        self.fees.iter().filter_map(first).collect()
    }
}

/// Does what is due at a moment: sessions lapse, balances expire, stages of accounts end, and each period of a subscription
/// is charged, one after another.
///
/// # Errors
///
/// The back fails.
pub fn settle(system: &System, at: Millis) -> Result<Settled, AccountsError> {
    let rules = system.rules();
    let remembered = i64::from(rules.charging.remembered_seconds) * 1_000;
    let renew = |desk: &mut Desk<'_>, of, at| rules.renew(desk, of, at);
    system.back.settle((at, at.saturating_add(remembered)), renew)
}

impl Rules {
    /// Charges the next period of a subscription if it is due at a moment. Returns whether it was paid.
    fn renew(&self, desk: &mut Desk<'_>, of: SystemAccount, at: Millis) -> bool {
        let subscription = desk.account().and_then(|account| account.subscription(of));
        let Some(Subscription { period, due, .. }) = subscription.copied() else { return false };
        if due > at {
            return false;
        }
        if self.offer_of(of).is_none() {
            // Another process has a newer definition.
            return false;
        }
        let Some(recurring) = self.recurring(of) else {
            desk.perform(at, Action::Unsubscribe(of));
            return false;
        };
        let Recurring { price, contents, rolls_over, recurrence } = recurring;
        let Recurrence { every, retry } = recurrence;
        let next = self.next_period(period, every);
        let allowances = contents.map(|contents| self.allowances(contents, (at, next.begin)));
        let remark = Remark {
            kind: "renewal".to_owned(),
            because: format!("the period from {} to {}", shown(period.begin), shown(next.begin)),
            ..Remark::default()
        };
        let renewal = Renewal {
            of,
            begin: period.begin,
            next,
            // Until its end, a period waits for a refill.
            again: at.saturating_add(retry).min(next.begin - 1),
            price,
            allowances: allowances.as_deref().unwrap_or(&[]),
            rolls_over,
            remark: &remark.octets(),
        };
        desk.perform(at, Action::Renew(renewal)).receipt.entry > 0
    }
}

/// Lets accounts begin with the fees that they do not pay yet: those that were opened before the fee was there.
///
/// # Errors
///
/// The back fails.
pub fn begin_fees(system: &System, at: Millis) -> Result<(), AccountsError> {
    for (of, first) in system.rules().first_fees(at) {
        let without = system.back.accounts_where(|account| {
            account.standing != Standing::Closed && account.subscription(of).is_none()
        })?;
        for some in without.chunks(BEGUN_AT_ONCE) {
            let begin = |account: &AccountId| Begin { account: *account, at, of, first };
            let mut tasks: Vec<_> = some.iter().map(begin).collect();
            system.back.run(&mut tasks)?;
        }
    }
    Ok(())
}

/// An account that begins to pay a fee.
struct Begin {
    account: AccountId,
    at: Millis,
    of: SystemAccount,
    first: Period,
}

impl Task for Begin {
    fn account(&self) -> AccountId {
        self.account
    }

    fn work(&mut self, desk: &mut Desk<'_>) {
        desk.perform(self.at, Action::Subscribe { of: self.of, first: self.first });
    }
}
