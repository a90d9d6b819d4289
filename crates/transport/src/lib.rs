//! Where files come from and go to: folders, for now.
//!
//! Collecting finds files that are complete and marks those that are done; delivering makes a file appear
//! whole or not at all. No name that comes from outside leads out of its folder.
#![forbid(unsafe_code)]

mod account;
mod collect;
mod deliver;
mod listen;
mod order;
mod pattern;
mod place;
mod secret;
mod space;

pub use account::{ACCEPT, ACCEPT_KEYS, Account, Accounts, BUFFER_LIMIT, UNDER_WAY, is_under_way};
pub use collect::{Collect, DUPLICATE, FOLDER_DEPTH_MAX, Found, Mark, POISON};
pub use deliver::{
    BUFFER_OCTETS, Staged, Written, deliver, file_name, forget_interrupted, sync_folder,
};
pub use listen::{Listener, Listening, Service};
pub use pattern::{overlap, stem};
pub use place::real;
pub use secret::Secret;
pub use space::{Disk, disk, taken, taken_below};
