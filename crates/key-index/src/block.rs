//! Blocks of entries.
//!
//! Octets: the first eight of the BLAKE3 digest of what follows, the form, the number of entries, and the entries in their order; zeros
//! fill the rest. Of an entry, what is the same as in the one before is short: the key as the difference, the second of the
//! day, which is a difference where the key is the same, the difference of the jobs, the record and the subject.

use crate::Entry;

/// The octets of a block: those that a disk reads at once.
pub(crate) const BLOCK_OCTETS: usize = 4096;

/// The form of blocks.
const FORM: u8 = 1;

const CHECKSUM_OCTETS: usize = 8;
const HEAD_OCTETS: usize = CHECKSUM_OCTETS + 1 + 2;

/// The most octets of an entry: the difference of keys, the second, the difference of jobs, the record and the subject.
const ENTRY_OCTETS_MAX: usize = 10 + 5 + 10 + 10 + 5;

/// Why a block cannot be read.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum BlockError {
    Damaged,
    Form,
}

const NOTHING: Entry = Entry { key: 0, at: 0, job: 0, record: 0, subject: 0 };

/// Packs entries into blocks.
pub(crate) struct Packer {
    octets: Vec<u8>,
    count: u16,
    /// The second at which the day begins.
    begins: u32,
    last: Entry,
}

impl Packer {
    pub(crate) fn new(begins: u32) -> Self {
        let mut packer =
            Packer { octets: Vec::with_capacity(BLOCK_OCTETS), count: 0, begins, last: NOTHING };
        packer.octets.resize(HEAD_OCTETS, 0);
        packer
    }

    /// Returns whether one more entry fits, however large it is.
    pub(crate) fn has_room(&self) -> bool {
        self.octets.len() + ENTRY_OCTETS_MAX <= BLOCK_OCTETS
    }

    pub(crate) fn is_empty(&self) -> bool {
        self.count == 0
    }

    /// Adds an entry that is not before the last one.
    pub(crate) fn push(&mut self, entry: Entry) {
        let to = &mut self.octets;
        let at = entry.at.saturating_sub(self.begins);
        let last_at =
            if entry.key == self.last.key { self.last.at.saturating_sub(self.begins) } else { 0 };
        write(to, entry.key - self.last.key);
        write(to, u64::from(at - last_at));
        let job = entry.job.wrapping_sub(self.last.job);
        write(to, (job << 1 ^ job >> 63) as u64);
        write(to, entry.record);
        write(to, entry.subject.into());
        self.last = entry;
        self.count += 1;
    }

    /// Returns the octets of the block, and begins another one.
    pub(crate) fn take(&mut self) -> Vec<u8> {
        let mut block = std::mem::replace(&mut self.octets, Vec::with_capacity(BLOCK_OCTETS));
        block.resize(BLOCK_OCTETS, 0);
        block[CHECKSUM_OCTETS] = FORM;
        block[CHECKSUM_OCTETS + 1..HEAD_OCTETS].copy_from_slice(&self.count.to_le_bytes());
        let checksum = checksum(&block[CHECKSUM_OCTETS..]);
        block[..CHECKSUM_OCTETS].copy_from_slice(&checksum);
        *self = Packer::new(self.begins);
        block
    }
}

fn checksum(content: &[u8]) -> [u8; CHECKSUM_OCTETS] {
    let digest = blake3::hash(content);
    std::array::from_fn(|place| digest.as_bytes()[place])
}

/// Reads the entries of a block of a day that begins at a second. A block has one entry at least.
pub(crate) fn entries(block: &[u8], begins: u32) -> Result<Vec<Entry>, BlockError> {
    let (expected, content) =
        block.split_first_chunk::<CHECKSUM_OCTETS>().ok_or(BlockError::Damaged)?;
    if *expected != checksum(content) {
        return Err(BlockError::Damaged);
    }
    let [form, low, high, rest @ ..] = content else { return Err(BlockError::Damaged) };
    if *form != FORM {
        return Err(BlockError::Form);
    }
    let count = u16::from_le_bytes([*low, *high]);
    let (mut rest, mut last) = (rest, NOTHING);
    let mut entries = Vec::with_capacity(count.into());
    for _ in 0..count {
        let entry = entry(&mut rest, last, begins).ok_or(BlockError::Damaged)?;
        entries.push(entry);
        last = entry;
    }
    if entries.is_empty() { Err(BlockError::Damaged) } else { Ok(entries) }
}

fn entry(rest: &mut &[u8], last: Entry, begins: u32) -> Option<Entry> {
    let more = number(rest)?;
    let key = last.key.checked_add(more)?;
    let after = u32::try_from(number(rest)?).ok()?;
    let before = if more == 0 && last != NOTHING { last.at } else { begins };
    let job = number(rest)?;
    let job = (job >> 1) as i64 ^ -((job & 1) as i64);
    Some(Entry {
        key,
        at: before.checked_add(after)?,
        job: last.job.wrapping_add(job),
        record: number(rest)?,
        subject: u32::try_from(number(rest)?).ok()?,
    })
}

/// Writes a number: seven bits an octet, the lowest first.
fn write(to: &mut Vec<u8>, mut number: u64) {
    while number >= 0x80 {
        to.push(number as u8 | 0x80);
        number >>= 7;
    }
    to.push(number as u8);
}

fn number(from: &mut &[u8]) -> Option<u64> {
    let (mut number, mut shift) = (0, 0);
    loop {
        let (octet, rest) = from.split_first()?;
        *from = rest;
        number |= u64::from(octet & 0x7f).checked_shl(shift)?;
        shift += 7;
        if octet & 0x80 == 0 {
            return Some(number);
        }
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    const BEGINS: u32 = 20_000 * 86_400;

    fn any_entry() -> impl Strategy<Value = Entry> {
        let key = prop_oneof![Just(0), Just(7), Just(u64::MAX), any::<u64>()];
        (key, 0..86_400_u32, any::<i64>(), any::<u64>(), any::<u32>()).prop_map(
            |(key, at, job, record, subject)| Entry { key, at: BEGINS + at, job, record, subject },
        )
    }

    proptest! {
        #[test]
        fn entries_come_back(mut all in prop::collection::vec(any_entry(), 1..90)) {
            all.sort_unstable();
            let mut packer = Packer::new(BEGINS);
            for entry in &all {
                prop_assert!(packer.has_room());
                packer.push(*entry);
            }
            prop_assert_eq!(entries(&packer.take(), BEGINS), Ok(all));
        }

        #[test]
        fn what_is_damaged_is_found(at in 0..BLOCK_OCTETS, bit in 0..8_u8) {
            let mut packer = Packer::new(BEGINS);
            packer.push(Entry { key: 1, at: BEGINS, job: 2, record: 3, subject: 0 });
            let mut block = packer.take();
            block[at] ^= 1_u8 << bit;
            prop_assert!(entries(&block, BEGINS).is_err());
        }

        #[test]
        fn any_octets_are_no_harm(octets in prop::collection::vec(any::<u8>(), 0..200)) {
            let mut block = vec![0; CHECKSUM_OCTETS];
            block.extend(&octets);
            let sum = checksum(&block[CHECKSUM_OCTETS..]);
            block[..CHECKSUM_OCTETS].copy_from_slice(&sum);
            let _ = entries(&block, BEGINS);
        }
    }
}
