//! The room of incoming files: folders that are scanned, far places that files are fetched from, and servers that files
//! are pushed to.
//!
//! Each file that is found becomes a task. Duplicates are recognized by name or contents, and compressed files are
//! unpacked.
#![forbid(unsafe_code)]

pub mod added;
pub mod decompress;
pub mod duplicate_files;
pub mod fetch;
pub mod input;
pub mod late;
pub mod orphans;
pub mod push;
pub mod scan;
pub mod sources;
pub mod strangers;
pub mod versions;
