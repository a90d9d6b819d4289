//! `tollgate suspense reopen`.

use diagnostics::counted;
use suspense::{State, reopen};

use super::choose::ChosenArguments;
use crate::outcome::{CommandError, Outcome, refused};
use crate::who::who;

/// Arguments of `tollgate suspense reopen`.
#[derive(Debug, clap::Args)]
pub(crate) struct Reopen {
    #[command(flatten)]
    chosen: ChosenArguments,
    /// Why, for the trail
    #[arg(long, value_name = "TEXT")]
    because: String,
}

impl Reopen {
    pub(crate) fn run(self) -> Result<Outcome, CommandError> {
        let Reopen { chosen, because } = self;
        if because.trim().is_empty() {
            let message = "records are reopened for a reason: say it with --because";
            return Err(CommandError::Mistakes(message.into()));
        }
        let chosen = chosen.chosen()?;
        let filter = chosen.filter(State::Discarded)?;
        let some_others = chosen.tell_others(State::Discarded)?;
        let reopened = reopen(&chosen.flow, &filter, &who(), because.trim()).map_err(refused)?;
        say!("{} reopened", counted(reopened, "record"))?;
        Ok(if reopened == 0 || some_others { Outcome::Faults } else { Outcome::Clean })
    }
}
