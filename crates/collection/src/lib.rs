//! The collection of files: folders that are scanned, remote places that files are fetched from, and servers that files
//! are pushed to. Each complete file becomes a [`FileJob`](sources::FileJob).
//!
//! [`sources`] has the settings of each network element. [`scan`] looks into folders, [`fetch`] fetches into an in
//! buffer, and [`push`] runs the servers. [`input`] reads a file with its digest, [`decompress`] unpacks it, and
//! [`duplicate_files`] recognizes files that come twice, by name or contents.
//!
//! [`late`], [`added`], [`orphans`] and [`strangers`] raise alarms for files that do not come, or are not as they
//! should be.
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
