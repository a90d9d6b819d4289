//! A charging system as networks and people use it.

mod definition;
mod million;
mod people;
mod price;
mod records;
mod requests;
mod sessions;
mod set_up;
mod traffic;
mod trial;
