//! Checks that SQLite's log of the latest writes, the `-wal` file, is as it was written.
//!
//! SQLite reads the log up to the first frame whose sum is wrong, as if the power had been cut
//! during the write of that frame. So a single octet that changed on the disk removes all later
//! changes without a message. The two cases can be told apart. Each transaction is synced before
//! the next begins, so a power cut leaves only the last transaction incomplete. If the end of
//! another transaction follows the one with the wrong frame, the wrong frame was on the disk and is
//! damaged. Damage in the last transaction looks like a power cut.
//!
//! When all of a log is in the database, the next transaction begins it at its start again with a
//! new head. A power cut may leave a part of that head before the frames of the old log.
//!
//! The format is that of <https://sqlite.org/fileformat2.html#the_write_ahead_log>.

use std::fs::File;
use std::io::{BufReader, ErrorKind, Read};
use std::path::{Path, PathBuf};

use crate::StoreError;
use crate::integrity::damaged;

const HEAD_OCTETS: usize = 32;
const FRAME_HEAD_OCTETS: usize = 24;

/// The maximum size of a page in octets, so that a damaged header cannot request more memory.
const PAGE_OCTETS_MAX: usize = 1 << 16;

/// Refuses a database whose log is damaged. A missing log counts as whole.
pub(crate) fn check(database: &Path) -> Result<(), StoreError> {
    let mut path = database.as_os_str().to_owned();
    path.push("-wal");
    let path = PathBuf::from(path);
    let found = match File::open(&path) {
        Ok(file) => damage(BufReader::with_capacity(1 << 20, file)),
        Err(error) if error.kind() == ErrorKind::NotFound => return Ok(()),
        Err(error) => Err(error),
    };
    match found {
        Ok(None) => Ok(()),
        Ok(Some(what)) => Err(damaged(&path, what)),
        Err(error) => Err(StoreError::Database {
            path: path.display().to_string(),
            reason: error.to_string(),
        }),
    }
}

/// The two running sums of the log. Each depends on the other.
#[derive(Clone, Copy, PartialEq, Eq)]
struct Sums(u32, u32);

impl Sums {
    fn stored(octets: &[u8]) -> Self {
        Sums(word(octets), word(&octets[4..]))
    }

    /// Returns the sums after more octets, whose number is a multiple of 8.
    fn with(self, octets: &[u8], word: fn(&[u8]) -> u32) -> Self {
        octets.chunks_exact(8).fold(self, |Sums(first, second), words| {
            let first = first.wrapping_add(word(words)).wrapping_add(second);
            Sums(first, second.wrapping_add(word(&words[4..])).wrapping_add(first))
        })
    }
}

fn word(octets: &[u8]) -> u32 {
    u32::from_be_bytes([octets[0], octets[1], octets[2], octets[3]])
}

fn little_endian_word(octets: &[u8]) -> u32 {
    word(octets).swap_bytes()
}

/// Returns a description of the damage in a log, if there is any.
fn damage(mut log: impl Read) -> std::io::Result<Option<String>> {
    let mut head = [0; HEAD_OCTETS];
    if !is_filled(&mut log, &mut head)? || head == [0; HEAD_OCTETS] {
        return Ok(None);
    }
    let order = if word(&head) & 1 == 1 { word } else { little_endian_word };
    let page_octets = word(&head[8..]) as usize;
    let mut sums = Sums::stored(&head[24..]);
    let mut frame = vec![0; FRAME_HEAD_OCTETS + page_octets.min(PAGE_OCTETS_MAX)];
    if Sums(0, 0).with(&head[..24], order) != sums || page_octets > PAGE_OCTETS_MAX {
        let is_begun = is_filled(&mut log, &mut frame)? && is_begun_again(head, &frame, order);
        return Ok((!is_begun).then(|| "the checksum of its head does not match".to_owned()));
    }
    // The first wrong frame, and the number of transactions that end there or later.
    let (mut wrong, mut ends) = (None, 0);
    for number in 1_u64.. {
        if !is_filled(&mut log, &mut frame)? {
            break;
        }
        let right = frame_sums(sums, &frame, order);
        sums = Sums::stored(&frame[16..]);
        // Frames that remain of an earlier log have other salts.
        if right != sums || frame[8..16] != head[16..24] {
            (wrong, ends) = (Some(number), 0);
        }
        let is_end = word(&frame[4..]) != 0;
        ends += u32::from(wrong.is_some() && is_end);
        if let (Some(wrong), 2) = (wrong, ends) {
            return Ok(Some(format!("the checksum of its frame {wrong} does not match")));
        }
    }
    Ok(None)
}

/// Returns whether a head is a part of one with which the log began at its start again: the frame after it is the first of
/// the old log, whose head had the number before and the salts that the frame has too. One damaged bit in the number can look
/// the same. SQLite drops the log in both cases, and the witness finds what was only in the log.
fn is_begun_again(head: [u8; HEAD_OCTETS], frame: &[u8], order: fn(&[u8]) -> u32) -> bool {
    let mut old = head;
    old[12..16].copy_from_slice(&word(&head[12..]).wrapping_sub(1).to_be_bytes());
    old[16..24].copy_from_slice(&frame[8..16]);
    let sums = Sums(0, 0).with(&old[..24], order);
    frame_sums(sums, frame, order) == Sums::stored(&frame[16..])
}

/// Returns the sums after a frame.
fn frame_sums(before: Sums, frame: &[u8], order: fn(&[u8]) -> u32) -> Sums {
    before.with(&frame[..8], order).with(&frame[FRAME_HEAD_OCTETS..], order)
}

/// Fills the buffer; returns false if the log ends before.
fn is_filled(log: &mut impl Read, buffer: &mut [u8]) -> std::io::Result<bool> {
    match log.read_exact(buffer) {
        Err(error) if error.kind() == ErrorKind::UnexpectedEof => Ok(false),
        read => read.map(|()| true),
    }
}

#[cfg(test)]
mod tests {
    use super::damage;
    use crate::Connection;

    const PAGE_OCTETS: usize = 4096;

    /// Returns a log of three transactions with a row each, and the log after it has begun at its start again.
    fn logs() -> [Vec<u8>; 2] {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("store.db");
        let db = Connection::open(&path).unwrap();
        db.pragma_update(None, "journal_mode", "WAL").unwrap();
        db.execute_batch("CREATE TABLE name (name TEXT)").unwrap();
        db.pragma_update(None, "wal_checkpoint", "TRUNCATE").unwrap();
        let insert = |name| db.execute("INSERT INTO name VALUES (?)", [name]).unwrap();
        let log = || std::fs::read(path.with_extension("db-wal")).unwrap();
        ["Ericsson", "Nokia", "Huawei"].into_iter().for_each(|name| assert_eq!(insert(name), 1));
        let first = log();
        db.pragma_update(None, "wal_checkpoint", "PASSIVE").unwrap();
        insert("ZTE");
        [first, log()]
    }

    fn log() -> Vec<u8> {
        let [log, _] = logs();
        log
    }

    fn frame(number: usize) -> usize {
        super::HEAD_OCTETS + (number - 1) * (super::FRAME_HEAD_OCTETS + PAGE_OCTETS)
    }

    fn check(log: &[u8], expected: Option<&str>) {
        let found = damage(log).unwrap();
        assert_eq!(found.is_some(), expected.is_some(), "{found:?}");
        assert!(found.unwrap_or_default().contains(expected.unwrap_or_default()));
    }

    #[test]
    fn a_log_that_was_cut_by_a_power_failure_is_not_damaged() {
        let log = log();
        assert_eq!(log.len(), frame(4));
        (0..log.len()).for_each(|octets| check(&log[..octets], None));
        check(&[vec![0; super::HEAD_OCTETS], log].concat(), None);
    }

    #[test]
    fn a_changed_octet_before_the_last_transaction_is_detected() {
        let log = log();
        for (place, expected) in [
            (0, Some("head")),
            (11, Some("head")),
            (17, Some("head")),
            (frame(1), Some("frame 1 ")),
            (frame(1) + 9, Some("frame 1 ")),
            (frame(1) + 24 + 4090, Some("frame 1 ")),
            (frame(2) + 24 + 4090, Some("frame 2 ")),
            // A power cut may leave this.
            (frame(3) + 24 + 4090, None),
        ] {
            let mut damaged = log.clone();
            damaged[place] ^= 4;
            check(&damaged, expected);
        }
    }

    #[test]
    fn a_head_of_which_a_power_failure_left_a_part_is_not_damaged() {
        let [old, new] = logs();
        assert_ne!(old[..frame(1)], new[..frame(1)]);
        for octets in 0..frame(1) {
            let torn = [&new[..octets], &old[octets..]].concat();
            check(&torn, None);
            // Its old frames are in the database, and those of the new log are not on the disk yet.
            let mut damaged = torn;
            damaged[frame(1) + 24 + 4090] ^= 4;
            let is_torn = octets > 12 + 3;
            check(&damaged, is_torn.then_some("head").or(Some("frame 1 ")));
        }
    }

    #[test]
    fn remains_of_an_earlier_log_are_no_damage() {
        let (new, old) = (log(), log());
        check(&[&new[..frame(2)], &old[frame(2)..]].concat(), None);
    }
}
