//! `tollgate subscriber`: opens accounts for many subscribers.

use std::fs::File;
use std::io::{BufRead, BufReader};
use std::path::{Path, PathBuf};

use operate::prepaid::calls::{ImportSubscribers, Imported, NewSubscriber};

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
    /// The file. Numbers that have an account are left as they are, so an import that was interrupted may be repeated
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
        match json {
            true => json::line(&mut output::lines(), &imported)?,
            false => {
                let Imported { opened, there } = imported;
                say!("{opened} accounts are opened, {there} numbers have one already")?;
            }
        }
        Ok(Outcome::Clean)
    }
}

fn import(file: &Path, charging: &Path) -> Result<Imported, CommandError> {
    let opened = File::open(file);
    let opened = opened.map_err(|cause| CommandError::Read { path: file.into(), cause })?;
    let (_progress, done) = Progress::counting("subscribers");
    let mut all = Imported::default();
    let mut mistake = None;
    let mut rows = rows(file, BufReader::new(opened));
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
            all = Imported { opened: all.opened + opened, there: all.there + there };
            done.set((all.opened + all.there) as u64);
        })
    });
    imported.map_err(refused)?;
    match mistake {
        Some(mistake) => Err(mistake),
        None => Ok(all),
    }
}

/// Returns the subscribers of a file, line by line. The first line may have the names of the columns.
fn rows(
    file: &Path,
    lines: impl BufRead,
) -> impl Iterator<Item = Result<NewSubscriber, CommandError>> {
    lines.lines().enumerate().filter_map(move |(place, line)| {
        let line = match line {
            Ok(line) => line,
            Err(cause) => return Some(Err(CommandError::Read { path: file.into(), cause })),
        };
        if line.trim().is_empty() || (place == 0 && line.starts_with("number")) {
            return None;
        }
        Some(subscriber(&line).ok_or_else(|| {
            let line: String = line.chars().take(80).collect();
            let place = format!("{}:{}", file.display(), place + 1);
            let text = format!(
                "{place}: \"{line}\" is no line of \"number,amount\" or \"number,amount,type\""
            );
            CommandError::Mistakes(text)
        }))
    })
}

fn subscriber(line: &str) -> Option<NewSubscriber> {
    let plain = |text: &str| text.trim().trim_matches('"').to_owned();
    let mut columns =
        Some(line).filter(|line| line.len() <= LINE_OCTETS_MAX)?.split(',').map(plain);
    let (number, amount) = (columns.next()?, columns.next()?);
    let subscriber_type = columns.next().unwrap_or_default();
    columns.next().is_none().then_some(NewSubscriber { number, amount, subscriber_type })
}
