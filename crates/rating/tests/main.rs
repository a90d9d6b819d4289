//! Integration tests, one module per subject, linked as a single binary.

mod counters;
mod lengths;
mod mistakes;
mod numbers;
mod plans;
mod priced;
mod properties;
