//! Files of blocks. Each process appends to its own file and begins a new one from time to time, so that old files are
//! removed as a whole. Octets of a job that was given up stay there unused.

use std::fs::{self, File};
use std::io::{self, Read as _, Seek as _, SeekFrom, Write as _};
use std::path::{Path, PathBuf};
use std::sync::{Mutex, PoisonError};
use std::time::{Duration, Instant, SystemTime};

use runtime::durable::{make_folder, sync_folder};
use serde::{Deserialize, Serialize};

use runtime::time::now_ms;

/// The size in octets and the age at which a new file is begun.
const OCTETS_MAX: u64 = 64 << 20;
const WRITTEN_FOR: Duration = Duration::from_secs(3600);

/// The most octets of a piece. A larger length is not believed.
const PIECE_OCTETS_MAX: u32 = 1 << 30;

/// A file of traces is not on the disk.
#[derive(Debug, thiserror::Error)]
#[error("could not write the trace \"{}\": {cause}", path.display())]
pub struct TraceSyncError {
    path: PathBuf,
    cause: io::Error,
}

/// The folder of the files, and the file that is written.
#[derive(Debug)]
pub struct Shelf {
    folder: PathBuf,
    open: Mutex<Option<Segment>>,
}

#[derive(Debug)]
struct Segment {
    name: String,
    file: File,
    at: u64,
    begun: Instant,
}

/// A range of octets in a file.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct Piece {
    pub(super) segment: String,
    at: u64,
    octets: u32,
}

impl Shelf {
    /// Returns the shelf of a flow, given the folder of its state.
    pub fn new(state: &Path) -> Self {
        Shelf { folder: state.join("trace"), open: Mutex::default() }
    }

    /// Appends octets. They are on the disk once their file is [synced](Self::sync).
    pub(super) fn append(&self, octets: &[u8]) -> io::Result<Piece> {
        let with_folder = |error: io::Error| {
            let folder = self.folder.display();
            io::Error::new(
                error.kind(),
                format!("could not write the trace to \"{folder}\": {error}"),
            )
        };
        self.write(octets).map_err(with_folder)
    }

    fn write(&self, octets: &[u8]) -> io::Result<Piece> {
        let mut open = self.open.lock().unwrap_or_else(PoisonError::into_inner);
        let is_over = |segment: &mut Segment| {
            segment.at >= OCTETS_MAX || segment.begun.elapsed() >= WRITTEN_FOR
        };
        // After a failed write, the next piece goes to a new file.
        let mut segment = match open.take_if(|segment| !is_over(segment)) {
            Some(segment) => segment,
            None => self.begin()?,
        };
        segment.file.write_all(octets)?;
        let piece =
            Piece { segment: segment.name.clone(), at: segment.at, octets: octets.len() as u32 };
        segment.at += octets.len() as u64;
        *open = Some(segment);
        Ok(piece)
    }

    fn begin(&self) -> io::Result<Segment> {
        make_folder(&self.folder)?;
        let (now, process) = (now_ms(), std::process::id());
        for number in 0.. {
            let name = format!("{now}-{process}-{number}.trace");
            match File::create_new(self.folder.join(&name)) {
                Ok(file) => {
                    sync_folder(&self.folder)?;
                    return Ok(Segment { name, file, at: 0, begun: Instant::now() });
                }
                Err(error) if error.kind() == io::ErrorKind::AlreadyExists => {}
                Err(error) => return Err(error),
            }
        }
        unreachable!("there are more numbers than files")
    }

    /// Syncs a file to the disk, whichever process wrote it.
    pub(super) fn sync(&self, segment: &str) -> Result<(), TraceSyncError> {
        let path = self.folder.join(segment);
        let synced = File::open(&path).and_then(|file| file.sync_all());
        synced.map_err(|cause| TraceSyncError { path, cause })
    }

    /// Reads a piece.
    pub fn read(&self, piece: &Piece) -> io::Result<Vec<u8>> {
        let mut file = File::open(self.folder.join(&piece.segment))?;
        file.seek(SeekFrom::Start(piece.at))?;
        let mut octets = Vec::new();
        let wanted = piece.octets.min(PIECE_OCTETS_MAX);
        file.take(u64::from(wanted)).read_to_end(&mut octets)?;
        match octets.len() == wanted as usize {
            true => Ok(octets),
            false => Err(io::ErrorKind::UnexpectedEof.into()),
        }
    }

    /// Removes files that were last written before a time.
    pub fn forget(&self, before: SystemTime) -> io::Result<()> {
        let entries = match fs::read_dir(&self.folder) {
            Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(()),
            entries => entries?,
        };
        for entry in entries {
            let entry = entry?;
            let is_ours = entry.path().extension().is_some_and(|end| end == "trace");
            if is_ours && entry.metadata()?.modified()? < before {
                fs::remove_file(entry.path())?;
            }
        }
        Ok(())
    }
}
