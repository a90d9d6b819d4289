//! A charging system as networks and people use it.

mod approvals;
mod bonuses;
mod bundles;
mod closing;
mod definition;
mod people;
mod rated;
mod records;
mod renewals;
mod requests;
mod set_up;
