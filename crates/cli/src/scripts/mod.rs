//! Scripts in the DUP language, for commands and for who edits one in a browser: compiled, tested, run on records, measured.

pub(crate) mod known;
pub(crate) mod language;
pub(crate) mod loaded;
pub(crate) mod measure;
pub(crate) mod records;
mod samples;
pub(crate) mod testing;
