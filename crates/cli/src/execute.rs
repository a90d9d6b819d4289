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

/// A command about the command line of the program itself.
pub(crate) trait Describe: CommandFactory + FromArgMatches {
    /// Runs the command. `program` has all commands that are for users.
    fn run(self, program: clap::Command) -> Result<Outcome, CommandError>;
}

/// Returns the command line of the program, with the commands that are for users.
pub(crate) type Program = fn() -> clap::Command;

/// An entry in a table of commands.
pub(crate) struct Entry {
    /// Returns its part of the command line.
    pub(crate) line: fn() -> clap::Command,
    /// Parses its arguments and runs it.
    pub(crate) run: fn(&ArgMatches, Program) -> Result<Outcome, CommandError>,
}

/// Returns the entry of a command.
pub(crate) const fn entry<C: Execute>() -> Entry {
    Entry { line: C::command, run: run::<C> }
}

/// Returns the entry of a command about the command line itself.
pub(crate) const fn describing<C: Describe>() -> Entry {
    Entry { line: C::command, run: describe::<C> }
}

fn describe<C: Describe>(
    arguments: &ArgMatches,
    program: Program,
) -> Result<Outcome, CommandError> {
    parsed::<C>(arguments).run(program())
}

fn parsed<C: FromArgMatches>(arguments: &ArgMatches) -> C {
    C::from_arg_matches(arguments).unwrap_or_else(|error| error.exit())
}

fn run<C: Execute>(arguments: &ArgMatches, _: Program) -> Result<Outcome, CommandError> {
    let command = parsed::<C>(arguments);
    if !C::HAS_OWN_LOG {
        logging::console();
    }
    command.run()
}
