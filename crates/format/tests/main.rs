//! What the crate promises to others: a module a subject, all linked once.

mod again;
mod contents;
mod framings;
mod keeping;
mod stretches;
mod text;
