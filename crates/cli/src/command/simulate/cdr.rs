//! `tollgate simulate cdr`: writes files of call data records with known contents and faults.

use std::io;
use std::path::{Path, PathBuf};

use ::simulate::cdr::{Centre, Expected, Generated, Options, generate_watched};
use serde_json::{Value, json};

use crate::json;
use crate::outcome::{CommandError, Outcome};
use crate::output;
use crate::progress::{Aside, Progress};
use crate::table::{Column, Table, cell, number, text};

/// Arguments of `tollgate simulate cdr`.
#[derive(Debug, clap::Args)]
pub(crate) struct Cdr {
    /// Records in all files together
    #[arg(long, default_value_t = Options::default().count)]
    count: u64,
    /// Octets in all files together, at least; overrules --count
    #[arg(long)]
    bytes: Option<u64>,
    /// Files, dealt to the switching centres in turn
    #[arg(long, default_value_t = Options::default().files)]
    files: u32,
    /// The same seed gives the same octets
    #[arg(long, default_value_t = Options::default().seed)]
    seed: u64,
    /// A switching centre and the version of its records, 7 or 8; give the option again for each
    #[arg(long, value_name = "NAME:VERSION", value_parser = centre)]
    centre: Vec<Centre>,
    /// Share of records that are not billed
    #[arg(long, default_value_t = Options::default().non_billable)]
    non_billable: f64,
    /// Share of records of roaming subscribers
    #[arg(long, default_value_t = Options::default().roaming)]
    roaming: f64,
    /// Mean seconds between two calls of a file
    #[arg(long, default_value_t = Options::default().arrival_seconds_mean)]
    arrival_seconds_mean: f64,
    /// Share of records with an inner length beyond the record's end
    #[arg(long, default_value_t = 0.0)]
    overrun: f64,
    /// Share of records with a flipped bit in their tag
    #[arg(long, default_value_t = 0.0)]
    flipped: f64,
    /// Share of files that end inside their last record
    #[arg(long, default_value_t = 0.0)]
    truncated: f64,
    /// Share of records with an extension the module does not know; they are sound
    #[arg(long, default_value_t = 0.0)]
    unknown_extensions: f64,
    /// Share of records without their location; they are sound
    #[arg(long, default_value_t = 0.0)]
    without_location: f64,
    /// One JSON object a line, with what a right gateway must find in the file
    #[arg(long)]
    json: bool,
    /// The folder to write to; each switching centre gets a folder in it
    folder: PathBuf,
}

fn centre(text: &str) -> Result<Centre, String> {
    let (name, version) = text.split_once(':').ok_or("write NAME:VERSION")?;
    let version = version.parse().map_err(|_| format!("\"{version}\" is not 7 or 8"))?;
    Ok(Centre { name: name.to_owned(), version })
}

impl Cdr {
    pub(super) fn run(self) -> Result<Outcome, CommandError> {
        let folder = self.folder.clone();
        let is_json = self.json;
        let options = self.options();
        let (progress, done) = match options.bytes {
            None => Progress::of(options.count, "records are written"),
            Some(_) => Progress::counting("records"),
        };
        let files = generate_watched(&options, &folder, &mut |records| done.set(records));
        let files = files.map_err(CommandError::Simulate)?;
        drop(progress);
        match is_json {
            true => files.iter().try_for_each(json_line)?,
            false => show(&files, &folder)?,
        }
        Ok(Outcome::Clean)
    }
}

/// Prints what is in a file as JSON, with the members of the file beside it.
fn json_line(Generated { path, expected }: &Generated) -> io::Result<()> {
    let expected: Value = serde_json::from_str(&expected.to_json())?;
    json::line(&mut output::lines(), &json!({"path": path, "expected": expected}))
}

const COLUMNS: [Column; 5] =
    [text("file"), number("records"), number("billable"), number("roaming"), number("damaged")];

/// Prints what is in the files.
fn show(files: &[Generated], folder: &Path) -> io::Result<()> {
    let mut table = Table::report(Aside(io::stdout()), &COLUMNS);
    for Generated { path, expected } in files {
        let name = path.strip_prefix(folder).unwrap_or(path).display();
        let Expected { records, billable, roaming, damaged, .. } = expected;
        let numbers = [*records, *billable, *roaming, damaged.total()].map(cell);
        table.row([&[cell(name)], &numbers[..]].concat())?;
    }
    table.end()
}

impl Cdr {
    fn options(self) -> Options {
        let default = Options::default();
        Options {
            count: self.count,
            bytes: self.bytes,
            files: self.files,
            seed: self.seed,
            centres: if self.centre.is_empty() { default.centres } else { self.centre },
            non_billable: self.non_billable,
            roaming: self.roaming,
            arrival_seconds_mean: self.arrival_seconds_mean,
            start_second: default.start_second,
            overrun: self.overrun,
            flipped: self.flipped,
            truncated: self.truncated,
            unknown_extensions: self.unknown_extensions,
            without_location: self.without_location,
        }
    }
}
