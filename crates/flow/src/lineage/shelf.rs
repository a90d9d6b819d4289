//! Files of blocks: each process writes its own, one behind the other, and begins another now and then, so that those are
//! removed as a whole that are too old. What was written for a job that is given up lies there for nobody.

use std::fs::{self, File};
use std::io::{self, Read as _, Seek as _, SeekFrom, Write as _};
use std::path::{Path, PathBuf};
use std::sync::{Mutex, PoisonError};
use std::time::{Duration, Instant, SystemTime};

use runtime::durable::{make_folder, sync_folder};
use serde::{Deserialize, Serialize};

use runtime::time::now_ms;

/// Octets of a file, and how long it is written, before another is begun.
const OCTETS_MAX: u64 = 64 << 20;
const WRITTEN_FOR: Duration = Duration::from_secs(3600);

/// Most octets that are believed to be a piece.
const PIECE_OCTETS_MAX: u32 = 1 << 30;

/// Where the files are, and that which is written.
#[derive(Debug)]
pub(crate) struct Shelf {
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

/// Octets of a file.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub(crate) struct Piece {
    pub(super) segment: String,
    at: u64,
    octets: u32,
}

impl Shelf {
    /// That of the flow whose state is in a folder.
    pub(crate) fn new(state: &Path) -> Self {
        Shelf { folder: state.join("trace"), open: Mutex::default() }
    }

    /// Writes octets. They are on the disk when the file they are in is [synced](Self::sync).
    pub(super) fn append(&self, octets: &[u8]) -> io::Result<Piece> {
        let told = |error: io::Error| {
            let folder = self.folder.display();
            io::Error::new(
                error.kind(),
                format!("could not write the trace to \"{folder}\": {error}"),
            )
        };
        self.write(octets).map_err(told)
    }

    fn write(&self, octets: &[u8]) -> io::Result<Piece> {
        let mut open = self.open.lock().unwrap_or_else(PoisonError::into_inner);
        let is_over = |segment: &mut Segment| {
            segment.at >= OCTETS_MAX || segment.begun.elapsed() >= WRITTEN_FOR
        };
        // Where nothing was written, or only some of it, what follows lies elsewhere.
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

    /// Puts all of a file on the disk, whoever wrote it.
    pub(super) fn sync(&self, segment: &str) -> Result<(), String> {
        let path = self.folder.join(segment);
        let synced = File::open(&path).and_then(|file| file.sync_all());
        synced.map_err(|error| format!("could not write the trace \"{}\": {error}", path.display()))
    }

    /// Reads octets.
    pub(crate) fn read(&self, piece: &Piece) -> io::Result<Vec<u8>> {
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

    /// Removes files that were written last before a time.
    pub(crate) fn forget(&self, before: SystemTime) -> io::Result<()> {
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
