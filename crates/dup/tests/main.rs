//! What the crate promises to others: a module a subject, all linked once.

mod analysis;
mod chain;
mod common;
mod differential;
mod format;
mod language;
mod limits;
mod mistakes;
mod transform;
