//! The octets that are sent for a file, compressed if configured. Reading fails once the gateway
//! stops.

use std::io::{self, Read};

use runtime::shutdown::Shutdown;
use transport::{Compression, Parcel};

use super::packing::Contents;

/// A file to send.
pub(super) struct FileParcel<'s> {
    pub(super) contents: &'s Contents,
    pub(super) compress: Option<Compression>,
    pub(super) stop: &'s Shutdown,
}

impl Parcel for FileParcel<'_> {
    fn open(&self) -> io::Result<Box<dyn Read + '_>> {
        let octets = UntilStopped { file: self.contents.open()?, stop: self.stop };
        match self.compress {
            None => Ok(Box::new(octets)),
            Some(compress) => compress.compressed(octets),
        }
    }

    fn octets(&self) -> io::Result<Option<u64>> {
        match self.compress {
            None => self.contents.octets().map(Some),
            Some(_) => Ok(None),
        }
    }
}

/// Octets in memory to send.
pub(super) struct OctetParcel(pub(super) Vec<u8>);

impl Parcel for OctetParcel {
    fn open(&self) -> io::Result<Box<dyn Read + '_>> {
        Ok(Box::new(&*self.0))
    }

    fn octets(&self) -> io::Result<Option<u64>> {
        Ok(Some(self.0.len() as u64))
    }
}

struct UntilStopped<'s> {
    file: Box<dyn Read + 's>,
    stop: &'s Shutdown,
}

impl Read for UntilStopped<'_> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        match self.stop.is_set() {
            true => Err(io::Error::other("the gateway stops")),
            false => self.file.read(buffer),
        }
    }
}
