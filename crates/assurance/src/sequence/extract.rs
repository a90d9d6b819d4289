//! Gathers findings of a file in a worker: the numbers of its records in runs, its own number, and totals. What they
//! mean is decided when the file is done, since other workers read other files at the same time.

use format::coding::Header;
use node::{Evaluator, Value};
use record::{Memory, Record};
use serde::{Deserialize, Serialize};
use transport::FoundFile;

use super::counter::{Counter, Run};
use super::settings::{self, Counted, FilesBy};
use crate::drift::{FileProfile, Noted, Watcher, Where};

/// The most runs of numbers of a file, so that the notes do not grow with the file. Records in order are one run.
pub(super) const RUNS_MAX: usize = 100_000;

/// The most counters in the records of a file.
pub(super) const SERIES_MAX: usize = 1_000;

/// The longest name of a series.
const SERIES_OCTETS_MAX: usize = 64;

/// The findings of a file.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
pub struct Gathered {
    pub(super) files: Option<Numbered>,
    pub(super) records: Option<Numbered>,
    pub(super) totals: Vec<Totalled>,
    /// Whether silence raises an alarm.
    pub(super) is_listened_for: bool,
    /// What is found in its records, where drift is watched.
    pub profile: Option<FileProfile>,
}

impl Gathered {
    /// Drops the findings of the records: the file is a duplicate. It came, but its records go nowhere and are not
    /// counted again.
    pub fn is_of_duplicate(&mut self) {
        self.records = None;
        self.totals.clear();
        self.profile = None;
    }
}

/// The numbers that came, of the file or of its records.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub(super) struct Numbered {
    pub(super) counter: Counter,
    pub(super) series: Vec<Series>,
    /// The count of those with no number, or with one that the counter does not have.
    pub(super) unnumbered: i64,
    /// The count of those that were ignored, since there were too many runs or series.
    pub(super) left_out: i64,
}

/// The numbers of one series, in the order they came.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub(super) struct Series {
    pub(super) name: Vec<u8>,
    pub(super) runs: Vec<Run>,
}

/// A sum, and its value as the file states it.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub(super) struct Totalled {
    pub(super) name: String,
    pub(super) stated: Option<i64>,
    /// `None` if it exceeds 64 bits.
    pub(super) found: Option<i64>,
}

/// The gatherer of a worker, file by file.
pub struct Gatherer<'p> {
    counted: &'p Counted,
    file: Option<NumberEvaluators>,
    records: Option<NumberEvaluators>,
    totals: Vec<TotalEvaluators>,
    gathered: Gathered,
    runs: usize,
    watcher: Option<Watcher<'p>>,
    /// Whether numbers or totals are gathered from each record.
    has_numbers: bool,
}

/// Evaluators of a number and of its series.
struct NumberEvaluators {
    number: Box<dyn Evaluator>,
    series: Option<Box<dyn Evaluator>>,
}

impl NumberEvaluators {
    fn of(numbers: &settings::Numbers) -> Self {
        let series = numbers.series.as_ref().map(|series| series.evaluator());
        NumberEvaluators { number: numbers.number.evaluator(), series }
    }
}

/// A total in progress.
struct TotalEvaluators {
    each: Option<Box<dyn Evaluator>>,
    stated: Option<Box<dyn Evaluator>>,
}

impl<'p> Gatherer<'p> {
    /// Makes a gatherer for a worker and a network element. It has no findings yet.
    pub fn new(counted: &'p Counted) -> Self {
        let by_record = counted.files.as_ref().and_then(|files| match &files.by {
            FilesBy::Record(numbers) => Some(NumberEvaluators::of(numbers)),
            _ => None,
        });
        let total = |total: &settings::Total| TotalEvaluators {
            each: total.each.as_ref().map(|each| each.evaluator()),
            stated: total.stated.as_ref().map(|stated| stated.evaluator()),
        };
        let is_of_records =
            |total: &settings::Total| total.each.is_some() || total.stated.is_some();
        let has_numbers = by_record.is_some()
            || counted.records.is_some()
            || counted.totals.iter().any(is_of_records);
        Gatherer {
            counted,
            has_numbers,
            file: by_record,
            records: counted.records.as_ref().map(|records| NumberEvaluators::of(&records.numbers)),
            totals: counted.totals.iter().map(total).collect(),
            gathered: Gathered::default(),
            runs: 0,
            watcher: counted.drift.as_ref().map(Watcher::new),
        }
    }

    /// Begins a file.
    pub fn begin(&mut self, found: &FoundFile) {
        let counted = self.counted;
        let totals = counted.totals.iter();
        self.gathered = Gathered {
            files: counted.files.as_ref().map(|files| Numbered::new(files.counter)),
            records: counted.records.as_ref().map(|records| Numbered::new(records.counter)),
            totals: totals.map(|total| Totalled::new(&total.name)).collect(),
            is_listened_for: counted.silent.is_some(),
            profile: None,
        };
        if let Some(watcher) = &mut self.watcher {
            watcher.begin();
        }
        self.runs = 0;
        if let (Some(files), Some(numbered)) = (&counted.files, &mut self.gathered.files)
            && let FilesBy::Name(pattern) = &files.by
            && let Some(name) = found.path.file_name().and_then(|name| name.to_str())
            && let Some(named) = pattern.find(name)
        {
            numbered.take(0, named.number, named.series.as_bytes(), &mut 0);
        }
    }

    /// Begins a retry of records of which nothing was noted when they were set aside. Their file was counted then.
    pub fn begin_retry(&mut self) {
        let records = self.counted.records.as_ref().map(|records| Numbered::new(records.counter));
        self.gathered = Gathered { records, ..Gathered::default() };
        self.runs = 0;
    }

    /// Takes the findings of the retry, if there are any.
    pub fn take_retried(&mut self) -> Option<Box<Gathered>> {
        let records = self.gathered.records.as_ref()?;
        let is_any = !records.series.is_empty() || records.unnumbered + records.left_out > 0;
        is_any.then(|| self.take())
    }

    /// Begins a stretch of a file, and returns the notes so far.
    pub fn begin_stretch(&mut self) -> Option<Noted> {
        self.watcher.as_mut().map(Watcher::begin)
    }

    /// Ends a stretch: restores the earlier notes, and returns those of the stretch.
    pub fn end_stretch(&mut self, before: Option<Noted>) -> Option<Noted> {
        Some(self.watcher.as_mut()?.resume(before?))
    }

    /// Adds the notes of a stretch. `before` is the number of records before it.
    pub fn add_stretch(&mut self, noted: &Noted, before: u64) {
        self.watcher.iter_mut().for_each(|watcher| watcher.add(noted, before));
    }

    /// Observes a record of a file without changing it.
    #[inline]
    pub fn record(&mut self, memory: &mut Memory<'_>, record: Record, at: Where) {
        if let Some(watcher) = &mut self.watcher {
            watcher.record(memory, record, at);
        }
        if self.has_numbers {
            self.numbers(memory, record);
        }
    }

    /// Notes the numbers and totals of a record.
    pub fn numbers(&mut self, memory: &mut Memory<'_>, record: Record) {
        if let (Some(numbers), Some(numbered)) = (&mut self.file, &mut self.gathered.files)
            && numbered.series.is_empty()
        {
            // Records without a number may come before one that has it.
            numbered.note(numbers, memory, record, &mut 0);
            numbered.unnumbered = 0;
        }
        if let (Some(numbers), Some(numbered)) = (&mut self.records, &mut self.gathered.records) {
            numbered.note(numbers, memory, record, &mut self.runs);
        }
        for (total, totalled) in self.totals.iter_mut().zip(&mut self.gathered.totals) {
            if let Some(each) = &mut total.each {
                // A record without a value is not part of the total: a header among calls, for example.
                let adds = integer(each, memory, record).unwrap_or(0);
                totalled.found = totalled.found.and_then(|found| found.checked_add(adds));
            }
            if let Some(stated) = &mut total.stated {
                totalled.stated = integer(stated, memory, record).or(totalled.stated);
            }
        }
    }

    /// Ends a file. `records` is the number of its records, sound or not.
    pub fn end(&mut self, header: Option<Header>, records: u64) {
        let gathered = &mut self.gathered;
        let records = records - u64::from(header.is_some_and(|header| header.is_set_aside));
        for (total, totalled) in self.totals.iter().zip(&mut gathered.totals) {
            if total.each.is_none() {
                totalled.found = i64::try_from(records).ok();
            }
            if total.stated.is_none() {
                totalled.stated = header.and_then(|header| header.records).map(i64::from);
            }
        }
        let is_implied = self.counted.is_header_implied;
        if is_implied && gathered.totals.last().is_some_and(|total| total.stated.is_none()) {
            gathered.totals.pop();
        }
        let is_loss_counted = self.counted.totals.iter().any(|total| total.stated.is_none());
        if is_loss_counted && !(is_implied && header.is_none()) {
            let lost = header.map(|header| i64::from(header.lost));
            gathered.totals.push(Totalled {
                name: "lost records".into(),
                stated: lost,
                found: Some(0),
            });
        }
        if let (Some(files), Some(numbered)) = (&self.counted.files, &mut gathered.files) {
            if let FilesBy::Header = files.by
                && let Some(number) = header.and_then(|header| header.sequence_number)
            {
                numbered.take(0, number.into(), b"", &mut 0);
            }
            numbered.unnumbered = i64::from(numbered.series.is_empty());
        }
    }

    /// Takes the findings of the file that ended.
    pub fn take(&mut self) -> Box<Gathered> {
        Box::new(std::mem::take(&mut self.gathered))
    }

    /// Takes the findings of the file that ended, with those of its records. `name` names the elements that the decoder
    /// does not know.
    pub fn take_file(&mut self, name: impl Fn(u32) -> String) -> Box<Gathered> {
        let mut gathered = self.take();
        gathered.profile = self.watcher.as_mut().map(|watcher| watcher.take(name));
        gathered
    }
}

impl Numbered {
    fn new(counter: Counter) -> Self {
        Numbered { counter, series: Vec::new(), unnumbered: 0, left_out: 0 }
    }

    /// Notes the number of a record.
    fn note(
        &mut self,
        numbers: &mut NumberEvaluators,
        memory: &mut Memory<'_>,
        record: Record,
        runs: &mut usize,
    ) {
        let Some(number) = integer(&mut numbers.number, memory, record) else {
            self.unnumbered += 1;
            return;
        };
        let Some(series) = &mut numbers.series else {
            self.take(0, number, b"", runs);
            return;
        };
        let hint = self.series.len().saturating_sub(1);
        match series.evaluate(memory, record) {
            Ok(Value::Octets(name)) => self.take(hint, number, name, runs),
            Ok(Value::Integer(name)) => {
                let mut digits = [0; 20];
                self.take(hint, number, decimal(name, &mut digits), runs);
            }
            Err(_) => self.unnumbered += 1,
        }
    }

    /// Takes a number of a series. The series is probably at `hint`.
    fn take(&mut self, hint: usize, number: i64, name: &[u8], runs: &mut usize) {
        if !self.counter.has(number) || name.len() > SERIES_OCTETS_MAX {
            self.unnumbered += 1;
            return;
        }
        let is_it = |series: &Series| series.name == name;
        let place = match self.series.get(hint) {
            Some(series) if is_it(series) => Some(hint),
            _ => self.series.iter().position(is_it),
        };
        let series = match place {
            // The current series is last, where it is looked for first.
            Some(place) => {
                let last = self.series.len() - 1;
                self.series.swap(place, last);
                &mut self.series[last]
            }
            None if self.series.len() == SERIES_MAX => {
                self.left_out += 1;
                return;
            }
            None => {
                self.series.push(Series { name: name.to_vec(), runs: Vec::new() });
                self.series.last_mut().expect("just put there")
            }
        };
        match series.runs.last_mut() {
            Some(run) if run.last + 1 == number => run.last = number,
            _ if *runs == RUNS_MAX => self.left_out += 1,
            _ => {
                *runs += 1;
                series.runs.push(Run { first: number, last: number });
            }
        }
    }
}

impl Totalled {
    fn new(name: &str) -> Self {
        Totalled { name: name.to_owned(), stated: None, found: Some(0) }
    }

    /// Returns whether the stated total is the one found.
    pub(super) fn agrees(&self) -> bool {
        self.stated.is_some() && self.stated == self.found
    }
}

/// Returns the value as a number, where it is one or consists of digits.
fn integer(by: &mut Box<dyn Evaluator>, memory: &mut Memory<'_>, record: Record) -> Option<i64> {
    match by.evaluate(memory, record).ok()? {
        Value::Integer(number) => Some(number),
        Value::Octets(digits) if digits.iter().all(u8::is_ascii_digit) => {
            std::str::from_utf8(digits).ok()?.parse().ok()
        }
        Value::Octets(_) => None,
    }
}

/// Writes the digits of a number.
fn decimal(number: i64, digits: &mut [u8; 20]) -> &[u8] {
    use std::io::Write as _;
    let mut rest = &mut digits[..];
    write!(rest, "{number}").expect("64 bits have no more digits");
    let left = rest.len();
    &digits[..20 - left]
}
