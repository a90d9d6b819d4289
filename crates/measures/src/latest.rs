//! The first and the last value.
//!
//! Octets: the time of the value, the value, and the time of the last event, of four, eight and four octets. Of events at the same
//! time, the smaller value counts as the first, and the greater one as the last, so that their order does not matter.

use crate::definition::{Kind, Seconds, Window};

/// The length of all that is known.
const OCTETS: usize = 16;

/// A value, when it was, and when the last event was.
#[derive(Clone, Copy)]
struct Known {
    of: Seconds,
    value: i64,
    last: Seconds,
}

impl Known {
    fn read(octets: &[u8]) -> Option<Self> {
        let octets: &[u8; OCTETS] = octets.first_chunk()?;
        let [of, value, more, last] = [0, 4, 8, 12].map(|at| {
            u32::from_le_bytes([octets[at], octets[at + 1], octets[at + 2], octets[at + 3]])
        });
        let value = (u64::from(more) << 32 | u64::from(value)).cast_signed();
        Some(Known { of, value, last })
    }

    fn octets(self) -> [u8; OCTETS] {
        let mut octets = [0; OCTETS];
        octets[..4].copy_from_slice(&self.of.to_le_bytes());
        octets[4..12].copy_from_slice(&self.value.to_le_bytes());
        octets[12..].copy_from_slice(&self.last.to_le_bytes());
        octets
    }

    /// Returns until when the value lasts.
    fn ends(self, window: Window) -> Seconds {
        self.last.saturating_add(window.seconds())
    }
}

/// Returns what is known with a value at a time.
fn added(
    octets: &[u8],
    (kind, window): (Kind, Window),
    (time, value): (Seconds, i64),
    oldest: Seconds,
) -> Known {
    let new = Known { of: time, value, last: time };
    let Some(known) = Known::read(octets).filter(|known| known.ends(window) >= oldest) else {
        return new;
    };
    let is_it = match kind {
        Kind::First => (time, value) < (known.of, known.value),
        _ => (time, value) > (known.of, known.value),
    };
    Known { last: known.last.max(time), ..if is_it { new } else { known } }
}

/// Returns whether something is known, which can be changed in its place.
pub(crate) fn has_place(octets: &[u8]) -> bool {
    octets.len() == OCTETS
}

/// Adds a value at a time, where something is known.
pub(crate) fn add_in_place(
    octets: &mut [u8],
    of: (Kind, Window),
    at: (Seconds, i64),
    oldest: Seconds,
) {
    let added = added(octets, of, at, oldest).octets();
    octets.copy_from_slice(&added);
}

/// Adds a value at a time.
pub(crate) fn add(
    to: &mut Vec<u8>,
    octets: &[u8],
    of: (Kind, Window),
    at: (Seconds, i64),
    oldest: Seconds,
) {
    to.extend_from_slice(&added(octets, of, at, oldest).octets());
}

/// Returns the time of the last event, if it is behind a time.
pub(crate) fn later_end(octets: &[u8], time: Seconds) -> Option<Seconds> {
    Known::read(octets).map(|known| known.last).filter(|last| *last > time)
}

/// Returns the value at a time, if there is one.
pub(crate) fn value(octets: &[u8], window: Window, time: Seconds) -> Option<i64> {
    Known::read(octets).filter(|known| known.ends(window) >= time).map(|known| known.value)
}

/// Returns the time of the event whose value is known. What was before it is not known any more.
pub(crate) fn known_from(octets: &[u8]) -> Option<Seconds> {
    Known::read(octets).map(|known| known.of)
}
