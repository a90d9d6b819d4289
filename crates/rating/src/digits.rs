//! Subscriber numbers: their digits packed into one machine word, their international form, and lookups by longest
//! prefix or by the whole number.

use std::ops::Range;

use reason::Coded;

/// Maximum digits, also for numbers dialled within a network. Longer input is refused, not cut.
pub const DIGITS_MAX: usize = 16;

/// Maximum digits of an international number (ITU-T E.164, 6.2.1).
pub const E164_DIGITS_MAX: usize = 15;

/// Minimum digits of an international number including its country code: no network has shorter
/// ones.
pub const E164_DIGITS_MIN: usize = 7;

/// A buffer for digits as characters. It is longer than any number, which leaves room for prefixes.
pub type DigitsRoom = [u8; DIALLED_MAX];

/// Digits packed into four bits each from the top, as their TBCD value (3GPP TS 29.002, 17.7.8) plus 1; 0 follows the
/// last. So all numbers that begin with a prefix lie in one range, and a number sorts before all longer ones that begin
/// with it.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Digits(u64);

/// Marks a character that only makes a number readable.
const PASSED_OVER: u8 = 0xff;

/// The four bits of each character; 0 for a character that is no digit. The TBCD digit `c` is not supported; networks
/// use it only internally.
const HALVES: [u8; 256] = {
    let mut halves = [0; 256];
    let digits = b"0123456789*#ab";
    let mut place = 0;
    while place < digits.len() {
        halves[digits[place] as usize] = place as u8 + 1;
        place += 1;
    }
    halves[b' ' as usize] = PASSED_OVER;
    halves[b'-' as usize] = PASSED_OVER;
    halves
};

/// The reason why a text is no number.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error, Coded)]
#[code("number")]
pub enum DigitsFault {
    /// A character is not a digit, `*`, `#`, `a` or `b`.
    #[error("it has another character than digits, *, #, a and b")]
    Character,
    /// A hyphen is not between digits: a leading one looks like a minus sign.
    #[error("a hyphen stands before its digits or behind them")]
    Hyphen,
    /// Digits follow the filler, which should be last.
    #[error("a filler stands within its digits")]
    Filler,
    /// It has too many digits.
    #[error("it has more than {DIGITS_MAX} digits")]
    TooMany,
    /// It has no prefix, and is too short for an international number.
    #[error(
        "it is dialled without a prefix, is none of short.csv, and is too short for an international number"
    )]
    Bare,
    /// It has no prefix, and the plan does not take such numbers for international ones.
    #[error("it is dialled without a prefix, and is none of short.csv")]
    WithoutPrefix,
    /// It is known only within one network.
    #[error("it is a number within a network, and none of short.csv")]
    WithinNetwork,
    /// It is a national number, but the plan has no country code.
    #[error("it is a national number, and the plan has no country-code")]
    NoCountryCode,
    /// It does not begin with a country code.
    #[error("it is to begin with a country code, and none begins with 0")]
    CountryCode,
    /// It has other characters than digits, and no table has an exact match.
    #[error("it has *, #, a or b, and is none of short.csv and ported.csv")]
    NotDecimal,
    /// It is too short for any number.
    #[error(
        "it has fewer than {E164_DIGITS_MIN} digits with its country code, and is none of short.csv and ported.csv"
    )]
    TooFew,
    /// It is too short for a number of the country.
    #[error("it has fewer digits than \"digits-min\" says that numbers of the country have")]
    TooFewNational,
    /// It is too long for any number.
    #[error("it has more than {E164_DIGITS_MAX} digits with its country code")]
    TooManyForE164,
    /// The national prefix, which is only used within the country, follows the country code.
    #[error(
        "the national prefix stands behind its country code; where numbers of the country begin so, give prefixes.csv a \
         prefix that does"
    )]
    NationalPrefix,
}

/// Packs four characters, if all of them are `0` to `9`.
#[inline]
fn four_digits(characters: [u8; 4]) -> Option<u16> {
    let characters = u32::from_be_bytes(characters);
    // A character below `0` has another upper half; adding 6 changes the upper half of one above `9`.
    let (high, above) = (0xf0f0_f0f0, characters.wrapping_add(0x0606_0606));
    if characters & high != 0x3030_3030 || above & high != 0x3030_3030 {
        return None;
    }
    // Add 1 to each, as in `HALVES`. Then remove the upper halves, which are 0.
    let halves = (characters & 0x0f0f_0f0f) + 0x0101_0101;
    let octets = (halves | halves >> 4) & 0x00ff_00ff;
    Some((octets | octets >> 8) as u16)
}

impl Digits {
    /// Parses digits. Blanks are ignored, and so are hyphens between digits.
    pub fn parse(text: &[u8]) -> Result<Digits, DigitsFault> {
        match text {
            [b'-' | b' ', ..] | [.., b'-' | b' '] => {
                Digits::default().followed_by(ungrouped(text, &mut [0; DIALLED_MAX])?)
            }
            _ => Digits::default().followed_by(text),
        }
    }

    /// Appends digits. Blanks and hyphens are ignored.
    pub(crate) fn followed_by(self, text: &[u8]) -> Result<Digits, DigitsFault> {
        let length = self.len();
        let (mut digits, mut count) = (0_u64, length);
        // Most numbers have only decimal digits, which are read four at a time.
        let mut text = text;
        while let Some((four, rest)) = text.split_first_chunk()
            && let Some(four) = four_digits(*four)
        {
            digits = digits << 16 | u64::from(four);
            count += 4;
            text = rest;
            if count > DIGITS_MAX {
                return Err(DigitsFault::TooMany);
            }
        }
        for character in text {
            match HALVES[usize::from(*character)] {
                PASSED_OVER => {}
                0 => return Err(DigitsFault::Character),
                half => {
                    digits = digits << 4 | u64::from(half);
                    count += 1;
                }
            }
            if count > DIGITS_MAX {
                return Err(DigitsFault::TooMany);
            }
        }
        if count == length {
            return Ok(self);
        }
        Ok(Digits(self.0 | digits << (4 * (DIGITS_MAX - count))))
    }

    /// Returns the number of digits.
    pub fn len(self) -> usize {
        DIGITS_MAX - self.0.trailing_zeros() as usize / 4
    }

    /// Returns whether there are no digits.
    pub fn is_empty(self) -> bool {
        self.0 == 0
    }

    /// Returns whether the number begins with a prefix.
    pub fn starts_with(self, prefix: Digits) -> bool {
        (prefix..=prefix.last()).contains(&self)
    }

    /// Returns whether the first digit is 0.
    fn begins_with_zero(self) -> bool {
        self.0 >> (u64::BITS - 4) == 1
    }

    /// Returns whether all digits are 0 to 9.
    pub(crate) fn is_decimal(self) -> bool {
        // Digits are stored as 1 to 10 in four bits each. A higher value has its top bit set and
        // lower bits of 3 or more.
        const LOWER: u64 = 0x7777_7777_7777_7777;
        const FIVES: u64 = 0x5555_5555_5555_5555;
        self.0 & ((self.0 & LOWER) + FIVES) & !LOWER == 0
    }

    /// Returns the greatest value that begins with these digits.
    fn last(self) -> Digits {
        Digits(self.0 | u64::MAX.checked_shr(4 * self.len() as u32).unwrap_or(0))
    }

    fn character(self, place: usize) -> char {
        char::from(b"?0123456789*#ab?"[(self.0 >> (60 - 4 * place)) as usize & 15])
    }
}

impl std::fmt::Display for Digits {
    fn fmt(&self, out: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        (0..self.len()).try_for_each(|place| write!(out, "{}", self.character(place)))
    }
}

/// The type of a number, as in the nature of address of switches (ITU-T Q.763, 3.9; 3GPP TS 29.002, 17.7.8).
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum TypeOfNumber {
    /// Not given: the prefixes it was dialled with say it.
    #[default]
    Unknown,
    /// With its country code.
    International,
    /// Without country code and national prefix.
    National,
    /// Known only within a network: network specific, a subscriber number without its area, or abbreviated.
    WithinNetwork,
}

/// A number as a record gives it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Number<'n> {
    /// Its digits, as characters. A `+` may be first; blanks and hyphens may be between.
    pub digits: &'n [u8],
    /// Its type.
    pub kind: TypeOfNumber,
}

impl<'n> Number<'n> {
    /// Returns a number without a given type.
    pub fn unknown(digits: &'n [u8]) -> Self {
        Number { digits, kind: TypeOfNumber::Unknown }
    }

    /// Decodes an AddressString (3GPP TS 29.002, 17.7.8): the first octet has the type, the others the digits in TBCD.
    /// The digits are written into `room`.
    pub fn of_address_string(octets: &[u8], room: &'n mut DigitsRoom) -> Result<Self, DigitsFault> {
        let (first, octets) = octets.split_first().unwrap_or((&0, &[]));
        let kind = match first >> 4 & 7 {
            1 => TypeOfNumber::International,
            2 => TypeOfNumber::National,
            3 | 4 | 6 => TypeOfNumber::WithinNetwork,
            _ => TypeOfNumber::Unknown,
        };
        Ok(Number { digits: tbcd(octets, room)?, kind })
    }
}

/// How numbers are dialled at the home place.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Dialling {
    pub(crate) country_code: Digits,
    /// The digits before a country code: `00`.
    pub(crate) international_prefix: Vec<u8>,
    /// The digits before an area code: `0`.
    pub(crate) national_prefix: Vec<u8>,
    /// How a number without any prefix is understood.
    pub(crate) without_prefix: WithoutPrefix,
    /// Minimum digits of a national number, without the country code.
    pub(crate) digits_min: usize,
}

/// How a number without a prefix is understood.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) enum WithoutPrefix {
    /// It begins with its country code.
    #[default]
    International,
    /// It is a number of the country, where all digits are always dialled: Denmark, Norway, Spain, Poland.
    National,
    /// It is refused.
    Refused,
}

/// Maximum characters of a number without separators. It leaves room for prefixes.
const DIALLED_MAX: usize = 2 * DIGITS_MAX;

impl Dialling {
    /// Returns whether no number in international form begins with these digits: they begin with 0, which is the
    /// national prefix, and no country code begins with 0 (list of ITU-T E.164 assigned country codes).
    pub(crate) fn never_begins(&self, digits: Digits) -> bool {
        digits.begins_with_zero() && self.national_prefix.starts_with(b"0")
    }

    /// Returns the country code followed by the national prefix. No number starts with it unless the plan says so.
    /// `None` if the plan lacks either.
    pub(crate) fn national_prefix_behind_code(&self) -> Option<Digits> {
        match self.country_code.is_empty() || self.national_prefix.is_empty() {
            true => None,
            false => self.country_code.followed_by(&self.national_prefix).ok(),
        }
    }

    /// Converts a number to international form, country code first. Does not [check](Self::check) it: numbers with an
    /// exact match in a table need not be valid.
    #[inline]
    pub(crate) fn normalise(&self, number: Number<'_>) -> Result<Digits, DigitsFault> {
        if self.is_grouped(number.digits) {
            let mut room = [0; DIALLED_MAX];
            let digits = ungrouped(number.digits, &mut room)?;
            return self.normalise_ungrouped(Number { digits, ..number });
        }
        self.normalise_ungrouped(number)
    }

    /// Returns whether there are separators at the start, where prefixes are matched, or at the end.
    #[inline]
    fn is_grouped(&self, digits: &[u8]) -> bool {
        let prefix = self.international_prefix.len().max(self.national_prefix.len());
        let is_separator = |character: &u8| matches!(character, b' ' | b'-');
        digits.iter().take(prefix + 1).any(is_separator) || digits.last().is_some_and(is_separator)
    }

    #[inline]
    fn normalise_ungrouped(&self, number: Number<'_>) -> Result<Digits, DigitsFault> {
        let (kind, rest) = self.type_and_digits(number);
        let is_national = match kind {
            TypeOfNumber::National => true,
            TypeOfNumber::WithinNetwork => return Err(DigitsFault::WithinNetwork),
            TypeOfNumber::International => false,
            TypeOfNumber::Unknown => match self.without_prefix {
                WithoutPrefix::International => false,
                WithoutPrefix::National => true,
                WithoutPrefix::Refused => return Err(DigitsFault::WithoutPrefix),
            },
        };
        if is_national && self.country_code.is_empty() {
            return Err(DigitsFault::NoCountryCode);
        }
        let before = if is_national { self.country_code } else { Digits::default() };
        let digits = before.followed_by(rest)?;
        if kind == TypeOfNumber::International && digits.begins_with_zero() {
            return Err(DigitsFault::CountryCode);
        }
        // Where numbers are dialled with prefixes, a short number without one is a local or service number.
        let is_bare =
            kind == TypeOfNumber::Unknown && !is_national && !self.national_prefix.is_empty();
        match is_bare && digits.len() < E164_DIGITS_MIN {
            true => Err(DigitsFault::Bare),
            false => Ok(digits),
        }
    }

    /// Checks that digits in international form are a valid number, except for the [rule that needs the
    /// plan](Self::national_prefix_behind_code).
    #[inline]
    pub(crate) fn check(&self, digits: Digits) -> Result<(), DigitsFault> {
        if !digits.is_decimal() {
            return Err(DigitsFault::NotDecimal);
        }
        match digits.len() {
            ..E164_DIGITS_MIN => Err(DigitsFault::TooFew),
            length if length > E164_DIGITS_MAX => Err(DigitsFault::TooManyForE164),
            length
                if self.digits_min > 0
                    && length < self.country_code.len() + self.digits_min
                    && digits.starts_with(self.country_code) =>
            {
                Err(DigitsFault::TooFewNational)
            }
            _ => Ok(()),
        }
    }

    /// Returns the type of a number, and its digits without prefixes.
    fn type_and_digits<'n>(&self, number: Number<'n>) -> (TypeOfNumber, &'n [u8]) {
        let digits = number.digits;
        // Test for an empty prefix first: a comparison of zero octets is slow.
        let behind = |prefix: &[u8]| match prefix {
            [] => None,
            prefix => digits.strip_prefix(prefix),
        };
        if let Some(rest) = behind(b"+") {
            return (TypeOfNumber::International, rest);
        }
        match number.kind {
            kind @ (TypeOfNumber::International | TypeOfNumber::WithinNetwork) => (kind, digits),
            TypeOfNumber::National => {
                (TypeOfNumber::National, behind(&self.national_prefix).unwrap_or(digits))
            }
            TypeOfNumber::Unknown => {
                if let Some(rest) = behind(&self.international_prefix) {
                    return (TypeOfNumber::International, rest);
                }
                match behind(&self.national_prefix) {
                    Some(rest) => (TypeOfNumber::National, rest),
                    None => (TypeOfNumber::Unknown, digits),
                }
            }
        }
    }
}

/// Removes blanks and hyphens from a number, using `room`. Hyphens are allowed only between other characters.
#[cold]
fn ungrouped<'r>(text: &[u8], room: &'r mut [u8; DIALLED_MAX]) -> Result<&'r [u8], DigitsFault> {
    let text = text.trim_ascii();
    if let [b'-', ..] | [.., b'-'] | [b'+', b'-', ..] = text {
        return Err(DigitsFault::Hyphen);
    }
    let mut length = 0;
    for character in text.iter().filter(|character| !matches!(character, b' ' | b'-')) {
        *room.get_mut(length).ok_or(DigitsFault::TooMany)? = *character;
        length += 1;
    }
    Ok(&room[..length])
}

/// Decodes TBCD into characters in `room`: two digits per octet, low half first, filled with 15 (3GPP TS 29.002,
/// 17.7.8). Digits after a filler are an error.
pub fn tbcd<'r>(octets: &[u8], room: &'r mut DigitsRoom) -> Result<&'r [u8], DigitsFault> {
    let mut length = 0;
    let mut halves = octets.iter().flat_map(|octet| [octet & 15, octet >> 4]);
    while let Some(half) = halves.next() {
        if half == 15 {
            match halves.all(|half| half == 15) {
                true => break,
                false => return Err(DigitsFault::Filler),
            }
        }
        *room.get_mut(length).ok_or(DigitsFault::TooMany)? = b"0123456789*#abc?"[usize::from(half)];
        length += 1;
    }
    Ok(&room[..length])
}

/// The meaning of a number, and the line of the table it is from.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Found {
    pub(crate) id: u16,
    pub(crate) line: u32,
}

/// The id of ranges that lie in no prefix.
const NONE: u16 = u16::MAX;

/// Maximum digits of a prefix. Longer ones stand for so few numbers that these can be listed.
pub(crate) const PREFIX_DIGITS_MAX: usize = 12;

/// Bits of a number that choose where a search begins: four digits.
const FIRST_BITS: u32 = 16;

// The other digits are the key of a range.
const _: () = assert!(4 * PREFIX_DIGITS_MAX as u32 == FIRST_BITS + u32::BITS);

/// Finds the meaning of a number by its longest prefix. Two prefixes are nested or disjoint, so they cut the numbers
/// into ranges. A search finds the last range that begins at the number or before it.
///
/// The cost of a search is its memory accesses, so the data are small: four octets per range if no prefix is longer
/// than eight digits, as in most plans; otherwise eight.
#[derive(Clone, Debug, Default)]
pub(crate) struct Prefixes {
    /// By the first four digits: the first range that begins with them or later.
    first: Vec<u32>,
    ranges: Ranges,
    /// The line of each range, for explanations.
    lines: Vec<u32>,
}

/// The digits after the first four at which each range begins, and in the lower bits the id of its numbers. They are in
/// one word so that one memory access gets both.
#[derive(Clone, Debug)]
enum Ranges {
    /// For prefixes of at most eight digits: stores four digits.
    Short(Vec<u32>),
    /// Stores eight digits.
    Long(Vec<u64>),
}

impl Default for Ranges {
    fn default() -> Self {
        Ranges::Short(Vec::new())
    }
}

/// Bits of the key that short ranges leave out.
const LEFT_OUT_BITS: u32 = u32::BITS - u16::BITS;

impl Ranges {
    fn new(ranges: &[(Digits, Found)]) -> Self {
        let is_short = |(start, _): &(Digits, Found)| start.key() << LEFT_OUT_BITS == 0;
        match ranges.iter().all(is_short) {
            true => {
                Ranges::Short(ranges.iter().map(|(start, of)| short(start.key(), of.id)).collect())
            }
            false => {
                Ranges::Long(ranges.iter().map(|(start, of)| long(start.key(), of.id)).collect())
            }
        }
    }

    /// Returns the last of the given ranges that begins at a key or before it.
    #[inline]
    fn last_before(&self, within: Range<usize>, key: u32) -> Option<usize> {
        let (from, to) = (within.start, within.end);
        // With the greatest id, a range that begins at the key itself is included.
        let behind = match self {
            Ranges::Short(ranges) => {
                let last = short(key, u16::MAX);
                ranges[from..to].partition_point(|range| *range <= last)
            }
            Ranges::Long(ranges) => {
                let last = long(key, u16::MAX);
                ranges[from..to].partition_point(|range| *range <= last)
            }
        };
        (from + behind).checked_sub(1)
    }

    #[inline]
    fn id(&self, place: usize) -> u16 {
        match self {
            Ranges::Short(ranges) => ranges[place] as u16,
            Ranges::Long(ranges) => ranges[place] as u16,
        }
    }
}

/// Packs the key and the id of a range; the order of the words is that of the keys.
fn short(key: u32, id: u16) -> u32 {
    key >> LEFT_OUT_BITS << u16::BITS | u32::from(id)
}

fn long(key: u32, id: u16) -> u64 {
    u64::from(key) << u16::BITS | u64::from(id)
}

impl Prefixes {
    /// Creates the table from sorted, distinct prefixes of at most [`PREFIX_DIGITS_MAX`] digits.
    pub(crate) fn new(sorted: &[(Digits, Found)]) -> Prefixes {
        let ranges = ranges(sorted);
        let position = |first: u64| ranges.partition_point(|(start, _)| start.first() < first);
        Prefixes {
            first: (0..=1 << FIRST_BITS).map(|first| position(first) as u32).collect(),
            ranges: Ranges::new(&ranges),
            lines: ranges.iter().map(|(_, found)| found.line).collect(),
        }
    }

    pub(crate) fn is_empty(&self) -> bool {
        self.lines.is_empty()
    }

    /// Returns the place of the range of a number, if that range belongs to a prefix.
    #[inline]
    pub(crate) fn longest(&self, number: Digits) -> Option<usize> {
        let first = number.first() as usize;
        let (from, to) = (*self.first.get(first)? as usize, self.first[first + 1] as usize);
        let found = self.ranges.last_before(from..to, number.key());
        found.filter(|place| self.id(*place) != NONE)
    }

    /// Returns the id of a range.
    #[inline]
    pub(crate) fn id(&self, place: usize) -> u16 {
        self.ranges.id(place)
    }

    /// Returns the line of a range.
    pub(crate) fn line(&self, place: usize) -> u32 {
        self.lines[place]
    }
}

impl Digits {
    fn first(self) -> u64 {
        self.0 >> (u64::BITS - FIRST_BITS)
    }

    fn key(self) -> u32 {
        (self.0 << FIRST_BITS >> u32::BITS) as u32
    }
}

/// Cuts all numbers into ranges by prefix, in order.
fn ranges(sorted: &[(Digits, Found)]) -> Vec<(Digits, Found)> {
    let mut ranges = Vec::new();
    let mut open: Vec<(Digits, Found)> = Vec::new();
    for &(prefix, found) in sorted {
        close(&mut open, &mut ranges, |outer| !prefix.starts_with(outer));
        begin(&mut ranges, prefix, found);
        open.push((prefix, found));
    }
    close(&mut open, &mut ranges, |_| true);
    ranges
}

/// Ends the innermost prefixes that are `over`. After each, the range of the enclosing prefix continues.
fn close(
    open: &mut Vec<(Digits, Found)>,
    ranges: &mut Vec<(Digits, Found)>,
    over: impl Fn(Digits) -> bool,
) {
    while let Some((inner, _)) = open.pop_if(|(inner, _)| over(*inner)) {
        if let Some(next) = inner.last().0.checked_add(1) {
            let outer = open.last().map_or(Found { id: NONE, line: 0 }, |(_, found)| *found);
            begin(ranges, Digits(next), outer);
        }
    }
}

fn begin(ranges: &mut Vec<(Digits, Found)>, start: Digits, found: Found) {
    ranges.pop_if(|(last, _)| *last == start);
    ranges.push((start, found));
}

/// The meaning of whole numbers.
#[derive(Clone, Debug, Default)]
pub(crate) struct Numbers {
    numbers: Vec<Digits>,
    values: Vec<Found>,
}

impl Numbers {
    /// Creates the table from sorted, distinct numbers.
    pub(crate) fn new(sorted: &[(Digits, Found)]) -> Numbers {
        Numbers {
            numbers: sorted.iter().map(|(number, _)| *number).collect(),
            values: sorted.iter().map(|(_, value)| *value).collect(),
        }
    }

    pub(crate) fn is_empty(&self) -> bool {
        self.numbers.is_empty()
    }

    #[inline]
    pub(crate) fn find(&self, number: Digits) -> Option<Found> {
        self.numbers.binary_search(&number).ok().map(|place| self.values[place])
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn digits(text: &str) -> Digits {
        Digits::parse(text.as_bytes()).unwrap()
    }

    #[test]
    fn digits_are_written_as_they_were_read() {
        for text in ["", "0", "46701234567", "*100#", "1234567890123456"] {
            assert_eq!((digits(text).to_string().as_str(), digits(text).len()), (text, text.len()));
        }
        assert_eq!(Digits::parse(b"12345678901234567"), Err(DigitsFault::TooMany));
        assert_eq!(Digits::parse(b"46x"), Err(DigitsFault::Character));
    }

    #[test]
    fn four_digits_at_once_are_what_they_are_one_by_one() {
        for (place, character) in (0..4).flat_map(|place| (0..=255).map(move |c| (place, c))) {
            let mut text = *b"9075";
            text[place] = character;
            let by_one = text.iter().try_fold(Digits::default(), |before, character| {
                before.followed_by(std::slice::from_ref(character))
            });
            assert_eq!(Digits::default().followed_by(&text), by_one, "{text:?}");
        }
    }

    #[test]
    fn numbers_are_normalised_by_what_they_are_told_to_be() {
        let dialling = Dialling {
            country_code: digits("46"),
            international_prefix: b"00".to_vec(),
            national_prefix: b"0".to_vec(),
            ..Dialling::default()
        };
        use TypeOfNumber::*;
        for (text, kind, normal) in [
            ("46701234567", International, "46701234567"),
            ("+46 70-123 45 67", Unknown, "46701234567"),
            ("0046701234567", Unknown, "46701234567"),
            ("0701234567", Unknown, "46701234567"),
            ("701234567", National, "46701234567"),
            ("0701234567", National, "46701234567"),
            ("46701234567", Unknown, "46701234567"),
            (" 0701234567 ", Unknown, "46701234567"),
            ("0-70 123-45-67", Unknown, "46701234567"),
            ("0 046 - 701234567", Unknown, "46701234567"),
            ("+ 46 701234567", Unknown, "46701234567"),
            ("112", International, "112"),
        ] {
            let found = dialling.normalise(Number { digits: text.as_bytes(), kind });
            assert_eq!(found.unwrap().to_string(), normal, "{text} {kind:?}");
        }
        let strict = Dialling { without_prefix: WithoutPrefix::Refused, ..dialling.clone() };
        let closed = Dialling {
            country_code: digits("45"),
            national_prefix: Vec::new(),
            without_prefix: WithoutPrefix::National,
            ..dialling.clone()
        };
        for (text, normal) in [("33112233", "4533112233"), ("004633112233", "4633112233")] {
            let found = closed.normalise(Number { digits: text.as_bytes(), kind: Unknown });
            assert_eq!(found.unwrap().to_string(), normal, "{text}");
        }
        for (text, kind, dialling, fault) in [
            ("222", Unknown, &dialling, DigitsFault::Bare),
            ("46701234567", WithinNetwork, &dialling, DigitsFault::WithinNetwork),
            ("7654321", Unknown, &strict, DigitsFault::WithoutPrefix),
            ("-46701234567", Unknown, &dialling, DigitsFault::Hyphen),
            (" -46701234567", Unknown, &dialling, DigitsFault::Hyphen),
            ("+-46701234567", Unknown, &dialling, DigitsFault::Hyphen),
            ("46701234567-", Unknown, &dialling, DigitsFault::Hyphen),
            ("-701234567", National, &dialling, DigitsFault::Hyphen),
            ("46701234567- ", International, &closed, DigitsFault::Hyphen),
            ("+0046701234567", Unknown, &dialling, DigitsFault::CountryCode),
            ("0000467012345", Unknown, &closed, DigitsFault::CountryCode),
            ("0701234567", International, &closed, DigitsFault::CountryCode),
            ("701234567", National, &Dialling::default(), DigitsFault::NoCountryCode),
            ("+46+701234567", Unknown, &dialling, DigitsFault::Character),
            ("+46(0)701234567", Unknown, &dialling, DigitsFault::Character),
            ("+4670123456789012345", Unknown, &dialling, DigitsFault::TooMany),
        ] {
            let found = dialling.normalise(Number { digits: text.as_bytes(), kind });
            assert_eq!(found, Err(fault), "{text} {kind:?}");
        }
        let number = Number { digits: b"+7654321", kind: Unknown };
        assert_eq!(strict.normalise(number).unwrap().to_string(), "7654321");
    }

    #[test]
    fn digits_in_international_form_are_those_of_a_number_or_are_not() {
        let dialling =
            Dialling { country_code: digits("46"), digits_min: 7, ..Dialling::default() };
        for (text, expected) in [
            ("1234567", Ok(())),
            ("123456789012345", Ok(())),
            ("468123456", Ok(())),
            ("123456", Err(DigitsFault::TooFew)),
            ("", Err(DigitsFault::TooFew)),
            ("46812345", Err(DigitsFault::TooFewNational)),
            ("1234567890123456", Err(DigitsFault::TooManyForE164)),
            ("46701234567#", Err(DigitsFault::NotDecimal)),
            ("*46701234567", Err(DigitsFault::NotDecimal)),
            ("4670123a4567", Err(DigitsFault::NotDecimal)),
            ("46701234567b", Err(DigitsFault::NotDecimal)),
        ] {
            assert_eq!(dialling.check(digits(text)), expected, "{text}");
        }
    }

    #[test]
    fn tbcd_digits_end_at_the_filler() {
        let mut room = [0; 32];
        assert_eq!(tbcd(&[0x64, 0x07, 0xf1], &mut room), Ok(&b"46701"[..]));
        assert_eq!(tbcd(&[0x64, 0xf7, 0xff], &mut room), Ok(&b"467"[..]));
        assert_eq!(tbcd(&[0x64, 0xf7, 0x01], &mut room), Err(DigitsFault::Filler));
        assert_eq!(tbcd(&[0x64, 0x0f], &mut room), Err(DigitsFault::Filler));
        assert_eq!(tbcd(&[0x11; 17], &mut room), Err(DigitsFault::TooMany));
        let of = |octets: &[u8]| {
            let mut room = [0; 32];
            let Number { digits, kind } = Number::of_address_string(octets, &mut room).unwrap();
            (String::from_utf8(digits.to_vec()).unwrap(), kind)
        };
        assert_eq!(of(&[0x91, 0x64, 0xf7]), ("467".into(), TypeOfNumber::International));
        assert_eq!(of(&[0xa1, 0x07]), ("70".into(), TypeOfNumber::National));
        assert_eq!(of(&[0xb1, 0x07]), ("70".into(), TypeOfNumber::WithinNetwork));
        assert_eq!(
            (of(&[0x81]), of(&[])),
            ((String::new(), TypeOfNumber::Unknown), (String::new(), TypeOfNumber::Unknown))
        );
    }

    fn found_in(prefixes: &Prefixes, number: &str) -> Option<Found> {
        let place = prefixes.longest(digits(number))?;
        Some(Found { id: prefixes.id(place), line: prefixes.line(place) })
    }

    fn found(id: u16) -> Found {
        Found { id, line: 1 }
    }

    #[test]
    fn a_number_shorter_than_a_prefix_does_not_begin_with_it() {
        let prefixes = Prefixes::new(&[(digits("46"), found(1)), (digits("460"), found(2))]);
        for (text, id) in
            [("4", 0), ("46", 1), ("460", 2), ("461", 1), ("45", 0), ("47", 0), ("", 0)]
        {
            let expected = (id > 0).then_some(found(id));
            assert_eq!(found_in(&prefixes, text), expected, "{text}");
        }
    }

    proptest! {
        #[test]
        fn decimal_digits_are_told_as_one_by_one(text in "[0-9*#ab]{0,16}") {
            let expected = text.bytes().all(|character| character.is_ascii_digit());
            prop_assert_eq!(digits(&text).is_decimal(), expected, "{}", text);
        }

        #[test]
        fn the_longest_prefix_is_found_as_by_trying_all(
            prefixes in prop::collection::btree_map("[0-3]{0,5}|1230[0-3]{4,8}", 0..1000_u16, 0..60),
            numbers in prop::collection::vec("[0-3]{0,7}|1230[0-3]{4,12}", 1..40),
        ) {
            let mut sorted: Vec<(Digits, Found)> =
                prefixes.iter().map(|(prefix, id)| (digits(prefix), found(*id))).collect();
            sorted.sort_by_key(|(prefix, _)| *prefix);
            let made = Prefixes::new(&sorted);
            for number in &numbers {
                let by_trying = (0..=number.len()).rev().find_map(|n| prefixes.get(&number[..n]));
                prop_assert_eq!(found_in(&made, number), by_trying.map(|id| found(*id)), "{}", number);
            }
        }
    }
}
