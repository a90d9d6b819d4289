//! `tollgate suspense`: the records that were set aside.

mod list;

use super::{CommandError, Outcome};

/// What to do with the records that were set aside.
#[derive(Debug, clap::Subcommand)]
pub(crate) enum Suspense {
    /// Show the records that were set aside, with the reasons
    #[command(after_help = "Example:\n  tollgate suspense list flow.toml --json")]
    List(list::List),
}

impl Suspense {
    pub(crate) fn run(self) -> Result<Outcome, CommandError> {
        match self {
            Suspense::List(command) => command.run(),
        }
    }
}
