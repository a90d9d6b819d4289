//! Time zones by the names in scripts. They are looked up once, and then cached.

use jiff::tz::{Offset, TimeZone};

use crate::fault::{Reason, shown};

/// Maximum number of cached zones; the time zone database has some 600 names.
const ZONES_MAX: usize = 1_000;

/// The cached zones of a script.
#[derive(Debug, Default)]
pub(crate) struct Zones {
    known: Vec<(Box<[u8]>, TimeZone)>,
}

impl Zones {
    /// Returns the zone of a name in the IANA database, as `Europe/Stockholm`, or of an offset from UTC, as `+02:00`.
    pub(crate) fn get(&mut self, name: &[u8]) -> Result<TimeZone, Reason> {
        if let Some((_, zone)) = self.known.iter().find(|(known, _)| **known == *name) {
            return Ok(zone.clone());
        }
        let text = std::str::from_utf8(name).unwrap_or_default();
        let zone = offset(text).map(TimeZone::fixed).or_else(|| TimeZone::get(text).ok());
        let zone =
            zone.ok_or_else(|| Reason::argument(format!("no time zone \"{}\"", shown(name))))?;
        if self.known.len() < ZONES_MAX {
            self.known.push((name.into(), zone.clone()));
        }
        Ok(zone)
    }
}

/// Parses `+hh:mm`, `-hhmm`, `Z` or `UTC`.
fn offset(text: &str) -> Option<Offset> {
    let (sign, digits) = match text.as_bytes() {
        b"Z" | b"UTC" => return Some(Offset::UTC),
        [b'+', digits @ ..] => (1, digits),
        [b'-', digits @ ..] => (-1, digits),
        _ => return None,
    };
    let digits = match digits {
        [a, b, b':', c, d] | [a, b, c, d] => [*a, *b, *c, *d],
        _ => return None,
    };
    if !digits.iter().all(u8::is_ascii_digit) {
        return None;
    }
    let pair = |high: u8, low: u8| i32::from(high - b'0') * 10 + i32::from(low - b'0');
    let seconds = pair(digits[0], digits[1]) * 3600 + pair(digits[2], digits[3]) * 60;
    Offset::from_seconds(sign * seconds).ok()
}
