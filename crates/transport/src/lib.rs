//! Where files come from and go to: folders, for now.
//!
//! Collecting finds files that are complete and marks those that are done; delivering makes a file appear
//! whole or not at all. No name that comes from outside leads out of its folder.
#![forbid(unsafe_code)]

mod collect;
mod deliver;
mod order;
mod pattern;
mod place;
mod space;

pub use collect::{Collect, DUPLICATE, FOLDER_DEPTH_MAX, Found, Mark, POISON};
pub use deliver::{
    BUFFER_OCTETS, Staged, Written, deliver, file_name, forget_interrupted, sync_folder,
};
pub use pattern::{matches, overlap, stem};
pub use place::real;
pub use space::{Disk, disk, taken};
