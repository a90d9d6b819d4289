//! What the crate promises to others: a module a subject, all linked once.

mod again;
mod contents;
mod fixed;
mod framings;
mod keeping;
mod lines;
mod passed;
mod stretches;
mod text;
mod xml;
