//! Times and lengths of time as network elements write them.

/// A time of a local clock, with its offset from UTC if the file gives it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Time {
    /// The seconds from the beginning of 1970 to that time, both of the local clock.
    pub local_seconds: i64,
    /// The offset of the local clock.
    pub offset: Offset,
}

/// The offset of a local clock from UTC.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Offset {
    /// The file does not give it.
    Unknown,
    /// It is UTC.
    Utc,
    /// Minutes, positive in the east.
    Minutes(i16),
}

/// The seconds of a day.
const DAY: i64 = 86_400;

impl Time {
    /// Reads a time: `2022-04-18T19:15:00+02:00` of ISO 8601, with or without the offset, with a fraction, which is dropped,
    /// or with seconds in the offset (`-05:00:00`); and `20220418191500` with or without `Z` or `+0200` (X.680,
    /// GeneralizedTime).
    pub fn read(text: &[u8]) -> Option<Self> {
        let mut digits = Digits(text);
        let year = digits.take(4)?;
        let has_marks = digits.skip(b"-");
        let month = digits.take(2)?;
        if has_marks && !digits.skip(b"-") {
            return None;
        }
        let day = digits.take(2)?;
        if has_marks && !digits.skip(b"Tt ") {
            return None;
        }
        let hour = digits.take(2)?;
        if has_marks && !digits.skip(b":") {
            return None;
        }
        let minute = digits.take(2)?;
        let has_seconds = match has_marks {
            true => digits.skip(b":"),
            false => digits.0.first().is_some_and(u8::is_ascii_digit),
        };
        let second = if has_seconds { digits.take(2)? } else { 0 };
        if has_seconds && digits.skip(b".,") {
            let length = digits.0.iter().take_while(|octet| octet.is_ascii_digit()).count();
            digits.0 = digits.0.get(length..).filter(|_| length > 0)?;
        }
        let offset = Offset::read(digits.0)?;
        let is_sound = (1..=12).contains(&month)
            && (1..=days_of(year, month)).contains(&day)
            && hour <= 24
            && minute < 60
            && second <= 60;
        is_sound.then(|| Time {
            local_seconds: days(year, month, day) * DAY + hour * 3600 + minute * 60 + second,
            offset,
        })
    }

    /// Returns the time so many seconds later.
    pub fn plus(self, seconds: i64) -> Self {
        Time { local_seconds: self.local_seconds.saturating_add(seconds), ..self }
    }

    /// Appends it as a GeneralizedTime (X.680, clause 46): `20220418191500+0200`.
    pub fn write(self, out: &mut Vec<u8>) {
        let (day, second) =
            (self.local_seconds.div_euclid(DAY), self.local_seconds.rem_euclid(DAY));
        let (year, month, day) = date(day);
        put(out, year.clamp(0, 9999), 4);
        for number in [month, day, second / 3600, second / 60 % 60, second % 60] {
            put(out, number, 2);
        }
        match self.offset {
            Offset::Unknown => {}
            Offset::Utc => out.push(b'Z'),
            Offset::Minutes(minutes) => {
                out.push(if minutes < 0 { b'-' } else { b'+' });
                let minutes = i64::from(minutes).abs();
                put(out, minutes / 60, 2);
                put(out, minutes % 60, 2);
            }
        }
    }
}

impl Offset {
    /// Reads an offset: `Z`, `+02:00`, `+0200`, `+02`, `-05:00:00`, or nothing. `_0100` is east: senders replace the plus
    /// sign where names of files cannot have it.
    fn read(text: &[u8]) -> Option<Self> {
        let (sign, digits) = match text {
            [] => return Some(Offset::Unknown),
            [b'Z' | b'z'] => return Some(Offset::Utc),
            [b'+' | b'_', digits @ ..] => (1, digits),
            [b'-', digits @ ..] => (-1, digits),
            _ => return None,
        };
        let mut digits = Digits(digits);
        let hours = digits.take(2)?;
        digits.skip(b":");
        let minutes = if digits.0.is_empty() { 0 } else { digits.take(2)? };
        // No offset of today has seconds.
        if !digits.0.is_empty() && (!digits.skip(b":") || digits.take(2)? != 0) {
            return None;
        }
        let is_sound = digits.0.is_empty() && hours < 24 && minutes < 60;
        is_sound.then_some(Offset::Minutes((sign * (hours * 60 + minutes)) as i16))
    }
}

/// Reads a length of time in whole seconds: `PT900S`, `PT15M`, `PT1H30M`, `P1D`, or `900`.
pub fn seconds(text: &[u8]) -> Option<u32> {
    let Some(parts) = text.strip_prefix(b"P") else { return number(text) };
    let (mut rest, mut sum, mut is_time) = (parts, 0_u32, false);
    let mut has_parts = false;
    while let [first, behind @ ..] = rest {
        if *first == b'T' && !is_time {
            (is_time, rest) = (true, behind);
            continue;
        }
        let length = rest.iter().take_while(|octet| octet.is_ascii_digit()).count();
        let value = number(&rest[..length])?;
        let mut unit = &rest[length..];
        if let [b'.' | b',', fraction @ ..] = unit {
            let zeros = fraction.iter().take_while(|octet| **octet == b'0').count();
            unit = &fraction[zeros..];
        }
        let each = match (unit.first()?, is_time) {
            (b'D', false) => 86_400,
            (b'H', true) => 3_600,
            (b'M', true) => 60,
            (b'S', true) => 1,
            _ => return None,
        };
        sum = sum.checked_add(value.checked_mul(each)?)?;
        (rest, has_parts) = (&unit[1..], true);
    }
    has_parts.then_some(sum)
}

/// Returns a number without sign.
fn number(text: &[u8]) -> Option<u32> {
    let is_number = !text.is_empty() && text.iter().all(u8::is_ascii_digit);
    std::str::from_utf8(text).ok().filter(|_| is_number)?.parse().ok()
}

/// Digits that are read one after another.
struct Digits<'o>(&'o [u8]);

impl Digits<'_> {
    /// Returns a number of so many digits.
    fn take(&mut self, count: usize) -> Option<i64> {
        let (digits, rest) = self.0.split_at_checked(count)?;
        let value = number(digits)?;
        self.0 = rest;
        Some(i64::from(value))
    }

    /// Passes one of these characters, if it is next.
    fn skip(&mut self, any: &[u8]) -> bool {
        let is_next = self.0.first().is_some_and(|octet| any.contains(octet));
        if is_next {
            self.0 = &self.0[1..];
        }
        is_next
    }
}

fn days_of(year: i64, month: i64) -> i64 {
    match month {
        4 | 6 | 9 | 11 => 30,
        2 if year % 4 == 0 && (year % 100 != 0 || year % 400 == 0) => 29,
        2 => 28,
        _ => 31,
    }
}

/// Returns the days from the beginning of 1970 to a date of the Gregorian calendar. Years begin with March, so that the
/// leap day is the last.
fn days(year: i64, month: i64, day: i64) -> i64 {
    let (year, month) = if month > 2 { (year, month - 3) } else { (year - 1, month + 9) };
    let of_year = (153 * month + 2) / 5 + day - 1;
    year * 365 + year.div_euclid(4) - year.div_euclid(100) + year.div_euclid(400) + of_year
        - 719_468
}

/// Returns the year, month and day of a number of days since the beginning of 1970.
fn date(days_since_1970: i64) -> (i64, i64, i64) {
    // Not after the year that is looked for.
    let mut year = 1970 + days_since_1970.div_euclid(if days_since_1970 < 0 { 365 } else { 366 });
    while days(year + 1, 1, 1) <= days_since_1970 {
        year += 1;
    }
    let mut rest = days_since_1970 - days(year, 1, 1);
    let mut month = 1;
    while rest >= days_of(year, month) {
        rest -= days_of(year, month);
        month += 1;
    }
    (year, month, rest + 1)
}

fn put(out: &mut Vec<u8>, number: i64, digits: u32) {
    for place in (0..digits).rev() {
        out.push(b'0' + (number / 10_i64.pow(place) % 10) as u8);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn times_are_read_in_every_form_that_network_elements_write() {
        for (text, expected) in [
            ("2022-04-18T19:15:00+00:00", "20220418191500+0000"),
            ("2022-04-18T19:15:00Z", "20220418191500Z"),
            ("2022-04-18T19:15:00", "20220418191500"),
            ("2022-04-18T19:15", "20220418191500"),
            ("2022-04-18 19:15:00.000+02", "20220418191500+0200"),
            ("2029-03-15T21:00:00.000-05:00:00", "20290315210000-0500"),
            ("20000301141430", "20000301141430"),
            ("200003011414", "20000301141400"),
            ("20000301141430.0+0100", "20000301141430+0100"),
            ("20000301141430_0100", "20000301141430+0100"),
            ("2024-02-29T24:00:00Z", "20240301000000Z"),
            ("2016-12-31T23:59:60Z", "20170101000000Z"),
            ("1969-12-31T23:59:59Z", "19691231235959Z"),
            ("0000-03-01T00:00:00Z", "00000301000000Z"),
        ] {
            let mut written = Vec::new();
            Time::read(text.as_bytes()).unwrap_or_else(|| panic!("{text}")).write(&mut written);
            assert_eq!(String::from_utf8_lossy(&written), expected, "{text}");
        }
        for text in [
            "",
            "2022",
            "2023-02-29T00:00:00Z",
            "2022-13-01T00:00:00Z",
            "2022-04-18T25:00:00Z",
            "2022-04-18T19:15:00.Z",
            "2022-04-18T19:15:00+02:0",
            "2022-04-18T19:15:00+02:00:01",
            "2022-04-18T19:15:00 yesterday",
            "2022-0418T19:15:00",
        ] {
            assert_eq!(Time::read(text.as_bytes()), None, "{text}");
        }
    }

    #[test]
    fn a_period_begins_so_many_seconds_before_its_end() {
        let end = Time::read(b"2024-03-01T00:00:23+01:00").expect("it is a time");
        let mut written = Vec::new();
        end.plus(-60).write(&mut written);
        assert_eq!(written, b"20240229235923+0100");
    }

    #[test]
    fn every_day_of_eight_centuries_has_a_date() {
        for day in -146_097..146_097 {
            let (year, month, of_month) = date(day);
            assert_eq!(days(year, month, of_month), day);
        }
    }

    #[test]
    fn lengths_of_time_are_whole_seconds() {
        for (text, expected) in [
            ("PT900S", Some(900)),
            ("PT15M", Some(900)),
            ("PT1H30M", Some(5400)),
            ("P1D", Some(86_400)),
            ("P1DT1S", Some(86_401)),
            ("PT900.000S", Some(900)),
            ("900", Some(900)),
            ("PT0.5S", None),
            ("P1M", None),
            ("PT", None),
            ("P", None),
            ("", None),
            ("-5", None),
            ("PT99999999999S", None),
            ("P99999D", None),
        ] {
            assert_eq!(seconds(text.as_bytes()), expected, "{text}");
        }
    }
}
