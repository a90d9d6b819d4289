//! Integration tests, one module per subject, linked as a single binary.

mod counters;
mod lengths;
mod mistakes;
mod numbers;
mod plans;
mod plans_in_turn;
mod priced;
mod properties;
