//! Tests of durable accounts.

mod embedded;
mod folds;
mod set_up;
mod vouchers;
