//! Digests of files, to compare them with files in remote places.

use std::io::{self, Write};

use sha2::{Digest as _, Sha256};

use crate::far::{Far, FarError, FarKind, Parcel};

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
        let mut digesting = Digesting::default();
        io::copy(&mut parcel.open()?, &mut digesting)?;
        Ok(digesting.end())
    }

    /// Returns the digest in hexadecimal, as tools like `sha256sum` print it.
    pub fn hexadecimal(&self) -> String {
        self.sha256.iter().map(|octet| format!("{octet:02x}")).collect()
    }
}

/// Computes the digest of the octets written to it.
#[derive(Debug, Default)]
pub struct Digesting {
    octets: u64,
    state: Sha256,
}

impl Digesting {
    /// Returns the digest.
    pub fn end(self) -> Digest {
        Digest { octets: self.octets, sha256: self.state.finalize().into() }
    }
}

impl Write for Digesting {
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
pub fn is_there(far: &mut dyn Far, name: &str, parcel: &dyn Parcel) -> Result<bool, FarError> {
    let there = far.stat(name)?;
    let octets = parcel.octets()?;
    // A size that the place does not report is compared by fetching the file, below.
    let differs = |octets: u64| there.octets.is_some_and(|there| there != octets);
    let may_be_file = matches!(there.kind, FarKind::File | FarKind::Unknown);
    if !may_be_file || octets.is_some_and(differs) {
        return Ok(false);
    }
    let digest = Digest::of(parcel)?;
    if differs(digest.octets) {
        return Ok(false);
    }
    let mut fetched = Digesting::default();
    far.fetch(name, &mut fetched)?;
    Ok(fetched.end() == digest)
}
