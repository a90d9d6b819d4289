//! The built-in functions: one line each in [`ALL`], with the code in the file of its subject.

mod digits;
mod numbers;
mod strings;
mod times;
mod zones;

use record::Memory;

use crate::fault::Reason;
use crate::machine::{OCTETS_A_TURN, RECORD_MEMORY_OCTETS_MAX};
use crate::value::{Area, Octets};
pub(crate) use zones::Zones;

/// The type of an argument or a result.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Takes {
    Integer,
    Boolean,
    /// Characters.
    Text,
    /// Any octets.
    Octets,
    /// The name of a time zone.
    Zone,
}

impl Takes {
    /// Returns the name of the type in scripts.
    pub(crate) fn ty(self) -> &'static str {
        match self {
            Takes::Integer => "INTEGER",
            Takes::Boolean => "BOOLEAN",
            Takes::Text | Takes::Zone => "UTF8String",
            Takes::Octets => "OCTET STRING",
        }
    }
}

use Takes::{Boolean, Integer, Octets as Bytes, Text, Zone};

/// The cost of a calendar conversion, as an equivalent number of octets.
const CALENDAR_OCTETS: u64 = 20 * OCTETS_A_TURN;

/// A built-in function.
pub(crate) struct BuiltIn {
    pub(crate) name: &'static str,
    /// Its description, for editors.
    text: &'static str,
    /// The names of the arguments, for editors.
    names: &'static [&'static str],
    arguments: &'static [Takes],
    /// The number of optional arguments, which come last.
    optional: usize,
    /// Whether the last argument may be repeated.
    repeated: bool,
    pub(crate) gives: Takes,
    pub(crate) run: fn(&mut CallContext<'_, '_>, &[u64]) -> Result<u64, Reason>,
}

impl std::fmt::Debug for BuiltIn {
    fn fmt(&self, out: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        out.write_str(self.name)
    }
}

impl BuiltIn {
    /// Returns the minimum and maximum number of arguments.
    pub(crate) fn arguments(&self) -> (usize, usize) {
        let most = if self.repeated { usize::MAX } else { self.arguments.len() };
        (self.arguments.len() - self.optional, most)
    }

    /// Returns the cost of a call, in octets: the lengths of its string arguments plus calendar conversions.
    #[inline]
    pub(crate) fn work(&self, arguments: &[u64]) -> u64 {
        let calendar = if self.arguments.contains(&Zone) { CALENDAR_OCTETS } else { 0 };
        let octets = |(place, argument): (usize, &u64)| match self.takes(place) {
            Text | Bytes => u64::from(Octets(*argument).length()),
            Integer | Boolean | Zone => 0,
        };
        arguments.iter().enumerate().map(octets).sum::<u64>() + calendar
    }

    /// Returns its result, name and arguments, with optional ones in brackets.
    fn signature(&self) -> String {
        let mut signature = format!("{} {}(", self.gives.ty(), self.name);
        let required = self.arguments.len() - self.optional;
        for (place, (name, takes)) in self.names.iter().zip(self.arguments).enumerate() {
            let comma = if place > 0 { ", " } else { "" };
            let (open, close) = if place >= required { ("[", "]") } else { ("", "") };
            signature.push_str(&format!("{open}{comma}{name} {}{close}", takes.ty()));
        }
        signature + if self.repeated { ", …)" } else { ")" }
    }

    /// Returns the type of an argument.
    pub(crate) fn takes(&self, place: usize) -> Takes {
        self.arguments[place.min(self.arguments.len() - 1)]
    }
}

macro_rules! functions {
    ($(
        #[doc = $text:literal]
        $name:ident($($argument:ident: $takes:ident),* $(; $optional:literal)?) -> $gives:ident = $run:path;
    )*) => {
        /// All functions, sorted by name.
        const ALL: &[BuiltIn] = &[$(BuiltIn {
            name: stringify!($name),
            text: $text,
            names: &[$(stringify!($argument)),*],
            arguments: &[$($takes),*],
            optional: 0 $(+ $optional)?,
            repeated: false,
            gives: $gives,
            run: $run,
        }),*];
    };
}

functions! {
    /// A number without its sign.
    abs(number: Integer) -> Integer = numbers::abs;
    /// Whole days later, on the calendar of a zone: the same time of day, whatever the clocks did.
    addDays(time: Integer, days: Integer, zone: Zone) -> Integer = times::add_days;
    /// Whole months later, on the calendar of a zone; a day the month does not have is its last.
    addMonths(time: Integer, months: Integer, zone: Zone) -> Integer = times::add_months;
    /// Digits as BCD octets, the high half first, filled with 1111.
    bcd(digits: Text) -> Bytes = digits::bcd;
    /// BCD octets as digits: the high half first, up to a half that is no decimal digit.
    bcdDigits(octets: Bytes) -> Text = digits::bcd_digits;
    /// A bit of octets; 0 is the highest of the first octet.
    bit(octets: Bytes, place: Integer) -> Boolean = numbers::bit;
    /// The bits that both numbers have.
    bitAnd(a: Integer, b: Integer) -> Integer = numbers::bit_and;
    /// The bits that either number has.
    bitOr(a: Integer, b: Integer) -> Integer = numbers::bit_or;
    /// `true` or `false`.
    booleanToString(value: Boolean) -> Text = numbers::boolean_to_string;
    /// Whether a string contains another.
    contains(string: Bytes, wanted: Bytes) -> Boolean = strings::contains;
    /// The day of the month, on the calendar of a zone.
    day(time: Integer, zone: Zone) -> Integer = times::day;
    /// 1 for Monday to 7 for Sunday, on the calendar of a zone.
    dayOfWeek(time: Integer, zone: Zone) -> Integer = times::day_of_week;
    /// TBCD octets as digits (3GPP TS 29.002): the low half first, up to the filler.
    digits(octets: Bytes) -> Text = digits::digits;
    /// Whether a string ends with another.
    endsWith(string: Bytes, end: Bytes) -> Boolean = strings::ends_with;
    /// The position of the first occurrence, at `from` or behind it; -1 if there is none.
    find(string: Bytes, wanted: Bytes, from: Integer; 1) -> Integer = strings::find;
    /// A time as text, by strftime's letters: `%Y%m%d%H%M%S`, `%z`.
    formatTime(time: Integer, format: Text, zone: Zone) -> Text = times::format_time;
    /// Octets as hexadecimal digits, small letters.
    hex(octets: Bytes) -> Text = digits::hex;
    /// The hour, on the clocks of a zone.
    hour(time: Integer, zone: Zone) -> Integer = times::hour;
    /// Whether a string has characters and all are `0` to `9`.
    isDigits(string: Bytes) -> Boolean = strings::is_digits;
    /// The first octets of a string.
    left(string: Bytes, count: Integer) -> Bytes = strings::left;
    /// The octets of a string, or the elements of a list; 0 for a list that is absent.
    length(string: Bytes) -> Integer = strings::length;
    /// Text in small letters.
    lower(text: Text) -> Text = strings::lower;
    /// The check digit of ISO/IEC 7812 for digits.
    luhn(digits: Text) -> Integer = digits::luhn;
    /// The greater of two numbers.
    max(a: Integer, b: Integer) -> Integer = numbers::max;
    /// A part of a string: `count` octets, or all, from position `from`.
    mid(string: Bytes, from: Integer, count: Integer; 1) -> Bytes = strings::mid;
    /// The smaller of two numbers.
    min(a: Integer, b: Integer) -> Integer = numbers::min;
    /// The minute, on the clocks of a zone.
    minute(time: Integer, zone: Zone) -> Integer = times::minute;
    /// The month, 1 to 12, on the calendar of a zone.
    month(time: Integer, zone: Zone) -> Integer = times::month;
    /// A string filled up to a width at its end, with blanks or `fill`.
    pad(string: Bytes, width: Integer, fill: Bytes; 1) -> Bytes = strings::pad;
    /// A string filled up to a width at its beginning, with blanks or `fill`.
    padLeft(string: Bytes, width: Integer, fill: Bytes; 1) -> Bytes = strings::pad_left;
    /// The time that text says, by strftime's letters. A zone in the text decides; else `zone` does.
    parseTime(text: Text, format: Text, zone: Zone; 1) -> Integer = times::parse_time;
    /// A string, each occurrence of `wanted` replaced.
    replace(string: Bytes, wanted: Bytes, with: Bytes) -> Bytes = strings::replace;
    /// The last octets of a string.
    right(string: Bytes, count: Integer) -> Bytes = strings::right;
    /// The second, on the clocks of a zone.
    second(time: Integer, zone: Zone) -> Integer = times::second;
    /// Seconds shown by the clock of a zone since its midnight.
    secondOfDay(time: Integer, zone: Zone) -> Integer = times::second_of_day;
    /// A number, its bits moved to the higher ones.
    shiftLeft(number: Integer, bits: Integer) -> Integer = numbers::shift_left;
    /// A number, its bits moved to the lower ones; the sign stays.
    shiftRight(number: Integer, bits: Integer) -> Integer = numbers::shift_right;
    /// When the day of a time began, in a zone.
    startOfDay(time: Integer, zone: Zone) -> Integer = times::start_of_day;
    /// Whether a string begins with another.
    startsWith(string: Bytes, start: Bytes) -> Boolean = strings::starts_with;
    /// Digits as TBCD octets (3GPP TS 29.002), the low half first, filled with 1111.
    tbcd(digits: Text) -> Bytes = digits::tbcd;
    /// The nine octets of a TimeStamp (3GPP TS 32.298), on the clocks of a zone.
    timeStamp(time: Integer, zone: Zone) -> Bytes = times::time_stamp;
    /// The time that the nine octets of a TimeStamp (3GPP TS 32.298) say.
    timeStampSeconds(octets: Bytes) -> Integer = times::time_stamp_seconds;
    /// A number as hexadecimal digits, filled with zeros to a width.
    toHex(number: Integer, width: Integer; 1) -> Text = numbers::to_hex;
    /// The number that text says, in base 10 or another from 2 to 36; of an ENUMERATED or BOOLEAN, its number.
    toInteger(text: Text, base: Integer; 1) -> Integer = numbers::to_integer;
    /// A number that is not negative as so many octets, the first the highest.
    toOctets(number: Integer, count: Integer) -> Bytes = numbers::to_octets;
    /// A number or BOOLEAN as text; of an ENUMERATED, the value's name.
    toString(value: Integer) -> Text = numbers::to_string;
    /// A string without the blanks, or the characters of `fill`, at its ends.
    trim(string: Bytes, fill: Bytes; 1) -> Bytes = strings::trim;
    /// Hexadecimal digits as octets.
    unhex(digits: Text) -> Bytes = digits::unhex;
    /// Octets as a number that is not negative, the first the highest.
    unsigned(octets: Bytes) -> Integer = numbers::unsigned;
    /// Text in capital letters.
    upper(text: Text) -> Text = strings::upper;
    /// Seconds that the clocks of a zone are ahead of UTC.
    utcOffset(time: Integer, zone: Zone) -> Integer = times::utc_offset;
    /// The year, on the calendar of a zone.
    year(time: Integer, zone: Zone) -> Integer = times::year;
}

/// The only function that takes any number of arguments.
const CONCAT: BuiltIn = BuiltIn {
    name: "concat",
    text: "All strings, one behind the other.",
    names: &["string"],
    arguments: &[Bytes],
    optional: 0,
    repeated: true,
    gives: Bytes,
    run: strings::concat,
};

/// The functions that the checker handles itself: name, minimum and maximum number of arguments, signature,
/// description.
const SPECIAL: &[(&str, (usize, usize), &str, &str)] = &[
    (
        "present",
        (1, 1),
        "BOOLEAN present(field)",
        "Whether everything on the way to a field is there, or a table has a key: `present(lookup(…))`.",
    ),
    (
        "count",
        (1, 1),
        "INTEGER count(list)",
        "The elements of a list, 0 for one that is absent; the octets of a string.",
    ),
    (
        "lookup",
        (2, 3),
        "UTF8String lookup(table, key[, \"column\"])",
        "What the row of exactly this key has in a column, or else in the second one.",
    ),
    (
        "prefix",
        (2, 3),
        "UTF8String prefix(table, digits[, \"column\"])",
        "What the row of the longest key that the digits begin with has in a column, or else in the second one.",
    ),
    (
        "rate",
        (2, 3),
        "TariffPrice rate(tariff, usage[, \"unit\"])",
        "What a usage costs: amounts count the currency's minor unit, or one such as \"0.001\". One without tariff is an error of the record; `present(rate(…))` asks first.",
    ),
    (
        "tariffClass",
        (2, 2),
        "UTF8String tariffClass(tariff, usage)",
        "The tariff class of a usage. One that has none is an error of the record; `present(tariffClass(…))` asks first.",
    ),
    ("emit", (1, 1), "NULL emit(record)", "Sends a copy of a record on now."),
    ("reject", (1, 1), "NULL reject(text)", "Sends the record to suspense with this reason."),
];

/// Finds a function by its name.
pub(crate) fn find(name: &str) -> Option<&'static BuiltIn> {
    static CONCAT_FUNCTION: BuiltIn = CONCAT;
    if name == CONCAT.name {
        return Some(&CONCAT_FUNCTION);
    }
    ALL.binary_search_by(|function| function.name.cmp(name)).ok().map(|place| &ALL[place])
}

/// Returns the minimum and maximum number of a special function's arguments.
pub(crate) fn special(name: &str) -> Option<(usize, usize)> {
    SPECIAL.iter().find(|(known, ..)| *known == name).map(|(_, counts, ..)| *counts)
}

/// Returns whether a name is taken.
pub(crate) fn is_known(name: &str) -> bool {
    find(name).is_some() || special(name).is_some()
}

/// Returns all names, for hints.
pub(crate) fn names() -> impl Iterator<Item = &'static str> {
    let special = SPECIAL.iter().map(|(name, ..)| *name);
    ALL.iter().map(|function| function.name).chain([CONCAT.name]).chain(special)
}

/// The description of a built-in function.
#[derive(Debug)]
pub(crate) struct Described {
    pub(crate) name: &'static str,
    /// Its result, name and arguments.
    pub(crate) signature: String,
    /// What it does.
    pub(crate) text: &'static str,
}

/// Describes a built-in function.
pub(crate) fn described(name: &str) -> Option<Described> {
    if let Some((name, _, signature, text)) = SPECIAL.iter().find(|(known, ..)| *known == name) {
        return Some(Described { name, signature: (*signature).to_owned(), text });
    }
    find(name).map(|function| Described {
        name: function.name,
        signature: function.signature(),
        text: function.text.trim_start(),
    })
}

/// The data that a built-in function works with.
pub(crate) struct CallContext<'c, 'm> {
    pub(crate) memory: &'c mut Memory<'m>,
    pub(crate) constants: &'c [u8],
    pub(crate) scratch: &'c mut Vec<u8>,
    pub(crate) zones: &'c mut Zones,
}

impl CallContext<'_, '_> {
    /// Returns the octets of an argument.
    pub(crate) fn octets(&self, argument: u64) -> &[u8] {
        Octets(argument).get(self.memory, self.constants)
    }

    /// Creates a string from what `write` writes, in the record's memory.
    pub(crate) fn make(
        &mut self,
        write: impl FnOnce(&Self, &mut Vec<u8>) -> Result<(), Reason>,
    ) -> Result<u64, Reason> {
        let mut scratch = std::mem::take(self.scratch);
        scratch.clear();
        let written = write(self, &mut scratch);
        let made = written.map(|()| {
            let offset = self.memory.arena.store(&scratch);
            Octets::new(Area::Arena, offset, scratch.len() as u32).0
        });
        *self.scratch = scratch;
        made
    }
}

/// Appends to a string under construction, within the memory limit of a record. The general check comes too late, when
/// the string is complete.
fn append(out: &mut Vec<u8>, octets: &[u8]) -> Result<(), Reason> {
    if out.len() + octets.len() > RECORD_MEMORY_OCTETS_MAX {
        return Err(Reason::Memory(RECORD_MEMORY_OCTETS_MAX));
    }
    out.extend_from_slice(octets);
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_list_is_sorted_so_that_it_can_be_searched() {
        assert!(ALL.is_sorted_by(|a, b| a.name < b.name));
    }

    #[test]
    fn a_signature_shows_what_may_be_left_out() {
        let signature = |name| described(name).map(|described| described.signature);
        assert_eq!(signature("abs").unwrap(), "INTEGER abs(number INTEGER)");
        assert_eq!(
            signature("mid").unwrap(),
            "OCTET STRING mid(string OCTET STRING, from INTEGER[, count INTEGER])"
        );
        assert_eq!(signature("concat").unwrap(), "OCTET STRING concat(string OCTET STRING, …)");
        assert!(names().all(|name| described(name).is_some()));
    }
}
