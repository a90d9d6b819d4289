//! Days and times as people write them in tables.

use clocks::{Clock, DAY, END};
use jiff::civil::{Date, DateTime};

/// Returns the days from 1970-01-01 to a date such as `2026-06-19`, which is in 1970 to 2099.
pub(super) fn day(text: &str) -> Option<i64> {
    let local = local_time(text).filter(|_| text.len() == 10)?;
    Some(local / DAY)
}

/// Returns what clocks show at a time such as `2026-06-19 22:00`, in seconds since 1970-01-01 00:00. A day is its first moment.
pub(super) fn local_time(text: &str) -> Option<i64> {
    // Other lengths have a zone, or parts that are missing.
    let time: DateTime = match text.len() {
        10 => text.parse::<Date>().ok()?.into(),
        16 | 19 => text.parse().ok()?,
        _ => return None,
    };
    let time = jiff::tz::TimeZone::UTC.to_timestamp(time).ok()?.as_second();
    (0..END).contains(&time).then_some(time)
}

/// Returns the first moment at which a clock shows a time, or one after it if it passes over that time.
pub(super) fn first_moment(clock: &Clock, local: i64) -> i64 {
    // No zone is a day ahead.
    clock.reaches(local, local - DAY)
}

/// Returns the last moment at which a clock shows a time: it shows some twice.
pub(super) fn last_moment(clock: &Clock, local: i64) -> i64 {
    let first = first_moment(clock, local);
    let change = clock.at(first).until;
    if change > first + DAY {
        return first;
    }
    let behind = local - clock.at(change).local;
    if behind >= 0 { change + behind } else { first }
}
