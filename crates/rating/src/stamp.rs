//! Moments as records write them, read without a search or an allocation: characters, with separators or without, and
//! the TimeStamp of 3GPP TS 32.298 (5.2.2.1), nine octets of which each half is a digit.

use jiff::civil::{Date, DateTime, Time};
use jiff::tz::{AmbiguousOffset, Offset, TimeZone};

use crate::time::{END, Moment, MomentFault, zone_of};

/// The zone of times that do not say theirs.
#[derive(Clone, Debug)]
pub struct Zone(TimeZone);

impl Zone {
    /// The zone of a name of the IANA database, or of an offset.
    pub fn find(name: &str) -> Result<Zone, MomentFault> {
        zone_of(name).map(Zone)
    }
}

/// The moment of a time in a record: `20260601185930+0200`, `2026-06-01T18:59:30.25Z`, `260601185930Z`, or a TimeStamp.
/// A year of two digits is one of this century. Parts of seconds are cut off. A time that says no zone has the given
/// one; without it, it is [no moment](MomentFault::NoZone).
pub fn stamp(octets: &[u8], zone: Option<&Zone>) -> Result<Moment, MomentFault> {
    match octets {
        [bcd @ .., sign @ (b'+' | b'-'), hour, minute] if bcd.len() == 6 => {
            let mut digits = Digits { digits: [0; 14], length: 0 };
            bcd.iter().try_for_each(|octet| digits.push_both(*octet))?;
            let offset =
                [*hour, *minute].map(|octet| i32::from(octet >> 4) * 10 + i32::from(octet & 15));
            moment(digits.civil()?, Shift::Offset(seconds(*sign, offset)?))
        }
        _ => characters(octets, zone),
    }
}

fn characters(text: &[u8], zone: Option<&Zone>) -> Result<Moment, MomentFault> {
    let mut digits = Digits { digits: [0; 14], length: 0 };
    let mut rest = text;
    while let [first, behind @ ..] = rest {
        match first {
            b'0'..=b'9' => digits.push(first - b'0')?,
            // A minus stands before an offset where the time of day is over.
            b'-' if digits.length >= 10 => break,
            b'-' | b':' | b'T' | b' ' => {}
            _ => break,
        }
        rest = behind;
    }
    if let [b'.' | b',', parts @ ..] = rest {
        let length = parts.iter().take_while(|octet| octet.is_ascii_digit()).count();
        rest = &parts[length..];
    }
    let civil = digits.civil()?;
    let pair = |a: u8, b: u8| match (a, b) {
        (b'0'..=b'9', b'0'..=b'9') => Ok(i32::from(a - b'0') * 10 + i32::from(b - b'0')),
        _ => Err(MomentFault::Form),
    };
    match *rest {
        [] => match zone {
            Some(Zone(zone)) => moment(civil, Shift::Zone(zone)),
            None => Err(MomentFault::NoZone),
        },
        [b'Z'] => moment(civil, Shift::Offset(0)),
        [sign @ (b'+' | b'-'), a, b, b':', c, d] | [sign @ (b'+' | b'-'), a, b, c, d] => {
            moment(civil, Shift::Offset(seconds(sign, [pair(a, b)?, pair(c, d)?])?))
        }
        [sign @ (b'+' | b'-'), a, b] => {
            moment(civil, Shift::Offset(seconds(sign, [pair(a, b)?, 0])?))
        }
        _ => Err(MomentFault::Form),
    }
}

/// The digits of a date and a time of day.
struct Digits {
    digits: [u8; 14],
    length: usize,
}

impl Digits {
    fn push(&mut self, digit: u8) -> Result<(), MomentFault> {
        *self.digits.get_mut(self.length).ok_or(MomentFault::Form)? = digit;
        self.length += 1;
        Ok(())
    }

    fn push_both(&mut self, octet: u8) -> Result<(), MomentFault> {
        let halves = [octet >> 4, octet & 15];
        if halves.iter().any(|half| *half > 9) {
            return Err(MomentFault::Form);
        }
        halves.into_iter().try_for_each(|half| self.push(half))
    }

    fn civil(&self) -> Result<DateTime, MomentFault> {
        let number = |from: usize, to: usize| {
            self.digits[from..to].iter().fold(0_i16, |n, digit| n * 10 + i16::from(*digit))
        };
        let (year, at) = match self.length {
            14 => (number(0, 4), 4),
            12 => (2000 + number(0, 2), 2),
            _ => return Err(MomentFault::Form),
        };
        let part = |n: usize| number(at + 2 * n, at + 2 * n + 2) as i8;
        let date = Date::new(year, part(0), part(1)).map_err(|_| MomentFault::Form)?;
        // A leap second is the last second of its minute to clocks that do not know it.
        let time =
            Time::new(part(2), part(3), part(4).min(59), 0).map_err(|_| MomentFault::Form)?;
        Ok(date.to_datetime(time))
    }
}

fn seconds(sign: u8, [hour, minute]: [i32; 2]) -> Result<i32, MomentFault> {
    if hour > 23 || minute > 59 {
        return Err(MomentFault::Form);
    }
    let seconds = hour * 3_600 + minute * 60;
    Ok(if sign == b'-' { -seconds } else { seconds })
}

/// How far clocks are from UTC.
enum Shift<'z> {
    Offset(i32),
    Zone(&'z TimeZone),
}

fn moment(civil: DateTime, shift: Shift<'_>) -> Result<Moment, MomentFault> {
    let offset = match shift {
        Shift::Offset(seconds) => Offset::from_seconds(seconds).map_err(|_| MomentFault::Form)?,
        Shift::Zone(zone) => match zone.to_ambiguous_timestamp(civil).offset() {
            AmbiguousOffset::Unambiguous { offset } => offset,
            AmbiguousOffset::Gap { .. } => return Err(MomentFault::Skipped),
            AmbiguousOffset::Fold { .. } => return Err(MomentFault::Twice),
        },
    };
    let moment = offset.to_timestamp(civil).map_err(|_| MomentFault::Outside)?.as_second();
    (0..END).contains(&moment).then_some(moment).ok_or(MomentFault::Outside)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn times_of_records_are_read_in_all_their_forms() {
        let stockholm = Zone::find("Europe/Stockholm").unwrap();
        for (text, expected) in [
            ("20260601185930+0200", Ok(1_780_333_170)),
            ("2026-06-01T18:59:30+02:00", Ok(1_780_333_170)),
            ("2026-06-01 16:59:30.75Z", Ok(1_780_333_170)),
            ("260601165930Z", Ok(1_780_333_170)),
            ("20260601125930-04", Ok(1_780_333_170)),
            ("20260601185930", Ok(1_780_333_170)),
            ("20260329023000", Err(MomentFault::Skipped)),
            ("20261025023000", Err(MomentFault::Twice)),
            ("20261025023000+0100", Ok(1_792_891_800)),
            ("20260230120000Z", Err(MomentFault::Form)),
            ("2026060118593", Err(MomentFault::Form)),
            ("20260601185930+2500", Err(MomentFault::Form)),
            ("20260601185930x", Err(MomentFault::Form)),
            ("21260601185930Z", Err(MomentFault::Outside)),
            ("", Err(MomentFault::Form)),
        ] {
            assert_eq!(stamp(text.as_bytes(), Some(&stockholm)), expected, "{text}");
        }
        assert_eq!(stamp(b"20260601185930", None), Err(MomentFault::NoZone));
    }

    #[test]
    fn a_time_stamp_of_3gpp_has_its_digits_in_halves_of_octets() {
        let octets = [0x26, 0x06, 0x01, 0x18, 0x59, 0x30, b'+', 0x02, 0x00];
        assert_eq!(stamp(&octets, None), Ok(1_780_333_170));
        let no_digits = [0x2a, 0x06, 0x01, 0x18, 0x59, 0x30, b'+', 0x02, 0x00];
        assert_eq!(stamp(&no_digits, None), Err(MomentFault::Form));
    }
}
