//! Where files come from: folders that are scanned, far places that are fetched from, servers that files are pushed to.
//!
//! What is found becomes a task. A file that came before is known by its contents, and a compressed one is unpacked on the
//! way in.

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
