//! Where files come from: folders that are scanned, far places that are fetched from, servers that files are pushed to.
//!
//! What is found becomes a task. A file that came before is known by its contents, and a compressed one is unpacked on the
//! way in.

pub(crate) mod added;
pub(crate) mod duplicates;
pub(crate) mod fetching;
pub(crate) mod input;
pub(crate) mod late;
pub(crate) mod listening;
pub(crate) mod look;
pub(crate) mod orphans;
pub(crate) mod packed;
pub(crate) mod sources;
pub(crate) mod strangers;
pub(crate) mod versions;
