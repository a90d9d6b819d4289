//! How many events have no answer, such as codes that are sent and not used.
//!
//! Octets: for each event and answer, its time, its digest, and 1 for an answer, of four, four and one octets, in this order. An
//! event is gone once its answer is there, whichever of them comes first.

use crate::definition::{Moment, Seconds, Window};

/// The most events and answers that are known of a key: the last ones.
const MOST: usize = 1_000;
const ENTRY_OCTETS: usize = 9;

/// An event, or the answer to one, with a digest of what both have.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
struct Entry {
    time: Seconds,
    digest: u32,
    is_answer: bool,
}

/// Returns the value of an event: what its answer has, too, is known by a digest.
pub fn inquiry(digest: i64) -> i64 {
    i64::from(digest as u32) << 1
}

/// Returns the value of an answer to an event with the same digest.
pub fn answer(digest: i64) -> i64 {
    inquiry(digest) | 1
}

fn entries(octets: &[u8]) -> impl Iterator<Item = Entry> + Clone {
    octets.chunks_exact(ENTRY_OCTETS).map(|entry| {
        let number = |at: usize| {
            u32::from_le_bytes([entry[at], entry[at + 1], entry[at + 2], entry[at + 3]])
        };
        Entry { time: number(0), digest: number(4), is_answer: entry[8] == 1 }
    })
}

/// Adds an event or an answer of a moment.
pub(crate) fn add(
    to: &mut Vec<u8>,
    octets: &[u8],
    (window, within): (Window, Seconds),
    (moment, input): (Moment, i64),
    oldest: Moment,
) {
    let added = Entry { time: moment.time, digest: (input >> 1) as u32, is_answer: input & 1 == 1 };
    let answers = |answer: &Entry, event: &Entry| {
        let times = event.time..=event.time.saturating_add(within);
        answer.is_answer
            && !event.is_answer
            && answer.digest == event.digest
            && times.contains(&answer.time)
    };
    let counts = |entry: &Entry| {
        let last = if entry.is_answer { 0 } else { window.seconds() };
        entry.time.saturating_add(last) >= oldest.time && !answers(&added, entry)
    };
    let known = || entries(octets).filter(counts);
    let is_answered = entries(octets).any(|entry| answers(&entry, &added));
    let before = known().take_while(|entry| *entry < added);
    let behind = known().skip_while(|entry| *entry < added);
    let all = before.chain((!is_answered).then_some(added)).chain(behind);
    let over = (known().count() + usize::from(!is_answered)).saturating_sub(MOST);
    for Entry { time, digest, is_answer } in all.skip(over) {
        to.extend_from_slice(&time.to_le_bytes());
        to.extend_from_slice(&digest.to_le_bytes());
        to.push(is_answer.into());
    }
}

/// Returns how many events of the window have no answer at a moment, although that should be there by then.
pub(crate) fn value(octets: &[u8], (window, missing): (Window, Seconds), moment: Moment) -> i64 {
    let first = moment.time.saturating_sub(window.seconds());
    let is_unanswered = |entry: &Entry| {
        !entry.is_answer && entry.time >= first && entry.time.saturating_add(missing) < moment.time
    };
    entries(octets).filter(is_unanswered).count() as i64
}
