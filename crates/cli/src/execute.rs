//! The interface of a command: its part of the command line, and its work.

use clap::{ArgMatches, CommandFactory, FromArgMatches};

use crate::logging;
use crate::outcome::{CommandError, Outcome};

/// A command: its arguments with their help, and what it does.
pub(crate) trait Execute: CommandFactory + FromArgMatches {
    /// Whether the command sets up its own log. Other commands log to standard error.
    const HAS_OWN_LOG: bool = false;

    /// Runs the command.
    fn run(self) -> Result<Outcome, CommandError>;
}

/// An entry in a table of commands.
pub(crate) struct Entry {
    /// Returns its part of the command line.
    pub(crate) line: fn() -> clap::Command,
    /// Parses its arguments and runs it.
    pub(crate) run: fn(&ArgMatches) -> Result<Outcome, CommandError>,
}

/// Returns the entry of a command.
pub(crate) const fn entry<C: Execute>() -> Entry {
    Entry { line: C::command, run: run::<C> }
}

fn run<C: Execute>(arguments: &ArgMatches) -> Result<Outcome, CommandError> {
    let command = C::from_arg_matches(arguments).unwrap_or_else(|error| error.exit());
    if !C::HAS_OWN_LOG {
        logging::console();
    }
    command.run()
}
