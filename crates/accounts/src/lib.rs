//! Durable prepaid accounts. The [`ledger`] decides; this crate runs it, and stores what it decided before a caller gets the
//! answer.
//!
//! Work comes in batches of [`Task`]s. A task works on one account at a [`Desk`]: it looks at the account, and performs
//! operations on it. When [`Accounts::run`] has returned, all that the tasks did and saw is on the disk.
//!
//! [`Embedded`] has the accounts in memory and their effects in a journal:
//!
//! ```text
//! tasks ─▶ shard (lock): ledger ─▶ effects ─▶ the batch of all ─▶ journal: one sync for many ─▶ run returns
//!                                                          │
//!                                          fold: entries, sums, accounts as they are ─▶ batches are deleted
//! ```
//!
//! Beside tasks, it makes transfers between two accounts (`transfer`) and uses vouchers (`redeem`), does what is due by
//! itself (`deadlines`), and reads what was done (`history`, `notices`,
//! `ended_sessions`, `figures`).
#![forbid(unsafe_code)]

mod batch;
mod check;
mod deadlines;
mod desk;
mod embedded;
mod ended_sessions;
mod entries;
mod figures;
mod fold;
mod history;
mod load;
mod notices;
mod pending;
mod redeem;
pub mod stored;
mod transfer;
mod volatile;
mod vouchers;

pub use check::{BookedEntry, Books, Checked, check};
pub use deadlines::Lapsed;
pub use desk::{Accounts, AccountsError, Desk, Task};
pub use embedded::{Also, Embedded};
pub use ended_sessions::AccountSession;
pub use figures::{Figures, SessionPlace};
pub use fold::Folded;
pub use history::AccountEntry;
pub use notices::AccountNotice;
pub use redeem::{LOCKED_FOR, Redeemed, Redemption, WRONG_PINS_MAX};
pub use volatile::Volatile;
pub use vouchers::{
    BATCH_VOUCHERS_MAX, PIN_DIGITS, Pin, PinHash, PinSecret, Voucher, VoucherBatch, VoucherError,
    VoucherState, Vouchers,
};

/// The SQL of the tables. A service adds it to the versions of its own tables.
pub const TABLES: &str = include_str!("tables.sql");
