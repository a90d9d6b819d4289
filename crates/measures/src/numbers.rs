//! Counts, sums, least and greatest values: a number for each step that has one.
//!
//! Octets: for each step in order, its number of four octets, and a number of four for a count, or of eight. All records have one
//! length, so the last steps are found from the end.

use crate::definition::{Kind, Moment, Seconds, Window};

const STEP_OCTETS: usize = 4;

/// The octets of a number.
fn number_octets(kind: Kind) -> usize {
    if kind == Kind::Count { 4 } else { 8 }
}

/// Returns the records, each with its step.
pub(crate) fn records(octets: &[u8], kind: Kind) -> impl DoubleEndedIterator<Item = (u32, &[u8])> {
    octets.chunks_exact(STEP_OCTETS + number_octets(kind)).map(|record| {
        let (step, number) = record.split_at(STEP_OCTETS);
        (u32::from_le_bytes(array(step)), number)
    })
}

/// Returns the first octets as an array.
fn array<const N: usize>(octets: &[u8]) -> [u8; N] {
    std::array::from_fn(|place| octets.get(place).copied().unwrap_or_default())
}

pub(crate) fn read(kind: Kind, number: &[u8]) -> i64 {
    match kind {
        Kind::Count => u32::from_le_bytes(array(number)).into(),
        _ => i64::from_le_bytes(array(number)),
    }
}

fn written(kind: Kind, number: i64) -> ([u8; 8], usize) {
    let number = match kind {
        Kind::Count => number.clamp(0, u32::MAX.into()),
        _ => number,
    };
    (number.to_le_bytes(), number_octets(kind))
}

pub(crate) fn combined(kind: Kind, one: i64, other: i64) -> i64 {
    match kind {
        Kind::Least => one.min(other),
        Kind::Greatest => one.max(other),
        _ => one.saturating_add(other),
    }
}

/// Returns the place of the number of a step.
fn place_of(octets: &[u8], kind: Kind, step: u32) -> Option<usize> {
    let length = STEP_OCTETS + number_octets(kind);
    let back = records(octets, kind).rev().position(|(known, _)| known <= step)?;
    let at = octets.len() - (back + 1) * length;
    (u32::from_le_bytes(array(&octets[at..])) == step).then_some(at + STEP_OCTETS)
}

/// Returns the number of a step, if it has one.
pub(crate) fn sum_of_step(octets: &[u8], kind: Kind, step: u32) -> Option<i64> {
    place_of(octets, kind, step).map(|at| read(kind, &octets[at..]))
}

/// Returns whether the step of a moment has a number, which can be changed in its place.
pub(crate) fn has_place(octets: &[u8], (kind, window): (Kind, Window), moment: Moment) -> bool {
    place_of(octets, kind, window.step_of(moment)).is_some()
}

/// Adds a number in the step of a moment, which has one.
pub(crate) fn add_in_place(
    octets: &mut [u8],
    (kind, window): (Kind, Window),
    (moment, number): (Moment, i64),
) {
    let Some(at) = place_of(octets, kind, window.step_of(moment)) else { return };
    let (number, length) = written(kind, combined(kind, read(kind, &octets[at..]), number));
    octets[at..][..length].copy_from_slice(&number[..length]);
}

/// Adds a number in the step of a moment, which has none. Steps that count for no event from a moment on are left out.
pub(crate) fn add(
    to: &mut Vec<u8>,
    octets: &[u8],
    (kind, window): (Kind, Window),
    (moment, number): (Moment, i64),
    oldest: Moment,
) {
    let length = STEP_OCTETS + number_octets(kind);
    let (at, first) = (window.step_of(moment), window.first_step(window.step_of(oldest)));
    let from = length * records(octets, kind).take_while(|(step, _)| *step < first).count();
    let before = octets.len()
        - length * records(octets, kind).rev().take_while(|(step, _)| *step > at).count();
    to.extend_from_slice(&octets[from.min(before)..before]);
    let (number, number_length) = written(kind, number);
    to.extend_from_slice(&at.to_le_bytes());
    to.extend_from_slice(&number[..number_length]);
    to.extend_from_slice(&octets[before..]);
}

/// Appends the ends of the steps behind that of a moment which have a number, and whose windows it is in.
pub(crate) fn later_ends(
    octets: &[u8],
    (kind, window): (Kind, Window),
    moment: Moment,
    to: &mut Vec<Seconds>,
) {
    let ends = records(octets, kind).rev().map_while(|(step, _)| {
        (step > window.step_of(moment)).then(|| window.later_end(step, moment))
    });
    to.extend(ends.flatten());
}

/// Returns the value at a moment. `None` without an event, but for counts and sums, which are 0 then.
pub(crate) fn value(octets: &[u8], (kind, window): (Kind, Window), moment: Moment) -> Option<i64> {
    let last = window.step_of(moment);
    let first = window.first_step(last);
    let within = records(octets, kind).rev().skip_while(|(step, _)| *step > last);
    let within = within.take_while(|(step, _)| *step >= first);
    let value = within
        .map(|(_, number)| read(kind, number))
        .reduce(|one, other| combined(kind, one, other));
    match kind {
        Kind::Least | Kind::Greatest => value,
        _ => Some(value.unwrap_or_default()),
    }
}
