//! The time of day as integers, and times as people write and read them: "2026-11-21", "2026-11-21T14:05:00Z".
//!
//! An integer counts from the beginning of 1970 in UTC; the end of its name says in which unit.

use std::time::{Duration, SystemTime, UNIX_EPOCH};

use jiff::Timestamp;
use jiff::civil::{Date, DateTime};
use jiff::tz::TimeZone;

/// Returns the time of day, in milliseconds since 1970.
pub fn now_ms() -> i64 {
    since_epoch_ns(SystemTime::now()) / 1_000_000
}

/// Returns a duration in milliseconds, `i64::MAX` if it is longer.
pub fn milliseconds(length: Duration) -> i64 {
    i64::try_from(length.as_millis()).unwrap_or(i64::MAX)
}

/// Returns a time in nanoseconds since 1970; times before are negative.
pub fn since_epoch_ns(time: SystemTime) -> i64 {
    match time.duration_since(UNIX_EPOCH) {
        Ok(since) => since.as_nanos() as i64,
        Err(before) => -(before.duration().as_nanos() as i64),
    }
}

/// Returns the time at so many milliseconds since 1970.
pub fn at_ms(milliseconds: i64) -> SystemTime {
    let length = Duration::from_millis(milliseconds.unsigned_abs());
    if milliseconds < 0 { UNIX_EPOCH - length } else { UNIX_EPOCH + length }
}

/// Returns the time at so many nanoseconds since 1970.
pub fn at_ns(nanoseconds: i64) -> SystemTime {
    let length = Duration::from_nanos(nanoseconds.unsigned_abs());
    if nanoseconds < 0 { UNIX_EPOCH - length } else { UNIX_EPOCH + length }
}

/// A day as people write it.
const DAY: &str = "2026-11-21";

/// Why a text is not read as a time.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum TimeError {
    /// It has no time zone.
    #[error("\"{text}\" has no time zone; write \"{utc}\" if it is in UTC")]
    NoZone {
        /// The text.
        text: String,
        /// The same time in UTC.
        utc: String,
    },
    /// It is neither a day nor a time.
    #[error("\"{0}\" is no time; write \"{DAY}\" or \"{DAY}T14:05:00Z\"")]
    NotTime(String),
}

/// Parses a day, which begins in UTC, or a time with its zone, to milliseconds since 1970. All of the text counts: a date with
/// a time of day but no zone is an error, not the whole day.
pub fn moment(text: &str) -> Result<i64, TimeError> {
    if let Ok(time) = text.parse::<Timestamp>() {
        return Ok(time.as_millisecond());
    }
    let day = text.parse::<Date>().ok().filter(|_| text.len() == DAY.len());
    if let Some(start) = day.and_then(|day| day.to_zoned_datetime(TimeZone::UTC).ok()) {
        return Ok(start.timestamp().as_millisecond());
    }
    Err(match text.parse::<DateTime>() {
        Ok(time) if text.contains(['T', 't', ' ']) && !text.contains('[') => {
            let utc = time.strftime("%Y-%m-%dT%H:%M:%SZ").to_string();
            TimeError::NoZone { text: text.to_owned(), utc }
        }
        _ => TimeError::NotTime(text.to_owned()),
    })
}

/// Formats milliseconds since 1970 as `2026-11-21T14:05:00Z`, or as a number if that is beyond the calendar.
pub fn shown(milliseconds: i64) -> String {
    match Timestamp::from_millisecond(milliseconds) {
        Ok(time) => time.strftime("%Y-%m-%dT%H:%M:%SZ").to_string(),
        Err(_) => milliseconds.to_string(),
    }
}

/// Formats the day of so many milliseconds since 1970, in UTC: `2026-11-21`.
pub fn day(milliseconds: i64) -> String {
    let day = shown(milliseconds);
    day.get(..DAY.len()).map_or(day.clone(), str::to_owned)
}

/// Formats the current hour, in UTC: `2026-11-21-14`.
pub fn hour_of_now() -> String {
    Timestamp::now().strftime("%Y-%m-%d-%H").to_string()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_moment_is_a_day_or_a_time_with_its_zone_and_nothing_else() {
        const HOW: &str = "is no time; write \"2026-11-21\" or \"2026-11-21T14:05:00Z\"";
        const ZONE: &str = "has no time zone; write \"2026-11-21T10:00:00Z\" if it is in UTC";
        for (text, expected) in [
            ("2026-11-21", "2026-11-21T00:00:00Z"),
            ("2026-11-21T14:05:00Z", "2026-11-21T14:05:00Z"),
            ("2026-11-21T16:05:00+02:00", "2026-11-21T14:05:00Z"),
            ("2026-11-21 14:05Z", "2026-11-21T14:05:00Z"),
            ("2026-11-21T10:00:00", ZONE),
            ("2026-11-21T10:00", ZONE),
            ("2026-11-21 10:00", ZONE),
            ("20261121", HOW),
            ("2026-11-31", HOW),
            ("2026-11-21[UTC]", HOW),
            ("2026-11-21 25:00", HOW),
            ("yesterday", HOW),
            ("", HOW),
        ] {
            match moment(text) {
                Ok(time) => assert_eq!(shown(time), expected, "{text}"),
                Err(why) => assert_eq!(why.to_string(), format!("\"{text}\" {expected}")),
            }
        }
    }
}
