//! `tollgate subscriber`: opens accounts for many subscribers.

mod file;

use std::cell::RefCell;
use std::fs;
use std::path::{Path, PathBuf};

use operate::prepaid::calls::{ImportSubscribers, Imported, NewSubscriber, SubscriberMistake};
use serde::Serialize;

use self::file::Subscribers;
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
        let ImportedFile { accounts: Imported { opened, there, .. }, repeated, first_repeated } =
            &imported;
        match json {
            true => json::line(&mut output::lines(), &imported)?,
            false => say!("{opened} accounts are opened, {there} numbers have one already")?,
        }
        let Some(first) = first_repeated else { return Ok(Outcome::Clean) };
        let first = place(&file, *first);
        tell!(
            "{repeated} lines have a number of a line before and are left out: the first is {first}"
        );
        Ok(Outcome::Faults)
    }
}

/// What became of the lines of a file.
#[derive(Clone, Debug, Default, Serialize)]
struct ImportedFile {
    #[serde(flatten)]
    accounts: Imported,
    /// Lines with a number of a line before, and the first of them.
    repeated: usize,
    first_repeated: Option<u64>,
}

fn import(file: &Path, charging: &Path) -> Result<ImportedFile, CommandError> {
    let octets = fs::read(file);
    let octets = octets.map_err(|cause| CommandError::Read { path: file.into(), cause })?;
    let text = String::from_utf8(octets).map_err(|why| {
        let octets = &why.as_bytes()[..why.utf8_error().valid_up_to()];
        let line = 1 + octets.iter().filter(|octet| **octet == b'\n').count();
        let what = "it is not in UTF-8: save the file as CSV in UTF-8";
        CommandError::Mistakes(format!("{}: {what}", place(file, line as u64)))
    })?;
    let Subscribers { new, repeated, mistakes } = Subscribers::read(&text);
    let mistakes = RefCell::new(mistakes);
    let part = |part: &[NewSubscriber], only_check| ImportSubscribers {
        subscribers: part.to_vec(),
        only_check,
    };
    // All are checked before the first account is opened.
    let checks = new.chunks(AT_ONCE).map(|of| part(of, true));
    let imports = new.chunks(AT_ONCE).map(|of| part(of, false));
    let imports = imports.take_while(|_| mistakes.borrow().is_empty());
    let (_progress, done) = Progress::counting("subscribers");
    let mut accounts = Imported::default();
    let imported = at_charging(charging, |context| {
        operate::prepaid::import(context, checks.chain(imports), |part| {
            mistakes.borrow_mut().extend(part.mistakes);
            accounts.opened += part.opened;
            accounts.there += part.there;
            done.set((accounts.opened + accounts.there) as u64);
        })
    });
    imported.map_err(refused)?;
    let mistakes = mistakes.into_inner();
    match mistakes.is_empty() {
        true => {
            let (repeated, first_repeated) = (repeated.len(), repeated.first().copied());
            Ok(ImportedFile { accounts, repeated, first_repeated })
        }
        false => Err(listed(file, mistakes)),
    }
}

/// Lists the mistakes of a file, each with its place.
fn listed(file: &Path, mut mistakes: Vec<SubscriberMistake>) -> CommandError {
    mistakes.sort_by_key(|mistake| mistake.line);
    let line = |of: &SubscriberMistake| format!("{}: {}", place(file, of.line), of.why);
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
