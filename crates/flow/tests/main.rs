//! What the crate promises to others: a module a subject, all linked once.

mod call_records;
mod collecting;
mod common;
mod drawing;
mod mistakes;
mod run;
mod state;
mod stretches;
