//! Sources and destinations of files: local folders, and the interface of remote places.
//!
//! Collecting finds complete files and marks processed ones. A delivered file appears only when it
//! is complete. No foreign name leads out of its folder. Every remote place has the same interface,
//! [`RemoteConnection`], whatever its protocol.
#![forbid(unsafe_code)]

mod access;
mod account;
mod address;
mod canonical;
mod collect;
mod compress;
mod deliver;
mod digest;
mod find;
mod listen;
mod local;
mod marks;
mod name;
mod order;
#[cfg(any(fuzzing, test))]
pub mod outside;
mod pattern;
mod redacted;
mod remote;
mod space;

pub use access::{ACCESS_KEYS, Access, KIND};
pub use account::{
    ACCEPT, ACCEPT_KEYS, Account, Accounts, BUFFER_LIMIT, TEMPORARY_ENDINGS, is_temporary,
};
pub use address::{Address, AddressError};
pub use canonical::real_path;
pub use collect::{Collect, DUPLICATE, FILE_SIZE_MAX, FOLDER_DEPTH_MAX, Mark, POISON, TO_ARCHIVE};
pub use compress::Compression;
pub use deliver::{BUFFER_OCTETS, Staged, Written, deliver, file_name, forget_interrupted};
pub use digest::{Digest, DigestWriter, is_there};
pub use find::{FindResult, FoundFile, KnownMarks, MarkedFile};
pub use listen::{Listener, RunningServer, Service};
pub use local::LocalFolder;
pub use name::{NAME_OCTETS_MAX, name_mistake};
pub use order::by_name;
pub use pattern::{matches, overlap, stem};
pub use remote::{
    Listing, Parcel, Place, PutMethod, RecordComponent, RemoteConnection, RemoteError, RemoteFile,
    RemoteKind, Scheme,
};
/// Returns the codes of the errors of this crate, for the index of all codes.
pub fn codes() -> Vec<reason::Code> {
    use reason::Coded as _;

    [RemoteError::codes(), remote::LocalFault::codes()].concat()
}

pub use space::{folder_octets, folder_octets_recursive};
