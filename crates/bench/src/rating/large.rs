//! A large random plan from a seed, and calls that it has prices for.

use std::collections::BTreeSet;
use std::fmt::Write;
use std::path::Path;
use std::time::Instant;

use rating::{Number, Plan, Usage};
use simulate::Random;
use tempfile::TempDir;

use super::super::measure::Row;
use crate::error::BenchError;

pub(super) const PREFIXES: usize = 100_000;
pub(super) const CLASSES: usize = 500;

/// The calls of a round. With the plan, they are more than the nearest caches hold.
const CALLS: usize = 100_000;

/// The maximum number of mistakes shown: one for each prefix would be too many.
const MISTAKES_SHOWN: usize = 3;

/// The digits of a called number.
const DIGITS: usize = 12;

/// 2026-01-01 00:00 UTC.
const YEAR_START: i64 = 1_767_225_600;

const YEAR_SECONDS: u32 = 365 * 86_400;

/// The price of a class: hundredths per minute in both bands, the set-up fee, and the intervals.
pub(super) struct Price {
    pub(super) bands: [u64; 2],
    pub(super) set_up: u64,
    pub(super) intervals: (u64, u64),
}

pub(super) const INTERVALS: [(u64, u64); 4] = [(60, 1), (1, 1), (30, 6), (60, 60)];

/// A call. Its fields lie side by side, as in a record that was just decoded.
pub(crate) struct Call {
    pub(crate) digits: [u8; DIGITS],
    pub(crate) start: i64,
    pub(crate) seconds: u64,
}

impl Call {
    pub(crate) fn usage(&self) -> Usage<'_> {
        Usage {
            service: Some("telephony"),
            other: Some(Number::unknown(&self.digits)),
            duration: Some(self.seconds),
            ..Usage::at(self.start)
        }
    }
}

/// Draws a prefix. Most calls go to few destinations: the cube of an even draw, so that an eighth of the prefixes has
/// half of the calls.
fn often(random: &mut Random) -> usize {
    const STEPS: u64 = 1 << 16;
    let draw = u64::from(random.below(STEPS as u32));
    let place = draw * draw / STEPS * draw * PREFIXES as u64 / STEPS / STEPS;
    // Spread the frequent prefixes over the table.
    place as usize * 7_919 % PREFIXES
}

/// A plan and calls.
pub(crate) struct Large {
    /// The prefixes and their zones; the class of a zone has the same number.
    pub(super) prefixes: Vec<(String, usize)>,
    pub(super) prices: Vec<Price>,
    pub(crate) calls: Vec<Call>,
}

impl Large {
    pub(crate) fn new() -> Self {
        let mut random = Random::new(1, 0);
        let mut known = BTreeSet::new();
        while known.len() < PREFIXES {
            let length = 3 + random.below(6);
            let digits: String =
                (0..length).map(|_| char::from(b'0' + random.below(10) as u8)).collect();
            known.insert(digits);
        }
        let prefixes: Vec<(String, usize)> = known
            .into_iter()
            .map(|digits| (digits, random.below(CLASSES as u32) as usize))
            .collect();
        let prices = (0..CLASSES)
            .map(|_| Price {
                bands: [1 + u64::from(random.below(200)), 1 + u64::from(random.below(200))],
                set_up: random.below(100).into(),
                intervals: INTERVALS[random.below(4) as usize],
            })
            .collect();
        let calls = (0..CALLS)
            .map(|_| {
                let (prefix, _) = &prefixes[often(&mut random)];
                let mut digits = [0; DIGITS].map(|_: u8| b'0' + random.below(10) as u8);
                digits[..prefix.len()].copy_from_slice(prefix.as_bytes());
                let start = YEAR_START + i64::from(random.below(YEAR_SECONDS));
                Call { digits, start, seconds: 1 + u64::from(random.below(600)) }
            })
            .collect();
        Large { prefixes, prices, calls }
    }

    /// Writes the plan's files and reads them. Returns the plan and how long reading took.
    pub(crate) fn read(&self) -> Result<(Plan, Row), BenchError> {
        let folder = TempDir::new()?;
        self.write(folder.path())?;
        let mut row = Row::new("", PREFIXES as u64, 0);
        let begin = Instant::now();
        let read = Plan::read(folder.path());
        row.elapsed = begin.elapsed();
        let Some(plan) = read.plan else {
            let first = read.diagnostics.into_iter().take(MISTAKES_SHOWN).collect();
            return Err(BenchError::Mistakes(first));
        };
        Ok((plan, row))
    }

    /// Writes the plan's files to a folder.
    pub(crate) fn write(&self, folder: &Path) -> std::io::Result<()> {
        let mut prefixes = "prefix,zone\n".to_owned();
        for (digits, zone) in &self.prefixes {
            let _ = writeln!(prefixes, "{digits},zone-{zone}");
        }
        let mut classes = "class,unit,crossing\n".to_owned();
        let mut analysis = "service,to,class\n".to_owned();
        let mut prices = "class,valid-from,band,price,per,interval,set-up\n".to_owned();
        for (class, Price { bands, set_up, intervals: (first, next) }) in
            self.prices.iter().enumerate()
        {
            let _ = writeln!(classes, "class-{class},seconds,start");
            let _ = writeln!(analysis, "telephony,zone-{class},class-{class}");
            for (band, price) in ["peak", "low"].iter().zip(bands) {
                let _ = writeln!(
                    prices,
                    "class-{class},2020-01-01 UTC,{band},{}.{:02},min,{first}/{next},{}.{:02}",
                    price / 100,
                    price % 100,
                    set_up / 100,
                    set_up % 100,
                );
            }
        }
        for (name, text) in [
            ("tariff.toml", include_str!("tariff.toml")),
            ("bands.csv", include_str!("bands.csv")),
            ("prefixes.csv", &prefixes),
            ("classes.csv", &classes),
            ("analysis.csv", &analysis),
            ("prices.csv", &prices),
        ] {
            std::fs::write(folder.join(name), text)?;
        }
        Ok(())
    }
}
