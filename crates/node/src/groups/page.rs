//! Pages of entries. A page is about as large as a page of the database, which reads and writes it
//! as fast as a smaller row.
//!
//! Before each entry are three numbers of four octets: its length, the CRC-32 of its first two
//! components (group and key), and the CRC-32 of the others. So if a record is damaged, its group
//! is still found by its key.

use serde::{Deserialize, Serialize};

use super::GroupId;
use super::entry::GroupEntry;

/// The maximum size of a page with several entries, in octets. With the other columns, a row of
/// this size fits into a page of 4,096 octets of the database.
const PAGE_OCTETS: usize = 4_000;

/// The size of the numbers before each entry, in octets.
const HEAD_OCTETS: usize = 12;

// The index of an entry in its page is stored in two octets.
const _: () = assert!(PAGE_OCTETS / HEAD_OCTETS <= u16::MAX as usize);

/// Entries that a job writes, one page of them.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct EntryPage {
    /// How many entries it has.
    pub entries: u32,
    /// The entries.
    pub octets: Vec<u8>,
    /// A bit for each entry: whether its group waits after the job.
    pub open: Vec<u8>,
    /// The earliest time of a record in these groups, if the node knows any.
    pub first_ms: Option<i64>,
}

/// The entries that a job writes.
#[derive(Debug, Default)]
pub struct EntryPages {
    pages: Vec<EntryPage>,
    entries: u32,
    scratch: Vec<u8>,
}

/// An entry of a page is damaged.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("an entry was damaged")]
pub struct DamagedEntry;

impl EntryPages {
    /// Adds an entry. Returns its index among the entries of the job.
    pub fn push(&mut self, entry: &GroupEntry) -> u32 {
        self.scratch.clear();
        // An entry has only numbers and texts, so serialization to memory cannot fail.
        self.scratch = postcard::to_extend(entry, std::mem::take(&mut self.scratch))
            .expect("memory takes any entry");
        let octets = HEAD_OCTETS + self.scratch.len();
        let has_room = |page: &mut EntryPage| page.octets.len() + octets <= PAGE_OCTETS;
        if !self.pages.last_mut().is_some_and(has_room) {
            let octets = Vec::with_capacity(PAGE_OCTETS.max(octets));
            self.pages.push(EntryPage { octets, ..EntryPage::default() });
        }
        let page = self.pages.last_mut().expect("there is one now");
        page.push(&self.scratch);
        if entry.released.is_none() {
            page.mark_open(entry.times.map(|times| times.first_ms));
        }
        self.entries += 1;
        self.entries - 1
    }

    /// Returns the pages.
    pub fn finish(self) -> Vec<EntryPage> {
        self.pages
    }
}

impl EntryPage {
    fn push(&mut self, entry: &[u8]) {
        self.octets.extend((entry.len() as u32).to_le_bytes());
        let (head, rest) = entry.split_at(head(entry).map_or(0, |(_, octets)| octets));
        self.octets.extend(crc32fast::hash(head).to_le_bytes());
        self.octets.extend(crc32fast::hash(rest).to_le_bytes());
        self.octets.extend(entry);
        if self.entries.is_multiple_of(8) {
            self.open.push(0);
        }
        self.entries += 1;
    }

    /// Marks the group of the last entry as open.
    fn mark_open(&mut self, first_ms: Option<i64>) {
        let index = self.entries - 1;
        self.open[index as usize / 8] |= 1 << (index % 8);
        self.first_ms = match (self.first_ms, first_ms) {
            (Some(one), Some(other)) => Some(one.min(other)),
            (one, other) => one.or(other),
        };
    }
}

/// Returns the entries of a page, each as its octets.
pub fn entries(mut page: &[u8]) -> impl Iterator<Item = Result<&[u8], DamagedEntry>> {
    std::iter::from_fn(move || {
        if page.is_empty() {
            return None;
        }
        let entry = split(page);
        page = entry.map_or(&[], |(_, rest)| rest);
        Some(entry.map(|(entry, _)| entry).ok_or(DamagedEntry))
    })
}

/// Splits off the first entry, with its checksums.
fn split(page: &[u8]) -> Option<(&[u8], &[u8])> {
    let (length, rest) = page.split_first_chunk()?;
    let length = u32::from_le_bytes(*length) as usize;
    rest.split_at_checked(length.checked_add(HEAD_OCTETS - 4)?)
}

/// Reads an entry of those that [`entries`] returns.
///
/// # Errors
///
/// Fails if it was damaged.
pub fn read_entry(octets: &[u8]) -> Result<GroupEntry, DamagedEntry> {
    let VerifiedHead { octets, entry, sum, .. } = verified_head(octets)?;
    if crc32fast::hash(&entry[octets..]) != sum {
        return Err(DamagedEntry);
    }
    postcard::from_bytes(entry).map_err(|_| DamagedEntry)
}

/// Reads the key of an entry of those that [`entries`] returns, if it begins a group.
///
/// # Errors
///
/// Fails if the key was damaged.
pub fn read_first_key(octets: &[u8]) -> Result<Option<&str>, DamagedEntry> {
    verified_head(octets).map(|head| head.group.is_none().then_some(head.key))
}

/// An entry whose first two components match their checksum.
struct VerifiedHead<'e> {
    group: Option<GroupId>,
    key: &'e str,
    /// The size of the two components.
    octets: usize,
    entry: &'e [u8],
    /// The checksum of the other components.
    sum: u32,
}

fn verified_head(octets: &[u8]) -> Result<VerifiedHead<'_>, DamagedEntry> {
    let (head_sum, rest) = octets.split_first_chunk().ok_or(DamagedEntry)?;
    let (sum, entry) = rest.split_first_chunk().ok_or(DamagedEntry)?;
    let ((group, key), octets) = head(entry).ok_or(DamagedEntry)?;
    let is_intact = crc32fast::hash(&entry[..octets]) == u32::from_le_bytes(*head_sum);
    let head = VerifiedHead { group, key, octets, entry, sum: u32::from_le_bytes(*sum) };
    is_intact.then_some(head).ok_or(DamagedEntry)
}

/// Returns the first two components of an entry, and how many octets they take.
fn head(entry: &[u8]) -> Option<((Option<GroupId>, &str), usize)> {
    let (head, rest) = postcard::take_from_bytes(entry).ok()?;
    Some((head, entry.len() - rest.len()))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::groups::entry::{EntryRecord, EntrySum, Released};
    use crate::groups::{ReleaseKind, Times};

    fn entry(number: u64, octets: usize) -> GroupEntry {
        let record = EntryRecord {
            job: None,
            record: number,
            offset: number * 10,
            time_ms: Some(-5),
            is_held: true,
            digest: Some([number as u8; 16]),
            octets: Some(vec![7; octets]),
        };
        GroupEntry {
            group: (number % 2 == 1).then_some(number as i64),
            key: format!("call {number}"),
            times: Some(Times { first_ms: 100 - number as i64, last_ms: 100 }),
            began_late: false,
            records: vec![record],
            sums: vec![EntrySum { high: -1, low: 5, records: 1 }],
            released: (number % 3 == 1)
                .then_some(Released { kind: ReleaseKind::Complete, by: None }),
        }
    }

    #[test]
    fn entries_of_any_size_are_read_as_written() {
        for octets in [0, 100, 1_900, 5_000, 100_000] {
            let written: Vec<GroupEntry> = (0..50).map(|number| entry(number, octets)).collect();
            let mut pages = EntryPages::default();
            for (place, entry) in written.iter().enumerate() {
                assert_eq!(pages.push(entry), place as u32);
            }
            let pages = pages.finish();
            let read: Vec<GroupEntry> = pages
                .iter()
                .flat_map(|page| entries(&page.octets))
                .map(|entry| read_entry(entry.unwrap()).unwrap())
                .collect();
            assert_eq!(read, written);
            let key = |entry| read_first_key(entry).unwrap().map(str::to_owned);
            let keys = pages.iter().flat_map(|page| entries(&page.octets)).map(Result::unwrap);
            let first = |entry: &GroupEntry| entry.group.is_none().then(|| entry.key.clone());
            assert!(keys.map(key).eq(written.iter().map(first)));
            let mut number = 0;
            for page in &pages {
                assert!(page.entries == 1 || page.octets.len() <= PAGE_OCTETS);
                assert_eq!(entries(&page.octets).count(), page.entries as usize);
                for place in 0..page.entries {
                    let is_open = page.open[place as usize / 8] & 1 << (place % 8) != 0;
                    assert_eq!(is_open, number % 3 != 1, "{number}");
                    number += 1;
                }
            }
        }
    }

    #[test]
    fn an_entry_in_text_form_has_its_octets_as_digits() {
        let entry = entry(7, 2);
        let text = serde_json::to_string(&entry).unwrap();
        assert!(text.contains(r#""octets":"0707""#), "{text}");
        assert_eq!(serde_json::from_str::<GroupEntry>(&text).unwrap(), entry);
        for wrong in ["0x07", "070", "é7"] {
            let text = text.replace("\"0707\"", &format!("\"{wrong}\""));
            assert!(serde_json::from_str::<GroupEntry>(&text).is_err(), "{wrong}");
        }
    }

    #[test]
    fn a_damaged_entry_does_not_affect_others_of_its_page() {
        let mut pages = EntryPages::default();
        for number in 0..3 {
            pages.push(&entry(number, 20));
        }
        let page = pages.finish().remove(0).octets;
        let second = entries(&page).next().unwrap().unwrap().len() + 4;
        for place in second + 4..page.len() {
            let mut damaged = page.clone();
            damaged[place] ^= 1;
            let found: Vec<_> = entries(&damaged).map(|entry| entry.and_then(read_entry)).collect();
            assert_eq!(found[0], Ok(entry(0, 20)));
            assert!(found.iter().any(Result::is_err), "octet {place}");
        }
        for length in 0..page.len() {
            let found = entries(&page[..length])
                .filter(|entry| entry.is_ok_and(|entry| read_entry(entry).is_ok()));
            assert!(found.count() < 3);
        }
    }
}
