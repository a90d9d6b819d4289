//! A charging system as networks and people use it.

mod approvals;
mod bonuses;
mod bundles;
mod closing;
mod database;
mod definition;
mod history;
mod million;
mod notices;
mod people;
mod price;
mod rated;
mod records;
mod refusals;
mod renewals;
mod requests;
mod scopes;
mod sessions;
mod set_up;
mod traffic;
mod trial;
mod versions;
