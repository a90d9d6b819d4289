//! Settings of the archive: `[archive]`.

use std::path::PathBuf;
use std::time::Duration;

use diagnostics::Diagnostic;

use flow::file::{FlowFile, Keys, TableSchema};

/// `[archive]`.
pub const ARCHIVE: TableSchema =
    TableSchema { name: "archive", keys: Keys::These(&["dir", "keep", "limit", "source"]) };

/// The archive of processed files.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ArchiveSettings {
    /// The folder of the archive; by default `archive` in the folder of the flow's state.
    pub dir: PathBuf,
    /// How long files are kept; `None` means forever.
    pub retention: Option<Duration>,
    /// The most octets that are kept.
    pub limit: Option<u64>,
    /// The action on the input of a file once the journal has the archived file. One in an in buffer is always removed.
    pub source: Source,
}

/// The action on the input of an archived file.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Source {
    /// The input stays where it is, with its mark.
    Retained,
    /// The input is removed; the archive has the only copy.
    Removed,
}

impl ArchiveSettings {
    /// Reads `[archive]`. Returns `None` if the flow has no archive.
    pub fn read(file: &FlowFile) -> Result<Option<Self>, Diagnostic> {
        const SOURCES: [(&str, Source); 2] =
            [("keep", Source::Retained), ("remove", Source::Removed)];
        let Some(settings) = file.tables.get(&ARCHIVE) else { return Ok(None) };
        let dir = settings.get("dir").map(|dir| settings.path(dir));
        let source = settings.get("source").map(|source| settings.choice(source, &SOURCES));
        Ok(Some(ArchiveSettings {
            dir: dir.unwrap_or_else(|| file.state.join("archive")),
            retention: settings.get("keep").map(|keep| settings.duration(keep)).transpose()?,
            limit: settings.get("limit").map(|limit| settings.octets(limit)).transpose()?,
            source: source.transpose()?.unwrap_or(Source::Retained),
        }))
    }
}
