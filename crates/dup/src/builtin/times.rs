//! Built-in functions on times. A time is a number of seconds since 1970-01-01T00:00:00Z. Calendar functions take a
//! zone.

use jiff::civil::DateTime;
use jiff::fmt::strtime::BrokenDownTime;
use jiff::tz::TimeZone;
use jiff::{Span, Timestamp, ZonedDateTime};

use super::CallContext;
use crate::fault::Reason;

type Result = std::result::Result<u64, Reason>;

/// Parses text by a format of strftime's letters. A zone in the text takes precedence over the third argument.
pub(super) fn parse_time(context: &mut CallContext<'_, '_>, arguments: &[u64]) -> Result {
    let (text, format) = (context.octets(arguments[0]), context.octets(arguments[1]));
    let wrong = |text: &[u8], error: jiff::Error| {
        let (text, format) = (diagnostics::shown(text), diagnostics::shown(format));
        Reason::argument(format!("{text} is no time of the form {format}: {error}"))
    };
    let read = BrokenDownTime::parse(format, text).map_err(|error| wrong(text, error))?;
    if !has_all_digits(format, text) {
        let (text, format) = (diagnostics::shown(text), diagnostics::shown(format));
        let reason = format!("{text} is no time of the form {format}: a digit is missing");
        return Err(Reason::argument(reason));
    }
    if let Some(offset) = read.offset() {
        if offset.seconds().abs() > rating::OFFSET_SECONDS_MAX {
            let text = diagnostics::shown(text);
            return Err(Reason::argument(format!(
                "{text} is no time: its offset is over 14 hours"
            )));
        }
        return match read.to_timestamp() {
            Ok(time) => Ok(time.as_second() as u64),
            Err(error) => Err(wrong(text, error)),
        };
    }
    let civil = civil(&read).map_err(|error| wrong(text, error))?;
    let Some(zone) = arguments.get(2) else {
        return Err(Reason::argument("the text has no zone, and none was given"));
    };
    seconds_in(context, civil, *zone)
}

/// Returns whether adjacent numbers in a text have all the digits of their format. The time parser accepts one digit
/// where the format has two, so a truncated `2026112113000` would be another time. Numbers that stand alone, as in
/// `1/2/2026`, may have one digit.
fn has_all_digits(mut format: &[u8], mut text: &[u8]) -> bool {
    loop {
        let (numbers, digits) = adjacent(&mut format);
        let found = text.iter().take_while(|octet| octet.is_ascii_digit()).count();
        if numbers > 1 && found < digits {
            return false;
        }
        text = &text[found.min(digits)..];
        match format {
            [first, rest @ ..] if first.is_ascii_whitespace() => {
                (format, text) = (rest, text.trim_ascii_start());
            }
            [first, rest @ ..] if *first != b'%' && text.first() == Some(first) => {
                (format, text) = (rest, &text[1..]);
            }
            // This is the end, or a part of variable length; the parser has read all of it.
            _ => return true,
        }
    }
}

/// Removes the numbers of fixed length from the beginning of a format. Returns how many they are, and their digits
/// together.
fn adjacent(format: &mut &[u8]) -> (usize, usize) {
    let (mut numbers, mut all) = (0, 0);
    while let [b'%', letter, rest @ ..] = *format {
        all += match letter {
            b'Y' | b'G' => 4,
            b'm' | b'd' | b'H' | b'I' | b'M' | b'S' | b'y' => 2,
            b'j' => 3,
            _ => break,
        };
        numbers += 1;
        *format = rest;
    }
    (numbers, all)
}

/// Returns the date and time. Without a time, it is midnight.
fn civil(read: &BrokenDownTime) -> std::result::Result<DateTime, jiff::Error> {
    let date = read.to_date()?;
    match read.hour() {
        Some(_) => Ok(date.to_datetime(read.to_time()?)),
        None => Ok(date.at(0, 0, 0, 0)),
    }
}

/// Returns the seconds of a local time in a zone. Of a time that occurs twice, the first counts. A time that the clocks
/// skip is what they would have shown without the change.
fn seconds_in(context: &mut CallContext<'_, '_>, civil: DateTime, zone: u64) -> Result {
    let zone = zone_of(context, zone)?;
    let time = zone.to_ambiguous_timestamp(civil).compatible().map_err(out_of_range)?;
    Ok(time.as_second() as u64)
}

pub(super) fn format_time(context: &mut CallContext<'_, '_>, arguments: &[u64]) -> Result {
    let time = zoned(context, arguments[0], arguments[2])?;
    context.make(|context, out| {
        let broken_down = BrokenDownTime::from(&time);
        let format = context.octets(arguments[1]);
        broken_down
            .format(format, jiff::fmt::StdIoWrite(out))
            .map_err(|error| Reason::argument(format!("cannot format the time: {error}")))
    })
}

/// Adds whole days on the calendar of a zone: the time of day stays, whatever the clocks did.
pub(super) fn add_days(context: &mut CallContext<'_, '_>, arguments: &[u64]) -> Result {
    let time = zoned(context, arguments[0], arguments[2])?;
    let days = Span::new().try_days(arguments[1] as i64).map_err(out_of_range)?;
    Ok(time.checked_add(days).map_err(out_of_range)?.timestamp().as_second() as u64)
}

/// Adds whole months on the calendar of a zone; a day that the month lacks becomes its last.
pub(super) fn add_months(context: &mut CallContext<'_, '_>, arguments: &[u64]) -> Result {
    let time = zoned(context, arguments[0], arguments[2])?;
    let months = Span::new().try_months(arguments[1] as i64).map_err(out_of_range)?;
    Ok(time.checked_add(months).map_err(out_of_range)?.timestamp().as_second() as u64)
}

pub(super) fn start_of_day(context: &mut CallContext<'_, '_>, arguments: &[u64]) -> Result {
    let time = zoned(context, arguments[0], arguments[1])?;
    Ok(time.start_of_day().map_err(out_of_range)?.timestamp().as_second() as u64)
}

/// Returns 1 for Monday to 7 for Sunday (ISO 8601).
pub(super) fn day_of_week(context: &mut CallContext<'_, '_>, arguments: &[u64]) -> Result {
    let time = zoned(context, arguments[0], arguments[1])?;
    Ok(time.weekday().to_monday_one_offset() as u64)
}

pub(super) fn year(context: &mut CallContext<'_, '_>, arguments: &[u64]) -> Result {
    Ok(i64::from(zoned(context, arguments[0], arguments[1])?.year()) as u64)
}

pub(super) fn month(context: &mut CallContext<'_, '_>, arguments: &[u64]) -> Result {
    Ok(zoned(context, arguments[0], arguments[1])?.month() as u64)
}

pub(super) fn day(context: &mut CallContext<'_, '_>, arguments: &[u64]) -> Result {
    Ok(zoned(context, arguments[0], arguments[1])?.day() as u64)
}

pub(super) fn hour(context: &mut CallContext<'_, '_>, arguments: &[u64]) -> Result {
    Ok(zoned(context, arguments[0], arguments[1])?.hour() as u64)
}

pub(super) fn minute(context: &mut CallContext<'_, '_>, arguments: &[u64]) -> Result {
    Ok(zoned(context, arguments[0], arguments[1])?.minute() as u64)
}

pub(super) fn second(context: &mut CallContext<'_, '_>, arguments: &[u64]) -> Result {
    Ok(zoned(context, arguments[0], arguments[1])?.second() as u64)
}

/// Returns the seconds that the clock shows since midnight.
pub(super) fn second_of_day(context: &mut CallContext<'_, '_>, arguments: &[u64]) -> Result {
    let time = zoned(context, arguments[0], arguments[1])?;
    let (hour, minute, second) = (time.hour() as u64, time.minute() as u64, time.second() as u64);
    Ok(hour * 3600 + minute * 60 + second)
}

/// Returns the seconds east of UTC.
pub(super) fn utc_offset(context: &mut CallContext<'_, '_>, arguments: &[u64]) -> Result {
    Ok(i64::from(zoned(context, arguments[0], arguments[1])?.offset().seconds()) as u64)
}

/// Reads the nine octets of a TimeStamp (3GPP TS 32.298, 5.2.2.1): `YYMMDDhhmmss`, a sign, `hhmm`. A year below 70
/// belongs to this century.
pub(super) fn time_stamp_seconds(context: &mut CallContext<'_, '_>, arguments: &[u64]) -> Result {
    let octets = context.octets(arguments[0]);
    rating::time_stamp(octets).map(|moment| moment as u64).map_err(|_| {
        let shown = diagnostics::shown(octets);
        Reason::argument(format!(
            "{shown} is no TimeStamp of TS 32.298: nine octets, YYMMDDhhmmss in BCD, + or -, hhmm in BCD"
        ))
    })
}

/// Returns a TimeStamp of TS 32.298 in local time of a zone.
pub(super) fn time_stamp(context: &mut CallContext<'_, '_>, arguments: &[u64]) -> Result {
    let time = zoned(context, arguments[0], arguments[1])?;
    let minutes = time.offset().seconds() / 60;
    let sign = if minutes < 0 { b'-' } else { b'+' };
    let minutes = minutes.unsigned_abs();
    let year = i32::from(time.year()) - if time.year() < 2000 { 1900 } else { 2000 };
    let within = if time.year() < 2000 { 70..100 } else { 0..70 };
    if !within.contains(&year) {
        return Err(Reason::argument(format!("a TimeStamp cannot say the year {}", time.year())));
    }
    let pair = |number: u32| (((number / 10) << 4) | (number % 10)) as u8;
    context.make(|_, out| {
        out.push(pair(year as u32));
        for number in [time.month(), time.day(), time.hour(), time.minute(), time.second()] {
            out.push(pair(number as u32));
        }
        out.push(sign);
        out.push(pair(minutes / 60));
        out.push(pair(minutes % 60));
        Ok(())
    })
}

fn zoned(
    context: &mut CallContext<'_, '_>,
    seconds: u64,
    zone: u64,
) -> std::result::Result<ZonedDateTime, Reason> {
    let time = Timestamp::from_second(seconds as i64).map_err(out_of_range)?;
    Ok(time.to_zoned_datetime(zone_of(context, zone)?))
}

fn zone_of(context: &mut CallContext<'_, '_>, zone: u64) -> std::result::Result<TimeZone, Reason> {
    let name = crate::value::Octets(zone).get(context.memory, context.constants);
    context.zones.get(name)
}

#[cold]
fn out_of_range(error: jiff::Error) -> Reason {
    Reason::argument(error.to_string())
}
