//! The elements of BER, found by their lengths alone.

use std::ops::Range;

/// Returns the ranges of the successive elements of a file, as their lengths state.
pub(crate) fn elements(octets: &[u8]) -> Vec<Range<usize>> {
    let (mut at, mut found) = (0, Vec::new());
    while at < octets.len() {
        let mut length_at = at + 1;
        if octets[at] & 0x1F == 0x1F {
            length_at += 1 + octets[length_at..].iter().take_while(|octet| **octet >= 0x80).count();
        }
        let more = usize::from(octets[length_at].saturating_sub(0x80));
        let length = match more {
            0 => usize::from(octets[length_at]),
            more => octets[length_at + 1..=length_at + more]
                .iter()
                .fold(0, |length, octet| length << 8 | usize::from(*octet)),
        };
        let end = length_at + 1 + more + length;
        found.push(at..end);
        at = end;
    }
    found
}
