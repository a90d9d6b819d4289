//! How many different values there are: a set of digests for each step, exact while it is small, and an estimate beyond
//! (HyperLogLog; Flajolet, Fusy, Gandouet and Meunier, 2007).
//!
//! Octets: for each step, the steps since the one before, the number of digests, and these in order, of four octets each. In
//! place of the number is 0 for an estimate, which has an octet for each register.

use crate::definition::{Moment, Seconds, Window};
use crate::octets::{Reader, write_number};

/// The most values of a step that are counted exactly.
pub const EXACT_MAX: usize = 64;

/// The registers of an estimate, whose standard error is 6.5 % then.
const REGISTERS: usize = 256;

const DIGEST_OCTETS: usize = 4;

/// The values of a step.
#[derive(Clone, Copy)]
enum Values<'o> {
    /// Their digests, in order.
    Exact(&'o [u8]),
    Estimate(&'o [u8]),
}

#[derive(Clone, Copy)]
struct Steps<'o> {
    reader: Reader<'o>,
    step: u32,
}

impl<'o> Iterator for Steps<'o> {
    type Item = (u32, Values<'o>);

    fn next(&mut self) -> Option<Self::Item> {
        if self.reader.is_empty() {
            return None;
        }
        self.step = self.step.saturating_add(self.reader.number() as u32);
        let values = match self.reader.number() as usize {
            0 => Values::Estimate(self.reader.take(REGISTERS)),
            count => Values::Exact(self.reader.take(DIGEST_OCTETS * count.min(EXACT_MAX))),
        };
        Some((self.step, values))
    }
}

fn steps(octets: &[u8]) -> Steps<'_> {
    Steps { reader: Reader(octets), step: 0 }
}

fn digests(octets: &[u8]) -> impl Iterator<Item = u32> + '_ {
    octets.chunks_exact(DIGEST_OCTETS).map(|of| u32::from_le_bytes([of[0], of[1], of[2], of[3]]))
}

/// Notes a value in registers: the greatest number of leading zeros, and one, of all that have the same first octet.
fn note(registers: &mut [u8; REGISTERS], digest: u32) {
    let [place, ..] = digest.to_be_bytes();
    let rank = (digest << 8 | 0xff).leading_zeros() as u8 + 1;
    let register = &mut registers[usize::from(place)];
    *register = (*register).max(rank);
}

fn estimate(registers: &[u8; REGISTERS]) -> i64 {
    let count = REGISTERS as f64;
    let sum: f64 = registers.iter().map(|rank| (-f64::from(*rank)).exp2()).sum();
    let raw = 0.7213 / (1.0 + 1.079 / count) * count * count / sum;
    let empty = registers.iter().filter(|rank| **rank == 0).count();
    // Few values leave registers empty, which says more.
    let estimate =
        if raw <= 2.5 * count && empty > 0 { count * (count / empty as f64).ln() } else { raw };
    estimate.round() as i64
}

/// Appends the ends of the steps behind that of a moment which have values, and whose windows it is in.
pub(crate) fn later_ends(octets: &[u8], window: Window, moment: Moment, to: &mut Vec<Seconds>) {
    to.extend(steps(octets).filter_map(|(step, _)| window.later_end(step, moment)));
}

/// Returns whether a value changes nothing in the step of a moment, since it is there.
pub(crate) fn is_there(octets: &[u8], window: Window, (moment, digest): (Moment, u32)) -> bool {
    let at = window.step_of(moment);
    let values = steps(octets).find(|(step, _)| *step >= at).filter(|(step, _)| *step == at);
    match values {
        Some((_, Values::Exact(of))) => digests(of).any(|known| known == digest),
        Some((_, Values::Estimate(before))) => {
            let mut registers = registers_of(before);
            note(&mut registers, digest);
            registers == *before
        }
        None => false,
    }
}

/// Adds a value in the step of a moment. Steps that count for no event from a moment on are left out.
pub(crate) fn add(
    to: &mut Vec<u8>,
    octets: &[u8],
    window: Window,
    (moment, digest): (Moment, u32),
    oldest: Moment,
) {
    let (at, first) = (window.step_of(moment), window.first_step(window.step_of(oldest)));
    let mut last = 0;
    let mut write = |step: u32, values: Values<'_>, added: Option<u32>| {
        if step < first {
            return;
        }
        write_number(to, u64::from(step - last));
        last = step;
        write_values(to, values, added);
    };
    let none = Values::Exact(&[]);
    let mut is_added = false;
    for (step, values) in steps(octets) {
        if step > at && !is_added {
            write(at, none, Some(digest));
            is_added = true;
        }
        is_added |= step == at;
        write(step, values, Some(digest).filter(|_| step == at));
    }
    if !is_added {
        write(at, none, Some(digest));
    }
}

fn write_values(to: &mut Vec<u8>, values: Values<'_>, added: Option<u32>) {
    match (values, added) {
        (Values::Estimate(before), added) => {
            let mut registers = registers_of(before);
            added.into_iter().for_each(|digest| note(&mut registers, digest));
            write_number(to, 0);
            to.extend_from_slice(&registers);
        }
        (Values::Exact(before), None) => {
            write_exact(to, digests(before), before.len() / DIGEST_OCTETS)
        }
        (Values::Exact(before), Some(digest)) => {
            let count = before.len() / DIGEST_OCTETS;
            if digests(before).any(|known| known == digest) {
                return write_exact(to, digests(before), count);
            }
            if count < EXACT_MAX {
                let smaller = digests(before).take_while(|known| *known < digest);
                let greater = digests(before).skip_while(|known| *known < digest);
                return write_exact(to, smaller.chain([digest]).chain(greater), count + 1);
            }
            let mut registers = [0; REGISTERS];
            digests(before).chain([digest]).for_each(|digest| note(&mut registers, digest));
            write_number(to, 0);
            to.extend_from_slice(&registers);
        }
    }
}

fn write_exact(to: &mut Vec<u8>, digests: impl Iterator<Item = u32>, count: usize) {
    write_number(to, count as u64);
    digests.for_each(|digest| to.extend_from_slice(&digest.to_le_bytes()));
}

fn registers_of(octets: &[u8]) -> [u8; REGISTERS] {
    let mut registers = [0; REGISTERS];
    registers.iter_mut().zip(octets).for_each(|(register, octet)| *register = *octet);
    registers
}

/// Returns the octets of one value in one step.
pub(crate) fn of_one(digest: u32) -> Vec<u8> {
    let mut octets = vec![0];
    write_values(&mut octets, Values::Exact(&[]), Some(digest));
    octets
}

/// Returns the values of the first step.
fn first(octets: &[u8]) -> Values<'_> {
    steps(octets).next().map_or(Values::Exact(&[]), |(_, values)| values)
}

/// Returns the octets of the values of one step, or of another one.
pub(crate) fn union(one: &[u8], other: &[u8]) -> Vec<u8> {
    let (few, many) = match (first(one), first(other)) {
        (few @ Values::Exact(_), many) | (many, few) => (few, many),
    };
    let mut union = vec![0];
    match (few, many) {
        (Values::Estimate(one), Values::Estimate(other)) => {
            let higher = one.iter().zip(other).map(|(one, other)| *one.max(other));
            write_number(&mut union, 0);
            union.extend(higher);
        }
        (Values::Estimate(_), Values::Exact(_)) => {}
        (Values::Exact(few), many) => {
            write_values(&mut union, many, None);
            for digest in digests(few) {
                let before = std::mem::replace(&mut union, vec![0]);
                write_values(&mut union, first(&before), Some(digest));
            }
        }
    }
    union
}

/// Returns the number of different values of one step.
pub(crate) fn count(octets: &[u8]) -> i64 {
    match first(octets) {
        Values::Exact(of) => (of.len() / DIGEST_OCTETS) as i64,
        Values::Estimate(of) => estimate(&registers_of(of)),
    }
}

/// Returns the number of different values at a moment.
pub(crate) fn value(octets: &[u8], window: Window, moment: Moment) -> i64 {
    let last = window.step_of(moment);
    let within = window.first_step(last)..=last;
    let values =
        || steps(octets).filter(|(step, _)| within.contains(step)).map(|(_, values)| values);
    let is_exact = values().all(|of| matches!(of, Values::Exact(_)));
    let mut all = values();
    match (all.next(), all.next()) {
        (None, _) => 0,
        (Some(Values::Exact(one)), None) => (one.len() / DIGEST_OCTETS) as i64,
        _ if is_exact => exact(values()),
        _ => {
            let mut registers = [0; REGISTERS];
            for values in values() {
                match values {
                    Values::Exact(of) => {
                        digests(of).for_each(|digest| note(&mut registers, digest))
                    }
                    Values::Estimate(of) => {
                        let both = registers.iter_mut().zip(of);
                        both.for_each(|(register, rank)| *register = (*register).max(*rank));
                    }
                }
            }
            estimate(&registers)
        }
    }
}

/// Returns how many digests there are in sets that are exact.
fn exact<'o>(values: impl Iterator<Item = Values<'o>>) -> i64 {
    let mut all = [0; EXACT_MAX * Window::DISTINCT_STEPS_MAX as usize];
    let mut count = 0;
    for values in values {
        let Values::Exact(of) = values else { continue };
        for digest in digests(of) {
            if let Some(place) = all.get_mut(count) {
                *place = digest;
                count += 1;
            }
        }
    }
    let all = &mut all[..count];
    all.sort_unstable();
    let repeated = all.windows(2).filter(|pair| pair[0] == pair[1]).count();
    (count - repeated) as i64
}
