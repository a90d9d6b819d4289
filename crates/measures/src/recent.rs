//! The last few events: their times and values, in their order.
//!
//! Octets: for each event, its time of four octets and its value of eight.

use crate::definition::{Seconds, Window};

const EVENT_OCTETS: usize = 12;

/// Returns the events.
pub(crate) fn events(octets: &[u8]) -> impl DoubleEndedIterator<Item = (Seconds, i64)> {
    octets.chunks_exact(EVENT_OCTETS).map(|event| {
        let (time, value) = event.split_at(4);
        let time = time.first_chunk().map_or(0, |time| u32::from_le_bytes(*time));
        let value = value.first_chunk().map_or(0, |value| i64::from_le_bytes(*value));
        (time, value)
    })
}

fn write(to: &mut [u8], (time, value): (Seconds, i64)) {
    to[..4].copy_from_slice(&time.to_le_bytes());
    to[4..EVENT_OCTETS].copy_from_slice(&value.to_le_bytes());
}

/// Returns whether there are as many events as there may be: another one takes the place of the first.
pub(crate) fn has_place(octets: &[u8], most: u8) -> bool {
    octets.len() == EVENT_OCTETS * usize::from(most)
}

/// Adds an event in place of the first one, unless it is before that.
pub(crate) fn add_in_place(octets: &mut [u8], event: (Seconds, i64)) {
    let before = events(octets).take_while(|known| *known < event).count();
    let Some(last) = before.checked_sub(1) else { return };
    octets.copy_within(EVENT_OCTETS..EVENT_OCTETS * before, 0);
    write(&mut octets[EVENT_OCTETS * last..], event);
}

/// Adds an event where there is room. Those that count for none from a time on are left out.
pub(crate) fn add(
    to: &mut Vec<u8>,
    octets: &[u8],
    window: Window,
    event: (Seconds, i64),
    oldest: Seconds,
) {
    let counts = |(time, _): &(Seconds, i64)| time.saturating_add(window.seconds()) >= oldest;
    let known = || events(octets).filter(counts);
    let before = known().take_while(|known| *known < event);
    let behind = known().skip_while(|known| *known < event);
    for event in before.chain([event]).chain(behind) {
        let from = to.len();
        to.resize(from + EVENT_OCTETS, 0);
        write(&mut to[from..], event);
    }
}
