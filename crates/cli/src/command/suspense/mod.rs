//! `tollgate suspense`: the records that were set aside.

mod choose;
mod discard;
mod list;

use super::{CommandError, Outcome};

/// What to do with the records that were set aside.
#[derive(Debug, clap::Subcommand)]
pub(crate) enum Suspense {
    /// Show the records that were set aside, with the reasons
    #[command(after_help = "Example:\n  tollgate suspense list flow.toml --count")]
    List(list::List),
    /// Give records up, for a reason
    #[command(
        after_help = "Example:\n  tollgate suspense discard flow.toml 17 --because \"a test call\""
    )]
    Discard(discard::Discard),
}

impl Suspense {
    pub(crate) fn run(self) -> Result<Outcome, CommandError> {
        match self {
            Suspense::List(command) => command.run(),
            Suspense::Discard(command) => command.run(),
        }
    }
}

/// What kept the journal from being read or changed.
fn refused(error: flow::JournalError) -> CommandError {
    CommandError::Mistakes(crate::chain(&error))
}
