//! An input file while it is read: its digest is made on the way, so that no file is read once more for that.

use std::cell::RefCell;
use std::fs::File;
use std::io::{self, Read, Seek as _, SeekFrom};
use std::path::Path;
use std::rc::Rc;

use format::coding::Contents;
use xxhash_rust::xxh3::Xxh3;

/// What tells the contents of two files apart, XXH3 of 128 bits: fast, and chance gives no two files the same. Who sends
/// files could make two; the second is set aside then, and seen.
pub(crate) type Digest = [u8; 16];

/// A file that is read once.
pub(crate) struct InputFile<'p> {
    path: &'p Path,
    is_digested: bool,
    digesting: Rc<RefCell<Digesting>>,
}

/// A digest so far.
#[derive(Default)]
struct Digesting {
    state: Xxh3,
    octets: u64,
}

impl<'p> InputFile<'p> {
    /// A digest is only made where one is wanted.
    pub(crate) fn new(path: &'p Path, is_digested: bool) -> Self {
        InputFile { path, is_digested, digesting: Rc::default() }
    }

    /// The digest of all its octets, those nobody asked for included.
    pub(crate) fn digest(self) -> io::Result<Digest> {
        if !self.is_digested {
            return Ok(Digest::default());
        }
        let read = self.digesting.borrow().octets;
        io::copy(&mut self.octets_at(read)?, &mut io::sink())?;
        Ok(self.digesting.borrow().state.digest128().to_be_bytes())
    }

    fn octets_at(&self, offset: u64) -> io::Result<Digested> {
        let mut file = File::open(self.path)?;
        file.seek(SeekFrom::Start(offset))?;
        Ok(Digested { file, digesting: Rc::clone(&self.digesting) })
    }
}

impl Contents for InputFile<'_> {
    fn size(&self) -> io::Result<u64> {
        Ok(self.path.metadata()?.len())
    }

    fn octets(&self) -> io::Result<Box<dyn Read>> {
        if !self.is_digested {
            return self.path.octets();
        }
        *self.digesting.borrow_mut() = Digesting::default();
        Ok(Box::new(self.octets_at(0)?))
    }

    fn octets_from(&self, offset: u64) -> io::Result<Box<dyn Read>> {
        self.path.octets_from(offset)
    }
}

/// Octets that are digested as they are read.
struct Digested {
    file: File,
    digesting: Rc<RefCell<Digesting>>,
}

impl Read for Digested {
    fn read(&mut self, to: &mut [u8]) -> io::Result<usize> {
        let read = self.file.read(to)?;
        let mut digesting = self.digesting.borrow_mut();
        digesting.state.update(&to[..read]);
        digesting.octets += read as u64;
        Ok(read)
    }
}
