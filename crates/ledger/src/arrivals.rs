//! Which requests of a session have come, by their numbers: late ones are done, and none is done twice.

use crate::session::NUMBERS_REMEMBERED;

/// How far behind the greatest number it is known whether a request has come. One that is later than that is refused, since
/// it may have come before.
pub const NUMBERS_KNOWN: u32 = u64::BITS;

/// Which requests of a session have come.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Arrivals {
    /// The greatest number. `None` if no request has come.
    pub(crate) greatest: Option<u32>,
    /// The numbers before the greatest one, the next smaller one as the lowest bit: 1 for one that has not come.
    pub(crate) missing: u64,
}

impl Arrivals {
    /// Returns those of a session of which all requests have come up to one, as far as is known.
    pub(crate) fn up_to(greatest: Option<u32>) -> Self {
        Arrivals { greatest, missing: 0 }
    }

    /// Notes a request.
    pub(crate) fn note(&mut self, number: u32) {
        let Some(greatest) = self.greatest else {
            // A few requests may overtake the one that begins the session.
            let missing = lowest_bits(number.min(NUMBERS_REMEMBERED as u32 - 1));
            *self = Arrivals { greatest: Some(number), missing };
            return;
        };
        if let Some(by @ 1..) = number.checked_sub(greatest) {
            self.missing = self.missing.checked_shl(by).unwrap_or(0) | lowest_bits(by - 1);
            self.greatest = Some(number);
        } else if let Some(place) = place(greatest, number) {
            self.missing &= !(1 << place);
        }
    }

    /// Returns whether a request with a number may have come.
    pub(crate) fn may_have(&self, number: u32) -> bool {
        match self.greatest {
            Some(greatest) if number < greatest => {
                place(greatest, number).is_none_or(|place| self.missing & 1 << place == 0)
            }
            greatest => greatest == Some(number),
        }
    }
}

/// Returns the bit of a number that is smaller than the greatest one.
fn place(greatest: u32, number: u32) -> Option<u32> {
    greatest.checked_sub(number)?.checked_sub(1).filter(|place| *place < NUMBERS_KNOWN)
}

fn lowest_bits(count: u32) -> u64 {
    1_u64.checked_shl(count).map_or(u64::MAX, |bit| bit - 1)
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::collections::BTreeSet;

    #[test]
    fn what_may_have_come_is_what_came_and_what_is_too_old() {
        // Numbers that look random, in steps that are small and large.
        let mut state = 7_u64;
        let mut below = |limit: u64| {
            state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1);
            (state >> 33) % limit
        };
        for _ in 0..200 {
            let (mut arrivals, mut came) = (Arrivals::default(), BTreeSet::new());
            let first = below(100) as u32;
            arrivals.note(first);
            came.insert(first);
            for _ in 0..100 {
                let greatest = *came.last().unwrap();
                let steps = [1, 1, 2, 10, 63, 64, 65, 66, 500];
                let next = greatest.saturating_add(steps[below(9) as usize]);
                let late = greatest.saturating_sub(below(140) as u32);
                let number = if below(2) == 0 { next } else { late };
                arrivals.note(number);
                came.insert(number);
                let greatest = *came.last().unwrap();
                for number in greatest.saturating_sub(150)..=greatest + 3 {
                    let is_old = greatest.saturating_sub(number) > NUMBERS_KNOWN;
                    let is_before = number < first.saturating_sub(NUMBERS_REMEMBERED as u32 - 1);
                    let expected = is_old || is_before || came.contains(&number);
                    assert_eq!(arrivals.may_have(number), expected, "{number} of {came:?}");
                }
            }
        }
    }

    #[test]
    fn the_whole_range_of_numbers_is_taken() {
        let mut arrivals = Arrivals::default();
        for number in [0, u32::MAX, u32::MAX - 1, 1] {
            arrivals.note(number);
            assert!(arrivals.may_have(number), "{number}");
        }
        assert!(!arrivals.may_have(u32::MAX - 2) && arrivals.may_have(2));
    }
}
