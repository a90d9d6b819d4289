//! Reads an input file and computes its digest on the way, so that the digest costs no second read.

use std::cell::Cell;
use std::io::{self, Read, Seek as _, SeekFrom};
use std::path::Path;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use diagnostics::plain;
use format::coding::Contents;
use xxhash_rust::xxh3::Xxh3;

use crate::decompress::{Packed, Unpacking};

/// The 128-bit XXH3 digest of a file's contents. It is fast, and two files do not have the same by chance. A sender
/// could forge a collision; the second file is then set aside visibly.
pub type Digest = [u8; 16];

/// A file that is read once.
pub struct InputFile<'p> {
    path: &'p Path,
    /// The compression and the unpacked size, of a compressed file. Digest and records are those of the unpacked
    /// octets.
    packed: Option<(Packed, u64)>,
    is_digested: bool,
    digesting: Arc<Mutex<Digesting>>,
    /// The memory to read into, until a reader takes it.
    memory: Cell<Vec<u8>>,
}

/// A digest of the octets read so far.
#[derive(Default)]
pub struct Digesting {
    state: Xxh3,
    octets: u64,
}

impl<'p> InputFile<'p> {
    /// Makes an input file. The digest is computed only if `is_digested` is set.
    pub fn new(path: &'p Path, is_digested: bool) -> Self {
        InputFile {
            path,
            packed: None,
            is_digested,
            digesting: Arc::default(),
            memory: Cell::default(),
        }
    }

    /// Sets the compression of the file.
    pub fn packed(self, packed: Option<(Packed, u64)>) -> Self {
        InputFile { packed, ..self }
    }

    /// Sets the memory that the file is read into.
    pub fn read_into(self, memory: Vec<u8>) -> Self {
        InputFile { memory: Cell::new(memory), ..self }
    }

    /// Reads the unpacked octets from an offset on.
    fn unpacked_from(&self, packed: Packed, offset: u64) -> io::Result<Unpacking> {
        let mut unpacked = packed.open(self.path)?;
        io::copy(&mut unpacked.by_ref().take(offset), &mut io::sink())?;
        Ok(unpacked)
    }

    /// Returns the digest of all octets. It reads those that were not read yet. Without a digest it returns zeros.
    pub fn digest(self) -> io::Result<Digest> {
        if !self.is_digested {
            return Ok(Digest::default());
        }
        let read = locked(&self.digesting).octets;
        io::copy(&mut self.octets_on(read)?, &mut io::sink())?;
        Ok(locked(&self.digesting).state.digest128().to_be_bytes())
    }

    fn octets_on(&self, offset: u64) -> io::Result<Box<dyn Read>> {
        let digest = self.to_be_digested();
        Ok(match self.packed {
            None => {
                let mut from = plain::open(self.path)?;
                from.seek(SeekFrom::Start(offset))?;
                Box::new(InputOctets { from, at: offset, digest })
            }
            Some((packed, _)) => {
                let from = self.unpacked_from(packed, offset)?;
                Box::new(InputOctets { from, at: offset, digest })
            }
        })
    }

    /// Returns a handle for a caller that reads the file itself. The caller's reads must begin at or before the end of
    /// the octets that were digested.
    pub fn to_be_digested(&self) -> ToBeDigested {
        ToBeDigested(self.is_digested.then(|| Arc::clone(&self.digesting)))
    }
}

impl Contents for InputFile<'_> {
    fn size(&self) -> io::Result<u64> {
        match self.packed {
            None => Ok(self.path.metadata()?.len()),
            Some((_, size)) => Ok(size),
        }
    }

    fn octets(&self) -> io::Result<Box<dyn Read>> {
        match (self.is_digested, self.packed) {
            (true, _) => {
                *locked(&self.digesting) = Digesting::default();
                self.octets_on(0)
            }
            (false, None) => self.path.octets(),
            (false, Some((packed, _))) => Ok(Box::new(packed.open(self.path)?)),
        }
    }

    fn octets_from(&self, offset: u64) -> io::Result<Box<dyn Read>> {
        match self.packed {
            None => self.path.octets_from(offset),
            Some((packed, _)) => Ok(Box::new(self.unpacked_from(packed, offset)?)),
        }
    }

    fn memory(&self) -> Vec<u8> {
        self.memory.take()
    }
}

/// A reader that digests the octets it reads.
struct InputOctets<R> {
    from: R,
    /// The offset in the file.
    at: u64,
    digest: ToBeDigested,
}

impl<R: Read> Read for InputOctets<R> {
    fn read(&mut self, to: &mut [u8]) -> io::Result<usize> {
        let read = self.from.read(to)?;
        self.digest.take(self.at, &to[..read]);
        self.at += read as u64;
        Ok(read)
    }
}

/// Adds octets of a file to its digest, if one is computed.
pub struct ToBeDigested(Option<Arc<Mutex<Digesting>>>);

impl ToBeDigested {
    /// Adds the octets at an offset. All octets before `offset` must have been added. Octets that were added before are
    /// skipped.
    pub fn take(&self, offset: u64, octets: &[u8]) {
        let Some(digesting) = &self.0 else { return };
        let mut digesting = locked(digesting);
        let end = offset + octets.len() as u64;
        let new = (end.saturating_sub(digesting.octets) as usize).min(octets.len());
        digesting.state.update(&octets[octets.len() - new..]);
        digesting.octets += new as u64;
    }
}

/// Locks the digest: once a read, mostly by the same thread.
fn locked(digesting: &Mutex<Digesting>) -> MutexGuard<'_, Digesting> {
    digesting.lock().unwrap_or_else(PoisonError::into_inner)
}
