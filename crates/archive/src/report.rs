//! Lists and reads archived files, for users and for replays.

use std::fs::File;
use std::io::{self, Read};
use std::path::{Path, PathBuf};

use runtime::time::shown;
use serde::Serialize;
use store::{QueryResult, Row, params};
use xxhash_rust::xxh3::Xxh3;

use crate::settings::ArchiveSettings;
use flow::file;
use flow::flow_journal;
use flow::flow_journal::JournalError;

/// A query for archived files.
#[derive(Clone, Debug)]
pub struct ArchiveQuery {
    /// Selects files of this network element.
    pub network_element: Option<String>,
    /// Selects files whose names match this pattern, with `*` and `?`.
    pub files: Option<String>,
    /// Selects files that were done at this time or later, in milliseconds since 1970.
    pub from_ms: i64,
    /// Selects files that were done before this time, in milliseconds since 1970.
    pub to_ms: i64,
}

/// A file in the archive, or one that is due to be.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct ArchivedFile {
    /// The number of the job in the journal.
    pub job: i64,
    /// The network element that it came from.
    pub network_element: String,
    /// Its name.
    pub file: String,
    /// The time when it was done, such as `2026-11-21T14:05:00Z`.
    pub done: String,
    /// The state: `due`, `archived`, or `gone` if it could not be archived.
    pub state: String,
    /// The octets of the input.
    pub size: u64,
    /// The octets in the archive.
    pub octets: Option<u64>,
    /// The path in the archive.
    pub path: Option<PathBuf>,
    /// When the input was last written, in nanoseconds since 1970.
    #[serde(skip)]
    pub modified_ns: i64,
    /// The XXH3 digest, 128 bits in big-endian order, of the input's octets as they came. Until the file is archived,
    /// it is the digest of its unpacked contents.
    #[serde(skip)]
    pub digest: Vec<u8>,
}

/// The reason that an archive cannot be listed.
#[derive(Debug, thiserror::Error)]
pub enum ArchiveError {
    /// There is no journal, or it cannot be read.
    #[error(transparent)]
    Journal(#[from] JournalError),
    /// The flow has no archive.
    #[error("\"{}\" has no archive; see [archive] in docs/reference/flow.md", .0.display())]
    None(PathBuf),
}

/// Returns the archived files, the oldest first. It works with and without a running gateway.
pub fn archived(flow: &Path, query: &ArchiveQuery) -> Result<Vec<ArchivedFile>, ArchiveError> {
    let cause = |cause| JournalError::Flow { flow: flow.into(), cause };
    let outline = file::outline(flow).map_err(cause)?;
    let settings = ArchiveSettings::read(&outline).ok().flatten();
    let dir = settings.ok_or_else(|| ArchiveError::None(flow.into()))?.dir;
    let ArchiveQuery { network_element, files, from_ms, to_ms } = query;
    let found = flow_journal::read(flow, |db| {
        let mut select = db.prepare(
            "SELECT file, network_element, name, done_ms, state, size, octets, path, modified_ns, digest
             FROM archive WHERE (?1 IS NULL OR network_element = ?1)
                 AND done_ms >= ?2 AND done_ms < ?3
             ORDER BY file",
        )?;
        let file = |row: &Row<'_>| {
            Ok(ArchivedFile {
                job: row.get(0)?,
                network_element: row.get(1)?,
                file: row.get(2)?,
                done: shown(row.get(3)?),
                state: row.get(4)?,
                size: row.get::<_, i64>(5)? as u64,
                octets: row.get::<_, Option<i64>>(6)?.map(|octets| octets as u64),
                path: row.get::<_, Option<String>>(7)?.map(|path| dir.join(path)),
                modified_ns: row.get(8)?,
                digest: row.get(9)?,
            })
        };
        let files = select.query_map(params![network_element, from_ms, to_ms], file)?;
        files.collect::<QueryResult<Vec<ArchivedFile>>>()
    })?;
    let fits = |file: &ArchivedFile| {
        files.as_ref().is_none_or(|pattern| transport::matches(pattern, &file.file))
    };
    Ok(found.into_iter().filter(fits).collect())
}

/// A reader of a file as it was collected. It reports the end only if size and digest match; otherwise reading fails.
pub struct ReadArchived {
    octets: zstd::Decoder<'static, io::BufReader<File>>,
    digest: Xxh3,
    expected: Vec<u8>,
    left: u64,
}

/// Opens an archived file. Fails if the file is not in the archive.
pub fn archived_contents(file: &ArchivedFile) -> io::Result<ReadArchived> {
    let Some(path) = &file.path else {
        return Err(io::Error::new(io::ErrorKind::NotFound, format!("it is {}", file.state)));
    };
    Ok(ReadArchived {
        octets: zstd::Decoder::new(File::open(path)?)?,
        digest: Xxh3::new(),
        expected: file.digest.clone(),
        left: file.size,
    })
}

impl Read for ReadArchived {
    fn read(&mut self, to: &mut [u8]) -> io::Result<usize> {
        let damaged = || io::Error::new(io::ErrorKind::InvalidData, "it is not what was archived");
        let read = self.octets.read(to)?;
        self.digest.update(&to[..read]);
        self.left = self.left.checked_sub(read as u64).ok_or_else(damaged)?;
        if read == 0 && !to.is_empty() {
            let is_whole = self.left == 0;
            let is_it = self.digest.digest128().to_be_bytes() == self.expected.as_slice();
            return if is_whole && is_it { Ok(0) } else { Err(damaged()) };
        }
        Ok(read)
    }
}
