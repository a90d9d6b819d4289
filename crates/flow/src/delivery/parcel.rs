//! A file of the out buffer as it is sent: compressed where that is asked for. Whoever reads it stops when the gateway
//! does.

use std::fs::{self, File};
use std::io::{self, Read, Write};
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicBool, Ordering};

use sha2::{Digest, Sha256};
use transport::{BUFFER_OCTETS, Compression, Far, FarError, FarKind, Parcel};

/// A file that is sent.
pub(super) struct Sending<'s> {
    pub(super) path: PathBuf,
    pub(super) compress: Option<Compression>,
    pub(super) stop: &'s AtomicBool,
}

impl Parcel for Sending<'_> {
    fn open(&self) -> io::Result<Box<dyn Read + '_>> {
        let octets = UntilStopped { file: opened(&self.path)?, stop: self.stop };
        match self.compress {
            None => Ok(Box::new(octets)),
            Some(compress) => compress.compressed(octets),
        }
    }

    fn octets(&self) -> io::Result<Option<u64>> {
        match self.compress {
            None => Ok(Some(fs::metadata(&self.path)?.len())),
            Some(_) => Ok(None),
        }
    }
}

/// A few octets that are sent.
pub(super) struct Note(pub(super) Vec<u8>);

impl Parcel for Note {
    fn open(&self) -> io::Result<Box<dyn Read + '_>> {
        Ok(Box::new(&*self.0))
    }

    fn octets(&self) -> io::Result<Option<u64>> {
        Ok(Some(self.0.len() as u64))
    }
}

/// What is sent, digested.
pub(super) fn digest(parcel: &dyn Parcel) -> io::Result<(u64, [u8; 32])> {
    let (mut octets, mut buffer) = (parcel.open()?, vec![0; BUFFER_OCTETS]);
    let (mut count, mut digest) = (0, Sha256::new());
    loop {
        let read = octets.read(&mut buffer)?;
        if read == 0 {
            return Ok((count, digest.finalize().into()));
        }
        digest.update(&buffer[..read]);
        count += read as u64;
    }
}

/// A digest as programs show it that check one.
pub(super) fn hexadecimal(digest: [u8; 32]) -> String {
    digest.iter().map(|octet| format!("{octet:02x}")).collect()
}

/// Whether a file of the far place has the octets of what is sent.
pub(super) fn is_there(
    far: &mut dyn Far,
    name: &str,
    parcel: &dyn Parcel,
) -> Result<bool, FarError> {
    let there = far.stat(name)?;
    let octets = parcel.octets()?;
    if there.kind != FarKind::File || octets.is_some_and(|octets| octets != there.octets) {
        return Ok(false);
    }
    let (octets, digest) = digest(parcel)?;
    if octets != there.octets {
        return Ok(false);
    }
    let mut fetched = Digesting(Sha256::new());
    far.fetch(name, &mut fetched)?;
    Ok(<[u8; 32]>::from(fetched.0.finalize()) == digest)
}

struct Digesting(Sha256);

impl Write for Digesting {
    fn write(&mut self, octets: &[u8]) -> io::Result<usize> {
        self.0.update(octets);
        Ok(octets.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

fn opened(path: &Path) -> io::Result<File> {
    File::open(path).map_err(|error| {
        io::Error::new(error.kind(), format!("could not read \"{}\": {error}", path.display()))
    })
}

struct UntilStopped<'s> {
    file: File,
    stop: &'s AtomicBool,
}

impl Read for UntilStopped<'_> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        match self.stop.load(Ordering::Relaxed) {
            true => Err(io::Error::other("the gateway stops")),
            false => self.file.read(buffer),
        }
    }
}
