//! `tollgate alarms`: what is wrong with a gateway, from when until when.

use std::io::Write as _;
use std::path::PathBuf;

use flow::{Alarm, Which};

use super::{CommandError, Outcome, json};

/// Arguments of `tollgate alarms`.
#[derive(Debug, clap::Args)]
pub(crate) struct Alarms {
    /// The flow file
    #[arg(default_value = "flow.toml")]
    flow: PathBuf,
    /// Those that are over too
    #[arg(long)]
    all: bool,
    /// One JSON object a line
    #[arg(long)]
    json: bool,
}

impl Alarms {
    pub(crate) fn run(self) -> Result<Outcome, CommandError> {
        let which = if self.all { Which::All } else { Which::Raised };
        let alarms = flow::alarms(&self.flow, which)
            .map_err(|error| CommandError::Mistakes(crate::chain(&error)))?;
        let mut out = std::io::stdout().lock();
        for alarm in &alarms {
            match self.json {
                true => json::line(&mut out, alarm)?,
                false => writeln!(out, "{}", line(alarm))?,
            }
        }
        let raised = alarms.iter().any(|alarm| alarm.cleared.is_none());
        Ok(if raised { Outcome::Faults } else { Outcome::Clean })
    }
}

fn line(Alarm { kind, text, raised, cleared, .. }: &Alarm) -> String {
    let until = cleared.as_deref().unwrap_or("now");
    format!("{raised} to {until:<20} {kind}: {text}")
}
