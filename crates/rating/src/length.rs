//! Lengths of calendar time, such as a month: how long a bundle is valid, and how often a fee is due.

use jiff::{Span, Timestamp};

use crate::plan::Plan;

/// The maximum count of a [`Length`]: days of more than a century are a mistake.
const COUNT_MAX: u16 = 40_000;

/// A number of days or months by the clock of a plan's home. A day has 23 or 25 hours when that clock changes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Length {
    /// Days, at least one.
    Days(u16),
    /// Months, at least one.
    Months(u16),
}

impl Length {
    /// Reads `30 days` or `1 month`. `None` if the text is none of these.
    pub fn read(text: &str) -> Option<Self> {
        let (count, word) = text.trim().split_once(' ')?;
        let count = count.parse().ok().filter(|count| (1..=COUNT_MAX).contains(count))?;
        match word.trim() {
            "day" | "days" => Some(Length::Days(count)),
            "month" | "months" => Some(Length::Months(count)),
            _ => None,
        }
    }

    fn times(self, count: u32) -> Option<Span> {
        let of = |each: u16| i64::from(each).checked_mul(count.into());
        match self {
            Length::Days(each) => Span::new().try_days(of(each)?).ok(),
            Length::Months(each) => Span::new().try_months(of(each)?).ok(),
        }
    }
}

impl Plan {
    /// Returns the moment that is a number of lengths after another one, in milliseconds since 1970. A month ends on the same
    /// day of the next one, or on its last day: a month after January 31 is February 28, and two months are March 31.
    /// `i64::MAX` if it is beyond the calendar.
    pub fn after(&self, start: i64, length: Length, count: u32) -> i64 {
        let start = Timestamp::from_millisecond(start).ok();
        let start = start.map(|start| start.to_zoned_datetime(self.zone.clone()));
        let span = length.times(count);
        let end = start.zip(span).and_then(|(start, span)| start.checked_add(span).ok());
        end.map_or(i64::MAX, |end| end.timestamp().as_millisecond())
    }

    /// Returns the beginning of the day of a moment, by the clock of the plan's home, in milliseconds since 1970. The moment
    /// itself if it is beyond the calendar.
    pub fn day_begin(&self, at: i64) -> i64 {
        let at_home = Timestamp::from_millisecond(at).ok();
        let day =
            at_home.and_then(|of| of.to_zoned_datetime(self.zone.clone()).start_of_day().ok());
        day.map_or(at, |day| day.timestamp().as_millisecond())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_length_is_a_count_of_days_or_months() {
        assert_eq!(Length::read("30 days"), Some(Length::Days(30)));
        assert_eq!(Length::read(" 1 month "), Some(Length::Months(1)));
        for text in ["", "30", "0 days", "-1 day", "1.5 days", "2 hours", "70000 days"] {
            assert_eq!(Length::read(text), None, "{text}");
        }
    }
}
