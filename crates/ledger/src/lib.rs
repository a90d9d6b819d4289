//! Prepaid accounts: what subscribers have, what is reserved for calls in progress, and where each unit went.
//!
//! This is a pure core: it has no clock, no storage and no threads. An [`Operation`] comes in with its time. It is decided
//! on one [`Account`], and its [`Outcome`] and [`Effects`] come out. Effects are all that happened, with the resulting
//! balances. Applied to the account as it was before, they give the account as it is now, and nothing is decided again. So a back that stores effects, or whole accounts, can stop at any moment and go on.
//!
//! - **Double entry.** An entry moves an amount of one unit between a bucket of an account and a [`SystemAccount`]: refills,
//!   revenue, what expired. The sum of all buckets and system accounts is zero for each unit and currency ([`Totals`]).
//! - **Reservations** belong to sessions. A reservation is part of a bucket's amount and not available for others; it is no
//!   entry. A charge takes what was used from it, releases the rest, and reserves again.
//! - **Each session that ends** has an effect with its cause and what it paid, for the record of its usage (`ending`).
//! - **Each operation once.** Operations have keys. One that comes again gets the outcome that it had before, and changes
//!   nothing. One with the key of another is refused.
//! - **Purchases, subscriptions, bonuses, reversals, transfers, thresholds, warnings, notices and the stages of an account's life** each have a file that says how.
//!
//! Amounts are whole numbers: billionths of a currency's major unit, octets, seconds or events.
#![forbid(unsafe_code)]

mod account;
mod arrivals;
mod bonus;
mod book;
mod bucket;
mod decide;
mod digest;
mod effect;
mod encoding;
mod ending;
mod life_cycle;
mod notice;
mod operation;
mod purchase;
mod report;
mod reversal;
mod session;
mod subscription;
mod threshold;
mod totals;
mod transfer;
mod unit;
mod warning;

pub use account::{Account, AccountId, Standing};
pub use arrivals::{Arrivals, NUMBERS_KNOWN};
pub use bonus::{BONUSES_MAX, Bonus, Refill};
pub use book::{Book, Totalled};
pub use bucket::{Bucket, BucketId, MAIN_BUCKET, Scopes};
pub use decide::KEYS_RETENTION;
pub use effect::{Effect, Effects, Entry};
pub use encoding::EffectsDamaged;
pub use ending::{EndCause, EndedSession};
pub use life_cycle::LifeCycle;
pub use notice::Notice;
pub use operation::{
    Action, Begin, Charge, Cost, Credit, CreditTo, Debit, Key, Limit, NewAccount, NewBucket, Note,
    Operation, Outcome, Receipt, Refusal, WANTS_MAX, Want,
};
pub use purchase::{ALLOWANCES_MAX, Allowance, Purchase};
pub use report::Report;
pub use reversal::Reversal;
pub use session::{KeyHash, KeyHasher, NUMBERS_REMEMBERED, Session, SessionKey};
pub use subscription::{Period, Renewal, SUBSCRIPTIONS_MAX, Subscription};
pub use threshold::{Measure, THRESHOLDS_MAX, Threshold, ThresholdState};
pub use totals::{SystemAccount, SystemKind, Totals};
pub use transfer::{Books, DayLimit, Fee, Sent, Transfer};
pub use unit::{AMOUNT_MAX, Currency, Millis, Unit};
pub use warning::{Ending, Warned};
