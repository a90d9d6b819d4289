//! The archive: which files it has, and what is in them.

pub(crate) mod report;
