//! Why a file of a remote place is not fetched, where the place itself did not refuse it.

use reason::{Coded, Reason};
use transport::FOLDER_DEPTH_MAX;

/// Why a file, or what is in a folder, is not fetched.
#[derive(Debug, thiserror::Error, Coded)]
#[code("fetch")]
pub(crate) enum FetchFault {
    /// The file is larger than `size-limit`, or than the in buffer may be.
    #[error("it has {size}, and \"size-limit\" or \"limit\" lets a file have {limit}")]
    TooLarge { size: String, limit: String },
    /// A folder of the same name is in the in buffer. Move it away.
    #[error("a folder of its name is in the in buffer")]
    FolderInPlace,
    /// The file grew while it was fetched. It is fetched again.
    #[error("{listed} octets are listed, more came")]
    Grew { listed: u64 },
    /// The place does not tell the size of the file, and it is larger than a file may be.
    #[error("more than {limit} came")]
    TooMuchCame { limit: String },
    /// The file changed while it was fetched, or the place lists a wrong size.
    #[error("{listed} octets are listed, {received} came")]
    OtherSize { listed: u64, received: u64 },
    /// The file changed while it was fetched, or the list of the place is old.
    #[error("its size or time is listed otherwise than it is told")]
    ListedOtherwise,
    /// The file disappeared after it was listed, or its name cannot be asked for.
    #[error("it is listed and cannot be opened")]
    NotOpened,
    /// The file system of this machine refuses the name of the file.
    #[error("a file of this name cannot lie in the in buffer: {cause}")]
    LocalName { cause: String },
    /// A line of a list has none of the known forms.
    #[error("this line of the list is not understood")]
    ListLine,
    /// A folder cannot be listed. The code is that of the place's refusal.
    #[error("what is in it is not shown: {problem}")]
    Folder {
        #[coded]
        problem: Reason,
    },
    /// The place has too many files for one list.
    #[error("there are more than 200,000 files: what is beyond comes when others are gone")]
    TooManyFiles,
    // The text has no count: otherwise the alarm would change after each pass.
    /// The place has too many folders for one look. A link may lead a folder back to itself.
    #[error(
        "there are more folders than one look goes into: it goes into those first whose names come last, and the next look \
         goes on with others; does one lead back to itself?"
    )]
    TooManyFolders,
    /// The folder lies too deep.
    #[error("it is more than {FOLDER_DEPTH_MAX} folders deep, and not looked into")]
    TooDeep,
    /// The name is one that no file can have here.
    #[error("{mistake}")]
    Name { mistake: &'static str },
    /// The name has octets that are not UTF-8.
    #[error("its name is not UTF-8, and cannot be asked for")]
    NotUtf8,
    /// A link, a device or something else.
    #[error("it is a link or no file, and not followed")]
    NoFile,
    /// The place does not tell files from folders.
    #[error("the remote place does not say whether it is a file")]
    UnknownKind,
}
