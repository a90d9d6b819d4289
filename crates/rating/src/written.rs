//! Parser for times in tables and commands, written by people, and in records, written by network elements. They share
//! one parser, so a command shows the time that rating uses. It neither searches nor allocates.
//!
//! Accepts ISO 8601, the time types of ASN.1 (X.680, 46 and 47), and the TimeStamp of 3GPP TS 32.298, nine octets in
//! BCD. Separators are all present or all absent; trailing text is an error.

use std::fmt;

use clocks::{Clock, END};
use jiff::civil::{Date, DateTime, Time};
use jiff::tz::{AmbiguousOffset, Offset, TimeZone};
use reason::{Code, Coded, Description};

use crate::time::{Moment, MomentFault};

/// Maximum offset from UTC, in both directions: that of Kiribati, and the bound of XML Schema (XML
/// Schema 1.1 part 2, 3.3.7).
pub const OFFSET_SECONDS_MAX: i32 = 14 * 3_600;

/// Two-digit years from here on belong to the last century, as in TimeStamps and UTCTimes.
const CENTURY_BEGINS: u8 = 70;

/// Years accepted in the first four digits of a time of ten or twelve digits: moments lie between
/// 1970 and 2099.
const YEARS: std::ops::RangeInclusive<i16> = 1970..=2099;

/// The zone for times without one.
#[derive(Clone, Debug)]
pub struct Zone(TimeZone);

impl Zone {
    /// Finds a zone by its IANA name or offset.
    pub fn find(name: &str) -> Result<Zone, MomentFault> {
        zone_of(name).map(Zone)
    }

    /// Returns its clock.
    pub fn clock(&self) -> Clock {
        Clock::new(&self.0)
    }
}

/// Parses a time written by a person: a date, an optional time of day, and a zone or offset.
/// `2026-01-01 Europe/Stockholm`, `2026-03-29 01:30:00 +01:00`,
/// `2026-01-01T00:00[Europe/Stockholm]`; also every form of a [record](record_moment).
pub fn moment(text: &str) -> Result<Moment, MomentFault> {
    let Written { shown, zone, .. } = written(text.trim().as_bytes())?;
    match zone {
        WrittenZone::Nothing => Err(MomentFault::NoZone),
        WrittenZone::Offset(offset) => at_offset(shown, offset),
        WrittenZone::Name(name) => at_zone(shown, &zone_of(name)?),
    }
}

/// Parses a time in a record: `20260601185930+0200`, `2026-06-01T18:59:30.25Z`, `260601185930Z`, or
/// a TimeStamp. Fractions of a second are cut off. `zone` applies to times without one.
pub fn record_moment(octets: &[u8], zone: Option<&Zone>) -> Result<Moment, RecordTimeFault> {
    let moment = match octets {
        // No text form has a sign in this position.
        [_, _, _, _, _, _, b'+' | b'-', _, _] => time_stamp(octets),
        _ => record_text(octets, zone),
    };
    moment.map_err(RecordTimeFault)
}

fn record_text(octets: &[u8], zone: Option<&Zone>) -> Result<Moment, MomentFault> {
    let Written { shown, has_time, is_whole, zone: own_zone } = written(octets)?;
    if !has_time {
        return Err(MomentFault::Form);
    }
    match (own_zone, zone) {
        (WrittenZone::Offset(offset), _) => at_offset(shown, offset),
        (WrittenZone::Nothing, Some(Zone(zone))) if is_whole => at_zone(shown, zone),
        (WrittenZone::Nothing, _) => Err(MomentFault::NoZone),
        (WrittenZone::Name(_), _) => Err(MomentFault::Form),
    }
}

/// Parses a TimeStamp (3GPP TS 32.298, 5.2.2.1): `YYMMDDhhmmss`, a sign, `hhmm`. The sign is a
/// character, the rest is BCD.
pub fn time_stamp(octets: &[u8]) -> Result<Moment, MomentFault> {
    let &[year, month, day, hour, minute, second, sign, hours, minutes] = octets else {
        return Err(MomentFault::Form);
    };
    let digits = |octet: u8| match (octet >> 4, octet & 15) {
        (high @ ..=9, low @ ..=9) => Ok(high * 10 + low),
        _ => Err(MomentFault::Form),
    };
    let year = of_century(digits(year)?);
    let parts = [digits(month)?, digits(day)?, digits(hour)?, digits(minute)?, digits(second)?];
    at_offset(civil(year, parts)?, offset_seconds(sign, [digits(hours)?, digits(minutes)?])?)
}

/// The reason why a time in a record is none.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct RecordTimeFault(pub MomentFault);

impl fmt::Display for RecordTimeFault {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.0 {
            MomentFault::Form => out.write_str(
                "this is no time; a record has 20260601185930+0200, 2026-06-01T18:59:30Z, 260601185930Z, the nine octets \
                 of a TimeStamp of 3GPP TS 32.298, or seconds since 1970 as an INTEGER",
            ),
            MomentFault::NoZone => out.write_str(
                "this time has no zone; write Z or an offset behind it (+0200), or say the zone with \"time-zone\"",
            ),
            fault => fault.fmt(out),
        }
    }
}

impl std::error::Error for RecordTimeFault {}

impl Coded for RecordTimeFault {
    fn describe(&self, description: &mut Description) {
        match self.0 {
            MomentFault::Form => {
                description.code("time-form");
                description.text(&self.to_string());
            }
            MomentFault::NoZone => {
                description.code("time-no-zone");
                description.text(&self.to_string());
            }
            fault => fault.describe(description),
        }
    }

    fn codes() -> Vec<Code> {
        Vec::new()
    }
}

/// Finds a zone by its IANA name or offset.
pub(crate) fn zone_of(name: &str) -> Result<TimeZone, MomentFault> {
    match written_zone(name.as_bytes())? {
        WrittenZone::Offset(seconds) => {
            Offset::from_seconds(seconds).map(TimeZone::fixed).map_err(|_| MomentFault::Offset)
        }
        WrittenZone::Name(name) => TimeZone::get(name).map_err(|_| MomentFault::Zone),
        WrittenZone::Nothing => Err(MomentFault::Zone),
    }
}

/// A parsed time.
struct Written<'t> {
    /// The local time.
    shown: DateTime,
    /// Whether it has a time of day. A date alone means midnight.
    has_time: bool,
    /// Whether the form is unambiguous. Ten digits without a zone may also be a count of seconds.
    is_whole: bool,
    zone: WrittenZone<'t>,
}

/// The zone as written.
#[derive(Clone, Copy)]
enum WrittenZone<'t> {
    Nothing,
    /// Seconds east of UTC.
    Offset(i32),
    Name(&'t str),
}

fn written(text: &[u8]) -> Result<Written<'_>, MomentFault> {
    match text.iter().take_while(|octet| octet.is_ascii_digit()).count() {
        4 => extended(text),
        8 => basic(text),
        10 | 12 | 14 => compact(text),
        _ => Err(MomentFault::Form),
    }
}

/// `2026-06-01`, `2026-06-01T18:59`, `2026-06-01 18:59:30.25`.
fn extended(text: &[u8]) -> Result<Written<'_>, MomentFault> {
    let [a, b, c, d, b'-', e, f, b'-', g, h, rest @ ..] = text else {
        return Err(MomentFault::Form);
    };
    let (year, date) = (year([*a, *b, *c, *d])?, [pair([*e, *f])?, pair([*g, *h])?]);
    let (time, zone) = match rest {
        [b'T' | b't' | b' ', i, j, b':', k, l, b':', m, n, rest @ ..] => {
            ([pair([*i, *j])?, pair([*k, *l])?, pair([*m, *n])?], behind_parts(rest)?)
        }
        [b'T' | b't' | b' ', i, j, b':', k, l, rest @ ..] => {
            ([pair([*i, *j])?, pair([*k, *l])?, 0], rest)
        }
        rest => {
            let shown = civil(year, [date[0], date[1], 0, 0, 0])?;
            return Ok(Written {
                shown,
                has_time: false,
                is_whole: true,
                zone: written_zone(rest)?,
            });
        }
    };
    let shown = civil(year, [date[0], date[1], time[0], time[1], time[2]])?;
    Ok(Written { shown, has_time: true, is_whole: true, zone: written_zone(zone)? })
}

/// `20260601T185930`, `20260601 1859`.
fn basic(text: &[u8]) -> Result<Written<'_>, MomentFault> {
    let (date, rest) = text.split_at(8);
    let [b'T' | b't' | b' ', rest @ ..] = rest else { return Err(MomentFault::Form) };
    let length = rest.iter().take_while(|octet| octet.is_ascii_digit()).count();
    let (time, rest) = rest.split_at(length);
    let mut digits = [b'0'; 14];
    digits[..8].copy_from_slice(date);
    let zone = match length {
        4 => rest,
        6 => behind_parts(rest)?,
        _ => return Err(MomentFault::Form),
    };
    digits[8..8 + length].copy_from_slice(time);
    let shown = full(&digits)?;
    Ok(Written { shown, has_time: true, is_whole: true, zone: written_zone(zone)? })
}

/// Digits without separators. Fourteen are `YYYYMMDDhhmmss`, the usual GeneralizedTime. A
/// GeneralizedTime without seconds or minutes has as many digits as a UTCTime; a time valid as both
/// is refused as ambiguous.
fn compact(text: &[u8]) -> Result<Written<'_>, MomentFault> {
    let length = text.iter().take_while(|octet| octet.is_ascii_digit()).count();
    let (digits, rest) = text.split_at(length);
    if length == 14 {
        let shown = full(digits.try_into().expect("so many are there"))?;
        let zone = written_zone(behind_parts(rest)?)?;
        return Ok(Written { shown, has_time: true, is_whole: true, zone });
    }
    let mut by_four = [b'0'; 14];
    by_four[..length].copy_from_slice(digits);
    let by_four = full(&by_four).ok().filter(|shown| YEARS.contains(&shown.year()));
    let century = if pair([digits[0], digits[1]])? < CENTURY_BEGINS { b"20" } else { b"19" };
    let mut by_two = [b'0'; 14];
    by_two[..2].copy_from_slice(century);
    by_two[2..2 + length].copy_from_slice(digits);
    let shown = match (by_four, full(&by_two).ok()) {
        (Some(_), Some(_)) => return Err(MomentFault::Ambiguous),
        (Some(shown), None) | (None, Some(shown)) => shown,
        (None, None) => return Err(MomentFault::Form),
    };
    Ok(Written { shown, has_time: true, is_whole: length == 12, zone: written_zone(rest)? })
}

/// The text after the fraction of a second: a point or comma, and digits.
fn behind_parts(text: &[u8]) -> Result<&[u8], MomentFault> {
    let [b'.' | b',', parts @ ..] = text else { return Ok(text) };
    match parts.iter().take_while(|octet| octet.is_ascii_digit()).count() {
        0 => Err(MomentFault::Form),
        length => Ok(&parts[length..]),
    }
}

/// Parses `Z`, `+02:00`, `+0200`, `+02`, or a name, optionally in brackets and after a blank.
fn written_zone(text: &[u8]) -> Result<WrittenZone<'_>, MomentFault> {
    let text = text.strip_prefix(b" ").unwrap_or(text);
    match *text {
        [] => Ok(WrittenZone::Nothing),
        [b'Z' | b'z'] => Ok(WrittenZone::Offset(0)),
        [sign @ (b'+' | b'-'), a, b, b':', c, d] | [sign @ (b'+' | b'-'), a, b, c, d] => {
            let pair = |digits| pair(digits).map_err(|_| MomentFault::Offset);
            offset_seconds(sign, [pair([a, b])?, pair([c, d])?]).map(WrittenZone::Offset)
        }
        [sign @ (b'+' | b'-'), a, b] => {
            let hours = pair([a, b]).map_err(|_| MomentFault::Offset)?;
            offset_seconds(sign, [hours, 0]).map(WrittenZone::Offset)
        }
        [b'+' | b'-', ..] => Err(MomentFault::Offset),
        [b'[', ref name @ .., b']'] => name_of(name),
        _ => name_of(text),
    }
}

fn name_of(name: &[u8]) -> Result<WrittenZone<'_>, MomentFault> {
    match name.first().is_some_and(u8::is_ascii_alphabetic) {
        true => std::str::from_utf8(name).map(WrittenZone::Name).map_err(|_| MomentFault::Form),
        false => Err(MomentFault::Form),
    }
}

fn offset_seconds(sign: u8, [hours, minutes]: [u8; 2]) -> Result<i32, MomentFault> {
    let seconds = i32::from(hours) * 3_600 + i32::from(minutes) * 60;
    match (sign, minutes < 60 && seconds <= OFFSET_SECONDS_MAX) {
        (b'+', true) => Ok(seconds),
        (b'-', true) => Ok(-seconds),
        (b'+' | b'-', false) => Err(MomentFault::Offset),
        _ => Err(MomentFault::Form),
    }
}

fn full(digits: &[u8; 14]) -> Result<DateTime, MomentFault> {
    let [a, b, c, d, rest @ ..] = *digits;
    let (pairs, _) = rest.as_chunks::<2>();
    let mut parts = [0; 5];
    for (part, digits) in parts.iter_mut().zip(pairs) {
        *part = pair(*digits)?;
    }
    civil(year([a, b, c, d])?, parts)
}

fn year([a, b, c, d]: [u8; 4]) -> Result<i16, MomentFault> {
    Ok(i16::from(pair([a, b])?) * 100 + i16::from(pair([c, d])?))
}

/// The year with these last two digits.
fn of_century(year: u8) -> i16 {
    i16::from(year) + if year < CENTURY_BEGINS { 2000 } else { 1900 }
}

fn pair([high, low]: [u8; 2]) -> Result<u8, MomentFault> {
    match (high, low) {
        (b'0'..=b'9', b'0'..=b'9') => Ok((high - b'0') * 10 + low - b'0'),
        _ => Err(MomentFault::Form),
    }
}

fn civil(year: i16, [month, day, hour, minute, second]: [u8; 5]) -> Result<DateTime, MomentFault> {
    // Clocks without leap seconds show the previous second again.
    let second = if second == 60 { 59 } else { second };
    let date = Date::new(year, month as i8, day as i8).map_err(|_| MomentFault::Form)?;
    let time =
        Time::new(hour as i8, minute as i8, second as i8, 0).map_err(|_| MomentFault::Form)?;
    Ok(date.to_datetime(time))
}

fn at_offset(shown: DateTime, seconds: i32) -> Result<Moment, MomentFault> {
    let offset = Offset::from_seconds(seconds).map_err(|_| MomentFault::Offset)?;
    within(offset, shown)
}

fn at_zone(shown: DateTime, zone: &TimeZone) -> Result<Moment, MomentFault> {
    match zone.to_ambiguous_timestamp(shown).offset() {
        AmbiguousOffset::Unambiguous { offset } => within(offset, shown),
        AmbiguousOffset::Gap { .. } => Err(MomentFault::Skipped),
        AmbiguousOffset::Fold { .. } => Err(MomentFault::Twice),
    }
}

fn within(offset: Offset, shown: DateTime) -> Result<Moment, MomentFault> {
    let moment = offset.to_timestamp(shown).map_err(|_| MomentFault::Outside)?.as_second();
    (0..END).contains(&moment).then_some(moment).ok_or(MomentFault::Outside)
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    /// 2026-06-01 16:59:30 UTC.
    const JUNE: Moment = 1_780_333_170;

    #[test]
    fn times_of_records_are_read_in_all_their_forms() {
        use MomentFault::*;
        let stockholm = super::Zone::find("Europe/Stockholm").unwrap();
        for (text, expected) in [
            ("20260601185930+0200", Ok(JUNE)),
            ("20260601185930 +02:00", Ok(JUNE)),
            ("20260601125930-04", Ok(JUNE)),
            ("20260601165930Z", Ok(JUNE)),
            ("20260601165930.75Z", Ok(JUNE)),
            ("20260601165930,750123456789Z", Ok(JUNE)),
            ("20260601T185930+0200", Ok(JUNE)),
            ("20260601 185930", Ok(JUNE)),
            ("20260601T1859+02", Ok(JUNE - 30)),
            ("20260601185930", Ok(JUNE)),
            ("2026-06-01T18:59:30+02:00", Ok(JUNE)),
            ("2026-06-01T18:59:30 +0200", Ok(JUNE)),
            ("2026-06-01 16:59:30.75Z", Ok(JUNE)),
            ("2026-06-01t16:59:30z", Ok(JUNE)),
            ("2026-06-01T16:59Z", Ok(JUNE - 30)),
            ("2026-06-01 18:59:30", Ok(JUNE)),
            // UTCTime, and GeneralizedTime without seconds or minutes.
            ("260601165930Z", Ok(JUNE)),
            ("260601185930+0200", Ok(JUNE)),
            ("260601185930", Ok(JUNE)),
            ("2606011659Z", Ok(JUNE - 30)),
            ("202606011659Z", Ok(JUNE - 30)),
            ("2026060116Z", Ok(JUNE - 30 - 59 * 60)),
            ("991231235959Z", Ok(946_684_799)),
            ("201211211859Z", Err(Ambiguous)),
            ("2012112118Z", Err(Ambiguous)),
            ("2026060116", Err(NoZone)),
            ("2606011659", Err(NoZone)),
            ("1780333170", Err(Form)),
            // A leap second counts as the last second of its minute.
            ("20161231235960Z", Ok(1_483_228_799)),
            ("20161231235961Z", Err(Form)),
            ("20260601240000Z", Err(Form)),
            ("20260329023000", Err(Skipped)),
            ("20261025023000", Err(Twice)),
            ("20261025023000+0100", Ok(1_792_891_800)),
            ("20260230120000Z", Err(Form)),
            ("20260601185930+1400", Ok(JUNE - 12 * 3_600)),
            ("20260601185930+1401", Err(Offset)),
            ("20260601185930-2359", Err(Offset)),
            ("20260601185930+0260", Err(Offset)),
            ("20260601185930+2", Err(Offset)),
            ("20260601185930+", Err(Offset)),
            ("2026-06-01T18:59:30-00:00", Ok(JUNE + 7_200)),
            // Separators missing or misplaced.
            ("2012-1-1 18:59:30Z", Err(Form)),
            ("202-606-01T18:59:30Z", Err(Form)),
            ("2026-0601T18:59:30Z", Err(Form)),
            ("2026-06-01T185930Z", Err(Form)),
            ("20260601T18:59:30Z", Err(Form)),
            ("26-06-01T16:59:30Z", Err(Form)),
            ("2026-06-01-16:59:30Z", Err(Offset)),
            ("2026:06:01 16:59:30Z", Err(Form)),
            ("2026-06-01T16:59:3Z", Err(Form)),
            ("2026-06-01T16:59.5Z", Err(Form)),
            ("20260601165930.Z", Err(Form)),
            ("2606011659.5Z", Err(Form)),
            ("2026060118593", Err(Form)),
            ("20260601185930x", Err(Form)),
            ("20260601185930 Europe/Stockholm", Err(Form)),
            ("2026-06-01", Err(Form)),
            ("2026-06-01Z", Err(Form)),
            ("\u{200e}2026-06-01T16:59:30Z", Err(Form)),
            ("２０２６-06-01T16:59:30Z", Err(Form)),
            (" 20260601165930Z", Err(Form)),
            ("21260601185930Z", Err(Outside)),
            ("00010101000000Z", Err(Outside)),
            ("", Err(Form)),
        ] {
            let found = record_moment(text.as_bytes(), Some(&stockholm));
            assert_eq!(found.map_err(|fault| fault.0), expected, "{text}");
        }
        let without = record_moment(b"20260601185930", None);
        assert_eq!(without, Err(RecordTimeFault(NoZone)));
    }

    #[test]
    fn a_time_stamp_of_3gpp_has_its_digits_in_halves_of_octets() {
        let stamp = [0x26, 0x06, 0x01, 0x18, 0x59, 0x30, b'+', 0x02, 0x00];
        assert_eq!(record_moment(&stamp, None), Ok(JUNE));
        let with = |place: usize, octet: u8| {
            let mut octets = stamp;
            octets[place] = octet;
            record_moment(&octets, None).map_err(|fault| fault.0)
        };
        let years_before = (0..56).map(|year| 365 + i64::from(year % 4 == 2)).sum::<i64>();
        assert_eq!(with(0, 0x70), Ok(JUNE - years_before * 86_400), "70 is 1970, which 69 is not");
        assert_eq!(with(7, 0x14), Ok(JUNE - 12 * 3_600));
        assert_eq!(with(6, b'-'), Ok(JUNE + 4 * 3_600));
        for (place, octet, fault) in [
            (7, 0x15, MomentFault::Offset),
            (8, 0x60, MomentFault::Offset),
            (3, 0x24, MomentFault::Form),
            (1, 0x13, MomentFault::Form),
            (6, 0, MomentFault::Form),
        ] {
            assert_eq!(with(place, octet), Err(fault), "{octet:02x} at {place}");
        }
        for length in [0, 6, 8, 10] {
            let octets: Vec<u8> = stamp.iter().copied().cycle().take(length).collect();
            assert_eq!(time_stamp(&octets), Err(MomentFault::Form), "{length} octets");
        }
    }

    #[test]
    fn a_moment_has_a_zone() {
        use MomentFault::*;
        for (text, expected) in [
            ("1970-01-01T00:00:00Z", Ok(0)),
            ("2026-01-01 Europe/Stockholm", Ok(1_767_222_000)),
            ("2026-01-01 00:00 +01:00", Ok(1_767_222_000)),
            ("2026-01-01+01:00", Ok(1_767_222_000)),
            ("2026-01-01T00:00[Europe/Stockholm]", Ok(1_767_222_000)),
            ("2026-01-01T00:00:00+0100", Ok(1_767_222_000)),
            ("20260101000000+0100", Ok(1_767_222_000)),
            ("2024-02-29 12:00:30 UTC", Ok(1_709_208_030)),
            ("2026-01-01", Err(NoZone)),
            ("2026-01-01 06:00", Err(NoZone)),
            ("2026-02-29 UTC", Err(Form)),
            ("2026-01-01 6:00 UTC", Err(Form)),
            ("2026-1-1 UTC", Err(Form)),
            ("yesterday", Err(Form)),
            ("2026-01-01 [Europe/Stockholm", Err(Form)),
            ("2026-01-01 Europe/Stokholm", Err(Zone)),
            ("2026-01-01 +1", Err(Offset)),
            ("2026-01-01 +25:00", Err(Offset)),
            ("2026-03-29 02:30 Europe/Stockholm", Err(Skipped)),
            ("2026-10-25 02:30 Europe/Stockholm", Err(Twice)),
            ("2026-10-25 02:30 +02:00", Ok(1_792_888_200)),
            ("1969-12-31 UTC", Err(Outside)),
            ("2100-01-01 UTC", Err(Outside)),
        ] {
            assert_eq!(moment(text), expected, "{text}");
        }
    }

    /// A moment, and an offset in minutes.
    fn any_moment() -> impl Strategy<Value = (Moment, i32)> {
        // Two days less at each end, so that the local time is also within the supported years.
        (2 * 86_400..END - 2 * 86_400, -14 * 60..=14 * 60_i32)
    }

    /// A moment in each documented form, with the precision that the form has.
    fn forms(moment: Moment, minutes: i32) -> Vec<(String, Moment)> {
        let offset = Offset::from_seconds(minutes * 60).unwrap();
        let shown = offset.to_datetime(jiff::Timestamp::from_second(moment).unwrap());
        let sign = if minutes < 0 { '-' } else { '+' };
        let (hours, rest) = (minutes.abs() / 60, minutes.abs() % 60);
        let mut zones =
            vec![format!("{sign}{hours:02}{rest:02}"), format!("{sign}{hours:02}:{rest:02}")];
        if rest == 0 {
            zones.push(format!("{sign}{hours:02}"));
        }
        if minutes == 0 {
            zones.extend(["Z".into(), "z".into()]);
        }
        let (year, month, day) = (shown.year(), shown.month(), shown.day());
        let (hour, minute, second) = (shown.hour(), shown.minute(), shown.second());
        let dates =
            [format!("{year:04}{month:02}{day:02}"), format!("{year:04}-{month:02}-{day:02}")];
        let times = [format!("{hour:02}{minute:02}"), format!("{hour:02}:{minute:02}")];
        let mut texts = Vec::new();
        for between in ["T", "t", " "] {
            for (date, time) in dates.iter().zip(&times) {
                let colon = if time.contains(':') { ":" } else { "" };
                texts.push((format!("{date}{between}{time}"), moment - i64::from(second)));
                for parts in ["", ".5", ",25"] {
                    let text = format!("{date}{between}{time}{colon}{second:02}{parts}");
                    texts.push((text, moment));
                }
            }
        }
        for parts in ["", ".5", ",25"] {
            texts.push((format!("{}{}{second:02}{parts}", dates[0], times[0]), moment));
        }
        // Ambiguous times must be refused.
        let two = format!("{:02}{month:02}{day:02}{}", year % 100, times[0]);
        if (1970..2070).contains(&year) && !(2001..=2012).contains(&year) && year != 2020 {
            texts.push((format!("{two}{second:02}"), moment));
            texts.push((two, moment - i64::from(second)));
            texts.push((format!("{}{}", dates[0], times[0]), moment - i64::from(second)));
            let whole = moment - i64::from(second) - 60 * i64::from(minute);
            texts.push((format!("{}{hour:02}", dates[0]), whole));
        }
        let with_zone = |(text, moment): &(String, Moment)| {
            let (text, moment) = (text.clone(), *moment);
            zones
                .iter()
                .flat_map(move |zone| {
                    ["", " "].map(|blank| (format!("{text}{blank}{zone}"), moment))
                })
                .collect::<Vec<_>>()
        };
        texts.iter().flat_map(with_zone).collect()
    }

    proptest! {
        #[test]
        fn a_moment_is_read_from_each_form_by_each_reader((at, minutes) in any_moment()) {
            for (text, expected) in forms(at, minutes) {
                prop_assert_eq!(record_moment(text.as_bytes(), None), Ok(expected), "{}", &text);
                prop_assert_eq!(moment(&text), Ok(expected), "{}", &text);
            }
        }

        #[test]
        fn a_text_that_was_changed_is_what_a_plain_reader_makes_of_it(
            (at, minutes) in any_moment(),
            form in any::<prop::sample::Index>(),
            places in prop::collection::vec((any::<prop::sample::Index>(), 0..3, letter()), 1..3),
        ) {
            let forms = forms(at, minutes);
            let mut text: Vec<char> = forms[form.index(forms.len())].0.chars().collect();
            for (place, how, letter) in places {
                let place = place.index(text.len());
                match how {
                    0 => text[place] = letter,
                    1 => text.insert(place, letter),
                    _ => drop(text.remove(place)),
                }
            }
            let text: String = text.into_iter().collect();
            prop_assert_eq!(record_moment(text.as_bytes(), None).ok(), plainly(&text), "{}", text);
        }

        #[test]
        fn nine_octets_are_a_time_stamp_or_no_time(octets in any::<[u8; 9]>()) {
            if let Ok(found) = time_stamp(&octets) {
                let hex = octets.map(|octet| format!("{octet:02x}")).concat();
                prop_assert!(hex[..12].bytes().all(|digit| digit.is_ascii_digit()), "{hex}");
                let text = format!("{}{}{}", &hex[..12], char::from(octets[6]), &hex[14..]);
                let century = if &hex[..2] < "70" { "20" } else { "19" };
                prop_assert_eq!(record_moment(format!("{century}{text}").as_bytes(), None), Ok(found));
            }
        }
    }

    fn letter() -> impl Strategy<Value = char> {
        prop::sample::select("00123456789-+:., TZtz/x\0\u{e9}".chars().collect::<Vec<_>>())
    }

    /// Forms up to seconds, with 0 for each digit.
    const TO_SECONDS: [&str; 7] = [
        "0000-00-00T00:00:00",
        "0000-00-00t00:00:00",
        "0000-00-00 00:00:00",
        "00000000T000000",
        "00000000t000000",
        "00000000 000000",
        "00000000000000",
    ];

    /// Shorter forms.
    const SHORTER: [&str; 8] = [
        "0000-00-00T00:00",
        "0000-00-00t00:00",
        "0000-00-00 00:00",
        "00000000T0000",
        "00000000t0000",
        "00000000 0000",
        "000000000000",
        "0000000000",
    ];

    const ZONES: [&str; 8] = ["Z", "z", "+00:00", "-00:00", "+0000", "-0000", "+00", "-00"];

    /// A reference parser: recognizes the form by its shape and lets another library parse the
    /// numbers.
    fn plainly(text: &str) -> Option<Moment> {
        let shape: String =
            text.chars().map(|c| if c.is_ascii_digit() { '0' } else { c }).collect();
        let (head, zone) = ZONES.iter().find_map(|zone| {
            let head = shape.strip_suffix(zone)?;
            let head = head.strip_suffix(' ').unwrap_or(head);
            let whole = match head.split_once(['.', ',']) {
                Some((whole, parts)) if !parts.is_empty() && parts.chars().all(|c| c == '0') => {
                    TO_SECONDS.contains(&whole).then_some(whole)
                }
                Some(_) => None,
                None => (TO_SECONDS.contains(&head) || SHORTER.contains(&head)).then_some(head),
            };
            Some((whole?.len(), &text[text.len() - zone.len()..]))
        })?;
        let digits = |text: &str| text.chars().filter(char::is_ascii_digit).collect::<String>();
        let (shown, offset) = (digits(&text[..head]), digits(zone) + "0000");
        if offset[..2].parse::<u32>().unwrap() * 60 + offset[2..4].parse::<u32>().unwrap() > 14 * 60
        {
            return None;
        }
        let sign = if zone.starts_with('-') { '-' } else { '+' };
        let read = |shown: String| {
            let (at, of) = (|n: usize| &shown[n..n + 2], &offset);
            let text = format!(
                "{}-{}-{}T{}:{}:{}{sign}{}:{}",
                &shown[..4],
                at(4),
                at(6),
                at(8),
                at(10),
                at(12),
                &of[..2],
                &of[2..4],
            );
            text.parse::<jiff::Timestamp>().ok().map(jiff::Timestamp::as_second)
        };
        let filled = |shown: &str| format!("{shown:0<14}");
        let moment = match text[..head].len() {
            // Digits alone.
            length @ (10 | 12) if length == shown.len() => {
                let year =
                    |text: &String| (1970..2100).contains(&text[..4].parse::<u32>().unwrap());
                let century = if &shown[..2] < "70" { "20" } else { "19" };
                let by_four = Some(filled(&shown)).filter(year).and_then(read);
                let by_two = read(filled(&format!("{century}{shown}")));
                match (by_four, by_two) {
                    (Some(_), Some(_)) => None,
                    (by_four, by_two) => by_four.or(by_two),
                }
            }
            _ => read(filled(&shown)),
        };
        moment.filter(|moment| (0..END).contains(moment))
    }
}
