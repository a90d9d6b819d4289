//! `tollgate subscriber`: opens accounts for many subscribers.

mod file;

use std::collections::HashSet;
use std::fs;
use std::path::{Path, PathBuf};

use operate::prepaid::PrepaidError;
use operate::prepaid::calls::{ImportSubscribers, Imported, NewSubscriber};
use prepaid::{Number, Refused};
use serde::Serialize;

use self::file::{LineMistake, subscribers};
use crate::charging_file::ChargingFile;
use crate::execute::Execute;
use crate::json;
use crate::operation::at_charging;
use crate::outcome::{CommandError, Outcome, refused};
use crate::output;
use crate::progress::Progress;

/// The subscribers of one call.
const AT_ONCE: usize = 5_000;

/// The most mistakes of a file that are listed.
const MISTAKES_MAX: usize = 20;

/// Manage many subscribers at once
#[derive(Debug, clap::Parser)]
#[command(name = "subscriber")]
pub(crate) enum Subscriber {
    /// Open accounts for the subscribers of a CSV file with the columns "number", "amount" and perhaps "type"
    #[command(
        after_help = "A first line without digits names the columns, in any order. The whole file is checked first: with a \
                            mistake in it, no account is opened. It ends with 1 if lines are left out, since the \
                            number of a line before comes again.\n\n\
                            Example:\n  tollgate subscriber import subscribers.csv"
    )]
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
    let text = fs::read_to_string(file);
    let text = text.map_err(|cause| CommandError::Read { path: file.into(), cause })?;
    let repeated = RepeatedNumbers::of(file, &text)?;
    let (_progress, done) = Progress::counting("subscribers");
    let mut accounts = Imported::default();
    // All calls are checked before the first account is opened.
    let calls = [true, false].into_iter().flat_map(|only_check| parts(&text, only_check));
    let imported = at_charging(charging, |context| {
        operate::prepaid::import(context, calls, |Imported { opened, there }| {
            accounts = Imported { opened: accounts.opened + opened, there: accounts.there + there };
            done.set((accounts.opened + accounts.there) as u64);
        })
    });
    imported.map_err(|why| refused_lines(file, why))?;
    let RepeatedNumbers { count, first } = repeated;
    Ok(ImportedFile { accounts, repeated: count, first_repeated: first })
}

/// Returns the calls for a text without mistakes.
fn parts(text: &str, only_check: bool) -> impl Iterator<Item = ImportSubscribers> {
    let mut known = HashSet::new();
    let mut rows =
        subscribers(text).filter_map(Result::ok).filter(move |of| is_new(&mut known, of));
    std::iter::from_fn(move || {
        let subscribers: Vec<NewSubscriber> = rows.by_ref().take(AT_ONCE).collect();
        (!subscribers.is_empty()).then_some(ImportSubscribers { subscribers, only_check })
    })
}

/// Returns whether the number of a subscriber comes for the first time. The charging system refuses what is no number.
fn is_new(known: &mut HashSet<Number>, subscriber: &NewSubscriber) -> bool {
    Number::read(&subscriber.number).map_or(true, |number| known.insert(number))
}

/// The lines of a file whose number is that of a line before.
struct RepeatedNumbers {
    count: u64,
    /// The first of them.
    first: Option<u64>,
}

impl RepeatedNumbers {
    /// Finds them in a file whose lines can all be read.
    fn of(file: &Path, text: &str) -> Result<Self, CommandError> {
        let mut repeated = RepeatedNumbers { count: 0, first: None };
        let (mut known, mut mistakes) = (HashSet::new(), Vec::new());
        for row in subscribers(text) {
            match row {
                Ok(subscriber) if is_new(&mut known, &subscriber) => {}
                Ok(subscriber) => {
                    repeated.count += 1;
                    repeated.first = repeated.first.or(subscriber.line);
                }
                Err(LineMistake { line, what }) => mistakes.push((line, what)),
            }
            if mistakes.len() > MISTAKES_MAX {
                break;
            }
        }
        if mistakes.is_empty() { Ok(repeated) } else { Err(listed(file, &mistakes)) }
    }
}

/// Returns why an import is refused, with the places in the file.
fn refused_lines(file: &Path, why: PrepaidError) -> CommandError {
    match why {
        PrepaidError::Refused(Refused::Lines { lines }) => {
            let mistakes: Vec<_> =
                lines.into_iter().map(|of| (of.line, of.why.to_string())).collect();
            listed(file, &mistakes)
        }
        why => refused(why),
    }
}

/// Lists mistakes, each with its place.
fn listed(file: &Path, mistakes: &[(u64, String)]) -> CommandError {
    let line = |(line, what): &(u64, String)| format!("{}: {what}", place(file, *line));
    let mut lines: Vec<String> = mistakes.iter().take(MISTAKES_MAX).map(line).collect();
    if mistakes.len() > MISTAKES_MAX {
        lines.push("there are more mistakes in the file".to_owned());
    }
    lines.push("no account is opened".to_owned());
    CommandError::Mistakes(lines.join("\n"))
}

/// Returns the place of a line as a text.
fn place(file: &Path, line: u64) -> String {
    format!("{}:{line}", file.display())
}
