//! `tollgate simulate`: writes files of call data records with known contents and faults.

use std::io::Write as _;
use std::path::PathBuf;

use ::simulate::cdr::{Centre, Options, generate};

use crate::execute::Execute;
use crate::outcome::{CommandError, Outcome};
use crate::output;

/// Make workloads with known contents
#[derive(Debug, clap::Parser)]
#[command(name = "simulate")]
pub(crate) enum Simulate {
    /// Write files of call data records, and beside each what a right gateway must find in it
    #[command(after_help = "Example:\n  tollgate simulate cdr --count 10000 --flipped 0.001 in/")]
    Cdr(Cdr),
}

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
    /// The folder to write to; each switching centre gets a folder in it
    folder: PathBuf,
}

fn centre(text: &str) -> Result<Centre, String> {
    let (name, version) = text.split_once(':').ok_or("write NAME:VERSION")?;
    let version = version.parse().map_err(|_| format!("\"{version}\" is not 7 or 8"))?;
    Ok(Centre { name: name.to_owned(), version })
}

impl Execute for Simulate {
    fn run(self) -> Result<Outcome, CommandError> {
        let Simulate::Cdr(arguments) = self;
        let folder = arguments.folder.clone();
        let files = generate(&arguments.options(), &folder).map_err(CommandError::Simulate)?;
        let mut out = output::list();
        writeln!(
            out,
            "{:<32} {:>10} {:>10} {:>10} {:>10}",
            "file", "records", "billable", "roaming", "damaged"
        )?;
        for file in &files {
            let name = file.path.strip_prefix(&folder).unwrap_or(&file.path).display().to_string();
            let expected = &file.expected;
            writeln!(
                out,
                "{name:<32} {:>10} {:>10} {:>10} {:>10}",
                expected.records,
                expected.billable,
                expected.roaming,
                expected.damaged.total()
            )?;
        }
        out.flush()?;
        Ok(Outcome::Clean)
    }
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
