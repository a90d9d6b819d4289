//! Tests of the crate's public interface: one module for each subject, all in one binary.

mod call_records;
mod collecting;
mod common;
mod drawing;
mod mistakes;
mod run;
mod state;
mod stretches;
