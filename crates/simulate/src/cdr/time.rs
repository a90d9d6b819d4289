//! Converts seconds since 1970 to the nine octets of TS 32.298's TimeStamp: YYMMDDhhmmss in BCD, `+`, hhmm.

/// The octet of two decimal digits.
pub(crate) const BCD: [u8; 100] = {
    let mut table = [0; 100];
    let mut number = 0;
    while number < 100 {
        table[number] = (number / 10 * 16 + number % 10) as u8;
        number += 1;
    }
    table
};

/// Returns the time stamp of a second, in UTC.
#[inline]
pub(crate) fn stamp(second: u64) -> [u8; 9] {
    let (year, month, day) = date(second / 86_400);
    let in_day = second % 86_400;
    let pair = |number: u64| BCD[(number % 100) as usize];
    let (hour, minute) = (pair(in_day / 3600), pair(in_day / 60 % 60));
    [pair(year), pair(month), pair(day), hour, minute, pair(in_day % 60), b'+', 0, 0]
}

/// Returns year, month and day of a day since 1970 (the Gregorian calendar counted from 1 March of year 0).
fn date(day: u64) -> (u64, u64, u64) {
    let day = day + 719_468;
    let era = day / 146_097;
    let of_era = day % 146_097;
    let year_of_era = (of_era - of_era / 1460 + of_era / 36_524 - of_era / 146_096) / 365;
    let of_year = of_era - (365 * year_of_era + year_of_era / 4 - year_of_era / 100);
    let shifted = (5 * of_year + 2) / 153;
    let month = if shifted < 10 { shifted + 3 } else { shifted - 9 };
    let year = era * 400 + year_of_era + u64::from(month <= 2);
    (year, month, of_year - (153 * shifted + 2) / 5 + 1)
}

#[cfg(test)]
mod tests {
    #[test]
    fn seconds_are_written_as_calendar_time() {
        let stamp = |second| super::stamp(second).map(|octet| format!("{octet:02x}")).concat();
        assert_eq!(stamp(0), "7001010000002b0000");
        assert_eq!(stamp(1_709_251_199), "2402292359592b0000");
        assert_eq!(stamp(1_767_225_600), "2601010000002b0000");
    }
}
