//! Times as people write and read them: "1 hour", "2026-11-21", "2026-11-21T14:05:00Z".

use std::time::{Duration, SystemTime, UNIX_EPOCH};

use jiff::civil::Date;
use jiff::tz::TimeZone;
use jiff::{Span, SpanRelativeTo, Timestamp};

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

/// How long: "90 seconds", "1 hour", "30 days". A day has 24 hours.
pub(crate) fn duration(text: &str) -> Result<Duration, String> {
    let wrong =
        || format!("\"{text}\" is no time; write \"90 seconds\", \"1 hour\" or \"30 days\"");
    let span: Span = text.parse().map_err(|_| wrong())?;
    let relative = SpanRelativeTo::days_are_24_hours();
    let length = span.to_duration(relative).map_err(|_| wrong())?;
    Duration::try_from(length).ok().filter(|length| !length.is_zero()).ok_or_else(wrong)
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
    fn a_time_is_as_long_as_it_is_written() {
        for (text, seconds) in [
            ("1 second", 1),
            ("90 seconds", 90),
            ("1 hour", 3_600),
            ("1 hour 30 minutes", 5_400),
            ("30 days", 2_592_000),
            ("2 weeks", 1_209_600),
        ] {
            assert_eq!(duration(text), Ok(Duration::from_secs(seconds)), "{text}");
        }
        for text in ["", "1", "an hour", "-1 hour", "0 seconds", "1 month"] {
            assert!(duration(text).is_err(), "{text}");
        }
    }

    #[test]
    fn a_moment_is_read_and_shown_alike() {
        assert_eq!(moment("2026-11-21").map(shown), Ok("2026-11-21T00:00:00Z".into()));
        let time = "2026-11-21T16:05:00+02:00";
        assert_eq!(moment(time).map(shown), Ok("2026-11-21T14:05:00Z".into()));
        assert!(moment("yesterday").is_err());
    }
}
