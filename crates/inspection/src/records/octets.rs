//! The octets of a file to inspect: as they lie there, or unpacked. An archived file may have two compressions: that of
//! the archive, and its own.

use std::fs::{File, OpenOptions};
use std::io::{self, Read};
use std::os::unix::fs::{FileExt as _, OpenOptionsExt as _};
use std::path::Path;
use std::sync::Arc;

use format::Contents;
use rustix::fs::OFlags;

use collection::decompress::Packed;

/// A file that is open.
pub struct Octets {
    pub(super) file: Arc<File>,
    /// Whether the archive compressed it.
    pub(super) is_archived: bool,
    /// The compression that it came in, if any.
    pub(super) packed: Option<Packed>,
}

impl Octets {
    /// Opens a plain file only: a folder could contain a link that leads elsewhere, or a pipe.
    pub(super) fn open(path: &Path) -> io::Result<Self> {
        let flags = OFlags::NOFOLLOW | OFlags::NONBLOCK;
        let file = OpenOptions::new().read(true).custom_flags(flags.bits() as i32).open(path)?;
        match file.metadata()?.is_file() {
            true => Ok(Octets { file: Arc::new(file), is_archived: false, packed: None }),
            false => Err(io::Error::new(io::ErrorKind::NotFound, "it is no file")),
        }
    }

    /// Returns the size of the file in octets.
    pub(super) fn there(&self) -> io::Result<u64> {
        Ok(self.file.metadata()?.len())
    }

    /// Returns whether any octet can be read without those before it.
    pub(super) fn are_at_hand(&self) -> bool {
        !self.is_archived && self.packed.is_none()
    }
}

impl Contents for Octets {
    fn size(&self) -> io::Result<u64> {
        match self.are_at_hand() {
            true => self.there(),
            false => io::copy(&mut self.octets()?, &mut io::sink()),
        }
    }

    fn octets(&self) -> io::Result<Box<dyn Read>> {
        self.octets_from(0)
    }

    fn octets_from(&self, offset: u64) -> io::Result<Box<dyn Read>> {
        let file = Arc::clone(&self.file);
        if self.are_at_hand() {
            return Ok(Box::new(Onward { file, at: offset }));
        }
        let mut octets: Box<dyn Read> = Box::new(Onward { file, at: 0 });
        if self.is_archived {
            octets = Box::new(zstd::Decoder::new(octets)?);
        }
        if let Some(packed) = self.packed {
            octets = Box::new(packed.unpack(octets)?);
        }
        io::copy(&mut octets.by_ref().take(offset), &mut io::sink())?;
        Ok(octets)
    }
}

/// Reads an open file from a place on. Other readers of the file do not matter.
struct Onward {
    file: Arc<File>,
    at: u64,
}

impl Read for Onward {
    fn read(&mut self, to: &mut [u8]) -> io::Result<usize> {
        let read = self.file.read_at(to, self.at)?;
        self.at += read as u64;
        Ok(read)
    }
}
