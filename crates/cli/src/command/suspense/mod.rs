//! `tollgate suspense`: the records in suspense.

mod choose;
mod discard;
mod edit;
mod list;
mod octets;
mod pretty;
mod reopen;
mod retry;
mod show;

use crate::execute::Execute;
use crate::outcome::{CommandError, Outcome};

/// See to the records that were set aside
#[derive(Debug, clap::Parser)]
#[command(name = "suspense")]
pub(crate) enum Suspense {
    /// Show the records that were set aside, with the reasons
    #[command(after_help = "Example:\n  tollgate suspense list flow.toml --count")]
    List(list::List),
    /// Show all of one record: where it came from, its octets, what they say, what was done to it
    #[command(after_help = "Example:\n  tollgate suspense show flow.toml 17")]
    Show(show::Show),
    /// Correct a record: in an editor, or by what is given
    #[command(
        after_help = "Example:\n  tollgate suspense show flow.toml 17 --json | jq .json > 17.json\n  tollgate suspense edit flow.toml 17 --json 17.json"
    )]
    Edit(edit::Edit),
    /// Put records through again, once what was wrong with them is right
    #[command(
        after_help = "Example:\n  tollgate suspense retry flow.toml --node isRoaming --reason \"no IMSI\""
    )]
    Retry(retry::Retry),
    /// Give records up, for a reason
    #[command(
        after_help = "Example:\n  tollgate suspense discard flow.toml 17 --because \"a test call\" --yes"
    )]
    Discard(discard::Discard),
    /// Open records again that were discarded, for a reason
    #[command(
        after_help = "Examples:\n  tollgate suspense reopen flow.toml 17 --because \"not a test call after all\"\n  tollgate suspense reopen flow.toml --file a.ber --because \"not test calls after all\""
    )]
    Reopen(reopen::Reopen),
}

impl Execute for Suspense {
    fn run(self) -> Result<Outcome, CommandError> {
        match self {
            Suspense::List(command) => command.run(),
            Suspense::Show(command) => command.run(),
            Suspense::Edit(command) => command.run(),
            Suspense::Retry(command) => command.run(),
            Suspense::Discard(command) => command.run(),
            Suspense::Reopen(command) => command.run(),
        }
    }
}
