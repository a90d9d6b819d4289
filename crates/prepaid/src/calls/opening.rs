//! The work of opening an account: its stages of life, its type, its thresholds, its fees, and its first amount.

use accounts::{Desk, Task};
use ledger::{
    AccountId, Action, Credit, CreditTo, Key, LifeCycle, MAIN_BUCKET, Millis, NewAccount, Period,
    Refusal, SystemAccount, SystemKind,
};

use crate::thresholds::Watching;

/// An account that is opened.
pub(super) struct Opening {
    pub(super) account: AccountId,
    pub(super) at: Millis,
    pub(super) new: NewAccount,
    pub(super) life_cycle: LifeCycle,
    /// The fees that it pays, with the first period of each.
    pub(super) fees: Vec<(SystemAccount, Period)>,
    /// The type of its subscriber, by its number.
    pub(super) subscriber_type: Option<u16>,
    /// What makes notices by itself.
    pub(super) watching: Watching,
    /// Its first amount, with the key and the remark of the refill.
    pub(super) amount: i64,
    pub(super) key: Key,
    pub(super) remark: Vec<u8>,
    /// Why it is not opened.
    pub(super) refusal: Option<Refusal>,
}

impl Task for Opening {
    fn account(&self) -> AccountId {
        self.account
    }

    fn work(&mut self, desk: &mut Desk<'_>) {
        self.refusal = desk.perform(self.at, Action::Open(self.new)).receipt.refusal;
        if self.refusal.is_some() {
            return;
        }
        if self.life_cycle != LifeCycle::ENDLESS {
            desk.perform(self.at, Action::SetLifeCycle(self.life_cycle));
        }
        if self.subscriber_type.is_some() {
            desk.perform(self.at, Action::SetSubscriberType(self.subscriber_type));
        }
        self.watching.begin(desk, self.at);
        for (of, first) in self.fees.iter().copied() {
            desk.perform(self.at, Action::Subscribe { of, first });
        }
        if self.amount > 0 {
            let credit = Credit {
                key: self.key,
                to: CreditTo::Bucket(MAIN_BUCKET),
                amount: self.amount,
                from: SystemAccount { kind: SystemKind::Refill, number: 0 },
                days: 0,
                remark: &self.remark,
            };
            self.refusal = desk.perform(self.at, Action::Credit(credit)).receipt.refusal;
        }
    }
}
