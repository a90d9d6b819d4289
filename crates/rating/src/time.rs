//! Moments, and local times in time zones, precomputed so that a usage needs no search in the zone's rules.

use jiff::Timestamp;
use jiff::tz::TimeZone;
use reason::Coded;

/// Seconds since 1970-01-01 00:00 UTC.
pub type Moment = i64;

/// The seconds of a day without a change of clocks.
pub(crate) const DAY: i64 = 86_400;

/// The last supported day, 2099-12-31, counted from 1970-01-01: tables by day end there.
pub(crate) const DAYS: usize = 47_482;

/// The first moment that is too late.
pub(crate) const END: Moment = DAYS as i64 * DAY;

/// The reason why a text is no moment.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error, Coded)]
#[code("time")]
pub enum MomentFault {
    /// It has no zone, so it is ambiguous.
    #[error(
        "this time has no zone; write an offset or a zone behind it: 2026-01-01 06:00 Europe/Stockholm"
    )]
    NoZone,
    /// It is no date and time.
    #[error("this is no time; write 2026-01-01 06:00 Europe/Stockholm or 2026-01-01T05:00:00Z")]
    Form,
    /// It can be read in two ways.
    #[error(
        "these digits are two times, with a year of four digits and with one of two; write four digits of the year, and \
         the seconds"
    )]
    Ambiguous,
    /// Its offset is malformed, or no time zone has it.
    #[error("an offset is written +02:00, +0200 or +02, and is 14 hours at most")]
    Offset,
    /// There is no zone of that name.
    #[error("there is no time zone of this name; write one of the IANA database, Europe/Stockholm")]
    Zone,
    /// The clocks of the zone skipped it.
    #[error("the clocks of this zone passed over this time")]
    Skipped,
    /// The clocks of the zone showed it twice.
    #[error("the clocks of this zone showed this time twice; write an offset: +02:00")]
    Twice,
    /// It is outside of the supported range.
    #[error("this is before 1970 or after 2099")]
    Outside,
}

/// The local time of a zone: its offsets from UTC, from each change on.
#[derive(Clone, Debug)]
pub(crate) struct Clock {
    changes: Vec<Moment>,
    offsets: Vec<i32>,
    /// The number of changes before each stretch of [`STRETCH_BITS`].
    before: Vec<u16>,
}

/// A stretch has 2 to the power of this many seconds, some 97 days: few stretches have more than one change.
const STRETCH_BITS: u32 = 23;

/// The local time at a moment.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Shown {
    /// Seconds since 1970-01-01 00:00 by this clock.
    pub(crate) local: i64,
    /// The next change of the clock.
    pub(crate) until: Moment,
}

impl Clock {
    pub(crate) fn new(zone: &TimeZone) -> Clock {
        let offset_at = |moment: Timestamp| zone.to_offset(moment).seconds();
        let mut clock = Clock {
            changes: vec![Moment::MIN],
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

    #[inline]
    pub(crate) fn at(&self, moment: Moment) -> Shown {
        let stretch = (moment.max(0) >> STRETCH_BITS) as usize;
        let before = usize::from(self.before[stretch.min(self.before.len() - 1)]);
        let behind = self.changes[before..].iter().take_while(|change| **change <= moment);
        let next = before + behind.count();
        Shown {
            local: moment + i64::from(self.offsets[next - 1]),
            until: self.changes.get(next).copied().unwrap_or(Moment::MAX),
        }
    }
}

/// Returns a moment in UTC, for messages.
pub fn in_utc(moment: Moment) -> String {
    match Timestamp::from_second(moment) {
        Ok(at) => at.to_string(),
        Err(_) => format!("{moment} seconds after 1970"),
    }
}

/// Returns the length of a usage in seconds. Fails if it ends before it starts.
pub fn seconds_between(start: Moment, end: Moment) -> Result<u64, LengthFault> {
    if end < start { Err(LengthFault::EndBeforeStart) } else { Ok(end.abs_diff(start)) }
}

/// Converts a signed length in seconds. Fails if it is negative.
pub fn seconds(length: i64) -> Result<u64, LengthFault> {
    u64::try_from(length).map_err(|_| LengthFault::Negative)
}

/// The reason why there is no such length.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error, Coded)]
#[code("duration")]
pub enum LengthFault {
    /// It is negative.
    #[error("the duration is negative")]
    Negative,
    /// It ends before it starts.
    #[error("the end is before the start")]
    EndBeforeStart,
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::written::zone_of;

    #[test]
    fn a_clock_shows_what_its_zone_says_on_both_sides_of_each_change() {
        for name in ["Europe/Stockholm", "America/New_York", "Australia/Lord_Howe", "Asia/Kolkata"]
        {
            let zone = zone_of(name).unwrap();
            let clock = Clock::new(&zone);
            for change in clock.changes.iter().skip(1).flat_map(|change| [change - 1, *change]) {
                let at = Timestamp::from_second(change).unwrap();
                let expected = change + i64::from(zone.to_offset(at).seconds());
                assert_eq!(clock.at(change).local, expected, "{name} at {at}");
            }
        }
    }

    #[test]
    fn a_length_is_not_negative() {
        assert_eq!((seconds(5), seconds(-5)), (Ok(5), Err(LengthFault::Negative)));
        assert_eq!(seconds_between(5, 3), Err(LengthFault::EndBeforeStart));
        assert_eq!(seconds_between(Moment::MIN, Moment::MAX), Ok(u64::MAX));
    }
}
