//! Transfers: money that goes from one account to another, all or nothing.
//!
//! The sender's account decides, and remembers the key. What the receiver's account would refuse is checked before, so it
//! refuses nothing when the sender's has changed. A back stores the effects of both together.

use crate::account::{AccountId, Standing};
use crate::book::Book;
use crate::bucket::MAIN_BUCKET;
use crate::decide::{Decision, Purpose, refused};
use crate::effect::{Effect, Effects};
use crate::operation::{Key, Outcome, Receipt, Refusal};
use crate::totals::{SystemAccount, SystemKind};
use crate::unit::{BALANCE_MAX, Millis, is_amount};

/// What is on its way between two accounts. Its balance is zero between transfers.
const ON_ITS_WAY: SystemAccount = SystemAccount { kind: SystemKind::Transfer, number: 0 };

/// Money that goes from one account's main bucket to that of another.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Transfer<'o> {
    /// Its key, among those of the sender's account.
    pub key: Key,
    /// The sender's account.
    pub from: AccountId,
    /// The receiver's account.
    pub to: AccountId,
    /// What the receiver gets, above 0.
    pub amount: i64,
    /// What the sender pays for it.
    pub fee: Option<Fee>,
    /// What the sender may send on this day. `None`: as much as there is.
    pub limit: Option<DayLimit>,
    /// What is stored with the entries of both accounts, as that of a [`Credit`](crate::Credit).
    pub remark: &'o [u8],
    /// When it happens.
    pub at: Millis,
}

/// What an account may send to others on a day. What it sends without such a limit does not count.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct DayLimit {
    /// When the day began.
    pub day: Millis,
    /// The amount, without fees.
    pub most: i64,
}

/// What an account has sent to others on a day.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Sent {
    /// When the day began.
    pub day: Millis,
    /// The amount.
    pub amount: i64,
}

/// A fee.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Fee {
    /// The amount, above 0.
    pub amount: i64,
    /// Where it goes.
    pub to: SystemAccount,
}

/// The books that the two accounts of a transfer are in.
#[derive(Debug)]
pub enum Books<'b> {
    /// Both are in one.
    Same(&'b mut Book),
    /// Each is in its own.
    Two {
        /// That of the sender.
        from: &'b mut Book,
        /// That of the receiver.
        to: &'b mut Book,
    },
}

impl Books<'_> {
    fn from(&mut self) -> &mut Book {
        match self {
            Books::Same(book) | Books::Two { from: book, .. } => book,
        }
    }

    fn to(&mut self) -> &mut Book {
        match self {
            Books::Same(book) | Books::Two { to: book, .. } => book,
        }
    }
}

impl Transfer<'_> {
    /// Makes the transfer. The effects of the sender's account are added to the first of two, those of the receiver's to
    /// the second. If it is refused, or came before, there are none.
    pub fn perform(&self, mut books: Books<'_>, effects: (&mut Effects, &mut Effects)) -> Outcome {
        let receivable = self.receivable(&mut books);
        let outcome = books.from().change(self.from, effects.0, |account, effects| {
            let mut decision = Decision::new(account, self.at, effects);
            decision.operate(self.remark, |decision| decision.send(self, receivable))
        });
        let outcome = outcome.unwrap_or(refused(Refusal::AccountUnknown));
        if !outcome.is_repeated && outcome.receipt.refusal.is_none() {
            let received = books.to().change(self.to, effects.1, |account, effects| {
                let mut decision = Decision::new(account, self.at, effects);
                decision.operate(self.remark, |decision| {
                    decision.post(MAIN_BUCKET, (self.amount, 0), Purpose::of(ON_ITS_WAY))
                })
            });
            assert!(received.is_some(), "the receiver was there");
        }
        outcome
    }

    /// Checks what the receiver's account would refuse.
    fn receivable(&self, books: &mut Books<'_>) -> Result<(), Refusal> {
        if self.from == self.to {
            return Err(Refusal::ReceiverSame);
        }
        let currency = books.from().account(self.from).map(|account| account.currency);
        let receiver = books.to().account(self.to).ok_or(Refusal::ReceiverUnknown)?;
        if receiver.standing == Standing::Closed {
            return Err(Refusal::ReceiverBarred);
        }
        if currency.is_some_and(|currency| currency != receiver.currency) {
            return Err(Refusal::CurrencyDiffers);
        }
        let main = receiver.bucket(MAIN_BUCKET).expect("each account has one");
        match main.amount > BALANCE_MAX.saturating_sub(self.amount) {
            true => Err(Refusal::BalanceTooLarge),
            false => Ok(()),
        }
    }
}

impl Decision<'_> {
    fn send(&mut self, transfer: &Transfer<'_>, receivable: Result<(), Refusal>) -> Outcome {
        let Transfer { key, amount, fee, limit, .. } = *transfer;
        self.keyed(key, transfer.digest(), |decision| {
            if !is_amount(amount) || fee.is_some_and(|fee| !is_amount(fee.amount)) {
                return Err(Refusal::AmountInvalid);
            }
            receivable?;
            if !decision.account.standing.may_use() {
                return Err(Refusal::AccountBarred);
            }
            let main = decision.account.bucket(MAIN_BUCKET).expect("each account has one");
            if decision.account.available(main) < amount + fee.map_or(0, |fee| fee.amount) {
                return Err(Refusal::NotEnough);
            }
            if let Some(limit) = limit {
                decision.count_sent(amount, limit)?;
            }
            let mut entry = decision.post(MAIN_BUCKET, (-amount, 0), Purpose::of(ON_ITS_WAY));
            if let Some(Fee { amount, to }) = fee {
                entry = decision.post(MAIN_BUCKET, (-amount, 0), Purpose::of(to));
            }
            Ok(Receipt { entry, ..Receipt::default() })
        })
    }

    /// Counts an amount of a day, unless it is beyond the limit.
    fn count_sent(&mut self, amount: i64, limit: DayLimit) -> Result<(), Refusal> {
        // A clock that is behind, such as that of another process, begins no day again.
        let before = self.account.sent.as_deref().filter(|sent| sent.day >= limit.day);
        let (day, sent) = before.map_or((limit.day, 0), |sent| (sent.day, sent.amount));
        let amount = amount.saturating_add(sent);
        if amount > limit.most {
            return Err(Refusal::DayLimit);
        }
        self.make(Effect::Sent(Sent { day, amount }));
        Ok(())
    }
}
