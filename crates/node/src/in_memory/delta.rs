//! The format of deltas and parts of snapshots.
//!
//! ```text
//! version (1 octet) | kind (1 octet) | entries | checksum (8 octets)
//! ```
//!
//! An entry of [`DeltaKind::Keys`] is a key of 16 octets. In an entry of [`DeltaKind::Values`], the
//! key is followed by the age of the value in seconds, the length of the value plus one (0 if the
//! key was deleted), and the value. Numbers are LEB128. The checksum covers all octets before it,
//! since SQLite has no checksums of its pages.

use crate::{KeyDigest, StateError};

/// The version that is written. Earlier versions can be read.
const VERSION: u8 = 1;

const HEADER: usize = 2;
const CHECKSUM: usize = 8;

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum DeltaKind {
    /// Keys without values.
    Keys = 1,
    /// Keys with values.
    Values = 2,
}

/// Why octets cannot be restored.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
enum Unreadable {
    #[error("{octets} octets are not a whole number of keys")]
    NoKeys { octets: usize },
    #[error("a later version of Tollgate wrote it (format version {version})")]
    LaterVersion { version: u8 },
    #[error("it is damaged: the checksum does not match")]
    Checksum,
    #[error("it was not written by this kind of node")]
    OtherKind,
}

/// Writes a delta or a part of a snapshot.
pub(super) struct Writer(Vec<u8>);

impl Writer {
    pub(super) fn new(kind: DeltaKind, octets: usize) -> Self {
        let mut written = Vec::with_capacity(HEADER + octets + CHECKSUM);
        written.extend([VERSION, kind as u8]);
        Writer(written)
    }

    /// Adds keys without values.
    pub(super) fn keys(&mut self, keys: &[KeyDigest]) {
        self.0.extend_from_slice(keys.as_flattened());
    }

    /// Adds a key with its value, or a deleted key.
    pub(super) fn value(&mut self, key: &KeyDigest, age_s: u32, value: Option<&[u8]>) {
        self.0.extend_from_slice(key);
        self.number(age_s.into());
        self.number(value.map_or(0, |value| value.len() as u64 + 1));
        self.0.extend_from_slice(value.unwrap_or_default());
    }

    fn number(&mut self, mut number: u64) {
        while number >= 0x80 {
            self.0.push(number as u8 | 0x80);
            number >>= 7;
        }
        self.0.push(number as u8);
    }

    pub(super) fn finish(mut self) -> Vec<u8> {
        let checksum = checksum(&self.0);
        self.0.extend(checksum);
        self.0
    }
}

/// Checks the header and the checksum, and returns the entries.
fn entries(octets: &[u8], kind: DeltaKind) -> Result<&[u8], Unreadable> {
    let (covered, stored) = octets.split_last_chunk::<CHECKSUM>().ok_or(Unreadable::Checksum)?;
    if checksum(covered) != *stored {
        return Err(Unreadable::Checksum);
    }
    match covered {
        [VERSION, of, entries @ ..] if *of == kind as u8 => Ok(entries),
        [VERSION, ..] => Err(Unreadable::OtherKind),
        [version, ..] => Err(Unreadable::LaterVersion { version: *version }),
        [] => Err(Unreadable::Checksum),
    }
}

/// Returns the keys of a delta without values.
pub(super) fn read_keys(octets: &[u8]) -> Result<&[KeyDigest], StateError> {
    let entries = entries(octets, DeltaKind::Keys).map_err(StateError::octets)?;
    keys(entries)
}

fn keys(octets: &[u8]) -> Result<&[KeyDigest], StateError> {
    match octets.as_chunks() {
        (keys, []) => Ok(keys),
        _ => Err(StateError::octets(Unreadable::NoKeys { octets: octets.len() })),
    }
}

/// Passes on each key of a delta or part of a snapshot, with the age of its value in seconds, and
/// the value if it was not deleted.
pub(super) fn read_values(
    octets: &[u8],
    mut take: impl FnMut(&KeyDigest, u32, Option<&[u8]>),
) -> Result<(), StateError> {
    let mut rest = entries(octets, DeltaKind::Values).map_err(StateError::octets)?;
    while !rest.is_empty() {
        // The checksum is right, so this fails only if other code wrote the octets.
        let read = entry(&mut rest).ok_or(Unreadable::OtherKind).map_err(StateError::octets)?;
        take(read.0, read.1, read.2);
    }
    Ok(())
}

fn entry<'o>(rest: &mut &'o [u8]) -> Option<(&'o KeyDigest, u32, Option<&'o [u8]>)> {
    let key = rest.split_off(..16)?.try_into().ok()?;
    let age_s = u32::try_from(number(rest)?).ok()?;
    let value = match number(rest)? {
        0 => None,
        len => Some(rest.split_off(..usize::try_from(len - 1).ok()?)?),
    };
    Some((key, age_s, value))
}

fn number(rest: &mut &[u8]) -> Option<u64> {
    let mut number = 0;
    for shift in (0..64).step_by(7) {
        let octet = *rest.split_off_first()?;
        number |= u64::from(octet & 0x7f) << shift;
        if octet < 0x80 {
            return Some(number);
        }
    }
    None
}

fn checksum(octets: &[u8]) -> [u8; CHECKSUM] {
    let digest = blake3::hash(octets);
    let (first, _) = digest.as_bytes().split_first_chunk().expect("a digest has 32 octets");
    *first
}

/// Converts keys of an earlier version of Tollgate, which wrote them without header and checksum,
/// to a delta.
///
/// # Errors
///
/// Fails if the octets are not a whole number of keys.
pub fn frame_keys(octets: &[u8]) -> Result<Vec<u8>, StateError> {
    let mut writer = Writer::new(DeltaKind::Keys, octets.len());
    writer.keys(keys(octets)?);
    Ok(writer.finish())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn any_changed_octet_is_detected() {
        let mut writer = Writer::new(DeltaKind::Values, 64);
        writer.value(&[1; 16], 300, Some(&[7; 200]));
        writer.value(&[2; 16], 0, Some(b""));
        writer.value(&[3; 16], u32::MAX, None);
        let written = writer.finish();
        let mut read = Vec::new();
        let take = |key: &KeyDigest, age: u32, value: Option<&[u8]>| {
            read.push((key[0], age, value.map(<[u8]>::len)));
        };
        read_values(&written, take).unwrap();
        assert_eq!(read, [(1, 300, Some(200)), (2, 0, Some(0)), (3, u32::MAX, None)]);
        for at in 0..written.len() {
            let mut damaged = written.clone();
            damaged[at] ^= 1;
            assert!(read_values(&damaged, |_, _, _| panic!("{at}")).is_err(), "{at}");
        }
        for end in 0..written.len() {
            assert!(read_values(&written[..end], |_, _, _| panic!("{end}")).is_err(), "{end}");
        }
        assert!(read_keys(&written).is_err());
    }

    #[test]
    fn octets_of_a_later_version_are_refused_as_such() {
        let mut written = vec![VERSION + 1, DeltaKind::Keys as u8];
        written.extend(checksum(&written));
        let refused = read_keys(&written).unwrap_err().to_string();
        assert!(refused.contains("later version of Tollgate"), "{refused}");
    }
}
