//! Counts, sums, least and greatest values: a number for each step that has one.
//!
//! Octets: how many octets a step and a number have, in one octet; in four octets the number of the first step; then, for each step in
//! order, how many steps it is behind the first one, and its number. Both are as short as the part allows: most windows have few steps,
//! and most numbers are small. All records of a part have one length, so the last steps are found from the end.

use crate::definition::{Kind, Moment, Seconds, Window};

/// The octets before the records.
const HEAD_OCTETS: usize = 5;

/// How many octets steps and numbers have.
#[derive(Clone, Copy, PartialEq, Eq)]
struct Widths {
    step: usize,
    number: usize,
}

impl Widths {
    /// Returns those that steps up to a number and a number need.
    fn of(steps: u32, number: i64) -> Self {
        let step = match steps {
            0..=0xff => 1,
            0x100..=0xffff => 2,
            _ => 4,
        };
        let number = match number {
            -0x80..=0x7f => 1,
            -0x8000..=0x7fff => 2,
            -0x8000_0000..=0x7fff_ffff => 4,
            _ => 8,
        };
        Widths { step, number }
    }

    fn with(self, other: Self) -> Self {
        Widths { step: self.step.max(other.step), number: self.number.max(other.number) }
    }

    /// Returns the length of a record.
    fn record(self) -> usize {
        self.step + self.number
    }

    fn octet(self) -> u8 {
        (self.step << 4 | self.number) as u8
    }
}

/// Calls a method of records that is made for each pair of widths.
macro_rules! by_widths {
    ($records:expr, $method:ident, $($argument:expr),+) => {
        match ($records.widths.step, $records.widths.number) {
            (1, 1) => $records.$method::<1, 1>($($argument),+),
            (1, 2) => $records.$method::<1, 2>($($argument),+),
            (1, 4) => $records.$method::<1, 4>($($argument),+),
            (1, _) => $records.$method::<1, 8>($($argument),+),
            (2, 1) => $records.$method::<2, 1>($($argument),+),
            (2, 2) => $records.$method::<2, 2>($($argument),+),
            (2, 4) => $records.$method::<2, 4>($($argument),+),
            (2, _) => $records.$method::<2, 8>($($argument),+),
            (_, 1) => $records.$method::<4, 1>($($argument),+),
            (_, 2) => $records.$method::<4, 2>($($argument),+),
            (_, 4) => $records.$method::<4, 4>($($argument),+),
            (..) => $records.$method::<4, 8>($($argument),+),
        }
    };
}

/// The records of a part.
#[derive(Clone, Copy)]
pub(crate) struct Records<'o> {
    widths: Widths,
    /// The step that others are counted from.
    base: u32,
    octets: &'o [u8],
}

impl<'o> Records<'o> {
    /// Reads a part. One that is empty or damaged has no records.
    #[inline]
    pub(crate) fn read(part: &'o [u8]) -> Self {
        let none = Records { widths: Widths::of(0, 0), base: 0, octets: &[] };
        let Some(([octet, base @ ..], octets)) = part.split_first_chunk::<HEAD_OCTETS>() else {
            return none;
        };
        let widths = Widths { step: usize::from(octet >> 4), number: usize::from(octet & 0xf) };
        match widths {
            Widths { step: 1 | 2 | 4, number: 1 | 2 | 4 | 8 } => {
                Records { widths, base: u32::from_le_bytes(*base), octets }
            }
            _ => none,
        }
    }

    /// Returns each step with its number.
    pub(crate) fn iter(self) -> impl DoubleEndedIterator<Item = (u32, i64)> + ExactSizeIterator {
        let Records { widths, base, octets } = self;
        octets.chunks_exact(widths.record()).map(move |record| {
            let (step, number) = record.split_at(widths.step);
            (base.saturating_add(unsigned(step)), signed(number))
        })
    }

    /// Returns where the record of a step is, and its number.
    #[inline]
    fn of_step(self, step: u32) -> Option<(usize, i64)> {
        let behind = step.checked_sub(self.base)?;
        by_widths!(self, find, behind)
    }

    /// Finds a step. Most that are looked for are among the last ones.
    #[inline]
    fn find<const STEP: usize, const NUMBER: usize>(self, behind: u32) -> Option<(usize, i64)> {
        let mut at = self.octets.len();
        while let Some(next) = at.checked_sub(STEP + NUMBER) {
            at = next;
            let known = self.behind::<STEP>(at);
            if known <= behind {
                return (known == behind).then(|| (at, self.number::<NUMBER>(at + STEP)));
            }
        }
        None
    }

    /// Combines the numbers of the steps from one to another, both included. `None` if there is none.
    #[inline]
    fn combine(self, kind: Kind, (first, last): (u32, u32)) -> Option<i64> {
        let last = last.checked_sub(self.base)?;
        let first = first.saturating_sub(self.base);
        by_widths!(self, combine_of, kind, (first, last))
    }

    /// Returns where the records are whose steps are from one to another, both included, counted from the base.
    #[inline]
    fn range<const STEP: usize, const NUMBER: usize>(
        self,
        (first, last): (u32, u32),
    ) -> (usize, usize) {
        let length = STEP + NUMBER;
        let mut end = self.octets.len();
        while end >= length && self.behind::<STEP>(end - length) > last {
            end -= length;
        }
        // Few are over, or many.
        let (mut low, mut high) = (0, end / length);
        while low < high {
            let middle = (low + high) / 2;
            match self.behind::<STEP>(middle * length) < first {
                true => low = middle + 1,
                false => high = middle,
            }
        }
        (low * length, end)
    }

    fn combine_of<const STEP: usize, const NUMBER: usize>(
        self,
        kind: Kind,
        (first, last): (u32, u32),
    ) -> Option<i64> {
        let (begin, end) = self.range::<STEP, NUMBER>((first, last));
        let within = self.octets.get(begin..end).filter(|within| !within.is_empty())?;
        let records = within.chunks_exact(STEP + NUMBER);
        let numbers = records.map(|record| signed(&record[STEP..]));
        match kind {
            Kind::Least => numbers.min(),
            Kind::Greatest => numbers.max(),
            // Sums of so few numbers of four octets have room.
            _ if NUMBER < 8 => Some(numbers.sum()),
            _ => numbers.reduce(i64::saturating_add),
        }
    }

    #[inline]
    fn behind<const STEP: usize>(self, at: usize) -> u32 {
        self.octets
            .get(at..)
            .and_then(|rest| rest.first_chunk::<STEP>())
            .map_or(0, |of| unsigned(of))
    }

    #[inline]
    fn number<const NUMBER: usize>(self, at: usize) -> i64 {
        self.octets
            .get(at..)
            .and_then(|rest| rest.first_chunk::<NUMBER>())
            .map_or(0, |of| signed(of))
    }

    /// Returns the number of a step, if it has one.
    pub(crate) fn number_of(self, step: u32) -> Option<i64> {
        self.of_step(step).map(|(_, number)| number)
    }

    /// Returns whether it has room for a record without being written again as a whole.
    fn takes(self, step: u32, number: i64) -> bool {
        let needed = step.checked_sub(self.base).map(|behind| Widths::of(behind, number));
        let is_enough = |needed: Widths| needed.with(self.widths) == self.widths;
        !self.octets.is_empty() && needed.is_some_and(is_enough)
    }
}

#[inline]
fn unsigned(octets: &[u8]) -> u32 {
    match *octets {
        [octet] => octet.into(),
        [low, high] => u16::from_le_bytes([low, high]).into(),
        [one, two, three, four] => u32::from_le_bytes([one, two, three, four]),
        _ => 0,
    }
}

#[inline]
fn signed(octets: &[u8]) -> i64 {
    match *octets {
        [octet] => octet.cast_signed().into(),
        [low, high] => i16::from_le_bytes([low, high]).into(),
        [one, two, three, four] => i32::from_le_bytes([one, two, three, four]).into(),
        _ => octets.first_chunk().map_or(0, |octets| i64::from_le_bytes(*octets)),
    }
}

/// Reads a number of eight octets.
pub(crate) fn read(octets: &[u8]) -> i64 {
    octets.first_chunk().map_or(0, |octets| i64::from_le_bytes(*octets))
}

pub(crate) fn combined(kind: Kind, one: i64, other: i64) -> i64 {
    match kind {
        Kind::Least => one.min(other),
        Kind::Greatest => one.max(other),
        _ => one.saturating_add(other),
    }
}

/// Returns whether the step of a moment has a number, and one with another number added can be written in its place.
pub(crate) fn has_place(
    part: &[u8],
    (kind, window): (Kind, Window),
    (moment, number): (Moment, i64),
) -> bool {
    let records = Records::read(part);
    let known = records.number_of(window.step_of(moment));
    known.is_some_and(|known| {
        Widths::of(0, combined(kind, known, number)).number <= records.widths.number
    })
}

/// Adds a number in the step of a moment, which has [a place](has_place) for it.
pub(crate) fn add_in_place(
    part: &mut [u8],
    (kind, window): (Kind, Window),
    (moment, number): (Moment, i64),
) {
    let records = Records::read(part);
    let Some((at, known)) = records.of_step(window.step_of(moment)) else { return };
    let Widths { step, number: length } = records.widths;
    let number = combined(kind, known, number).to_le_bytes();
    part[HEAD_OCTETS + at + step..][..length].copy_from_slice(&number[..length]);
}

/// Appends a part with a number added in the step of a moment. Steps that count for no event from a moment on are left out.
pub(crate) fn add(
    to: &mut Vec<u8>,
    part: &[u8],
    (kind, window): (Kind, Window),
    (moment, number): (Moment, i64),
    oldest: Moment,
) {
    let records = Records::read(part);
    let (at, first) = (window.step_of(moment), window.first_step(window.step_of(oldest)));
    if records.octets.is_empty() {
        // Sums grow, and a part is written again for each octet more.
        let room = if kind == Kind::Sum { number.saturating_mul(16) } else { number };
        let new = Records { widths: Widths::of(0, room), base: at, octets: &[] };
        write_head(to, new);
        return write(to, new, (at, number));
    }
    let known = records.number_of(at);
    let number = known.map_or(number, |known| combined(kind, known, number));
    let counts = |(step, _): &(u32, i64)| *step >= first;
    if records.takes(at, number) {
        let length = records.widths.record();
        let within = (first.saturating_sub(records.base), at - records.base);
        let (over, behind) = by_widths!(records, range, within);
        let before = behind - if known.is_some() { length } else { 0 };
        to.extend_from_slice(&part[..HEAD_OCTETS]);
        to.extend_from_slice(&records.octets[over.min(before)..before]);
        write(to, records, (at, number));
        to.extend_from_slice(&records.octets[behind..]);
        return;
    }
    let others = move || records.iter().filter(counts).filter(move |(step, _)| *step != at);
    let base = others().next().map_or(at, |(step, _)| step.min(at));
    let all = || others().chain([(at, number)]);
    let widths = all().map(|(step, number)| Widths::of(step - base, number));
    let widths = widths.fold(Widths::of(0, 0), Widths::with);
    let new = Records { widths, base, octets: &[] };
    write_head(to, new);
    others().filter(|(step, _)| *step < at).for_each(|record| write(to, new, record));
    write(to, new, (at, number));
    others().filter(|(step, _)| *step > at).for_each(|record| write(to, new, record));
}

/// Appends a record of the form of others. A length that the compiler knows is copied without a call.
#[inline]
fn write(to: &mut Vec<u8>, Records { widths, base, .. }: Records<'_>, (step, number): (u32, i64)) {
    let mut octets = [0; 4 + 8];
    octets[..4].copy_from_slice(&(step - base).to_le_bytes());
    octets[widths.step..][..8].copy_from_slice(&number.to_le_bytes());
    let end = to.len() + widths.record();
    to.extend_from_slice(&octets);
    to.truncate(end);
}

fn write_head(to: &mut Vec<u8>, Records { widths, base, .. }: Records<'_>) {
    let [one, two, three, four] = base.to_le_bytes();
    to.extend_from_slice(&[widths.octet(), one, two, three, four]);
}

/// Appends the ends of the steps behind that of a moment which have a number, and whose windows it is in.
pub(crate) fn later_ends(part: &[u8], window: Window, moment: Moment, to: &mut Vec<Seconds>) {
    let of_moment = window.step_of(moment);
    let later = Records::read(part).iter().rev().take_while(|(step, _)| *step > of_moment);
    to.extend(later.filter_map(|(step, _)| window.later_end(step, moment)));
}

/// Returns the value at a moment. `None` without an event, but for counts and sums, which are 0 then.
pub(crate) fn value(part: &[u8], (kind, window): (Kind, Window), moment: Moment) -> Option<i64> {
    let last = window.step_of(moment);
    let first = window.first_step(last);
    let value = Records::read(part).combine(kind, (first, last));
    match kind {
        Kind::Least | Kind::Greatest => value,
        _ => Some(value.unwrap_or_default()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const WINDOW: Window = Window::sliding(1, 10_000);

    fn added(part: &[u8], (time, number): (u32, i64), oldest: u32) -> Vec<u8> {
        let mut to = Vec::new();
        let of = (Moment::utc(time), number);
        add(&mut to, part, (Kind::Usual, WINDOW), of, Moment::utc(oldest));
        to
    }

    #[test]
    fn records_become_as_long_as_the_longest_needs() {
        let mut part = Vec::new();
        let lengths = [(0, 5 + 2), (100, 5 + 4), (127, 5 + 6)].map(|(time, length)| {
            part = added(&part, (20_000 + time, time.into()), 0);
            (part.len(), length)
        });
        assert!(lengths.iter().all(|(found, expected)| found == expected), "{lengths:?}");
        let (far, large) = (added(&part, (20_256, 1), 0), added(&part, (20_001, -129), 0));
        assert_eq!((far.len(), large.len()), (5 + 4 * 3, 5 + 4 * 3));
        assert_eq!(added(&far, (20_300, i64::MIN), 0).len(), 5 + 5 * 10);
        // What is over makes room, and earlier steps come before.
        assert_eq!(added(&part, (30_100, 7), 30_100).len(), 5 + 2 * 3);
        let all = added(&added(&part, (100, 5), 0), (90_000, 6), 0);
        let records: Vec<_> = Records::read(&all).iter().collect();
        let expected = [(100, 5), (20_000, 0), (20_100, 100), (20_127, 127), (90_000, 6)];
        assert_eq!(records, expected);
        assert_eq!(Records::read(&all).number_of(20_100), Some(100));
        assert_eq!(Records::read(&all).number_of(20_101), None);
    }

    #[test]
    fn a_number_has_a_place_while_its_octets_are_enough() {
        let part = added(&[], (1_000, 100), 0);
        let has_place =
            |number| has_place(&part, (Kind::Usual, WINDOW), (Moment::utc(1_000), number));
        assert!(has_place(27) && has_place(-228) && !has_place(28) && !has_place(-229));
        let mut longer = added(&part, (1_000, 28), 0);
        assert_eq!(Records::read(&longer).number_of(1_000), Some(128));
        add_in_place(&mut longer, (Kind::Usual, WINDOW), (Moment::utc(1_000), 1_000));
        assert_eq!(Records::read(&longer).number_of(1_000), Some(1_128));
    }

    #[test]
    fn a_sum_has_room_to_grow() {
        let mut part = Vec::new();
        let of = (Moment::utc(1_000), 100);
        add(&mut part, &[], (Kind::Sum, WINDOW), of, Moment::utc(0));
        assert_eq!(part.len(), 5 + 3);
        assert!(has_place(&part, (Kind::Sum, WINDOW), (Moment::utc(1_000), 1_000)));
    }

    #[test]
    fn octets_that_are_no_part_have_no_records() {
        for octets in [&[][..], &[0x11, 0, 0, 0], &[0x30, 0, 0, 0, 0, 1, 2, 3, 4], &[0; 40]] {
            assert_eq!(Records::read(octets).iter().count(), 0);
        }
        assert_eq!(
            Records::read(&[0x11, 255, 255, 255, 255, 9, 1]).iter().next(),
            Some((u32::MAX, 1))
        );
    }
}
