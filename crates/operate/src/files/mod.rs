//! Files that were received and processed: listed, and allowed to be processed again.

mod again;
mod list;

pub use again::{AllowFilesAgain, AllowFilesError, AllowedFiles};
pub use list::{Files, InputFile, ListFiles};
