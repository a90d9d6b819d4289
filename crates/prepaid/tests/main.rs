//! A charging system as networks and people use it.

mod definition;
mod people;
mod rated;
mod records;
mod requests;
mod set_up;
