//! The records of one file: the calls, which of them are damaged, and the expected results.

use super::encoder::{self, Call, HEADER_BYTES, Kind, Origin, ROOT_TAG};
use super::{Expected, Options};
use crate::random::Random;

/// Mean length of an answered call.
const DURATION_SECONDS_MEAN: f64 = 120.0;
/// Longest call: after it, centres write a partial record.
const DURATION_SECONDS_MAX: u32 = 7200;
/// The range of the centres' sequence numbers.
const SEQUENCE_NUMBERS: u32 = 10_000;
/// Causes for termination that are paid: normalRelease, stableCallAbnormalTermination.
const PAID: [u8; 2] = [0, 4];
/// unsuccessfulCallAttempt.
const UNSUCCESSFUL: u8 = 3;

#[derive(Clone, Copy, PartialEq, Eq)]
enum Damage {
    Overrun,
    Flipped,
    Truncated,
}

/// Generates one file, piece by piece.
pub(crate) struct Generator<'o> {
    options: &'o Options,
    random: Random,
    origin: Origin,
    /// The records or octets that end this file, whichever comes first.
    records_max: u64,
    bytes_min: u64,
    /// Whether a truncated record follows, beyond `records_max`.
    truncate: bool,
    sequence_number: u32,
    second: f64,
    after_damage: bool,
    /// The expected results so far; complete when `append` returns false.
    pub(crate) expected: Expected,
}

impl<'o> Generator<'o> {
    pub(crate) fn new(options: &'o Options, number: u32) -> Self {
        let mut random = Random::new(options.seed, u64::from(number));
        let files = u64::from(options.files);
        let part = |whole: u64| whole / files + u64::from(u64::from(number) < whole % files);
        let centre = options.centre(number);
        let msc = (number as usize % options.centres.len()) as u8 % 10;
        let records = if options.bytes.is_some() { u64::MAX } else { part(options.count) };
        // It needs one sound record before it.
        let truncate = random.chance(options.truncated) && records >= 2;
        Generator {
            options,
            random,
            origin: Origin {
                version: centre.version,
                msc_address: [0x91, 0x21, 0x21, 0x55, 0x05, 0x01, 0xF0 | msc],
            },
            records_max: records - u64::from(truncate),
            bytes_min: options.bytes.map_or(u64::MAX, part),
            truncate,
            sequence_number: 0,
            second: options.start_second as f64,
            after_damage: true,
            expected: Expected {
                network_element: centre.name.clone(),
                version: centre.version,
                ..Expected::default()
            },
        }
    }

    /// Appends records until `out` has grown by `bytes` or the file ends. Returns whether there are more.
    pub(crate) fn append(&mut self, out: &mut Vec<u8>, bytes: usize) -> bool {
        let end = out.len() + bytes;
        while out.len() < end {
            if self.expected.records >= self.records_max || self.expected.bytes >= self.bytes_min {
                if self.truncate {
                    self.truncate = false;
                    self.truncated_record(out);
                }
                return false;
            }
            self.record(out);
        }
        true
    }

    fn record(&mut self, out: &mut Vec<u8>) {
        let start = out.len();
        let call = self.call();
        let length_at = encoder::encode(out, &mut self.random, &self.origin, &call);
        self.expected.records += 1;
        match self.damage() {
            Some(damage) if self.may_be_damaged() && has_no_start(&out[start..]) => {
                self.after_damage = true;
                self.apply(damage, out, start, length_at);
            }
            _ => {
                self.after_damage = false;
                self.count(&call);
            }
        }
        self.expected.bytes += (out.len() - start) as u64;
    }

    /// Returns whether the next record may be damaged: it must not be beside another damaged or truncated one.
    fn may_be_damaged(&self) -> bool {
        let before_truncated = self.truncate && self.expected.records >= self.records_max;
        !self.after_damage && !before_truncated
    }

    /// Appends the last record, which is cut off.
    fn truncated_record(&mut self, out: &mut Vec<u8>) {
        while self.after_damage {
            self.record(out);
        }
        let start = out.len();
        loop {
            out.truncate(start);
            let call = self.call();
            let length_at = encoder::encode(out, &mut self.random, &self.origin, &call);
            if has_no_start(&out[start..]) {
                self.expected.records += 1;
                self.apply(Damage::Truncated, out, start, length_at);
                self.expected.bytes += (out.len() - start) as u64;
                return;
            }
        }
    }

    fn call(&mut self) -> Call {
        let Generator { options, random, .. } = self;
        self.sequence_number = (self.sequence_number + 1) % SEQUENCE_NUMBERS;
        self.second += random.exponential(options.arrival_seconds_mean);
        let kind = match random.below(100) {
            _ if random.chance(options.roaming) => Kind::Roaming,
            0..45 => Kind::Originated,
            45..75 => Kind::Terminated,
            75..85 => Kind::Forwarded,
            _ => Kind::ShortMessage,
        };
        let paid = !random.chance(options.non_billable);
        let talked = paid && kind != Kind::ShortMessage;
        Call {
            kind,
            answer_second: self.second as u64,
            duration_seconds: if talked { duration(random) } else { 0 },
            cause: if paid { PAID[usize::from(random.chance(0.05))] } else { UNSUCCESSFUL },
            sequence_number: self.sequence_number,
            unknown_extension: random.chance(options.unknown_extensions),
            // Without this option no random number is drawn, so that a seed gives the same octets as before.
            has_location: options.without_location == 0.0
                || !random.chance(options.without_location),
        }
    }

    fn damage(&mut self) -> Option<Damage> {
        let Options { overrun, flipped, .. } = *self.options;
        if overrun + flipped == 0.0 || !self.random.chance(overrun + flipped) {
            return None;
        }
        let is_overrun = self.random.chance(overrun / (overrun + flipped));
        Some(if is_overrun { Damage::Overrun } else { Damage::Flipped })
    }

    fn apply(&mut self, damage: Damage, out: &mut Vec<u8>, start: usize, length_at: usize) {
        let damaged = &mut self.expected.damaged;
        match damage {
            Damage::Overrun => {
                assert!(out.len() - length_at < 0x7F, "the length must lead out of the record");
                out[length_at] = 0x7F;
                damaged.overrun += 1;
            }
            Damage::Flipped => {
                out[start] ^= 1 << self.random.below(8);
                damaged.flipped += 1;
            }
            Damage::Truncated => {
                let there = out.len() - start - HEADER_BYTES;
                let remaining = HEADER_BYTES + self.random.below(there as u32) as usize;
                out.truncate(start + remaining);
                damaged.truncated += 1;
            }
        }
    }

    fn count(&mut self, call: &Call) {
        let expected = &mut self.expected;
        let seconds = u64::from(call.duration_seconds);
        expected.unknown_extensions += u64::from(call.unknown_extension);
        if !PAID.contains(&call.cause) {
            expected.non_billable += 1;
            expected.duration_seconds.non_billable += seconds;
            return;
        }
        expected.billable += 1;
        if call.kind == Kind::Roaming {
            expected.roaming += 1;
            expected.duration_seconds.roaming += seconds;
        } else {
            expected.home += 1;
            expected.duration_seconds.home += seconds;
        }
    }
}

fn duration(random: &mut Random) -> u32 {
    (1 + random.exponential(DURATION_SECONDS_MEAN) as u32).min(DURATION_SECONDS_MAX)
}

/// Returns whether nothing after a record's first octet looks like the start of another record.
fn has_no_start(record: &[u8]) -> bool {
    !record[1..].contains(&ROOT_TAG)
}
