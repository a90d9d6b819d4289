//! Subscriptions: what an account pays in each period, such as a bundle that renews or a monthly fee.
//!
//! Each period is charged once: a renewal names the beginning of the period, and the subscription goes on to the next one.
//! Periods that are long over, since the system was down, are charged one by one. A bundle of such a period is not sold: it
//! could not be used any more.
//!
//! If there is not enough money, the renewal is tried again later, and after a refill at once. At the end of the period, it
//! is left out: nothing is owed for it. When a period begins depends on a calendar, so callers say it.

use crate::account::{Account, Standing};
use crate::bucket::Bucket;
use crate::decide::{Decision, new, refused};
use crate::effect::Effect;
use crate::notice::Notice;
use crate::operation::{Outcome, Receipt, Refusal};
use crate::purchase::{Allowance, check_sale};
use crate::totals::SystemAccount;
use crate::unit::Millis;

/// The maximum number of subscriptions of an account.
pub const SUBSCRIPTIONS_MAX: usize = 32;

/// The beginning of a period.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Period {
    /// The moment from which the caller counts periods. The ledger stores it.
    pub anchor: Millis,
    /// How many there are from there to this one. The ledger stores it.
    pub count: u32,
    /// When it begins.
    pub begin: Millis,
}

/// What an account pays in each period.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Subscription {
    /// The bundle or the fee.
    pub of: SystemAccount,
    /// The period that is charged next.
    pub period: Period,
    /// When it is charged: at its beginning, or later if there was not enough money.
    pub due: Millis,
}

impl Subscription {
    /// Returns a subscription whose first period is charged at its beginning.
    pub fn new(of: SystemAccount, period: Period) -> Self {
        Subscription { of, period, due: period.begin }
    }

    /// Returns whether there was not enough money for the period.
    pub fn is_unpaid(&self) -> bool {
        self.due > self.period.begin
    }

    /// Returns whether the period that is charged next begins when a bucket of the period before ends. One that has rolled
    /// over is then at its end.
    pub(crate) fn follows(&self, bucket: &Bucket) -> bool {
        bucket.source == Some(self.of) && self.period.begin == bucket.until && !bucket.rolled_over
    }
}

/// The charge for a period of a subscription.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Renewal<'o> {
    /// The bundle or the fee.
    pub of: SystemAccount,
    /// When the period began.
    pub begin: Millis,
    /// The period after it.
    pub next: Period,
    /// When it is tried again if there is not enough money.
    pub again: Millis,
    /// What it costs, in billionths, from the main bucket.
    pub price: i64,
    /// What the account gets; nothing for a fee.
    pub allowances: &'o [Allowance],
    /// Whether what is left of the period before can be used in this one too. A period that is paid late has lost it.
    pub rolls_over: bool,
    /// What is stored with its entries, as that of a [`Credit`](crate::Credit).
    pub remark: &'o [u8],
}

impl Account {
    /// Returns the subscriptions, in the order in which they began.
    pub fn subscriptions(&self) -> &[Subscription] {
        &self.subscriptions
    }

    /// Returns a subscription.
    pub fn subscription(&self, of: SystemAccount) -> Option<&Subscription> {
        self.subscriptions.iter().find(|subscription| subscription.of == of)
    }

    pub(crate) fn subscribe(&mut self, subscription: Subscription) {
        let mut known = self.subscriptions.iter_mut();
        match known.find(|known| known.of == subscription.of) {
            Some(known) => *known = subscription,
            None => self.subscriptions.push(subscription),
        }
    }
}

impl Decision<'_> {
    /// Begins a subscription. One that is there stays as it is.
    pub(crate) fn begin_subscription(&mut self, of: SystemAccount, first: Period) -> Outcome {
        if self.account.subscription(of).is_some() {
            return Outcome { receipt: Receipt::default(), is_repeated: true };
        }
        match self.check_subscription(of) {
            Ok(()) => self.done(Effect::Subscription(Subscription::new(of, first))),
            Err(refusal) => refused(refusal),
        }
    }

    /// Checks that an account may have a subscription.
    pub(crate) fn check_subscription(&self, of: SystemAccount) -> Result<(), Refusal> {
        let is_new = self.account.subscription(of).is_none();
        if self.account.standing == Standing::Closed {
            return Err(Refusal::AccountBarred);
        }
        match is_new && self.account.subscriptions.len() >= SUBSCRIPTIONS_MAX {
            true => Err(Refusal::TooManySubscriptions),
            false => Ok(()),
        }
    }

    pub(crate) fn end_subscription(&mut self, of: SystemAccount) -> Outcome {
        match self.account.subscription(of) {
            Some(_) => self.done(Effect::SubscriptionGone(of)),
            None => refused(Refusal::SubscriptionUnknown),
        }
    }

    /// Charges a period that is due. Without enough money, it waits; the account is refused what it cannot pay and stays as it
    /// is otherwise. An account that is not in use pays nothing for a period that begins meanwhile.
    pub(crate) fn renew(&mut self, renewal: &Renewal<'_>) -> Outcome {
        let Renewal { of, begin, next, again, price, allowances, rolls_over, .. } = *renewal;
        let Some(subscription) = self.account.subscription(of).copied() else {
            return refused(Refusal::SubscriptionUnknown);
        };
        if subscription.period.begin != begin || self.now() < subscription.due {
            return refused(Refusal::NotOver);
        }
        if next.begin <= begin {
            return refused(Refusal::DatesInvalid);
        }
        if let Err(refusal) = check_sale(price, allowances) {
            return refused(refusal);
        }
        let is_over = next.begin <= self.now();
        let following = Subscription::new(of, next);
        if is_over && (subscription.is_unpaid() || !allowances.is_empty()) {
            return self.done(Effect::Subscription(following));
        }
        match self.sell(price, allowances, of) {
            Ok(receipt) => {
                if rolls_over && !subscription.is_unpaid() {
                    self.roll_over(of, begin, next.begin);
                }
                self.make(Effect::Subscription(following));
                new(receipt)
            }
            Err(refusal @ (Refusal::NotEnough | Refusal::AccountBarred)) => {
                let waits =
                    refusal == Refusal::NotEnough && (self.now() + 1..next.begin).contains(&again);
                let waiting = Subscription { due: again, ..subscription };
                self.make(Effect::Subscription(if waits { waiting } else { following }));
                if refusal == Refusal::NotEnough && !subscription.is_unpaid() {
                    self.make(Effect::Notice(Notice::Unpaid(of)));
                }
                refused(refusal)
            }
            Err(refusal) => refused(refusal),
        }
    }

    /// Returns whether a bucket may be used longer than until its end, since the next period of its bundle begins then and
    /// was not tried to be paid yet.
    pub(crate) fn may_roll_over(&self, bucket: &Bucket) -> bool {
        let is_next = |of: &Subscription| of.follows(bucket) && !of.is_unpaid();
        self.account.subscriptions.iter().any(is_next)
    }

    /// Lets balances of a bundle that end with a period be used in the next one, once. They are used first there, since they
    /// are the older ones.
    fn roll_over(&mut self, of: SystemAccount, end: Millis, until: Millis) {
        let rolls_over = |bucket: &&Bucket| {
            bucket.source == Some(of)
                && bucket.until == end
                && !bucket.rolled_over
                && bucket.amount > 0
        };
        let rolling = self.account.buckets().iter().filter(rolls_over).map(|bucket| bucket.id);
        for bucket in rolling.collect::<Vec<_>>() {
            self.make(Effect::BucketUntil { bucket, until });
        }
    }

    /// Lets subscriptions that wait for money be charged now.
    pub(crate) fn retry_subscriptions(&mut self) {
        let now = self.now();
        for place in 0..self.account.subscriptions.len() {
            let subscription = self.account.subscriptions[place];
            if subscription.is_unpaid() && subscription.due > now {
                self.make(Effect::Subscription(Subscription { due: now, ..subscription }));
            }
        }
    }

    /// Ends all subscriptions.
    pub(crate) fn end_subscriptions(&mut self) {
        while let Some(Subscription { of, .. }) = self.account.subscriptions.last().copied() {
            self.make(Effect::SubscriptionGone(of));
        }
    }
}
