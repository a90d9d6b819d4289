//! Tests of durable accounts.

mod embedded;
mod folds;
mod mass_end;
mod set_up;
mod vouchers;
