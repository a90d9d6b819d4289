//! Times as people write and read them: "1 hour", "2026-11-21", "2026-11-21T14:05:00Z".

use std::time::{Duration, SystemTime, UNIX_EPOCH};

use jiff::Timestamp;
use jiff::civil::Date;
use jiff::tz::TimeZone;

/// Milliseconds since 1970.
pub(crate) fn now_ms() -> i64 {
    since_epoch_ns(SystemTime::now()) / 1_000_000
}

/// Nanoseconds since 1970, before it below 0.
pub(crate) fn since_epoch_ns(time: SystemTime) -> i64 {
    match time.duration_since(UNIX_EPOCH) {
        Ok(since) => since.as_nanos() as i64,
        Err(before) => -(before.duration().as_nanos() as i64),
    }
}

/// The time of so many milliseconds since 1970.
pub(crate) fn at_ms(milliseconds: i64) -> SystemTime {
    let length = Duration::from_millis(milliseconds.unsigned_abs());
    if milliseconds < 0 { UNIX_EPOCH - length } else { UNIX_EPOCH + length }
}

/// When, in milliseconds since 1970: a day, which begins in UTC, or a time with its zone.
pub fn moment(text: &str) -> Result<i64, String> {
    let wrong =
        || format!("\"{text}\" is no time; write \"2026-11-21\" or \"2026-11-21T14:05:00Z\"");
    if let Ok(time) = text.parse::<Timestamp>() {
        return Ok(time.as_millisecond());
    }
    let day: Date = text.parse().map_err(|_| wrong())?;
    let start = day.to_zoned(TimeZone::UTC).map_err(|_| wrong())?;
    Ok(start.timestamp().as_millisecond())
}

/// Milliseconds since 1970 as `2026-11-21T14:05:00Z`; a time that no calendar has, as a number.
pub fn shown(milliseconds: i64) -> String {
    match Timestamp::from_millisecond(milliseconds) {
        Ok(time) => time.strftime("%Y-%m-%dT%H:%M:%SZ").to_string(),
        Err(_) => milliseconds.to_string(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_moment_is_read_and_shown_alike() {
        assert_eq!(moment("2026-11-21").map(shown), Ok("2026-11-21T00:00:00Z".into()));
        let time = "2026-11-21T16:05:00+02:00";
        assert_eq!(moment(time).map(shown), Ok("2026-11-21T14:05:00Z".into()));
        assert!(moment("yesterday").is_err());
    }
}
