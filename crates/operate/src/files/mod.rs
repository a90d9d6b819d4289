//! Files that were received and processed: listed, allowed to be processed again, and their records.

mod again;
mod list;
mod records;

pub use again::{AllowFilesAgain, AllowFilesError, AllowedFiles};
pub use list::{Files, InputFile, ListFiles};
pub use records::{
    FileLies, FileRecord, FileRecords, GoOn, RecordDamage, RecordPart, ShowFileRecords,
    ShowFileRecordsError,
};
