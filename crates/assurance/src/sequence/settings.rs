//! Settings of the counts of a network element: `file-sequence`, `record-sequence` and `totals` of its table.

use std::path::PathBuf;
use std::time::Duration;

use diagnostics::{Diagnostic, counted};
use format::coding::Input;
use node::{Expression, Language, ValueType};
use record::{Opened, TypeId, Types};
use settings::{Setting, Settings};

use super::counter::{Counter, NUMBERS_MAX};
use super::extract::Gatherer;
use super::pattern::Pattern;
use crate::drift::{DRIFT, Drift};
use flow::file::{Keys, RoomTables, TableSchema};

/// `file-sequence` of a network element.
pub const FILE_SEQUENCE: TableSchema = TableSchema {
    name: "file-sequence",
    keys: Keys::These(&[
        "name", "header", "number", "series", "first", "last", "reach", "restarts", "silent",
        "script",
    ]),
};
/// `record-sequence`.
pub const RECORD_SEQUENCE: TableSchema = TableSchema {
    name: "record-sequence",
    keys: Keys::These(&["number", "series", "first", "last", "reach", "restarts", "script"]),
};
/// `totals`.
pub const TOTALS: TableSchema =
    TableSchema { name: "totals", keys: Keys::These(&["records", "header", "sums", "script"]) };

/// The default distance of a number from the expected one, and never more than a quarter of the numbers. Files come one
/// by one; a lost file is a gap of all its records.
const FILE_REACH: i64 = 1_000;
const RECORD_REACH: i64 = 1_000_000;

/// The tables of a network element with its counts.
pub struct CountedTables<'f> {
    files: Option<&'f Settings>,
    records: Option<&'f Settings>,
    totals: Option<&'f Settings>,
    drift: Option<&'f Settings>,
}

impl<'f> CountedTables<'f> {
    /// Selects these tables from all its tables.
    pub fn of(tables: &'f RoomTables) -> Self {
        CountedTables {
            files: tables.get(&FILE_SEQUENCE),
            records: tables.get(&RECORD_SEQUENCE),
            totals: tables.get(&TOTALS),
            drift: tables.get(&DRIFT),
        }
    }

    /// Returns whether nothing is counted.
    pub fn is_empty(&self) -> bool {
        let CountedTables { files, records, totals, drift } = self;
        [files, records, totals, drift].into_iter().all(Option::is_none)
    }

    /// Reports uses of the header where the files have none.
    pub fn check_header(&self, input: &dyn Input) -> Result<(), Vec<Diagnostic>> {
        let tables = self.files.into_iter().chain(self.totals);
        let with_header =
            tables.flat_map(|table| table.get("header").map(|header| (table, header)));
        let mistakes: Vec<Diagnostic> = with_header
            .filter(|(_, header)| header.value == "true" && !input.may_have_header())
            .map(|(table, header)| {
                let hint = "headers are those of framing = \"ts-32.297\"";
                table.error(header, "files that are decoded so have no header").hint(hint)
            })
            .collect();
        if mistakes.is_empty() { Ok(()) } else { Err(mistakes) }
    }
}

/// The counts of a network element.
#[derive(Default)]
pub struct Counted {
    /// The numbers of its files, if they are checked.
    pub files: Option<Files>,
    /// The numbers of its records, if they are checked.
    pub records: Option<Records>,
    pub(crate) totals: Vec<Total>,
    /// Whether the last total was added for the header of the files, if they have one.
    pub(crate) is_header_implied: bool,
    /// The time without a file after which silence raises an alarm.
    pub silent: Option<Duration>,
    /// The drift settings, if drift is watched.
    pub drift: Option<Drift>,
}

/// The numbers of files.
pub struct Files {
    pub counter: Counter,
    pub(crate) by: FilesBy,
}

/// Where the number of a file is.
pub(crate) enum FilesBy {
    /// In its name.
    Name(Pattern),
    /// In its header.
    Header,
    /// In its first record that has one.
    Record(Numbers),
}

/// The numbers of records.
pub struct Records {
    pub counter: Counter,
    pub numbers: Numbers,
}

/// The expressions for the number of a record, and for the series that tells counters apart.
pub struct Numbers {
    pub number: Box<dyn Expression>,
    pub series: Option<Box<dyn Expression>>,
}

/// A total that a file states of itself.
pub(crate) struct Total {
    /// The name of the sum in the flow file.
    pub name: String,
    /// What a record adds; 1 if there is no expression.
    pub each: Option<Box<dyn Expression>>,
    /// The stated total, from the last record that has one; from the header of the file if there is no expression.
    pub stated: Option<Box<dyn Expression>>,
}

/// Compiles the expressions of the settings.
struct Maker<'m> {
    language: &'m dyn Language,
    ty: TypeId,
    types: &'m mut dyn Types,
    mistakes: Vec<Diagnostic>,
}

impl Counted {
    /// Reads the tables of an element whose records are of a type. All mistakes are returned.
    pub fn read(
        tables: &CountedTables<'_>,
        language: &dyn Language,
        ty: TypeId,
        types: &mut dyn Types,
    ) -> Result<Self, Vec<Diagnostic>> {
        let drift = tables.drift.map(|table| Drift::read(table, ty, types)).transpose();
        let mut maker = Maker { language, ty, types, mistakes: Vec::new() };
        let drift = drift.map_err(|mistake| maker.mistakes.push(mistake)).ok().flatten();
        let counted = Counted {
            files: tables.files.and_then(|table| maker.files(table)),
            records: tables.records.and_then(|table| maker.records(table)),
            totals: tables.totals.map(|table| maker.totals(table)).unwrap_or_default(),
            is_header_implied: false,
            silent: tables.files.and_then(|table| maker.silent(table)),
            drift,
        };
        match maker.mistakes.is_empty() {
            true => Ok(counted),
            false => Err(maker.mistakes),
        }
    }

    /// Adds a check of the header's record count, unless the tables mention it. Nothing else notices that records are
    /// missing at the end of a file.
    pub fn imply_header(&mut self, tables: &CountedTables<'_>, input: &dyn Input) {
        let has_total = |key| tables.totals.is_some_and(|table| table.get(key).is_some());
        if input.may_have_header() && !has_total("header") && !has_total("records") {
            self.totals.push(Total { name: "records".into(), each: None, stated: None });
            self.is_header_implied = true;
        }
    }

    /// Returns the gatherer for a worker, or `None` if nothing is counted.
    pub fn gatherer(&self) -> Option<Gatherer<'_>> {
        let is_counted = self.files.is_some() || self.records.is_some() || !self.totals.is_empty();
        let is_watched = self.silent.is_some() || self.drift.is_some();
        (is_counted || is_watched).then(|| Gatherer::new(self))
    }

    /// Returns whether expressions are evaluated for each record.
    pub fn looks_at_records(&self) -> bool {
        self.expressions().next().is_some()
    }

    /// Returns which values of records are read.
    pub fn opened(&self) -> Opened {
        let watched = self.drift.as_ref().map_or(Opened::none(), Drift::opened);
        self.expressions().map(|expression| expression.opened()).fold(watched, Opened::and)
    }

    /// Returns the files of the scripts.
    pub fn scripts(&self) -> Vec<PathBuf> {
        self.expressions().flat_map(|expression| expression.files()).collect()
    }

    fn expressions(&self) -> impl Iterator<Item = &dyn Expression> {
        let of_files = self.files.as_ref().and_then(|files| match &files.by {
            FilesBy::Record(numbers) => Some(numbers),
            _ => None,
        });
        let of_records = self.records.as_ref().map(|records| &records.numbers);
        let numbers = of_files.into_iter().chain(of_records);
        let numbers =
            numbers.flat_map(|numbers| std::iter::once(&numbers.number).chain(&numbers.series));
        let totals = self.totals.iter().flat_map(|total| total.each.iter().chain(&total.stated));
        numbers.chain(totals).map(|expression| &**expression)
    }
}

impl Maker<'_> {
    fn files(&mut self, table: &Settings) -> Option<Files> {
        let sources: Vec<&Setting> =
            ["name", "header", "number"].iter().filter_map(|key| table.get(key)).collect();
        let by = match sources.as_slice() {
            [] if table.get("silent").is_some() => return None,
            [] => {
                let message = "nothing says what number a file has";
                let hint =
                    "write name = \"MSC_{number}.ber\", header = true, or number = an expression";
                self.mistakes.push(at_table(table, message).hint(hint));
                return None;
            }
            [by] => *by,
            [_, other, ..] => {
                let message =
                    "a file has one number: one of \"name\", \"header\" and \"number\" says it";
                self.mistakes.push(table.error(other, message));
                return None;
            }
        };
        let by = match by.key.as_str() {
            "header" if by.value != "true" => {
                let message = "nothing else says what number a file has";
                self.mistakes.push(table.error(by, message).hint("write header = true"));
                None
            }
            "name" => match Pattern::read(&by.value) {
                Ok(pattern) => Some(FilesBy::Name(pattern)),
                Err(mistake) => {
                    self.mistakes.push(table.error(by, mistake.to_string()));
                    None
                }
            },
            "header" => Some(FilesBy::Header),
            _ => self.numbers(table, by).map(FilesBy::Record),
        };
        let counter = self.counter(table, FILE_REACH);
        Some(Files { by: by?, counter: counter? })
    }

    fn records(&mut self, table: &Settings) -> Option<Records> {
        let counter = self.counter(table, RECORD_REACH);
        let Some(number) = table.get("number") else {
            let message = "nothing says what number a record has";
            let hint = "write number = an expression, \"record.sequenceNumber\"";
            self.mistakes.push(at_table(table, message).hint(hint));
            return None;
        };
        let numbers = self.numbers(table, number);
        Some(Records { numbers: numbers?, counter: counter? })
    }

    fn numbers(&mut self, table: &Settings, number: &Setting) -> Option<Numbers> {
        let number = self.expression(table, number);
        let series = table.get("series").map(|series| self.expression(table, series));
        let series = match series {
            Some(None) => return None,
            Some(series) => series,
            None => None,
        };
        Some(Numbers { number: number?, series })
    }

    fn totals(&mut self, table: &Settings) -> Vec<Total> {
        let mut totals = Vec::new();
        if table.get("header").is_some_and(|header| header.value == "true") {
            totals.push(Total { name: "records".into(), each: None, stated: None });
        }
        if let Some(stated) = table.get("records") {
            let stated = self.number(table, stated);
            totals.extend(stated.map(|stated| Total {
                name: "records".into(),
                each: None,
                stated: Some(stated),
            }));
        }
        for sum in table.all("sums") {
            let Some((each, stated)) = sum.halves() else {
                let message = "a sum says what each record adds, and what the file says of all";
                let hint = "write \"record.charge = record.trailer.totalCharge\"";
                self.mistakes.push(table.error(sum, message).hint(hint));
                continue;
            };
            let (each_made, stated) = (self.number(table, &each), self.number(table, &stated));
            if let (Some(made), Some(stated)) = (each_made, stated) {
                totals.push(Total { name: each.value, each: Some(made), stated: Some(stated) });
            }
        }
        totals
    }

    /// Compiles an expression that gives numbers.
    fn number(&mut self, table: &Settings, setting: &Setting) -> Option<Box<dyn Expression>> {
        let made = self.expression(table, setting)?;
        if made.value_type() != ValueType::Integers {
            let message = "only numbers are summed";
            self.mistakes.push(table.error(setting, message).hint("toInteger() converts"));
            return None;
        }
        Some(made)
    }

    fn expression(&mut self, table: &Settings, setting: &Setting) -> Option<Box<dyn Expression>> {
        let made = self.language.expression(table, setting, self.ty, self.types);
        made.map_err(|mistakes| self.mistakes.extend(mistakes)).ok()
    }

    fn counter(&mut self, table: &Settings, reach: i64) -> Option<Counter> {
        let (first, last) = (self.integer(table, "first"), self.integer(table, "last"));
        for key in ["first", "last"].iter().filter(|key| table.get(key).is_none()) {
            let message = format!("nothing says what the {key} number is");
            let hint = "write first = 1, last = 9999: behind the last comes the first";
            self.mistakes.push(at_table(table, message).hint(hint));
        }
        let (first, last) = (first?, last?);
        if first >= last {
            let message = format!("there is no number from {first} to {last}");
            self.mistakes.push(table.error(table.get("last")?, message));
            return None;
        }
        let wanted = match table.get("reach") {
            Some(_) => self.integer(table, "reach")?,
            None => reach.min(((last - first) / 4).max(1)),
        };
        let restarts = table.get("restarts").is_some_and(|restarts| restarts.value == "true");
        match Counter::new(first, last, wanted) {
            Ok(counter) => Some(counter.that_restarts(restarts)),
            Err(farthest) => {
                let message = format!(
                    "of so few numbers, one that is {wanted} away may be before or behind: \
                     \"reach\" is from 1 to {farthest}"
                );
                self.mistakes.push(table.error(table.get("reach")?, message));
                None
            }
        }
    }

    fn integer(&mut self, table: &Settings, key: &str) -> Option<i64> {
        let setting = table.get(key)?;
        let number = setting.value.parse().ok().filter(|number| (0..NUMBERS_MAX).contains(number));
        if number.is_none() {
            let digits = counted((NUMBERS_MAX - 1).to_string().len(), "digit");
            let message = format!("\"{key}\" is a number of at most {digits}");
            self.mistakes.push(table.error(setting, message));
        }
        number
    }

    fn silent(&mut self, table: &Settings) -> Option<Duration> {
        let setting = table.get("silent")?;
        table.duration(setting).map_err(|mistake| self.mistakes.push(mistake)).ok()
    }
}

fn at_table(table: &Settings, message: impl Into<String>) -> Diagnostic {
    Diagnostic::error(&table.source, table.span, message)
}
