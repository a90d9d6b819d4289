//! The room of incoming files: folders that are scanned, far places that files are fetched from, and servers that files
//! are pushed to.
//!
//! Each file that is found becomes a task. Duplicates are recognized by name or contents, and compressed files are
//! unpacked.

pub(crate) mod added;
pub(crate) mod decompress;
pub(crate) mod duplicate_files;
pub(crate) mod fetch;
pub(crate) mod input;
pub(crate) mod late;
pub(crate) mod orphans;
pub(crate) mod push;
pub(crate) mod scan;
pub(crate) mod sources;
pub(crate) mod strangers;
pub(crate) mod versions;
