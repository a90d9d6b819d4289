//! Charging of calls as they happen: before a call goes on, the network asks whether there is money for it.
//!
//! There is one interface, which each front of a network uses ([`Request`], [`Answer`]): first, next, final (RFC 8506:
//! initial, update and terminate) and the kinds of events ([`EventKind`]). A request has legs, each for one service: the rating groups of a data
//! session, or the one leg of a call. [`SessionTask`] works on it at the account, wherever accounts are.
//!
//! - A **grant** is as much as is requested or usual, and as the rest of the balance pays for: buckets of the unit that the
//!   plan counts for the service first, such as the octets of a bundle that was bought, and then money
//!   ([`Plan::affordable`]). Units and price are reserved. The last grant is marked.
//!   The open sessions of an account share what is available.
//! - What was **used** is taken from such buckets as far as they go. The plan prices only the rest, as a usage of its own
//!   that begins when the buckets had paid; so it does not matter in how many parts it is reported.
//! - When a session has ended, what is stored with it says what each of its legs used and paid ([`session_legs`]).
//! - What was answered is stored with the session. A request that comes again gets the same answer.
//!
//! [`Plan::affordable`]: rating::Plan::affordable
#![forbid(unsafe_code)]

mod answer;
mod ended;
mod enquiry;
mod event;
mod grant;
mod leg;
mod means;
mod memo;
mod progress;
mod remark;
mod request;
mod scope;
mod session;
mod settings;
mod spend;
mod total;
mod used;
mod workspace;

pub use answer::{Answer, GRANT_MAX, Grant, LegAnswer, LegRefusal, Notices, Price};
pub use ended::{SessionLeg, last_grant, session_legs};
pub use enquiry::Enquiry;
pub use memo::{MemoDamaged, services};
pub use remark::{ChargedUsage, PricedUsage};
pub use request::{
    Dialogue, EventKind, LEGS_MAX, LegRequest, Phase, Quantity, RefusedWhole, Request,
    SESSIONS_MAX, Service,
};
pub use scope::{SCOPES_MAX, Scope};
pub use session::SessionTask;
pub use settings::{Charging, GrantSettings, OrphanUsage, Policy};
pub use spend::{SPEND_LIMITS_MAX, SpendLimit, SpentWithinLimit};
pub use workspace::Workspace;
