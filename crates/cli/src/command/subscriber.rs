//! `tollgate subscriber`: opens accounts for many subscribers.

use std::collections::HashSet;
use std::fs::File;
use std::io::{BufRead, BufReader};
use std::path::{Path, PathBuf};

use operate::prepaid::PrepaidError;
use operate::prepaid::calls::{ImportSubscribers, Imported, NewSubscriber};
use prepaid::{Number, Refused};
use serde::Serialize;

use crate::charging_file::ChargingFile;
use crate::execute::Execute;
use crate::json;
use crate::operation::at_charging;
use crate::outcome::{CommandError, Outcome, refused};
use crate::output;
use crate::progress::Progress;

/// The subscribers of one call.
const AT_ONCE: usize = 5_000;

/// The most octets of a line.
const LINE_OCTETS_MAX: usize = 1_000;

/// Manage many subscribers at once
#[derive(Debug, clap::Parser)]
#[command(name = "subscriber")]
pub(crate) enum Subscriber {
    /// Open accounts for the subscribers of a CSV file with the columns "number", "amount" and perhaps "type"
    #[command(after_help = "Example:\n  tollgate subscriber import subscribers.csv")]
    Import(Import),
}

/// Arguments of `tollgate subscriber import`.
#[derive(Debug, clap::Args)]
pub(crate) struct Import {
    /// The file. Numbers that have an account are left as they are, so an import that was interrupted may be repeated. Of
    /// two lines with one number, the first counts
    file: PathBuf,
    #[command(flatten)]
    charging: ChargingFile,
    /// One JSON object with the result
    #[arg(long)]
    json: bool,
}

impl Execute for Subscriber {
    fn run(self) -> Result<Outcome, CommandError> {
        let Subscriber::Import(Import { file, charging, json }) = self;
        let imported = import(&file, &charging.path)?;
        let ImportedFile { accounts: Imported { opened, there }, repeated, first_repeated } =
            imported;
        match json {
            true => json::line(&mut output::lines(), &imported)?,
            false => say!("{opened} accounts are opened, {there} numbers have one already")?,
        }
        let Some(first) = first_repeated else { return Ok(Outcome::Clean) };
        let first = place(&file, first);
        tell!(
            "{repeated} lines have a number of a line before and are left out: the first is {first}"
        );
        Ok(Outcome::Faults)
    }
}

/// What became of the lines of a file.
#[derive(Clone, Copy, Debug, Default, Serialize)]
struct ImportedFile {
    #[serde(flatten)]
    accounts: Imported,
    /// Lines with a number of a line before, and the first of them.
    repeated: u64,
    first_repeated: Option<u64>,
}

fn import(file: &Path, charging: &Path) -> Result<ImportedFile, CommandError> {
    let opened = File::open(file);
    let opened = opened.map_err(|cause| CommandError::Read { path: file.into(), cause })?;
    let (_progress, done) = Progress::counting("subscribers");
    let mut accounts = Imported::default();
    let mut repeated = RepeatedNumbers::default();
    let mut mistake = None;
    let mut rows = rows(file, BufReader::new(opened)).filter(|row| {
        // A row with a mistake ends the import.
        row.as_ref().map_or(true, |subscriber| repeated.is_new(subscriber))
    });
    let parts = std::iter::from_fn(|| {
        let part: Result<Vec<NewSubscriber>, CommandError> = rows.by_ref().take(AT_ONCE).collect();
        match part {
            Ok(subscribers) if subscribers.is_empty() => None,
            Ok(subscribers) => Some(ImportSubscribers { subscribers }),
            Err(of) => {
                mistake = Some(of);
                None
            }
        }
    });
    let imported = at_charging(charging, |context| {
        operate::prepaid::import(context, parts, |Imported { opened, there }| {
            accounts = Imported { opened: accounts.opened + opened, there: accounts.there + there };
            done.set((accounts.opened + accounts.there) as u64);
        })
    });
    imported.map_err(|why| refused_line(file, why))?;
    drop(rows);
    let RepeatedNumbers { count, first, .. } = repeated;
    match mistake {
        Some(mistake) => Err(mistake),
        None => Ok(ImportedFile { accounts, repeated: count, first_repeated: first }),
    }
}

/// The numbers of a file that come again in it.
#[derive(Default)]
struct RepeatedNumbers {
    known: HashSet<Number>,
    count: u64,
    /// The line of the first.
    first: Option<u64>,
}

impl RepeatedNumbers {
    /// Returns whether the number of a subscriber comes for the first time. The charging system refuses what is no number.
    fn is_new(&mut self, subscriber: &NewSubscriber) -> bool {
        let is_new = Number::read(&subscriber.number).map_or(true, |of| self.known.insert(of));
        if !is_new {
            self.count += 1;
            self.first = self.first.or(subscriber.line);
        }
        is_new
    }
}

/// Returns why an import is refused, with the place in the file.
fn refused_line(file: &Path, why: PrepaidError) -> CommandError {
    match why {
        PrepaidError::Refused(Refused::Line { line, why }) => {
            CommandError::Mistakes(format!("{}: {why}", place(file, line)))
        }
        why => refused(why),
    }
}

/// Returns the place of a line as a text.
fn place(file: &Path, line: u64) -> String {
    format!("{}:{line}", file.display())
}

/// Returns the subscribers of a file, line by line. The first line may have the names of the columns.
fn rows(
    file: &Path,
    lines: impl BufRead,
) -> impl Iterator<Item = Result<NewSubscriber, CommandError>> {
    (1..).zip(lines.lines()).filter_map(move |(number, line)| {
        let line = match line {
            Ok(line) => line,
            Err(cause) => return Some(Err(CommandError::Read { path: file.into(), cause })),
        };
        if line.trim().is_empty() || (number == 1 && line.starts_with("number")) {
            return None;
        }
        Some(subscriber(number, &line).ok_or_else(|| {
            let line: String = line.chars().take(80).collect();
            let place = place(file, number);
            let text = format!(
                "{place}: \"{line}\" is no line of \"number,amount\" or \"number,amount,type\""
            );
            CommandError::Mistakes(text)
        }))
    })
}

fn subscriber(place: u64, line: &str) -> Option<NewSubscriber> {
    let plain = |text: &str| text.trim().trim_matches('"').to_owned();
    let mut columns =
        Some(line).filter(|line| line.len() <= LINE_OCTETS_MAX)?.split(',').map(plain);
    let (number, amount) = (columns.next()?, columns.next()?);
    let subscriber_type = columns.next().unwrap_or_default();
    columns.next().is_none().then_some(NewSubscriber {
        number,
        amount,
        subscriber_type,
        line: Some(place),
    })
}
