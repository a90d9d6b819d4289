//! Purchases: an account pays a price, and gets balances for it, in one operation. It gets all of it, or pays nothing.

use crate::account::Standing;
use crate::bucket::{BucketId, MAIN_BUCKET};
use crate::decide::{Decision, Purpose};
use crate::effect::Effect;
use crate::operation::{Key, NewBucket, Outcome, Receipt, Refusal};
use crate::subscription::{Period, Subscription};
use crate::totals::SystemAccount;
use crate::unit::{AMOUNT_MAX, is_amount};

/// The maximum number of allowances of a purchase: one of each unit.
pub const ALLOWANCES_MAX: usize = 4;

/// An amount that an account gets in a bucket of its own.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Allowance {
    /// The terms of the bucket.
    pub terms: NewBucket,
    /// The amount, above 0.
    pub amount: i64,
}

/// Something that an account buys, such as a bundle.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Purchase<'o> {
    /// Its key.
    pub key: Key,
    /// What it costs, in billionths, from the main bucket; 0 for nothing.
    pub price: i64,
    /// What the account gets: one at least, and [`ALLOWANCES_MAX`] at most.
    pub allowances: &'o [Allowance],
    /// Where the price goes and the allowances come from: what is bought.
    pub of: SystemAccount,
    /// The period after this one, if it is bought again in each period. A subscription to it that is there begins again.
    pub renews: Option<Period>,
    /// What is stored with its entries, as that of a [`Credit`](crate::Credit).
    pub remark: &'o [u8],
}

impl Decision<'_> {
    pub(crate) fn buy(&mut self, purchase: &Purchase<'_>) -> Outcome {
        let Purchase { key, price, allowances, of, renews, .. } = *purchase;
        self.keyed(key, purchase.digest(), |decision| {
            if allowances.is_empty() {
                return Err(Refusal::AmountInvalid);
            }
            check_sale(price, allowances)?;
            if renews.is_some() {
                decision.check_subscription(of)?;
            }
            let receipt = decision.sell(price, allowances, of)?;
            if let Some(next) = renews {
                decision.make(Effect::Subscription(Subscription::new(of, next)));
            }
            Ok(receipt)
        })
    }

    /// Takes a price and gives allowances for it, all of which were checked.
    pub(crate) fn sell(
        &mut self,
        price: i64,
        allowances: &[Allowance],
        of: SystemAccount,
    ) -> Result<Receipt, Refusal> {
        if !self.account.standing.may_use() {
            return Err(Refusal::AccountBarred);
        }
        let main = self.account.bucket(MAIN_BUCKET).expect("each account has one");
        if self.account.available(main) < price {
            return Err(Refusal::NotEnough);
        }
        if price > 0 {
            self.post(MAIN_BUCKET, (-price, 0), Purpose::of(of));
        }
        self.give(allowances, of);
        Ok(Receipt { entry: self.account.entries, ..Receipt::default() })
    }

    /// Gives allowances that were checked.
    pub(crate) fn give(&mut self, allowances: &[Allowance], from: SystemAccount) {
        assert!(self.account.standing != Standing::Closed, "a closed account gets nothing");
        for Allowance { terms, amount } in allowances {
            let bucket = BucketId(self.account.next_bucket);
            self.make(Effect::Bucket(terms.empty(bucket, from)));
            self.post(bucket, (*amount, 0), Purpose::of(from));
        }
    }
}

/// Checks a price, and what is given for it.
pub(crate) fn check_sale(price: i64, allowances: &[Allowance]) -> Result<(), Refusal> {
    match (0..=AMOUNT_MAX).contains(&price) {
        true => check_allowances(allowances),
        false => Err(Refusal::AmountInvalid),
    }
}

/// Checks that allowances are not too many, and that each has an amount.
pub(crate) fn check_allowances(allowances: &[Allowance]) -> Result<(), Refusal> {
    let are_amounts = allowances.iter().all(|allowance| is_amount(allowance.amount));
    match allowances.len() <= ALLOWANCES_MAX && are_amounts {
        true => Ok(()),
        false => Err(Refusal::AmountInvalid),
    }
}
