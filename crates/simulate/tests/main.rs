//! What the crate promises to others: a module a subject, all linked once.

mod cdr;
mod codec;
mod fraud;
mod population;
