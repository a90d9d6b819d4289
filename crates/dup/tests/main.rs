//! Integration tests, one module per subject, linked as a single binary.

mod analysis;
mod chain;
mod common;
mod condition;
mod differential;
mod format;
mod language;
mod limits;
mod mistakes;
mod transform;
