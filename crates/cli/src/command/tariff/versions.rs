//! `tollgate tariff load`, `versions`, `withdraw`, `take-out`: versions of a plan in a database.

use std::path::PathBuf;

use operate::tariff::{
    ListTariffFiles, ListTariffVersions, LoadError, LoadTariff, TariffAction, TariffDraft,
    TariffLoaded, TariffVersion, WithdrawTariff,
};
use operate::versions::ActivationAnswer;

use super::plans::{FlowOfPlan, show as show_mistakes, without_flow};
use crate::json;
use crate::operation::{attempt, perform};
use crate::outcome::{CommandError, Outcome, refused};
use crate::output;
use crate::rows::Rows;
use crate::table::{Cell, Column, cell, cell_of, free, number, text};
use crate::terminal::Look;

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
    /// Why, for the audit trail and those who come after
    #[arg(long, value_name = "REASON")]
    because: String,
    #[command(flatten)]
    flow: FlowOfPlan,
    /// One JSON object with the result
    #[arg(long)]
    json: bool,
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
    /// Why, for the audit trail and those who come after
    #[arg(long, value_name = "REASON")]
    because: String,
    #[command(flatten)]
    flow: FlowOfPlan,
    /// One JSON object with the result
    #[arg(long)]
    json: bool,
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
    /// One JSON object with the names and sizes of the files
    #[arg(long)]
    json: bool,
}

impl Load {
    pub(crate) fn run(self) -> Result<Outcome, CommandError> {
        let (flow, chosen) = self.flow.and_plan(&self.database)?;
        let draft = TariffDraft { folder: Some(self.folder), ..TariffDraft::default() };
        let (valid_from, because) = (self.valid_from, self.because);
        let request = LoadTariff { chosen, draft, valid_from, because };
        let loaded = attempt(&flow, request).map_err(|error| match error {
            LoadError::ValidFrom { text, fault } => {
                CommandError::Mistakes(format!("--valid-from \"{text}\": {fault}"))
            }
            LoadError::Reason(error) => CommandError::Mistakes(format!("--because: {error}")),
            error => refused(error),
        })?;
        let mistakes = show_mistakes(&loaded.mistakes);
        if self.json {
            json::line(&mut output::lines(), &loaded)?;
        }
        let TariffLoaded { version, name, valid_from, gateway, .. } = loaded;
        let (Some(id), Some(name), Some(from)) = (version, name, valid_from) else {
            let unknown = || CommandError::Mistakes("the plan has mistakes".into());
            return Err(mistakes.unwrap_or_else(unknown));
        };
        if !self.json {
            say!("version {id}, \"{name}\", is valid from {from} on")?;
        }
        gateway.iter().for_each(|gateway| warn_of(gateway.answer, &gateway.mistakes));
        Ok(Outcome::Clean)
    }
}

impl Versions {
    pub(crate) fn run(self) -> Result<Outcome, CommandError> {
        let (flow, chosen) = without_flow(&self.database)?;
        let listed = perform(flow, ListTariffVersions { chosen })?;
        let mut rows = Rows::begin(self.json, &COLUMNS);
        for version in &listed.versions {
            rows.row(version, row)?;
        }
        rows.end()?;
        Ok(Outcome::Clean)
    }
}

impl Withdraw {
    pub(crate) fn run(self) -> Result<Outcome, CommandError> {
        let (flow, chosen) = self.flow.and_plan(&self.database)?;
        let request = WithdrawTariff { chosen, version: self.version, because: self.because };
        let withdrawn = perform(&flow, request)?;
        match self.json {
            true => json::line(&mut output::lines(), &withdrawn)?,
            false => {
                say!("version {}, \"{}\", is withdrawn", withdrawn.version, withdrawn.name)?;
            }
        }
        withdrawn.answer.iter().for_each(|answer| warn_of(*answer, &withdrawn.mistakes));
        Ok(Outcome::Clean)
    }
}

/// Tells that the gateway does not use the change yet, since its flow has mistakes.
fn warn_of(answer: ActivationAnswer, mistakes: &[String]) {
    if answer == ActivationAnswer::Mistakes {
        let mistakes = mistakes.join("\n\n");
        tell!("{mistakes}\n\nthe flow has mistakes: the gateway goes on as before");
    }
}

impl TakeOut {
    pub(crate) fn run(self) -> Result<Outcome, CommandError> {
        let TakeOut { database, version, folder, json } = self;
        let (flow, chosen) = without_flow(&database)?;
        let files = perform(flow, ListTariffFiles { chosen, version })?;
        tariffs::take_out(&database, version, &folder).map_err(refused)?;
        match json {
            true => json::line(&mut output::lines(), &files)?,
            false => say!("the files of version {version} are in \"{}\"", folder.display())?,
        }
        Ok(Outcome::Clean)
    }
}

const COLUMNS: [Column; 7] = [
    number("version"),
    text("valid from"),
    text("name"),
    text("loaded").extra(),
    text("by").extra(),
    free("reason"),
    free("withdrawn"),
];

fn row(version: &TariffVersion) -> [Cell; 7] {
    let TariffVersion { version, valid_from, name, loaded, withdrawn, .. } = version;
    let action =
        |TariffAction { at, who, reason }: &TariffAction| format!("{at} by {who}: {reason}");
    [
        cell(version),
        cell(valid_from),
        cell(name),
        cell(&loaded.at),
        cell(&loaded.who),
        cell(&loaded.reason),
        cell_of(withdrawn.as_ref().map(action)).look(Look::Bad),
    ]
}
