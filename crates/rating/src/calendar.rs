//! The calendar: the type of each day at a place, and the time band at each moment.

use clocks::{Clock, DAY, DAYS};

use crate::time::Moment;

/// The seven days, in the order of ISO 8601, and the word for holidays.
pub(crate) const DAY_WORDS: [&str; 8] =
    ["monday", "tuesday", "wednesday", "thursday", "friday", "saturday", "sunday", "holiday"];

/// The index of [`DAY_WORDS`] for holidays.
pub(crate) const HOLIDAY: usize = 7;

/// The weekday of 1970-01-01, a Thursday.
const FIRST_WEEKDAY: i64 = 3;

/// The type of each day in a country.
#[derive(Clone, Debug)]
pub(crate) struct Days {
    /// From the day before 1970-01-01 to the day after the last one: local time may be in either of these.
    kinds: Vec<u8>,
}

impl Days {
    /// Creates the table. `kinds` is indexed like [`DAY_WORDS`]; `holidays` are days since 1970-01-01.
    pub(crate) fn new(kinds: [u8; 8], holidays: &[i64]) -> Days {
        let weekday = |day: i64| (day + FIRST_WEEKDAY).rem_euclid(7) as usize;
        let mut days = Days { kinds: (-1..=DAYS as i64).map(|day| kinds[weekday(day)]).collect() };
        for holiday in holidays {
            days.kinds[(*holiday + 1) as usize] = kinds[HOLIDAY];
        }
        days
    }

    /// Returns the type of a day, counted from the first of the table.
    #[inline]
    fn kind(&self, day: u32) -> u8 {
        self.kinds[(day as usize).min(self.kinds.len() - 1)]
    }
}

/// The bands of a type of day in order: the second of the day each ends at, and its number.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct DayBands(pub(crate) Vec<(u32, u8)>);

/// The clock and the holidays that hold for a usage.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Place {
    pub(crate) clock: u16,
    pub(crate) days: u16,
}

/// The clocks, countries and bands of a plan.
#[derive(Clone, Debug)]
pub(crate) struct Calendar {
    pub(crate) clocks: Vec<Clock>,
    pub(crate) days: Vec<Days>,
    /// The bands of each type of day.
    pub(crate) bands: Vec<DayBands>,
}

/// The time band at a moment.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Band {
    pub(crate) day_kind: u8,
    pub(crate) band: u8,
    /// The moment up to which the band holds, at least.
    pub(crate) until: Moment,
}

impl Calendar {
    /// Returns the band at a place and a moment.
    #[inline(always)]
    pub(crate) fn band(&self, place: Place, moment: Moment) -> Band {
        let shown = self.clocks[usize::from(place.clock)].at(moment);
        let (day, second) = day_and_second(shown.local);
        let day_kind = self.days[usize::from(place.days)].kind(day);
        let bands = &self.bands[usize::from(day_kind)].0;
        let &(end, band) = bands
            .iter()
            .find(|(end, _)| second < *end)
            .expect("the last band of a day ends with it");
        Band { day_kind, band, until: shown.until.min(moment + i64::from(end - second)) }
    }

    /// Returns the day at a place, counted from 1970-01-01.
    pub(crate) fn day(&self, place: Place, moment: Moment) -> i64 {
        i64::from(day_and_second(self.clocks[usize::from(place.clock)].at(moment).local).0) - 1
    }
}

/// Returns the local day, counted from the day before 1970-01-01, and the second of the day. West of UTC, local time
/// starts on that earlier day; no moment is earlier.
#[inline]
fn day_and_second(local: i64) -> (u32, u32) {
    // Unsigned division by a constant compiles to a multiplication.
    let shown = (local + DAY).max(0) as u64;
    ((shown / DAY as u64) as u32, (shown % DAY as u64) as u32)
}

/// Returns the month of a day, counted from January of year 0 (after Hinnant, "chrono-compatible low-level date
/// algorithms").
pub(crate) fn month(day: i64) -> i64 {
    let shifted = day + 719_468;
    let era = shifted.div_euclid(146_097);
    let day_of_era = shifted.rem_euclid(146_097);
    let year_of_era =
        (day_of_era - day_of_era / 1_460 + day_of_era / 36_524 - day_of_era / 146_096) / 365;
    let day_of_year = day_of_era - (365 * year_of_era + year_of_era / 4 - year_of_era / 100);
    // In this algorithm years begin with March, so that the leap day is the last.
    let month_from_march = (5 * day_of_year + 2) / 153;
    (era * 400 + year_of_era) * 12 + month_from_march + 2
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::written::{moment, zone_of};

    fn stockholm() -> Calendar {
        let new_year = 20_454; // 2026-01-01
        Calendar {
            clocks: vec![Clock::new(&zone_of("Europe/Stockholm").unwrap())],
            days: vec![Days::new([0, 0, 0, 0, 0, 1, 1, 1], &[new_year])],
            bands: vec![
                DayBands(vec![(7 * 3600, 1), (19 * 3600, 0), (86_400, 1)]),
                DayBands(vec![(86_400, 1)]),
            ],
        }
    }

    #[test]
    fn the_band_holds_until_the_clocks_show_its_end() {
        for (text, day_kind, band, held) in [
            ("2026-06-01 06:59:59 Europe/Stockholm", 0, 1, 1),
            ("2026-06-01 07:00 Europe/Stockholm", 0, 0, 12 * 3600),
            ("2026-06-05 19:00 Europe/Stockholm", 0, 1, 5 * 3600),
            ("2026-06-06 12:00 Europe/Stockholm", 1, 1, 12 * 3600),
            ("2026-01-01 08:00 Europe/Stockholm", 1, 1, 16 * 3600),
            // The night of the change in spring is an hour shorter. A band ends at a change at the latest.
            ("2026-03-29 00:00 Europe/Stockholm", 1, 1, 2 * 3600),
            ("2026-03-29 03:00 Europe/Stockholm", 1, 1, 21 * 3600),
            ("2026-10-25 00:00 Europe/Stockholm", 1, 1, 3 * 3600),
            ("2026-10-25 02:30 +01:00", 1, 1, 21 * 3600 + 1800),
        ] {
            let at = moment(text).unwrap();
            let found = stockholm().band(Place { clock: 0, days: 0 }, at);
            assert_eq!(found, Band { day_kind, band, until: at + held }, "{text}");
        }
    }

    #[test]
    fn months_are_those_of_the_calendar() {
        let mut date = jiff::civil::date(1970, 1, 1);
        for day in 0..DAYS as i64 {
            let expected = i64::from(date.year()) * 12 + i64::from(date.month()) - 1;
            assert_eq!(month(day), expected, "{date}");
            date = date.tomorrow().unwrap();
        }
    }
}
