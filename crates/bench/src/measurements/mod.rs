//! `tollgate bench measurements`: measures the parser of files of performance measurements beside a bare search for the results
//! and, if it is built in, beside the quick-xml crate. All must find the same.

#[cfg(feature = "compare")]
mod compare;
#[cfg(not(feature = "compare"))]
#[path = "no_compare.rs"]
mod compare;
mod records;

use std::hint::black_box;
use std::io::Write;

use ::measurements::{Found, Parser, Rest, Row as Results, Step, Value, Wanted};
use format::Input;
use simulate::Random;
use simulate::measurements::{BaseStation, File};

use crate::error::BenchError;
use crate::measure::{Results as Table, Row};
use crate::product::Product;

/// The rounds of each measurement.
const ROUNDS: u32 = 31;

/// How often a round reads the file, so that it takes some milliseconds.
const TIMES: u64 = 20;

/// The counters of the measurement that reads few.
const FEW: [&str; 3] = ["pmGroup3Counter*", "pmGroup7Counter1Att", "pmGroup30Counter2Att"];

/// Arguments of `tollgate bench measurements`.
#[derive(Debug, clap::Args)]
pub(crate) struct Measurements {
    /// One JSON object instead of a table
    #[arg(long)]
    json: bool,
    /// A file to read instead of a simulated one
    #[arg(long, value_name = "FILE")]
    file: Option<std::path::PathBuf>,
}

/// What is found in a file. A sum of numbers without fractions is what another parser must find too.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
struct Sum {
    results: u64,
    numbers: u64,
    sum: u64,
}

/// A file, and how it is read into records.
struct Case {
    text: String,
    input: Box<dyn Input>,
}

/// A name, and what it finds in a file.
type Measurement = (&'static str, fn(&Case) -> Sum);

const OURS: [Measurement; 4] = [
    ("search for results", |case| Sum { results: search(&case.text), ..Sum::default() }),
    ("parse", |case| parse(&case.text, &Wanted::default())),
    ("parse few counters", |case| parse(&case.text, &Wanted::new(FEW))),
    ("records", |case| Sum { results: records::read(case), ..Sum::default() }),
];

impl Measurements {
    pub(super) fn measure(self, product: &Product, out: &mut dyn Write) -> Result<(), BenchError> {
        let file = match &self.file {
            None => {
                BaseStation::default().file(&mut Random::new(1, 0), "gnb-1", "2026-03-01T14:15:00Z")
            }
            Some(path) => File { text: std::fs::read_to_string(path)?, ..File::default() },
        };
        let expected = parse(&file.text, &Wanted::default());
        if self.file.is_none() && (expected.numbers, expected.sum) != (file.numbers, file.sum) {
            return Err(BenchError::Wrong("measurements: the parser finds other numbers"));
        }
        let Some(input) = records::input() else {
            return Err(BenchError::Wrong("measurements: the codec has no reader"));
        };
        let (case, others) = (Case { text: file.text, input }, compare::measurements());
        for (_, work) in &others {
            if work(&case) != expected {
                return Err(BenchError::Wrong("measurements: another parser finds other numbers"));
            }
        }
        let all: Vec<Measurement> = OURS.iter().chain(&others).copied().collect();
        let octets = case.text.len() as u64 * TIMES;
        let row = |name: &str| Row::new(name, expected.results * TIMES, octets);
        let mut rows: Vec<Row> = all.iter().map(|(name, _)| row(name)).collect();
        for _ in 0..ROUNDS {
            for (row, (_, work)) in rows.iter_mut().zip(&all) {
                row.time(|| (0..TIMES).map(|_| work(black_box(&case)).sum).sum::<u64>());
            }
        }
        let mut ratios = vec![
            ("parse_over_search".into(), rows[1].over_in_turn(&rows[0])),
            ("few_over_parse".into(), rows[2].over_in_turn(&rows[1])),
            ("records_over_parse".into(), rows[3].over_in_turn(&rows[1])),
        ];
        for row in &rows[OURS.len()..] {
            ratios.push((
                format!("parse_over_{}", row.name.replace('-', "")),
                rows[1].over_in_turn(row),
            ));
        }
        let found = Table { bench: "measurements", rows, ratios };
        found.show(self.json, out)?;
        if others.is_empty() {
            (product.note)("for the comparison with the quick-xml crate: make bench");
        }
        Ok(())
    }
}

/// Returns the number of tags that begin a result: the end of what is possible.
fn search(text: &str) -> u64 {
    let octets = text.as_bytes();
    let is_result = |place: &usize| octets.get(place + 1) == Some(&b'r');
    memchr::memchr_iter(b'<', octets).filter(is_result).count() as u64
}

/// Adds up all numbers.
fn parse(text: &str, wanted: &Wanted) -> Sum {
    let (mut parser, mut at, mut found) = (Parser::new(wanted.clone()), 0, Sum::default());
    while let Step::Found(Found { passed, result, .. }) =
        parser.next(&text.as_bytes()[at..], at as u64, Rest::Nothing)
    {
        at += passed;
        if result.is_ok() {
            found.add(parser.row());
        }
    }
    found
}

impl Sum {
    fn add(&mut self, row: &Results) {
        self.results += row.values.len() as u64;
        for values in [&row.values, &row.elements] {
            for value in values {
                if let Value::Integer(number) = value {
                    self.numbers += 1;
                    self.sum = self.sum.wrapping_add(*number as u64);
                }
            }
        }
    }
}
