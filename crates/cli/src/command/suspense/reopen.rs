//! `tollgate suspense reopen`.

use diagnostics::counted;
use operate::suspense::{ReopenRecords, ReopenedRecords, StateFilter};
use suspense::State;

use super::choose::ChosenArguments;
use crate::json;
use crate::operation::perform;
use crate::outcome::{CommandError, Outcome};
use crate::output;

/// Arguments of `tollgate suspense reopen`.
#[derive(Debug, clap::Args)]
pub(crate) struct Reopen {
    #[command(flatten)]
    chosen: ChosenArguments,
    /// Why, for the trail
    #[arg(long, value_name = "TEXT")]
    because: String,
    /// One JSON object with the result
    #[arg(long)]
    json: bool,
}

impl Reopen {
    pub(crate) fn run(self) -> Result<Outcome, CommandError> {
        let Reopen { chosen, because, json } = self;
        let chosen = chosen.chosen()?;
        let request = ReopenRecords { chosen: chosen.records(StateFilter::Discarded), because };
        let some_others = chosen.tell_others(State::Discarded)?;
        let reopened = perform(&chosen.flow, request)?;
        let ReopenedRecords { records } = reopened;
        match json {
            true => json::line(&mut output::lines(), &reopened)?,
            false => say!("{} reopened", counted(records, "record"))?,
        }
        Ok(if records == 0 || some_others { Outcome::Faults } else { Outcome::Clean })
    }
}
