//! Integration tests, one module per subject, linked as a single binary.

mod again;
mod contents;
mod fixed;
mod framings;
mod keeping;
mod lines;
mod measurements;
mod passed;
mod stretches;
mod text;
mod xml;
