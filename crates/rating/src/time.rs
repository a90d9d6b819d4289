//! Moments and lengths of time.

use jiff::Timestamp;
use reason::Coded;

/// Seconds since 1970-01-01 00:00 UTC.
pub type Moment = i64;

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

    #[test]
    fn a_length_is_not_negative() {
        assert_eq!((seconds(5), seconds(-5)), (Ok(5), Err(LengthFault::Negative)));
        assert_eq!(seconds_between(5, 3), Err(LengthFault::EndBeforeStart));
        assert_eq!(seconds_between(Moment::MIN, Moment::MAX), Ok(u64::MAX));
    }
}
