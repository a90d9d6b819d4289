//! Sources and destinations of files: local folders, and the interface of remote places.
//!
//! Collecting finds complete files and marks those that are done. Delivering makes a file appear whole or not at all.
//! No foreign name leads out of its folder. Every remote place is behind [`Far`], whatever its protocol.
#![forbid(unsafe_code)]

mod access;
mod account;
mod address;
mod collect;
mod compress;
mod deliver;
mod digest;
mod discreet;
mod far;
mod find;
mod listen;
mod local;
mod marks;
mod name;
mod order;
#[cfg(any(fuzzing, test))]
pub mod outside;
mod pattern;
mod place;
mod space;

pub use access::{ACCESS_KEYS, Access};
pub use account::{ACCEPT, ACCEPT_KEYS, Account, Accounts, BUFFER_LIMIT, UNDER_WAY, is_under_way};
pub use address::{Address, AddressError};
pub use collect::{Collect, DUPLICATE, FILE_SIZE_MAX, FOLDER_DEPTH_MAX, Mark, POISON, TO_ARCHIVE};
pub use compress::Compression;
pub use deliver::{BUFFER_OCTETS, Staged, Written, deliver, file_name, forget_interrupted};
pub use digest::{Digest, Digesting, is_there};
pub use far::{Appears, Far, FarError, FarFile, FarKind, Listing, Parcel, Place, Scheme};
pub use find::{Found, KnownMarks, Look, Marked};
pub use listen::{Listener, Listening, Service};
pub use local::LocalFolder;
pub use name::{NAME_OCTETS_MAX, not_plain};
pub use order::by_name;
pub use pattern::{matches, overlap, stem};
pub use place::real;
pub use space::{taken, taken_below};
