//! Prepaid accounts in PostgreSQL. Any number of fronts work on one database, each in a process of its own; a [`Front`] has
//! nothing that may not be lost.
//!
//! ```text
//! tasks ─▶ copies of accounts: ledger ─▶ effects ─▶ one call with arrays ─▶ account_store: rows that are still in the
//!              ▲                                                            version that was decided on are changed
//!              └──────────── accounts that others changed meanwhile ◀────────────────┘
//! ```
//!
//! - **Decided on copies.** A front decides on copies of accounts, and sends all that a batch of tasks changes in one call of
//!   a stored function. Where the row of an account has another version by then, nothing of it is stored: the front gets the
//!   row, and its tasks are done again. What tasks only looked at is compared, too. Answers leave after the commit.
//! - **Each call once.** A call has a number. If its answer is lost, it is sent again with the same number, on another
//!   connection; the database knows whether it was done (`account_writer`). So an operation without a key is done once, too.
//! - **Under locks** are changes that cannot be done in part: transfers, changes with rows of the caller, vouchers, and what
//!   is due by itself (`locked`).
//! - **What all accounts share**, such as the balances of system accounts, is in no row that calls wait for: each call leaves
//!   what it adds, and readers sum it up (`account_project`).
//!
//! An account is one row, with its sessions and the keys that it remembers: some hundreds of octets for a subscriber. Each
//! batch writes it whole. An account with 500 open sessions has 85 kB, and a batch with a request of it costs the server
//! 2 ms; with 2,000 sessions, 250 kB and 5 ms.
#![forbid(unsafe_code)]

mod call;
mod check;
mod connection;
mod copies;
mod deadlines;
mod drafts;
mod figures;
mod front;
mod history;
mod locked;
mod schema;
mod shared;
mod transfer;
mod vouchers;

pub use connection::Fault;
pub use deadlines::{Due, Renew};
pub use front::Front;
pub use locked::{Also, Transaction};
pub use tokio_postgres::config::Host;
pub use tokio_postgres::types::{FromSql, ToSql};
pub use tokio_postgres::{Config, Row};
pub use vouchers::Vouchers;
