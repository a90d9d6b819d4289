//! Files that were received and processed, or refused: listed, allowed to be processed again, and their records.

mod again;
mod list;
mod records;
mod refused;

pub use again::{AllowFilesAgain, AllowFilesError, AllowedFiles};
pub use list::{Files, InputFile, ListFiles, ListFilesError};
pub use records::{
    FileLies, FileRecord, FileRecords, GoOn, RecordDamage, RecordPart, ShowFileRecords,
    ShowFileRecordsError,
};
pub use refused::{ListRefusedFiles, RefusedFile, RefusedFileKind, RefusedFiles};
