//! `tollgate tariff load`, `versions`, `withdraw`, `take-out`: versions of a plan in a database.

use std::io::{self, Write};
use std::path::PathBuf;

use rating::Moment;
use runtime::time::{now_ms, shown};
use serde_json::json;
use tariffs::{Deed, TariffsError, Version};

use super::plans::mistakes;
use crate::json;
use crate::outcome::{CommandError, Outcome};
use crate::output;
use crate::who::who;

/// Arguments of `tollgate tariff load`.
#[derive(Debug, clap::Args)]
pub(crate) struct Load {
    /// The folder of the plan, with tariff.toml in it
    folder: PathBuf,
    /// The database; made if it is not there
    database: PathBuf,
    /// From when on the plan is valid, with a zone: "2027-01-01 Europe/Stockholm". Later than now, but for the first
    #[arg(long, value_name = "TIME")]
    valid_from: String,
    /// Why, for those who come after
    #[arg(long, value_name = "REASON")]
    because: String,
}

/// Arguments of `tollgate tariff versions`.
#[derive(Debug, clap::Args)]
pub(crate) struct Versions {
    /// The database
    database: PathBuf,
    /// One JSON object a line
    #[arg(long)]
    json: bool,
}

/// Arguments of `tollgate tariff withdraw`.
#[derive(Debug, clap::Args)]
pub(crate) struct Withdraw {
    /// The database
    database: PathBuf,
    /// The number of the version
    version: i64,
    /// Why, for those who come after
    #[arg(long, value_name = "REASON")]
    because: String,
}

/// Arguments of `tollgate tariff take-out`.
#[derive(Debug, clap::Args)]
pub(crate) struct TakeOut {
    /// The database
    database: PathBuf,
    /// The number of the version
    version: i64,
    /// The folder that its files are written to; a new one
    folder: PathBuf,
}

impl Load {
    pub(crate) fn run(self) -> Result<Outcome, CommandError> {
        let valid_from = rating::moment(&self.valid_from).map_err(|fault| {
            CommandError::Mistakes(format!("--valid-from \"{}\": {fault}", self.valid_from))
        })?;
        let loaded =
            by(&self.because, |deed| tariffs::load(&self.database, &self.folder, valid_from, deed));
        let (Version { id, name, .. }, warnings) = loaded?;
        warnings.iter().for_each(|warning| tell!("{warning}\n"));
        say!("version {id}, \"{name}\", is valid from {} on", at(valid_from))?;
        Ok(Outcome::Clean)
    }
}

impl Versions {
    pub(crate) fn run(self) -> Result<Outcome, CommandError> {
        let versions = tariffs::versions(&self.database).map_err(refused)?;
        let mut out = output::list();
        for version in &versions {
            match self.json {
                true => json::line(&mut out, &object(version))?,
                false => show(version, &mut out)?,
            }
        }
        out.flush()?;
        Ok(Outcome::Clean)
    }
}

impl Withdraw {
    pub(crate) fn run(self) -> Result<Outcome, CommandError> {
        let version =
            by(&self.because, |deed| tariffs::withdraw(&self.database, self.version, deed))?;
        say!("version {}, \"{}\", is withdrawn", version.id, version.name)?;
        Ok(Outcome::Clean)
    }
}

impl TakeOut {
    pub(crate) fn run(self) -> Result<Outcome, CommandError> {
        tariffs::take_out(&self.database, self.version, &self.folder).map_err(refused)?;
        say!("the files of version {} are in \"{}\"", self.version, self.folder.display())?;
        Ok(Outcome::Clean)
    }
}

/// Runs a change with the user's name, the reason and the time.
fn by<T>(
    because: &str,
    act: impl FnOnce(Deed<'_>) -> Result<T, TariffsError>,
) -> Result<T, CommandError> {
    act(Deed { who: &who(), reason: because, now: now() }).map_err(refused)
}

fn refused(error: TariffsError) -> CommandError {
    match error {
        TariffsError::Mistakes(found) => mistakes(&found),
        TariffsError::NoReason => CommandError::Mistakes(format!("--because: {error}")),
        error => CommandError::Mistakes(error.to_string()),
    }
}

fn now() -> Moment {
    now_ms() / 1_000
}

fn at(moment: Moment) -> String {
    shown(moment.saturating_mul(1_000))
}

fn show(version: &Version, out: &mut impl Write) -> io::Result<()> {
    let Version { id, valid_from, name, loaded: (loaded, by, reason), withdrawn } = version;
    writeln!(out, "{id:>4}  {}  \"{name}\"", at(*valid_from))?;
    writeln!(out, "      loaded {} by {by}: {reason}", at(*loaded))?;
    if let Some((moment, by, reason)) = withdrawn {
        writeln!(out, "      withdrawn {} by {by}: {reason}", at(*moment))?;
    }
    Ok(())
}

fn object(version: &Version) -> serde_json::Value {
    let deed = |(moment, by, reason): &(Moment, String, String)| json!({ "at": at(*moment), "by": by, "reason": reason });
    json!({
        "version": version.id,
        "valid_from": at(version.valid_from),
        "name": version.name,
        "loaded": deed(&version.loaded),
        "withdrawn": version.withdrawn.as_ref().map(deed),
    })
}
