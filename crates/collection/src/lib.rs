//! The collection of files: folders that are scanned, remote places that files are fetched from, and servers that files
//! are pushed to. Each complete file becomes a [`FileJob`](sources::FileJob).
//!
//! [`sources`] has the settings of each network element. [`scan`] looks into folders, [`fetch`] fetches into an in
//! buffer, and [`push`] runs the servers. [`input`] reads a file with its digest, [`decompress`] unpacks it, and
//! [`duplicate_files`] recognizes files that come twice, by name or contents. [`refused`] notes the files that are refused as
//! a whole, with the reasons.
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
pub mod refused;
pub mod scan;
pub mod sources;
pub mod strangers;
pub mod versions;

/// Returns the codes of the errors of this crate, for the index of all codes.
pub fn codes() -> Vec<reason::Code> {
    use reason::Coded as _;

    [
        duplicate_files::DuplicateFile::codes(),
        decompress::UnpackFault::codes(),
        fetch::FetchFault::codes(),
    ]
    .concat()
}
