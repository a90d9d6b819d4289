//! Moments as people write them, and clocks: what a time zone's clocks show at a moment, without a search in its
//! rules for every usage.

use jiff::Timestamp;
use jiff::civil::DateTime;
use jiff::tz::{AmbiguousOffset, Offset, TimeZone};

/// Seconds since 1970-01-01 00:00 UTC.
pub type Moment = i64;

/// Seconds of a day without a change of clocks.
pub(crate) const DAY: i64 = 86_400;

/// The last day that is known, 2099-12-31, counted from 1970-01-01: tables by day end there.
pub(crate) const DAYS: usize = 47_482;

/// The first moment that is too late.
pub(crate) const END: Moment = DAYS as i64 * DAY;

/// Why a text is no moment.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum MomentFault {
    /// It says no zone, so it is many moments.
    #[error(
        "this time has no zone; write an offset or a zone behind it: 2026-01-01 06:00 Europe/Stockholm"
    )]
    NoZone,
    /// It is no date and time.
    #[error("this is no time; write 2026-01-01 06:00 Europe/Stockholm or 2026-01-01T05:00:00Z")]
    Form,
    /// There is no such zone.
    #[error("there is no time zone of this name; write one of the IANA database, Europe/Stockholm")]
    Zone,
    /// The clocks of the zone passed over it.
    #[error("the clocks of this zone passed over this time")]
    Skipped,
    /// The clocks of the zone showed it twice.
    #[error("the clocks of this zone showed this time twice; write an offset: +02:00")]
    Twice,
    /// It is outside of what is known.
    #[error("this is before 1970 or after 2099")]
    Outside,
}

/// The moment of a text: a date, perhaps a time of day, and a zone or an offset. `2026-01-01 Europe/Stockholm`,
/// `2026-03-29 01:30:00 +01:00`, `2026-01-01T00:00:00Z`, `2026-01-01T00:00[Europe/Stockholm]`.
pub fn moment(text: &str) -> Result<Moment, MomentFault> {
    let (civil, zone) = parts(text.trim()).ok_or(MomentFault::Form)?;
    let shown: DateTime = match civil.len() {
        10 => civil.parse::<jiff::civil::Date>().map(|date| date.to_datetime(Default::default())),
        _ => civil.parse(),
    }
    .map_err(|_| MomentFault::Form)?;
    let zone = match zone {
        "" => return Err(MomentFault::NoZone),
        zone => zone_of(zone)?,
    };
    let moment = match zone.to_ambiguous_timestamp(shown).offset() {
        AmbiguousOffset::Unambiguous { offset } => {
            offset.to_timestamp(shown).map_err(|_| MomentFault::Outside)?.as_second()
        }
        AmbiguousOffset::Gap { .. } => return Err(MomentFault::Skipped),
        AmbiguousOffset::Fold { .. } => return Err(MomentFault::Twice),
    };
    (0..END).contains(&moment).then_some(moment).ok_or(MomentFault::Outside)
}

/// The date and time of day, and the zone, which may be missing.
fn parts(text: &str) -> Option<(&str, &str)> {
    let date_end = 10;
    let (date, rest) = text.split_at_checked(date_end)?;
    let is_time = |octet: &u8| octet.is_ascii_digit() || matches!(octet, b':' | b'.');
    let time_length = match rest.strip_prefix([' ', 'T']) {
        Some(time) if time.as_bytes().first().is_some_and(u8::is_ascii_digit) => {
            1 + time.bytes().take_while(|octet| is_time(octet)).count()
        }
        _ => 0,
    };
    let (time, zone) = rest.split_at(time_length);
    let zone = zone.trim().trim_start_matches('[').trim_end_matches(']');
    Some((if time.is_empty() { date } else { &text[..date_end + time_length] }, zone))
}

/// The zone of a name of the IANA database, or of an offset.
pub(crate) fn zone_of(name: &str) -> Result<TimeZone, MomentFault> {
    match name.as_bytes() {
        b"Z" => Ok(TimeZone::UTC),
        [sign @ (b'+' | b'-'), digits @ ..] => {
            let seconds = offset(digits).ok_or(MomentFault::Zone)?;
            let seconds = if *sign == b'-' { -seconds } else { seconds };
            Offset::from_seconds(seconds).map(TimeZone::fixed).map_err(|_| MomentFault::Zone)
        }
        _ => TimeZone::get(name).map_err(|_| MomentFault::Zone),
    }
}

/// The seconds of `hh:mm` or `hhmm`.
fn offset(digits: &[u8]) -> Option<i32> {
    let (hour, minute) = match digits {
        [a, b, b':', c, d] | [a, b, c, d] => ([*a, *b], [*c, *d]),
        _ => return None,
    };
    let number = |pair: [u8; 2]| std::str::from_utf8(&pair).ok()?.parse::<i32>().ok();
    Some(number(hour)? * 3_600 + number(minute).filter(|minute| *minute < 60)? * 60)
}

/// What the clocks of a time zone show: their offsets from UTC, from each change on.
#[derive(Clone, Debug)]
pub(crate) struct Clock {
    changes: Vec<Moment>,
    offsets: Vec<i32>,
    /// By stretch of [`STRETCH_BITS`]: how many changes there were before it.
    before: Vec<u16>,
}

/// Bits of a second within a stretch of some 97 days: few stretches have more than one change.
const STRETCH_BITS: u32 = 23;

/// What a clock shows at a moment.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Shown {
    /// Seconds since 1970-01-01 00:00 by this clock.
    pub(crate) local: i64,
    /// When the clock is changed next.
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

/// The length of a usage in seconds.
pub fn seconds_between(start: Moment, end: Moment) -> Result<u64, LengthFault> {
    if end < start { Err(LengthFault::EndBeforeStart) } else { Ok(end.abs_diff(start)) }
}

/// A length in seconds that came as a number with a sign.
pub fn seconds(length: i64) -> Result<u64, LengthFault> {
    u64::try_from(length).map_err(|_| LengthFault::Negative)
}

/// Why there is no such length.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
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

    #[test]
    fn a_moment_has_a_zone() {
        use MomentFault::*;
        for (text, expected) in [
            ("1970-01-01T00:00:00Z", Ok(0)),
            ("2026-01-01 Europe/Stockholm", Ok(1_767_222_000)),
            ("2026-01-01 00:00 +01:00", Ok(1_767_222_000)),
            ("2026-01-01T00:00[Europe/Stockholm]", Ok(1_767_222_000)),
            ("2026-01-01T00:00:00+0100", Ok(1_767_222_000)),
            ("2024-02-29 12:00:30 UTC", Ok(1_709_208_030)),
            ("2026-01-01", Err(NoZone)),
            ("2026-01-01 06:00", Err(NoZone)),
            ("2026-02-29 UTC", Err(Form)),
            ("yesterday", Err(Form)),
            ("2026-01-01 Europe/Stokholm", Err(Zone)),
            ("2026-01-01 +1", Err(Zone)),
            ("2026-03-29 02:30 Europe/Stockholm", Err(Skipped)),
            ("2026-10-25 02:30 Europe/Stockholm", Err(Twice)),
            ("2026-10-25 02:30 +02:00", Ok(1_792_888_200)),
            ("1969-12-31 UTC", Err(Outside)),
            ("2100-01-01 UTC", Err(Outside)),
        ] {
            assert_eq!(moment(text), expected, "{text}");
        }
    }

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
