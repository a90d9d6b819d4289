//! Integration tests, one module per subject, linked as a single binary.

mod judgement;
mod memory;
