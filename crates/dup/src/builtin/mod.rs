//! The built-in functions: one line in [`ALL`] each, its work in the file of its subject.

mod digits;
mod numbers;
mod strings;
mod times;
mod zones;

use record::Memory;

use crate::fault::Reason;
use crate::value::{Area, Octets};
pub(crate) use zones::Zones;

/// What an argument or a result is.
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

use Takes::{Boolean, Integer, Octets as Bytes, Text, Zone};

/// A built-in function.
pub(crate) struct BuiltIn {
    pub(crate) name: &'static str,
    arguments: &'static [Takes],
    /// How many of the last arguments may be left out.
    optional: usize,
    /// Whether the last argument may stand any number of times.
    repeated: bool,
    pub(crate) gives: Takes,
    pub(crate) run: fn(&mut Context<'_, '_>, &[u64]) -> Result<u64, Reason>,
}

impl std::fmt::Debug for BuiltIn {
    fn fmt(&self, out: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        out.write_str(self.name)
    }
}

impl BuiltIn {
    /// Least and greatest number of arguments.
    pub(crate) fn arguments(&self) -> (usize, usize) {
        let most = if self.repeated { usize::MAX } else { self.arguments.len() };
        (self.arguments.len() - self.optional, most)
    }

    /// What the argument of a place is.
    pub(crate) fn takes(&self, place: usize) -> Takes {
        self.arguments[place.min(self.arguments.len() - 1)]
    }
}

macro_rules! functions {
    ($($name:ident($($takes:ident),* $(; $optional:literal)?) -> $gives:ident = $run:path;)*) => {
        /// All functions, sorted by name.
        const ALL: &[BuiltIn] = &[$(BuiltIn {
            name: stringify!($name),
            arguments: &[$($takes),*],
            optional: 0 $(+ $optional)?,
            repeated: false,
            gives: $gives,
            run: $run,
        }),*];
    };
}

functions! {
    abs(Integer) -> Integer = numbers::abs;
    addDays(Integer, Integer, Zone) -> Integer = times::add_days;
    addMonths(Integer, Integer, Zone) -> Integer = times::add_months;
    bcd(Text) -> Bytes = digits::bcd;
    bcdDigits(Bytes) -> Text = digits::bcd_digits;
    bit(Bytes, Integer) -> Boolean = numbers::bit;
    bitAnd(Integer, Integer) -> Integer = numbers::bit_and;
    bitOr(Integer, Integer) -> Integer = numbers::bit_or;
    booleanToString(Boolean) -> Text = numbers::boolean_to_string;
    contains(Bytes, Bytes) -> Boolean = strings::contains;
    day(Integer, Zone) -> Integer = times::day;
    dayOfWeek(Integer, Zone) -> Integer = times::day_of_week;
    digits(Bytes) -> Text = digits::digits;
    endsWith(Bytes, Bytes) -> Boolean = strings::ends_with;
    find(Bytes, Bytes, Integer; 1) -> Integer = strings::find;
    formatTime(Integer, Text, Zone) -> Text = times::format_time;
    hex(Bytes) -> Text = digits::hex;
    hour(Integer, Zone) -> Integer = times::hour;
    isDigits(Bytes) -> Boolean = strings::is_digits;
    left(Bytes, Integer) -> Bytes = strings::left;
    length(Bytes) -> Integer = strings::length;
    lower(Text) -> Text = strings::lower;
    luhn(Text) -> Integer = digits::luhn;
    max(Integer, Integer) -> Integer = numbers::max;
    mid(Bytes, Integer, Integer; 1) -> Bytes = strings::mid;
    min(Integer, Integer) -> Integer = numbers::min;
    minute(Integer, Zone) -> Integer = times::minute;
    month(Integer, Zone) -> Integer = times::month;
    pad(Bytes, Integer, Bytes; 1) -> Bytes = strings::pad;
    padLeft(Bytes, Integer, Bytes; 1) -> Bytes = strings::pad_left;
    parseTime(Text, Text, Zone; 1) -> Integer = times::parse_time;
    replace(Bytes, Bytes, Bytes) -> Bytes = strings::replace;
    right(Bytes, Integer) -> Bytes = strings::right;
    second(Integer, Zone) -> Integer = times::second;
    secondOfDay(Integer, Zone) -> Integer = times::second_of_day;
    shiftLeft(Integer, Integer) -> Integer = numbers::shift_left;
    shiftRight(Integer, Integer) -> Integer = numbers::shift_right;
    startOfDay(Integer, Zone) -> Integer = times::start_of_day;
    startsWith(Bytes, Bytes) -> Boolean = strings::starts_with;
    tbcd(Text) -> Bytes = digits::tbcd;
    timeStamp(Integer, Zone) -> Bytes = times::time_stamp;
    timeStampSeconds(Bytes) -> Integer = times::time_stamp_seconds;
    toHex(Integer, Integer; 1) -> Text = numbers::to_hex;
    toInteger(Text, Integer; 1) -> Integer = numbers::to_integer;
    toOctets(Integer, Integer) -> Bytes = numbers::to_octets;
    toString(Integer) -> Text = numbers::to_string;
    trim(Bytes, Bytes; 1) -> Bytes = strings::trim;
    unhex(Text) -> Bytes = digits::unhex;
    unsigned(Bytes) -> Integer = numbers::unsigned;
    upper(Text) -> Text = strings::upper;
    utcOffset(Integer, Zone) -> Integer = times::utc_offset;
    year(Integer, Zone) -> Integer = times::year;
}

/// The one function that takes any number of arguments.
const CONCAT: BuiltIn = BuiltIn {
    name: "concat",
    arguments: &[Bytes],
    optional: 0,
    repeated: true,
    gives: Bytes,
    run: strings::concat,
};

/// Functions the checker knows to be more than a call, and how many arguments they take.
const SPECIAL: &[(&str, usize, usize)] = &[
    ("present", 1, 1),
    ("count", 1, 1),
    ("lookup", 2, 3),
    ("prefix", 2, 3),
    ("emit", 1, 1),
    ("reject", 1, 1),
];

/// The function of a name.
pub(crate) fn find(name: &str) -> Option<&'static BuiltIn> {
    static CONCAT_FUNCTION: BuiltIn = CONCAT;
    if name == CONCAT.name {
        return Some(&CONCAT_FUNCTION);
    }
    ALL.binary_search_by(|function| function.name.cmp(name)).ok().map(|place| &ALL[place])
}

/// How many arguments a special function takes.
pub(crate) fn special(name: &str) -> Option<(usize, usize)> {
    SPECIAL.iter().find(|(known, ..)| *known == name).map(|(_, least, most)| (*least, *most))
}

/// Whether a name is taken.
pub(crate) fn is_known(name: &str) -> bool {
    find(name).is_some() || special(name).is_some()
}

/// All names, for hints.
pub(crate) fn names() -> impl Iterator<Item = &'static str> {
    let special = SPECIAL.iter().map(|(name, ..)| *name);
    ALL.iter().map(|function| function.name).chain([CONCAT.name]).chain(special)
}

/// What a built-in function works with.
pub(crate) struct Context<'c, 'm> {
    pub(crate) memory: &'c mut Memory<'m>,
    pub(crate) constants: &'c [u8],
    pub(crate) scratch: &'c mut Vec<u8>,
    pub(crate) zones: &'c mut Zones,
}

impl Context<'_, '_> {
    /// The octets of an argument.
    pub(crate) fn octets(&self, argument: u64) -> &[u8] {
        Octets(argument).get(self.memory, self.constants)
    }

    /// Makes a string. What `write` writes is put into the record's memory.
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_list_is_sorted_so_that_it_can_be_searched() {
        assert!(ALL.is_sorted_by(|a, b| a.name < b.name));
    }
}
