//! Shifts of the level: a number that is odd to the same side for most of three days is not odd any more, but another number, such
//! as after a swap of hardware.

use super::recent::Recent;

/// The hours of three days.
const HOURS: u32 = 72;

/// The hours that are odd to the same side, at least: more than 60 %.
const ODD_MIN: u32 = HOURS * 6 / 10 + 1;

/// A side of what is usual.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Side {
    /// Greater than usual.
    Above,
    /// Less than usual.
    Below,
}

/// The hours of the last three days that were odd, and the last shift.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Shift {
    /// The last hour, in hours since 1970.
    last: u32,
    /// What is usual is learned from this hour on.
    since: u32,
    /// The hour that showed the last shift. It and those before count no more.
    shown: u32,
    /// A bit for each hour that was odd, the lowest for the last one.
    above: u128,
    below: u128,
}

/// A shift of the level.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Shifted {
    /// Where the new level is.
    pub side: Side,
    /// The first hour of the new level, in hours since 1970.
    pub since: u32,
}

impl Shift {
    /// Adds an hour, counted since 1970: the side to which it was odd, or `None` if it was as usual or not known. An hour that comes
    /// again replaces what it was. Returns a shift once: after it, three other days begin.
    pub fn add(&mut self, hour: u32, side: Option<Side>) -> Option<Shifted> {
        let behind = match Recent::of(hour, self.last) {
            Recent::Ahead(ahead) => {
                let within = u128::MAX >> (u128::BITS - HOURS);
                self.above = self.above.checked_shl(ahead).unwrap_or(0) & within;
                self.below = self.below.checked_shl(ahead).unwrap_or(0) & within;
                self.last = hour;
                0
            }
            Recent::Behind(behind) if behind < HOURS => behind,
            Recent::Behind(_) => return None,
        };
        if hour <= self.shown {
            return None;
        }
        self.above &= !(1 << behind);
        self.below &= !(1 << behind);
        let side = side?;
        let odd = match side {
            Side::Above => &mut self.above,
            Side::Below => &mut self.below,
        };
        *odd |= 1 << behind;
        let odd = *odd;
        if odd.count_ones() < ODD_MIN {
            return None;
        }
        let since = self.last - odd.ilog2();
        *self = Shift { last: self.last, since, shown: self.last, above: 0, below: 0 };
        Some(Shifted { side, since })
    }

    /// Returns the first hour of the level of now: what was before is not usual any more. 0 if there was no shift.
    pub fn since(&self) -> u32 {
        self.since
    }
}
