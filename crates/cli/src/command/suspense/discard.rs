//! `tollgate suspense discard`.

use std::io::{self, IsTerminal as _, Write as _};

use diagnostics::counted;
use operate::page::ROWS_MAX;
use operate::suspense::{
    ChosenRecords, CountRecords, DiscardRecords, DiscardedRecords, StateFilter,
};
use suspense::State;

use super::choose::ChosenArguments;
use crate::json;
use crate::operation::perform;
use crate::outcome::{CommandError, Outcome};
use crate::output;

/// Arguments of `tollgate suspense discard`.
#[derive(Debug, clap::Args)]
pub(crate) struct Discard {
    #[command(flatten)]
    chosen: ChosenArguments,
    /// Why they are given up, for the trail; asked for at a terminal
    #[arg(long = "because", value_name = "TEXT")]
    because: Option<String>,
    /// Do not ask whether it is meant
    #[arg(long)]
    yes: bool,
    /// One JSON object with the result
    #[arg(long)]
    json: bool,
}

impl Discard {
    pub(crate) fn run(self) -> Result<Outcome, CommandError> {
        let chosen = self.chosen.chosen()?;
        let to_discard = chosen.records(StateFilter::Open);
        let some_closed = chosen.tell_others(State::Open)?;
        let ChosenRecords { ids, filter, .. } = to_discard.clone();
        let request =
            CountRecords { ids, filter: filter.unwrap_or_default(), limit: Some(ROWS_MAX) };
        let records = perform(&chosen.flow, request)?.records;
        let is_none = records == 0;
        let records = counted(records as usize, "record");
        let asks = io::stdin().is_terminal();
        let because = match self.because {
            Some(because) => because,
            None if asks => ask(&format!("Why are {records} given up? "))?,
            None => String::new(),
        };
        if because.trim().is_empty() {
            let message = "records are given up for a reason: say it with --because";
            return Err(CommandError::Mistakes(message.into()));
        }
        let meant = match (self.yes, asks) {
            (true, _) => true,
            (false, _) if is_none => {
                say!("there is nothing to discard")?;
                return Ok(if some_closed { Outcome::Faults } else { Outcome::Clean });
            }
            (false, true) => ask(&format!("Discard {records}? [y/N] "))?.trim() == "y",
            (false, false) => {
                let message = format!("{records} would be discarded: say --yes if that is meant");
                return Err(CommandError::Mistakes(message));
            }
        };
        if !meant {
            return Ok(Outcome::Faults);
        }
        let request = DiscardRecords { chosen: to_discard, because };
        let discarded = perform(&chosen.flow, request)?;
        let DiscardedRecords { records, to_be_retried: left } = discarded;
        let outcome = match records == 0 || left > 0 || some_closed {
            true => Outcome::Faults,
            false => Outcome::Clean,
        };
        if self.json {
            json::line(&mut output::lines(), &discarded)?;
            return Ok(outcome);
        }
        say!("{} discarded", counted(records, "record"))?;
        if left > 0 {
            say!(
                "{} left, to be retried as somebody asked: what is in the way of that \"tollgate alarms\" says, and \
                 \"tollgate suspense retry --take-back\" takes it back",
                counted(left, "record")
            )?;
        }
        Ok(outcome)
    }
}

fn ask(question: &str) -> io::Result<String> {
    eprint!("{question}");
    io::stderr().flush()?;
    let mut answer = String::new();
    io::stdin().read_line(&mut answer)?;
    Ok(answer)
}
