//! What the crate promises to others: a module a subject, all linked once.

mod again;
mod framings;
mod keeping;
mod lines;
mod stretches;
mod text;
