//! Operations and their outcomes.

use crate::account::{AccountId, Standing};
use crate::bonus::Refill;
use crate::bucket::{Bucket, BucketId, Scopes};
use crate::life_cycle::LifeCycle;
use crate::notice::Notice;
use crate::purchase::Purchase;
use crate::report::Report;
use crate::reversal::Reversal;
use crate::session::SessionKey;
use crate::subscription::{Period, Renewal};
use crate::threshold::Threshold;
use crate::totals::SystemAccount;
use crate::unit::{Currency, Millis, Unit};

/// The key of an operation that is no part of a session: a digest of what identifies it, such as the reference of a
/// payment.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Key(pub u128);

/// The maximum number of units that one charge reserves.
pub const WANTS_MAX: usize = 2;

/// A change of an account.
#[derive(Clone, Copy, Debug)]
pub struct Operation<'o> {
    /// The account.
    pub account: AccountId,
    /// When it happens. An account's time never goes back: a smaller one counts as the last.
    pub at: Millis,
    /// What is to be done.
    pub action: Action<'o>,
}

/// What an operation does.
#[derive(Clone, Copy, Debug)]
pub enum Action<'o> {
    /// Opens an account.
    Open(NewAccount),
    /// Changes who may use the account. Closing it ends its sessions, and takes what is left in its buckets.
    SetStanding(Standing),
    /// Changes when the stages of the account's life end.
    SetLifeCycle(LifeCycle),
    /// Goes to the next stage of the account's life if this one is over.
    Age,
    /// Changes how far the main bucket may be overdrawn.
    SetCreditLimit(i64),
    /// Changes for which scopes nothing can be reserved.
    Bar(Scopes),
    /// Changes the type of the subscriber.
    SetSubscriberType(Option<u16>),
    /// Replaces the thresholds; [`THRESHOLDS_MAX`](crate::THRESHOLDS_MAX) at most.
    SetThresholds(&'o [Threshold]),
    /// Changes how long before a balance or a stage of the account's life ends there is a notice; 0 for never.
    SetWarning(Millis),
    /// Makes the notices of what ends soon.
    Warn,
    /// Adds an amount: a refill, an adjustment.
    Credit(Credit<'o>),
    /// Adds an amount that was paid, with the bonuses for it.
    Refill(Refill<'o>),
    /// Takes an amount: an event, a fee, an adjustment.
    Debit(Debit<'o>),
    /// Takes the price of something, such as a bundle, and gives what it consists of.
    Buy(Purchase<'o>),
    /// Begins a subscription to a fee, unless it is there.
    Subscribe {
        /// The fee.
        of: SystemAccount,
        /// The first period that is charged.
        first: Period,
    },
    /// Ends a subscription. What was paid for stays.
    Unsubscribe(SystemAccount),
    /// Charges a period of a subscription. If it is refused for want of money, the subscription waits.
    Renew(Renewal<'o>),
    /// Moves back what an entry moved: a debit or a credit that was wrong.
    Reverse(Reversal<'o>),
    /// Charges a leg of a session: takes what was used, and reserves for what comes. The first one makes a pre-active
    /// account active.
    Charge(Charge<'o>),
    /// Notes usage of a session that is not known, and that is not paid.
    Report(Report<'o>),
    /// Ends a session: releases all that is reserved, and remembers its outcomes until a time.
    End {
        /// The session.
        session: SessionKey,
        /// Until when its outcomes are remembered.
        until: Millis,
    },
    /// Ends a session as [`End`](Self::End) does, since another one is about to get its key by [`Begin::Replace`].
    Replace {
        /// The session.
        session: SessionKey,
        /// Until when its outcomes are remembered.
        until: Millis,
    },
    /// Ends a session if its time is over, and forgets a closed one.
    Lapse {
        /// The session.
        session: SessionKey,
        /// Until when its outcomes are remembered.
        until: Millis,
    },
    /// Makes a notice of something that the caller has found out.
    Notify(Notice),
    /// Takes what is left of a bucket whose time is over, and removes it. What sessions have reserved from it stays: they
    /// may use it until they report or end, and reserve no more from it. Then the bucket expires another time.
    Expire {
        /// The bucket.
        bucket: BucketId,
    },
}

impl Action<'_> {
    /// Returns what is stored with the entries of the operation.
    pub(crate) fn remark(&self) -> &[u8] {
        match self {
            Action::Credit(credit) => credit.remark,
            Action::Refill(refill) => refill.credit.remark,
            Action::Debit(debit) => debit.remark,
            Action::Buy(purchase) => purchase.remark,
            Action::Renew(renewal) => renewal.remark,
            Action::Reverse(reversal) => reversal.remark,
            Action::Charge(charge) => charge.remark,
            Action::Report(report) => report.remark,
            _ => &[],
        }
    }
}

/// A new account.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct NewAccount {
    /// The currency of its money.
    pub currency: Currency,
    /// Who may use it.
    pub standing: Standing,
    /// How far the main bucket may be overdrawn; 0 for prepaid accounts.
    pub credit_limit: i64,
}

/// The terms of a new bucket.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct NewBucket {
    /// What it counts.
    pub unit: Unit,
    /// Buckets with a smaller number are used first.
    pub priority: u16,
    /// The scopes that it pays for.
    pub scopes: Scopes,
    /// When it may be used, end not included.
    pub from: Millis,
    /// The end of that time.
    pub until: Millis,
}

impl NewBucket {
    /// Returns the bucket before it gets its amount.
    pub(crate) fn empty(self, id: BucketId, source: SystemAccount) -> Bucket {
        let NewBucket { unit, priority, scopes, from, until } = self;
        let source = Some(source);
        Bucket { id, unit, source, priority, scopes, from, until, ..Bucket::main() }
    }
}

/// Where a credit goes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum CreditTo {
    /// To a bucket that is there.
    Bucket(BucketId),
    /// To a bucket of its own.
    New(NewBucket),
}

/// An amount that an account gets.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Credit<'o> {
    /// Its key.
    pub key: Key,
    /// The bucket.
    pub to: CreditTo,
    /// The amount, above 0.
    pub amount: i64,
    /// Where it comes from. A refill makes a pre-active account active.
    pub from: SystemAccount,
    /// The account stays active for this number of days at least; 0 to leave its dates.
    pub days: u16,
    /// What is stored with its entry, such as the author, the reason and the reference; empty for nothing. It is no part
    /// of what the operation is: a retry may have another. The caller limits its length.
    pub remark: &'o [u8],
}

/// How far a debit goes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Limit {
    /// It is refused if less is available.
    Available,
    /// It overdraws the main bucket: the service was used already. Only a closed account refuses it.
    None,
}

/// An amount that is taken from an account at once.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Debit<'o> {
    /// Its key.
    pub key: Key,
    /// What it is for. Buckets that pay for it are used in order.
    pub scopes: Scopes,
    /// Only from this bucket, whatever it pays for.
    pub bucket: Option<BucketId>,
    /// What is taken.
    pub cost: Cost,
    /// How far it goes.
    pub limit: Limit,
    /// Where it goes.
    pub to: SystemAccount,
    /// What is stored with its entries, as that of a [`Credit`].
    pub remark: &'o [u8],
}

/// An amount of a unit, above 0.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Cost {
    /// The unit.
    pub unit: Unit,
    /// The amount.
    pub amount: i64,
}

/// An amount to reserve.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Want {
    /// The unit.
    pub unit: Unit,
    /// The amount to reserve, if there is that much.
    pub most: i64,
    /// Nothing is reserved if there is less.
    pub least: i64,
}

/// A request of a session, for one of its legs.
#[derive(Clone, Copy, Debug)]
pub struct Charge<'o> {
    /// The session.
    pub session: SessionKey,
    /// The number of the request within the session. With the leg it is the key.
    pub number: u32,
    /// The leg: one service within a session, such as a rating group.
    pub leg: u32,
    /// A digest of the request.
    pub digest: u64,
    /// Whether it begins a session.
    pub begin: Begin,
    /// What is used. Buckets that pay for it are used in order.
    pub scopes: Scopes,
    /// What was used and is taken, from what is reserved for the leg first; one amount a unit.
    pub used: &'o [Cost],
    /// What is to be reserved; [`WANTS_MAX`] at most. Empty: the leg reserves no more.
    pub wanted: &'o [Want],
    /// When the session is over if nothing more comes.
    pub until: Millis,
    /// What the caller stores with the session; `None` to leave it.
    pub memo: Option<&'o [u8]>,
    /// What the caller counts for the account, such as the counters of its plan; `None` to leave it.
    pub counters: Option<&'o [u8]>,
    /// What the caller answers. It is in the receipt, also of a refusal and when the request comes again.
    pub note: Note,
    /// Where what was used goes.
    pub to: SystemAccount,
    /// What is stored with its entries, such as the steps of rating; as that of a [`Credit`].
    pub remark: &'o [u8],
}

/// Whether a charge begins its session.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Begin {
    /// No. Without its session it is refused, and takes nothing.
    No,
    /// If the session is not there.
    IfMissing,
    /// Yes. A session with its key that is there, or has ended, is another one: it ends, and is forgotten.
    Replace,
}

/// What a caller remembers of its answer.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Note {
    /// A number, such as the quantity that was granted.
    pub number: u64,
    /// A mark, such as whether it is the last grant.
    pub mark: u8,
}

/// What became of an operation.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Outcome {
    /// The result.
    pub receipt: Receipt,
    /// Whether it came before: this is what it got then, and nothing was changed now.
    pub is_repeated: bool,
}

/// The result of an operation.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Receipt {
    /// Why it was refused. A charge that is refused has taken what was used, unless its session is unknown. One of a
    /// session that has ended takes it too, and reserves nothing.
    pub refusal: Option<Refusal>,
    /// What is reserved for each of the wanted units.
    pub reserved: [i64; WANTS_MAX],
    /// How much of what was used was more than was available: the main bucket is overdrawn by that much more.
    pub overdrawn: i64,
    /// The number of the last entry that was made; 0 for none.
    pub entry: u64,
    /// The note of a charge.
    pub note: Note,
}

impl Receipt {
    /// Returns the result of a refusal.
    pub fn refused(refusal: Refusal) -> Self {
        Receipt { refusal: Some(refusal), ..Receipt::default() }
    }
}

/// Why an operation was refused.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, thiserror::Error)]
pub enum Refusal {
    /// There is no such account.
    #[error("there is no such account")]
    AccountUnknown,
    /// There is such an account already.
    #[error("there is such an account already")]
    AccountExists,
    /// The account is not in use.
    #[error("the account is not in use")]
    AccountBarred,
    /// Less is available than is needed.
    #[error("less is available than is needed")]
    NotEnough,
    /// Another operation has the same key.
    #[error("another operation has the same key")]
    KeyReused,
    /// There is no such session, or it has ended and reserves no more.
    #[error("there is no such session")]
    SessionUnknown,
    /// There is no such bucket.
    #[error("there is no such bucket")]
    BucketUnknown,
    /// The bucket counts another unit.
    #[error("the bucket counts another unit")]
    UnitDiffers,
    /// The bucket or the session is still in its time.
    #[error("the time is not over")]
    NotOver,
    /// An amount is zero, negative, too large, or there twice.
    #[error("an amount is not valid")]
    AmountInvalid,
    /// The balance would be too large, or overdrawn too far.
    #[error("the balance would be too large")]
    BalanceTooLarge,
    /// There is no such account to transfer to.
    #[error("the receiver has no such account")]
    ReceiverUnknown,
    /// The account to transfer to is closed.
    #[error("the receiver's account is closed")]
    ReceiverBarred,
    /// The account to transfer to is the one to transfer from.
    #[error("the receiver is the sender")]
    ReceiverSame,
    /// The accounts have different currencies.
    #[error("the accounts have different currencies")]
    CurrencyDiffers,
    /// The account has no entry with that number.
    #[error("there is no such entry")]
    EntryUnknown,
    /// The entry was made so long ago that its reversal may be forgotten.
    #[error("the entry is too old to be reversed")]
    EntryTooOld,
    /// The entry is a part of a transfer, which goes back by another transfer.
    #[error("the entry is a part of a transfer; make another transfer")]
    EntryOfTransfer,
    /// The entry was reversed before.
    #[error("the entry is reversed already")]
    AlreadyReversed,
    /// The dates of an account's life are not in order.
    #[error("the dates are not in order")]
    DatesInvalid,
    /// There is no such subscription.
    #[error("there is no such subscription")]
    SubscriptionUnknown,
    /// The account has too many subscriptions.
    #[error("the account has too many subscriptions")]
    TooManySubscriptions,
    /// The account would send more to others than it may on a day.
    #[error("the account may not send that much on a day")]
    DayLimit,
}

impl Refusal {
    /// All refusals, in the order of their numbers in the journal.
    pub const ALL: [Refusal; 23] = [
        Refusal::AccountUnknown,
        Refusal::AccountExists,
        Refusal::AccountBarred,
        Refusal::NotEnough,
        Refusal::KeyReused,
        Refusal::SessionUnknown,
        Refusal::BucketUnknown,
        Refusal::UnitDiffers,
        Refusal::NotOver,
        Refusal::AmountInvalid,
        Refusal::BalanceTooLarge,
        Refusal::ReceiverUnknown,
        Refusal::ReceiverBarred,
        Refusal::ReceiverSame,
        Refusal::CurrencyDiffers,
        Refusal::EntryUnknown,
        Refusal::EntryTooOld,
        Refusal::EntryOfTransfer,
        Refusal::AlreadyReversed,
        Refusal::DatesInvalid,
        Refusal::SubscriptionUnknown,
        Refusal::TooManySubscriptions,
        Refusal::DayLimit,
    ];
}
