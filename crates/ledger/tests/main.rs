//! Tests of the ledger's core.

mod cases;
mod model;
mod random;
