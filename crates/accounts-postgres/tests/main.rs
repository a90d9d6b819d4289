//! Tests of accounts in PostgreSQL. They start a server of their own; without PostgreSQL they say that they are left out.

mod deadlines;
mod faults;
mod fronts;
mod proxy;
mod random;
mod reading;
mod server;
mod vouchers;
