//! Tests of the ledger's core.

mod cases;
mod model;
mod offers;
mod opened;
mod random;
