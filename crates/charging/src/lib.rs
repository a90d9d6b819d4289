//! Charging of calls as they happen: before a call goes on, the network asks whether there is money for it.
//!
//! There is one interface, which each front of a network uses ([`Request`], [`Answer`]): first, next, final (RFC 8506:
//! initial, update and terminate) and event. A request has legs, each for one service: the rating groups of a data
//! session, or the one leg of a call. [`SessionTask`] works on it at the account, wherever accounts are.
//!
//! - A **grant** is as much as is requested or usual, and as the rest of the balance pays for ([`Plan::affordable`]). Its
//!   price is reserved. The last one is marked.
//! - What was **used** is priced as a part of the whole usage, so it does not matter in how many parts it is reported.
//! - What was answered is stored with the session. A request that comes again gets the same answer.
//!
//! [`Plan::affordable`]: rating::Plan::affordable
#![forbid(unsafe_code)]

mod answer;
mod leg;
mod memo;
mod request;
mod session;
mod settings;

pub use answer::{Answer, Grant, LegAnswer, LegRefusal};
pub use memo::services;
pub use request::{LegRequest, Phase, Quantity, Request, Service};
pub use session::SessionTask;
pub use settings::{Charging, GrantSettings};
