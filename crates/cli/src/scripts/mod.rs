//! Compiles, tests, runs and measures DUP scripts, for commands and for the editor in the browser.

pub(crate) mod known;
pub(crate) mod language;
pub(crate) mod loaded;
pub(crate) mod lsp;
pub(crate) mod measure;
pub(crate) mod records;
mod samples;
pub(crate) mod testing;
