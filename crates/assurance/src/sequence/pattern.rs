//! Finds the number of a file in its name: `MSC_{number}_*.ber`.
//!
//! `*` and `?` are as in the patterns of `collect`. `{number}` is any number of digits; `{number:5}` is exactly five,
//! where others follow. `{series}` tells counters apart: the files of each series count by themselves.

/// The most parts of a pattern: the work of a match grows with them.
const PARTS_MAX: usize = 32;

/// The most digits of a number, leading zeros included.
const DIGITS_MAX: usize = 15;

/// A pattern of names.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Pattern(Vec<PatternPart>);

#[derive(Clone, Debug, PartialEq, Eq)]
enum PatternPart {
    Text(String),
    /// `?`
    One,
    /// `*`
    Any,
    /// `{number}`, or `{number:5}` with a fixed count of digits.
    Number(Option<usize>),
    /// `{series}`
    Series,
}

/// The number and series in a name.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Named {
    pub number: i64,
    /// Empty where the pattern has none.
    pub series: String,
}

/// Why a text is no pattern.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub(crate) enum PatternError {
    #[error("a name has one number: write {{number}} once")]
    NotOneNumber,
    #[error("{{series}} stands twice")]
    SeriesTwice,
    #[error("a pattern has at most {PARTS_MAX} parts")]
    TooLong,
    #[error("\"{{\" has no \"}}\" behind it")]
    NotClosed,
    /// A placeholder has this text in its braces.
    #[error("\"{{{0}}}\" is none of {{number}}, {{number:5}} and {{series}}")]
    Unknown(String),
}

impl Pattern {
    /// Parses a pattern.
    pub(crate) fn read(text: &str) -> Result<Self, PatternError> {
        let mut parts = Vec::new();
        let mut rest = text;
        while let Some(first) = rest.chars().next() {
            let (part, length) = match first {
                '*' => (PatternPart::Any, 1),
                '?' => (PatternPart::One, 1),
                '{' => placeholder(rest)?,
                _ => {
                    let length = rest.find(['*', '?', '{']).unwrap_or(rest.len());
                    (PatternPart::Text(rest[..length].to_owned()), length)
                }
            };
            parts.push(part);
            rest = &rest[length..];
        }
        let count =
            |wanted: fn(&PatternPart) -> bool| parts.iter().filter(|part| wanted(part)).count();
        if count(|part| matches!(part, PatternPart::Number(_))) != 1 {
            return Err(PatternError::NotOneNumber);
        }
        if count(|part| *part == PatternPart::Series) > 1 {
            return Err(PatternError::SeriesTwice);
        }
        match parts.len() > PARTS_MAX {
            true => Err(PatternError::TooLong),
            false => Ok(Pattern(parts)),
        }
    }

    /// Returns the number and series in a name, if it matches.
    pub(crate) fn find(&self, name: &str) -> Option<Named> {
        let mut failed = vec![false; (self.0.len() + 1) * (name.len() + 1)];
        let mut named = Named { number: 0, series: String::new() };
        self.fit(0, name, 0, &mut named, &mut failed).then_some(named)
    }

    /// Returns whether the parts from `part` on match the name from `at` on. The result depends on nothing else, so
    /// each place is tried once for each part.
    fn fit(
        &self,
        part: usize,
        name: &str,
        at: usize,
        named: &mut Named,
        failed: &mut [bool],
    ) -> bool {
        let tried = part * (name.len() + 1) + at;
        if failed[tried] {
            return false;
        }
        let rest = &name[at..];
        let mut then = |length: usize| self.fit(part + 1, name, at + length, named, failed);
        let fits = match self.0.get(part) {
            None => rest.is_empty(),
            Some(PatternPart::Text(text)) => rest.starts_with(text.as_str()) && then(text.len()),
            Some(PatternPart::One) => rest.chars().next().is_some_and(|one| then(one.len_utf8())),
            Some(PatternPart::Any) => ends(rest).any(then),
            Some(PatternPart::Series) => {
                let end = ends(rest).skip(1).find(|end| then(*end));
                end.inspect(|end| named.series = rest[..*end].to_owned()).is_some()
            }
            Some(PatternPart::Number(digits)) => {
                let there = rest.bytes().take_while(u8::is_ascii_digit).count();
                let lengths = match digits {
                    Some(digits) => *digits..=(*digits).min(there),
                    None => 1..=there.min(DIGITS_MAX),
                };
                let length = lengths.rev().find(|length| then(*length));
                let number = length.and_then(|length| rest[..length].parse().ok());
                number.inspect(|number| named.number = *number).is_some()
            }
        };
        failed[tried] = !fits;
        fits
    }
}

/// Returns where a part of any length may end, the shortest first.
fn ends(rest: &str) -> impl Iterator<Item = usize> {
    rest.char_indices().map(|(at, _)| at).chain([rest.len()])
}

/// Parses the placeholder in braces at the beginning of a text, and returns it with its length.
fn placeholder(text: &str) -> Result<(PatternPart, usize), PatternError> {
    let end = text.find('}').ok_or(PatternError::NotClosed)?;
    let part = match &text[1..end] {
        "number" => PatternPart::Number(None),
        "series" => PatternPart::Series,
        inner => {
            let digits = inner.strip_prefix("number:").and_then(|digits| digits.parse().ok());
            match digits.filter(|digits| (1..=DIGITS_MAX).contains(digits)) {
                Some(digits) => PatternPart::Number(Some(digits)),
                None => return Err(PatternError::Unknown(inner.to_owned())),
            }
        }
    };
    Ok((part, end + 1))
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Checks what a pattern finds in a name: "number", "series number", or nothing.
    fn check(pattern: &str, name: &str, expected: &str) {
        let found = Pattern::read(pattern).unwrap().find(name);
        let found = found.map(|named| format!("{} {}", named.series, named.number));
        assert_eq!(found.unwrap_or_default().trim(), expected, "{pattern} {name}");
    }

    #[test]
    fn a_name_says_a_number() {
        check("MSC_{number}.ber", "MSC_0042.ber", "42");
        check("MSC_{number}.ber", "MSC_.ber", "");
        check("MSC_{number}.ber", "MSC_42.ber.old", "");
        check("{number}", "7", "7");
    }

    #[test]
    fn what_stands_around_it_may_be_anything() {
        check("*{number}.ber", "boston-00017.ber", "17");
        check("*{number}*", "a12b34", "12");
        check("*_{number}_????????.ber", "MSC_1_00042_20261121.ber", "42");
        check("é?{number}", "éü5", "5");
    }

    #[test]
    fn of_digits_that_follow_each_other_so_many_are_the_number() {
        check("MSC{number:4}*.ber", "MSC004220261121.ber", "42");
        check("MSC{number:4}*.ber", "MSC042.ber", "");
        check("MSC{number}", "MSC1234567890123456", "");
    }

    #[test]
    fn a_series_tells_counters_apart() {
        check("CD{series}{number:5}", "CDAAAAABBBBB00017", "AAAAABBBBB 17");
        check("{series}_{number}.ber", "a_b_3.ber", "a_b 3");
        check("{series}{number}", "17", "1 7");
    }

    #[test]
    fn a_pattern_without_one_number_is_none() {
        for (pattern, mistake) in [
            ("*.ber", "a name has one number: write {number} once"),
            ("{number}{number}", "a name has one number: write {number} once"),
            ("{number}{series}{series}", "{series} stands twice"),
            ("{nummer}", "\"{nummer}\" is none of {number}, {number:5} and {series}"),
            ("{number:99}", "\"{number:99}\" is none of {number}, {number:5} and {series}"),
            ("{number", "\"{\" has no \"}\" behind it"),
        ] {
            assert_eq!(Pattern::read(pattern).unwrap_err().to_string(), mistake, "{pattern}");
        }
        assert!(Pattern::read(&format!("{{number}}{}", "a?".repeat(16))).is_err());
    }

    #[test]
    fn a_name_that_nearly_fits_in_many_ways_is_decided_soon() {
        let pattern = format!("{}b{{number}}", "*a".repeat(14));
        check(&pattern, &"a".repeat(250), "");
    }
}
