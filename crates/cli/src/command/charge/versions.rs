//! `tollgate charge versions`: the versions of a definition that were in use.

use std::io::Write as _;

use operate::prepaid::calls::{
    ChargingVersion, ListChargingVersions, RestoreChargingVersion, ShowVersionFile,
};

use crate::charging_file::ChargingFile;
use crate::json;
use crate::operation::charge;
use crate::outcome::{CommandError, Outcome};
use crate::output;
use crate::rows::Rows;
use crate::table::{Column, cell, free, number, text};

/// List the versions of the definition that were in use, show their files, and put one back
#[derive(Debug, clap::Parser)]
pub(crate) enum Versions {
    /// List the versions, the newest first
    #[command(after_help = "Example:\n  tollgate charge versions list --charging charging.toml")]
    List(List),
    /// Show a file of a version, or the names of its files
    #[command(after_help = "Example:\n  tollgate charge versions show 3 tariff/prices.csv")]
    Show(Show),
    /// Put the files of a version back, all or none, or one of them; a system that runs goes by them within a second
    #[command(
        after_help = "Examples:\n  tollgate charge versions restore 3 --because \"wrong price of SMS\"\n  \
                      tollgate charge versions restore 3 tariff/prices.csv --because \"wrong price of SMS\""
    )]
    Restore(Restore),
}

/// Arguments of `tollgate charge versions list`.
#[derive(Debug, clap::Args)]
pub(crate) struct List {
    /// Only versions before this one
    #[arg(long, value_name = "NUMBER")]
    before: Option<i64>,
    /// So many at most
    #[arg(long, default_value_t = 50)]
    limit: u32,
    #[command(flatten)]
    charging: ChargingFile,
    /// One JSON object a line
    #[arg(long)]
    json: bool,
}

/// Arguments of `tollgate charge versions show`.
#[derive(Debug, clap::Args)]
pub(crate) struct Show {
    /// The number of the version
    #[arg(value_name = "NUMBER")]
    version: i64,
    /// The file, as the version names it; without one, the files of the version are listed
    #[arg(value_name = "FILE")]
    file: Option<String>,
    #[command(flatten)]
    charging: ChargingFile,
    /// One JSON object with the text
    #[arg(long)]
    json: bool,
}

/// Arguments of `tollgate charge versions restore`.
#[derive(Debug, clap::Args)]
pub(crate) struct Restore {
    /// The number of the version
    #[arg(value_name = "NUMBER")]
    version: i64,
    /// The one file that is put back, as the version names it; without one, all are
    #[arg(value_name = "FILE")]
    file: Option<String>,
    /// The reason
    #[arg(long, value_name = "REASON")]
    because: String,
    #[command(flatten)]
    charging: ChargingFile,
    /// One JSON object with the files that were changed
    #[arg(long)]
    json: bool,
}

const VERSIONS: [Column; 4] =
    [number("version"), text("since"), text("in use"), free("changed files")];

impl Versions {
    pub(super) fn run(self) -> Result<Outcome, CommandError> {
        match self {
            Versions::List(list) => list.run(),
            Versions::Show(show) => show.run(),
            Versions::Restore(restore) => restore.run(),
        }
    }
}

impl List {
    fn run(self) -> Result<Outcome, CommandError> {
        let List { before, limit, charging, json } = self;
        let list = ListChargingVersions { before, limit: Some(limit) };
        let mut rows = Rows::begin(json, &VERSIONS);
        let found = charge(&charging.path, list)?;
        for version in &found.versions {
            rows.row(version, |of: &ChargingVersion| {
                let is_used = if found.used == Some(of.version) { "in use" } else { "" };
                [cell(of.version), cell(&of.since), cell(is_used), cell(of.changed.join(", "))]
            })?;
        }
        rows.end()?;
        Ok(Outcome::Clean)
    }
}

impl Show {
    fn run(self) -> Result<Outcome, CommandError> {
        let Show { version, file, charging, json } = self;
        let Some(file) = file else { return files(version, &charging, json) };
        let shown = charge(&charging.path, ShowVersionFile { version, file })?;
        match json {
            true => json::line(&mut output::lines(), &shown)?,
            false => output::lines().write_all(shown.text.as_bytes())?,
        }
        Ok(Outcome::Clean)
    }
}

/// Lists the files of a version.
fn files(version: i64, charging: &ChargingFile, json: bool) -> Result<Outcome, CommandError> {
    let one = ListChargingVersions { before: version.checked_add(1), limit: Some(1) };
    let found = charge(&charging.path, one)?.versions.pop().filter(|of| of.version == version);
    let unknown = || CommandError::Mistakes(format!("there is no version {version}"));
    let found = found.ok_or_else(unknown)?;
    match json {
        true => json::line(&mut output::lines(), &found)?,
        false => found.files.iter().try_for_each(|file| say!("{file}"))?,
    }
    Ok(Outcome::Clean)
}

impl Restore {
    fn run(self) -> Result<Outcome, CommandError> {
        let Restore { version, file, because, charging, json } = self;
        let restored = charge(&charging.path, RestoreChargingVersion { version, file, because })?;
        let changed = &restored.changed;
        match json {
            true => json::line(&mut output::lines(), &restored)?,
            false if changed.is_empty() => {
                say!("the files are those of version {version} already")?
            }
            false => say!("the files of version {version} are back: {}", changed.join(", "))?,
        }
        Ok(Outcome::Clean)
    }
}
