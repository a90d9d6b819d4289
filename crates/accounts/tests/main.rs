//! Tests of durable accounts.

mod embedded;
mod vouchers;
