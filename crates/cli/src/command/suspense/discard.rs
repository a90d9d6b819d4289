//! `tollgate suspense discard`.

use std::io::{self, IsTerminal as _, Write as _};

use diagnostics::counted;
use suspense::{Discarded, State, alike, discard};

use super::choose::ChosenArguments;
use crate::outcome::{CommandError, Outcome, refused};
use crate::who::who;

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
}

impl Discard {
    pub(crate) fn run(self) -> Result<Outcome, CommandError> {
        let chosen = self.chosen.chosen()?;
        let (flow, filter) = (&chosen.flow, chosen.filter(State::Open)?);
        let some_closed = chosen.tell_others(State::Open)?;
        let records: u64 =
            alike(flow, &filter).map_err(refused)?.iter().map(|alike| alike.records).sum();
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
        let discarded = discard(flow, &filter, &who(), because.trim()).map_err(refused)?;
        let Discarded { records, to_be_retried: left } = discarded;
        say!("{} discarded", counted(records, "record"))?;
        if left > 0 {
            say!(
                "{} left, to be retried as somebody asked: what is in the way of that \"tollgate alarms\" says, and \
                 \"tollgate suspense retry --take-back\" takes it back",
                counted(left, "record")
            )?;
        }
        Ok(if records == 0 || left > 0 || some_closed { Outcome::Faults } else { Outcome::Clean })
    }
}

fn ask(question: &str) -> io::Result<String> {
    eprint!("{question}");
    io::stderr().flush()?;
    let mut answer = String::new();
    io::stdin().read_line(&mut answer)?;
    Ok(answer)
}
