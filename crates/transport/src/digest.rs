//! Digests of files, to compare them with files in remote places.

use std::io::{self, Write};

use sha2::{Digest as _, Sha256};

use crate::remote::{Parcel, RemoteConnection, RemoteError, RemoteKind};

/// The length and the digest of a file.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Digest {
    /// The number of octets.
    pub octets: u64,
    /// The SHA-256 digest.
    pub sha256: [u8; 32],
}

impl Digest {
    /// Computes the digest of a parcel.
    pub fn of(parcel: &dyn Parcel) -> io::Result<Self> {
        let mut writer = DigestWriter::default();
        io::copy(&mut parcel.open()?, &mut writer)?;
        Ok(writer.finish())
    }

    /// Returns the digest in hexadecimal, as tools like `sha256sum` print it.
    pub fn hexadecimal(&self) -> String {
        self.sha256.iter().map(|octet| format!("{octet:02x}")).collect()
    }
}

/// Computes the digest of the octets written to it.
#[derive(Debug, Default)]
pub struct DigestWriter {
    octets: u64,
    state: Sha256,
}

impl DigestWriter {
    /// Returns the digest.
    pub fn finish(self) -> Digest {
        Digest { octets: self.octets, sha256: self.state.finalize().into() }
    }
}

impl Write for DigestWriter {
    fn write(&mut self, octets: &[u8]) -> io::Result<usize> {
        self.state.update(octets);
        self.octets += octets.len() as u64;
        Ok(octets.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

/// Returns whether a file in a remote place has the same contents as a parcel.
pub fn is_there(
    remote: &mut dyn RemoteConnection,
    name: &str,
    parcel: &dyn Parcel,
) -> Result<bool, RemoteError> {
    let existing = remote.stat(name)?;
    let octets = parcel.octets()?;
    // A size that the place does not report is compared by fetching the file, below.
    let differs = |octets: u64| existing.octets.is_some_and(|existing| existing != octets);
    let may_be_file = matches!(existing.kind, RemoteKind::File | RemoteKind::Unknown);
    if !may_be_file || octets.is_some_and(differs) {
        return Ok(false);
    }
    let digest = Digest::of(parcel)?;
    if differs(digest.octets) {
        return Ok(false);
    }
    let mut fetched = DigestWriter::default();
    remote.fetch(name, &mut fetched)?;
    Ok(fetched.finish() == digest)
}
