//! `tollgate deliveries`: the files on their way to receivers, and the dead letters.

use std::path::PathBuf;

use diagnostics::counted;
use distribution::{Delivery, DeliveryState, Gathered};
use operate::deliveries::{Deliveries as Page, ListGathering};
use operate::page::PageQuery;
use runtime::time::moment;

use crate::execute::Execute;
use crate::flow_file::FlowFile;
use crate::json;
use crate::operation::perform;
use crate::outcome::{CommandError, Outcome};
use crate::output;
use crate::period::Period;
use crate::rows::Rows;
use crate::table::{Cell, Column, cell, cell_of, free, number, text};
use crate::terminal::Look;

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
    /// Those whose last failure has this code
    #[arg(long, value_name = "CODE")]
    code: Option<String>,
    /// Those that are delivered or discarded too
    #[arg(long)]
    all: bool,
    #[command(flatten)]
    period: Period,
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
    /// One JSON object with the result
    #[arg(long)]
    json: bool,
}

impl ChosenDeliveries {
    /// Returns the flow file and the numbers.
    fn flow_and_numbers(&self) -> Result<(PathBuf, Vec<i64>), CommandError> {
        self.flow.clone().and_numbers(self.numbers.clone(), self.all)
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
        let mut rows = Rows::begin(self.json, &COLUMNS);
        let mut given_up = false;
        let mut page = PageQuery::after(0);
        loop {
            let Page { deliveries, more } = perform(&self.flow, self.request(page)?)?;
            for delivery in &deliveries {
                given_up |= delivery.state == DeliveryState::GivenUp;
                rows.row(delivery, row)?;
            }
            page.after = deliveries.last().map(|delivery| delivery.id);
            if !more {
                break;
            }
        }
        // What waits to be merged has not failed.
        if self.code.is_some() {
            rows.end()?;
            return Ok(outcome(given_up));
        }
        let gathering = ListGathering { post_processing_system: self.receiver.clone() };
        let period = self.period.range()?;
        let gathering = perform(&self.flow, gathering)?.gathering;
        let is_of_period =
            |of: &&Gathered| moment(&of.since).is_ok_and(|since| period.contains(&since));
        for gathered in gathering.iter().filter(is_of_period) {
            rows.row(gathered, waiting)?;
        }
        rows.end()?;
        Ok(outcome(given_up))
    }

    fn request(
        &self,
        page: PageQuery,
    ) -> Result<operate::deliveries::ListDeliveries, CommandError> {
        Ok(operate::deliveries::ListDeliveries {
            post_processing_system: self.receiver.clone(),
            state: None,
            code: self.code.clone(),
            all: self.all,
            period: self.period.request()?,
            page,
        })
    }
}

const COLUMNS: [Column; 5] =
    [number("number"), text("since"), text("state"), free("file"), free("problem")];

fn row(delivery: &Delivery) -> [Cell; 5] {
    let Delivery { id, post_processing_system, file, state, since, problem, code, .. } = delivery;
    let code = if code.is_empty() { String::new() } else { format!(" ({code})") };
    let problem = problem.as_ref().map(|problem| format!("{problem}{code}"));
    let look = match state {
        DeliveryState::GivenUp => Look::Bad,
        _ if problem.is_some() => Look::Warning,
        _ => Look::Plain,
    };
    [
        cell(id),
        cell(since),
        cell(state.word()).look(look),
        cell(format!("{post_processing_system}/{file}")),
        cell_of(problem),
    ]
}

fn outcome(given_up: bool) -> Outcome {
    if given_up { Outcome::Faults } else { Outcome::Clean }
}

fn waiting(gathered: &Gathered) -> [Cell; 5] {
    let Gathered { since, state, octets, closes, .. } = gathered;
    let when = closes.as_ref().map_or(String::new(), |closes| format!(", until {}", closes.at));
    [
        cell(""),
        cell(since),
        cell(state.word()),
        cell(gathered),
        cell(format!("{octets} octets{when}")),
    ]
}

impl RetryDeliveries {
    fn run(self) -> Result<Outcome, CommandError> {
        let (flow, ids) = self.chosen.flow_and_numbers()?;
        let ChosenDeliveries { receiver, all, json, .. } = self.chosen;
        let chosen =
            operate::deliveries::ChosenDeliveries { ids, post_processing_system: receiver, all };
        let request = operate::deliveries::RetryDeliveries { chosen };
        let retried = perform(&flow, request)?;
        match json {
            true => json::line(&mut output::lines(), &retried)?,
            false => say!("{} put back", counted(retried.files, "file"))?,
        }
        Ok(if retried.files == 0 { Outcome::Faults } else { Outcome::Clean })
    }
}

impl DiscardDeliveries {
    fn run(self) -> Result<Outcome, CommandError> {
        let (flow, ids) = self.chosen.flow_and_numbers()?;
        let ChosenDeliveries { receiver, all, json, .. } = self.chosen;
        let chosen =
            operate::deliveries::ChosenDeliveries { ids, post_processing_system: receiver, all };
        let request = operate::deliveries::DiscardDeliveries { chosen, because: self.because };
        let discarded = perform(&flow, request)?;
        match json {
            true => json::line(&mut output::lines(), &discarded)?,
            false => say!("{} discarded", counted(discarded.files, "file"))?,
        }
        Ok(if discarded.files == 0 { Outcome::Faults } else { Outcome::Clean })
    }
}
