//! What is stored in the journal: the notes of a job with what was alerted, and parts of snapshots. Each has a checksum, since SQLite
//! has none for its pages.
//!
//! Octets: the kind, the first eight octets of the BLAKE3 digest of what follows, and that. Notes have before them the oldest time that
//! counted for the files under way, and their length; behind them are marks: the digest of a key, the number of a rule, and until when it is not alerted again.

use measures::Seconds;
use node::KeyDigest;

use crate::octets::{Cut, Reader, write_number, write_sized};

const NOTES: u8 = b'n';
const SNAPSHOT: u8 = b's';
const CHECKSUM_OCTETS: usize = 8;

/// That a rule was alerted about a key, and until when it is not again.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Mark {
    pub(crate) key: KeyDigest,
    pub(crate) rule: u32,
    pub(crate) until: Seconds,
}

/// Octets of the journal that have their checksum.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Stored<'o> {
    Notes { under_way: Seconds, notes: &'o [u8], marks: &'o [u8] },
    Snapshot(&'o [u8]),
}

/// Why stored octets cannot be read.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub(crate) enum StoredError {
    #[error(transparent)]
    Cut(#[from] Cut),
    #[error("they are damaged: their checksum is another one")]
    Checksum,
    #[error("state of the kind {0} is not known: a later version has written it")]
    Kind(u8),
}

fn sealed(kind: u8, content: &[u8]) -> Vec<u8> {
    let mut octets = Vec::with_capacity(1 + CHECKSUM_OCTETS + content.len());
    octets.push(kind);
    octets.extend_from_slice(&checksum(content));
    octets.extend_from_slice(content);
    octets
}

fn checksum(content: &[u8]) -> [u8; CHECKSUM_OCTETS] {
    *blake3::hash(content).as_bytes().first_chunk().expect("a digest has 32 octets")
}

/// Returns the octets of the notes of a job.
pub(crate) fn of_notes(under_way: Seconds, notes: &[u8], marks: &[Mark]) -> Vec<u8> {
    let mut content = Vec::with_capacity(notes.len() + 15 + 28 * marks.len());
    write_number(&mut content, under_way.into());
    write_sized(&mut content, notes);
    for Mark { key, rule, until } in marks {
        content.extend_from_slice(key);
        write_number(&mut content, (*rule).into());
        write_number(&mut content, (*until).into());
    }
    sealed(NOTES, &content)
}

/// Returns the octets of a part of a snapshot.
pub(crate) fn of_snapshot(content: &[u8]) -> Vec<u8> {
    sealed(SNAPSHOT, content)
}

/// Reads stored octets.
pub(crate) fn read(octets: &[u8]) -> Result<Stored<'_>, StoredError> {
    let mut reader = Reader(octets);
    let [kind] = reader.array()?;
    let expected: [u8; CHECKSUM_OCTETS] = reader.array()?;
    if expected != checksum(reader.rest()) {
        return Err(StoredError::Checksum);
    }
    match kind {
        NOTES => {
            let under_way = Seconds::try_from(reader.number()?).map_err(|_| Cut)?;
            let notes = reader.sized()?;
            Ok(Stored::Notes { under_way, notes, marks: reader.rest() })
        }
        SNAPSHOT => Ok(Stored::Snapshot(reader.rest())),
        other => Err(StoredError::Kind(other)),
    }
}

/// Reads marks, one after the other.
pub(crate) fn marks(octets: &[u8]) -> impl Iterator<Item = Result<Mark, Cut>> + '_ {
    let mut reader = Reader(octets);
    std::iter::from_fn(move || {
        (!reader.is_empty()).then(|| {
            let key = reader.array()?;
            let mut number = || u32::try_from(reader.number()?).map_err(|_| Cut);
            Ok(Mark { key, rule: number()?, until: number()? })
        })
    })
    .fuse()
}
