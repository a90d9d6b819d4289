//! An input file while it is read: its digest is made on the way, so that no file is read once more for that.

use std::io::{self, Read, Seek as _, SeekFrom};
use std::path::Path;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use diagnostics::plain;
use format::coding::Contents;
use xxhash_rust::xxh3::Xxh3;

use crate::collection::decompress::{Packed, Unpacking};

/// What tells the contents of two files apart, XXH3 of 128 bits: fast, and chance gives no two files the same. Who sends
/// files could make two; the second is set aside then, and seen.
pub(crate) type Digest = [u8; 16];

/// A file that is read once.
pub(crate) struct InputFile<'p> {
    path: &'p Path,
    /// How it is compressed, and how large it is when it is not: what it is digested and read as.
    packed: Option<(Packed, u64)>,
    is_digested: bool,
    digesting: Arc<Mutex<Digesting>>,
}

/// A digest so far.
#[derive(Default)]
pub(crate) struct Digesting {
    state: Xxh3,
    octets: u64,
}

impl<'p> InputFile<'p> {
    /// A digest is only made where one is wanted.
    pub(crate) fn new(path: &'p Path, is_digested: bool) -> Self {
        InputFile { path, packed: None, is_digested, digesting: Arc::default() }
    }

    /// The same, of a file that is compressed.
    pub(crate) fn packed(self, packed: Option<(Packed, u64)>) -> Self {
        InputFile { packed, ..self }
    }

    /// Octets from an offset on, unpacked.
    fn unpacked_from(&self, packed: Packed, offset: u64) -> io::Result<Unpacking> {
        let mut unpacked = packed.open(self.path)?;
        io::copy(&mut unpacked.by_ref().take(offset), &mut io::sink())?;
        Ok(unpacked)
    }

    /// The digest of all its octets, those nobody asked for included.
    pub(crate) fn digest(self) -> io::Result<Digest> {
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

    /// For who reads it by himself from some place on, up to which all was read.
    pub(crate) fn to_be_digested(&self) -> ToBeDigested {
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
}

/// Octets that are digested as they are read.
struct InputOctets<R> {
    from: R,
    /// Where in the file it is.
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

/// Takes the octets of a file for its digest, if one is made.
pub(crate) struct ToBeDigested(Option<Arc<Mutex<Digesting>>>);

impl ToBeDigested {
    /// Takes the octets that begin at a place, up to which all came. Those that came before are passed over.
    pub(crate) fn take(&self, offset: u64, octets: &[u8]) {
        let Some(digesting) = &self.0 else { return };
        let mut digesting = locked(digesting);
        let end = offset + octets.len() as u64;
        let new = (end.saturating_sub(digesting.octets) as usize).min(octets.len());
        digesting.state.update(&octets[octets.len() - new..]);
        digesting.octets += new as u64;
    }
}

/// Its lock is taken once a read, mostly by one and the same.
fn locked(digesting: &Mutex<Digesting>) -> MutexGuard<'_, Digesting> {
    digesting.lock().unwrap_or_else(PoisonError::into_inner)
}
