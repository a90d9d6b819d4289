//! `tollgate suspense reopen`.

use std::path::PathBuf;

use diagnostics::counted;
use flow::suspense::{Filter, State, reopen};

use super::choose::{flow_file, tell_others};
use super::{CommandError, Outcome};
use crate::command::who::who;

/// Arguments of `tollgate suspense reopen`.
#[derive(Debug, clap::Args)]
pub(crate) struct Reopen {
    /// The flow file
    #[arg(value_parser = flow_file())]
    flow: PathBuf,
    /// The numbers of the records, as "suspense list --state discarded" shows them
    #[arg(value_name = "NUMBER", required = true)]
    numbers: Vec<i64>,
    /// Why, for the trail
    #[arg(long, value_name = "TEXT")]
    because: String,
}

impl Reopen {
    pub(crate) fn run(self) -> Result<Outcome, CommandError> {
        let Reopen { flow, numbers, because } = self;
        if because.trim().is_empty() {
            let message = "records are reopened for a reason: say it with --because";
            return Err(CommandError::Mistakes(message.into()));
        }
        let some_others = tell_others(&flow, &numbers, State::Discarded)?;
        let chosen = Filter { ids: Some(numbers), ..Filter::default() };
        let reopened = reopen(&flow, &chosen, &who(), because.trim()).map_err(super::refused)?;
        say!("{} reopened", counted(reopened, "record"))?;
        Ok(if some_others { Outcome::Faults } else { Outcome::Clean })
    }
}
