//! What the crate promises to others: a module a subject, all linked once.

mod kept;
mod mistakes;
mod numbers;
mod plans;
mod priced;
mod properties;
