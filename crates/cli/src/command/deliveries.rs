//! `tollgate deliveries`: the files on their way to receivers, and the dead letters.

use std::io::Write as _;
use std::path::PathBuf;

use diagnostics::{counted, visible};
use distribution::{Delivery, DeliveryState, Gathered, WhichDeliveries};

use crate::execute::Execute;
use crate::flow_file::FlowFile;
use crate::json;
use crate::outcome::{CommandError, Outcome, refused};
use crate::output;
use crate::who::who;

/// See to the files that are on their way to receivers
#[derive(Debug, clap::Parser)]
#[command(name = "deliveries")]
pub(crate) enum Deliveries {
    /// List the files that are to be carried to receivers, or were given up
    #[command(
        after_help = "Example:\n  tollgate deliveries list flow.toml --receiver billing --json"
    )]
    List(ListDeliveries),
    /// Have files carried once more that were given up
    #[command(after_help = "Example:\n  tollgate deliveries retry flow.toml --receiver billing")]
    Retry(RetryDeliveries),
    /// Discard files that were given up and are no longer needed
    #[command(
        after_help = "Example:\n  tollgate deliveries discard flow.toml 17 --because \"sent by hand\""
    )]
    Discard(DiscardDeliveries),
}

/// Arguments of `tollgate deliveries list`.
#[derive(Debug, clap::Args)]
pub(crate) struct ListDeliveries {
    #[command(flatten)]
    flow: FlowFile,
    /// Those of this post-processing system
    #[arg(long, value_name = "NAME")]
    receiver: Option<String>,
    /// Those that are delivered or discarded too
    #[arg(long)]
    all: bool,
    /// One JSON object a line
    #[arg(long)]
    json: bool,
}

/// Which files that were given up.
#[derive(Debug, clap::Args)]
pub(crate) struct ChosenDeliveries {
    #[command(flatten)]
    flow: FlowFile,
    /// The numbers of files, as "tollgate deliveries list" shows them
    #[arg(value_name = "NUMBER")]
    numbers: Vec<i64>,
    /// Those of this post-processing system
    #[arg(long, value_name = "NAME")]
    receiver: Option<String>,
    /// All that were given up
    #[arg(long, conflicts_with_all = ["numbers", "receiver"])]
    all: bool,
}

/// The files of a flow that were given up and are meant.
struct GivenUp {
    flow: PathBuf,
    numbers: Vec<i64>,
    receiver: Option<String>,
}

impl ChosenDeliveries {
    /// Refuses a choice of all files that is not made with `--all`.
    fn checked(self) -> Result<GivenUp, CommandError> {
        let ChosenDeliveries { flow, numbers, receiver, all } = self;
        let (flow, numbers) = flow.and_numbers(numbers, all)?;
        if numbers.is_empty() && receiver.is_none() && !all {
            let message = "say which files are meant: their numbers, --receiver or --all";
            return Err(CommandError::Mistakes(message.into()));
        }
        Ok(GivenUp { flow, numbers, receiver })
    }
}

/// Arguments of `tollgate deliveries retry`.
#[derive(Debug, clap::Args)]
pub(crate) struct RetryDeliveries {
    #[command(flatten)]
    chosen: ChosenDeliveries,
}

/// Arguments of `tollgate deliveries discard`.
#[derive(Debug, clap::Args)]
pub(crate) struct DiscardDeliveries {
    #[command(flatten)]
    chosen: ChosenDeliveries,
    /// Why they are no longer needed, for the audit trail
    #[arg(long = "because", value_name = "TEXT")]
    because: String,
}

impl Execute for Deliveries {
    fn run(self) -> Result<Outcome, CommandError> {
        match self {
            Deliveries::List(list) => list.run(),
            Deliveries::Retry(retry) => retry.run(),
            Deliveries::Discard(discard) => discard.run(),
        }
    }
}

impl ListDeliveries {
    fn run(self) -> Result<Outcome, CommandError> {
        let which = if self.all { WhichDeliveries::All } else { WhichDeliveries::Open };
        let mut out = output::list();
        let mut given_up = false;
        let written =
            distribution::deliveries(&self.flow, self.receiver.as_deref(), which, |delivery| {
                given_up |= delivery.state == DeliveryState::GivenUp;
                match self.json {
                    true => json::line(&mut out, &delivery),
                    false => writeln!(out, "{}", visible(&line(&delivery))),
                }
            });
        written.map_err(refused)??;
        let gathered =
            distribution::gathered(&self.flow, self.receiver.as_deref()).map_err(refused)?;
        for gathered in &gathered {
            match self.json {
                true => json::line(&mut out, gathered)?,
                false => writeln!(out, "{}", waiting(gathered))?,
            }
        }
        out.flush()?;
        Ok(if given_up { Outcome::Faults } else { Outcome::Clean })
    }
}

fn line(delivery: &Delivery) -> String {
    let Delivery { id, post_processing_system, file, state, since, problem, .. } = delivery;
    let why = problem.as_ref().map_or(String::new(), |problem| format!(": {problem}"));
    let state = state.word();
    format!("{id:>6} {since} {state:<14} {post_processing_system}/{file}{why}")
}

fn waiting(gathered: &Gathered) -> String {
    let Gathered { since, state, octets, merged, .. } = gathered;
    let when = merged.as_ref().map_or(String::new(), |merged| format!(", until {}", merged.at));
    format!("{:>6} {since} {state:<14} {gathered}: {octets} octets{when}", "")
}

impl RetryDeliveries {
    fn run(self) -> Result<Outcome, CommandError> {
        let GivenUp { flow, numbers, receiver } = self.chosen.checked()?;
        let put = distribution::put_back(&flow, (receiver.as_deref(), &numbers), &who())
            .map_err(refused)?;
        say!("{} put back", counted(put.files, "file"))?;
        Ok(if put.files == 0 { Outcome::Faults } else { Outcome::Clean })
    }
}

impl DiscardDeliveries {
    fn run(self) -> Result<Outcome, CommandError> {
        let GivenUp { flow, numbers, receiver } = self.chosen.checked()?;
        let because = self.because.trim();
        if because.is_empty() {
            let message = "files are discarded for a reason: say it with --because";
            return Err(CommandError::Mistakes(message.into()));
        }
        let meant = (receiver.as_deref(), numbers.as_slice());
        let files =
            distribution::discard_deliveries(&flow, meant, &who(), because).map_err(refused)?;
        say!("{} discarded", counted(files, "file"))?;
        Ok(if files == 0 { Outcome::Faults } else { Outcome::Clean })
    }
}
