//! Times as people write and read them: "1 hour", "2026-11-21", "2026-11-21T14:05:00Z".

use std::time::{Duration, SystemTime, UNIX_EPOCH};

use jiff::Timestamp;
use jiff::civil::{Date, DateTime};
use jiff::tz::TimeZone;

/// Milliseconds since 1970.
pub fn now_ms() -> i64 {
    since_epoch_ns(SystemTime::now()) / 1_000_000
}

/// So many milliseconds, or as many as there can be.
pub fn milliseconds(length: Duration) -> i64 {
    i64::try_from(length.as_millis()).unwrap_or(i64::MAX)
}

/// Nanoseconds since 1970, before it below 0.
pub fn since_epoch_ns(time: SystemTime) -> i64 {
    match time.duration_since(UNIX_EPOCH) {
        Ok(since) => since.as_nanos() as i64,
        Err(before) => -(before.duration().as_nanos() as i64),
    }
}

/// The time of so many milliseconds since 1970.
pub fn at_ms(milliseconds: i64) -> SystemTime {
    let length = Duration::from_millis(milliseconds.unsigned_abs());
    if milliseconds < 0 { UNIX_EPOCH - length } else { UNIX_EPOCH + length }
}

/// The time of so many nanoseconds since 1970.
pub fn at_ns(nanoseconds: i64) -> SystemTime {
    let length = Duration::from_nanos(nanoseconds.unsigned_abs());
    if nanoseconds < 0 { UNIX_EPOCH - length } else { UNIX_EPOCH + length }
}

/// A day as it is written.
const DAY: &str = "2026-11-21";

/// When, in milliseconds since 1970: a day, which begins in UTC, or a time with its zone. Nothing that is written may
/// count for nothing: a day that hides a time of day would take in ten hours too many.
pub fn moment(text: &str) -> Result<i64, String> {
    if let Ok(time) = text.parse::<Timestamp>() {
        return Ok(time.as_millisecond());
    }
    let day = text.parse::<Date>().ok().filter(|_| text.len() == DAY.len());
    if let Some(start) = day.and_then(|day| day.to_zoned_datetime(TimeZone::UTC).ok()) {
        return Ok(start.timestamp().as_millisecond());
    }
    Err(match text.parse::<DateTime>() {
        Ok(time) if text.contains(['T', 't', ' ']) && !text.contains('[') => {
            let utc = time.strftime("%Y-%m-%dT%H:%M:%SZ");
            format!("\"{text}\" has no time zone; write \"{utc}\" if it is in UTC")
        }
        _ => format!("\"{text}\" is no time; write \"{DAY}\" or \"{DAY}T14:05:00Z\""),
    })
}

/// Milliseconds since 1970 as `2026-11-21T14:05:00Z`; a time that no calendar has, as a number.
pub fn shown(milliseconds: i64) -> String {
    match Timestamp::from_millisecond(milliseconds) {
        Ok(time) => time.strftime("%Y-%m-%dT%H:%M:%SZ").to_string(),
        Err(_) => milliseconds.to_string(),
    }
}

/// The day of so many milliseconds since 1970, in UTC: `2026-11-21`.
pub fn day(milliseconds: i64) -> String {
    let day = shown(milliseconds);
    day.get(..DAY.len()).map_or(day.clone(), str::to_owned)
}

/// The hour it is now, in UTC: `2026-11-21-14`.
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
        for (text, said) in [
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
                Ok(time) => assert_eq!(shown(time), said, "{text}"),
                Err(why) => assert_eq!(why, format!("\"{text}\" {said}")),
            }
        }
    }
}
