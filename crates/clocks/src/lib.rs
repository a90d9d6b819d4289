//! Local times in time zones, precomputed so that no time needs a search in a zone's rules.

use jiff::Timestamp;
use jiff::tz::TimeZone;

/// The seconds of a day without a change of clocks.
pub const DAY: i64 = 86_400;

/// The last supported day, 2099-12-31, counted from 1970-01-01: tables by day end there.
pub const DAYS: usize = 47_482;

/// The first moment that is too late, in seconds since 1970.
pub const END: i64 = DAYS as i64 * DAY;

/// The local time of a zone: its offsets from UTC, from each change on.
#[derive(Clone, Debug)]
pub struct Clock {
    changes: Vec<i64>,
    offsets: Vec<i32>,
    /// The number of changes before each stretch of [`STRETCH_BITS`].
    before: Vec<u16>,
}

/// A stretch has 2 to the power of this many seconds, some 97 days: few stretches have more than one change.
const STRETCH_BITS: u32 = 23;

/// The local time at a moment.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Shown {
    /// Seconds since 1970-01-01 00:00 by this clock.
    pub local: i64,
    /// The next change of the clock.
    pub until: i64,
}

impl Clock {
    /// Returns the clock of UTC.
    pub fn utc() -> Clock {
        Clock::new(&TimeZone::UTC)
    }

    /// Returns the clock of a zone.
    pub fn new(zone: &TimeZone) -> Clock {
        let offset_at = |moment: Timestamp| zone.to_offset(moment).seconds();
        let mut clock = Clock {
            changes: vec![i64::MIN],
            offsets: vec![offset_at(Timestamp::UNIX_EPOCH)],
            before: Vec::new(),
        };
        for change in zone.following(Timestamp::UNIX_EPOCH) {
            if change.timestamp().as_second() >= END {
                break;
            }
            clock.changes.push(change.timestamp().as_second());
            clock.offsets.push(change.offset().seconds());
        }
        clock.before = (0..=END >> STRETCH_BITS)
            .map(|stretch| {
                let start = stretch << STRETCH_BITS;
                clock.changes.partition_point(|change| *change < start) as u16
            })
            .collect();
        clock
    }

    /// Returns what it shows, in seconds since 1970.
    #[inline]
    pub fn at(&self, moment: i64) -> Shown {
        let stretch = (moment.max(0) >> STRETCH_BITS) as usize;
        let before = usize::from(self.before[stretch.min(self.before.len() - 1)]);
        let behind = self.changes[before..].iter().take_while(|change| **change <= moment);
        let next = before + behind.count();
        Shown {
            local: moment + i64::from(self.offsets[next - 1]),
            until: self.changes.get(next).copied().unwrap_or(i64::MAX),
        }
    }

    /// Returns the first moment, from one on, at which it shows a time or a later one.
    pub fn reaches(&self, local: i64, from: i64) -> i64 {
        let mut from = from;
        loop {
            let shown = self.at(from);
            let moment = from + (local - shown.local).max(0);
            if moment < shown.until {
                return moment;
            }
            from = shown.until;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_time_is_reached_once_however_clocks_change() {
        let clock = Clock::new(&TimeZone::get("Europe/Stockholm").unwrap());
        let moment = |text: &str| text.parse::<Timestamp>().unwrap().as_second();
        let hour = |local: i64| local / 3_600 * 3_600;
        // 3:00 comes after 2:59:59 was shown twice in autumn, and after 1:59:59 in spring.
        let autumn = moment("2026-10-25T00:30:00Z");
        let three = hour(clock.at(autumn).local) + 3_600;
        assert_eq!(clock.reaches(three, autumn), moment("2026-10-25T02:00:00Z"));
        let spring = moment("2026-03-29T00:30:00Z");
        let two = hour(clock.at(spring).local) + 3_600;
        assert_eq!(clock.reaches(two, spring), moment("2026-03-29T01:00:00Z"));
        assert_eq!(clock.reaches(two, spring + 7_200), spring + 7_200, "it was reached before");
    }

    #[test]
    fn a_clock_shows_what_its_zone_says_on_both_sides_of_each_change() {
        for name in ["Europe/Stockholm", "America/New_York", "Australia/Lord_Howe", "Asia/Kolkata"]
        {
            let zone = TimeZone::get(name).unwrap();
            let clock = Clock::new(&zone);
            for change in clock.changes.iter().skip(1).flat_map(|change| [change - 1, *change]) {
                let at = Timestamp::from_second(change).unwrap();
                let expected = change + i64::from(zone.to_offset(at).seconds());
                assert_eq!(clock.at(change).local, expected, "{name} at {at}");
            }
        }
    }
}
