//! The flow file of a command: the first argument, else what `TOLLGATE_FLOW` names, else `flow.toml`.
//!
//! Other arguments may stand behind the flow file, and it may be left out before them too. Two rules tell which is meant:
//! a number is never the flow file where numbers follow, and where one argument follows, a single argument is that one.

use std::env;
use std::ffi::OsStr;
use std::ops::Deref;
use std::path::{Path, PathBuf};

use clap::builder::PathBufValueParser;
use clap::parser::ValueSource;
use clap::{Arg, ArgMatches, Args, Command, FromArgMatches};

use crate::outcome::CommandError;

/// The environment variable that names the flow file of all commands.
pub(crate) const VARIABLE: &str = "TOLLGATE_FLOW";

/// The flow file if nothing else is named.
pub(crate) const NAME: &str = "flow.toml";

/// The name of the argument within the command line.
const ID: &str = "flow";

/// The flow file of a command. Flatten it into the arguments, before other positional ones.
#[derive(Clone, Debug)]
pub(crate) struct FlowFile {
    path: PathBuf,
    /// Whether the path stands on the command line.
    is_argument: bool,
}

impl Deref for FlowFile {
    type Target = Path;

    fn deref(&self) -> &Path {
        &self.path
    }
}

impl FlowFile {
    /// Returns the flow file and the numbers behind it. `all` is whether all were meant by an option, so that there may
    /// be no numbers.
    pub(crate) fn and_numbers(
        self,
        behind: Vec<i64>,
        all: bool,
    ) -> Result<(PathBuf, Vec<i64>), CommandError> {
        let Some(first) = self.argument::<i64>() else { return Ok((self.path, behind)) };
        if all {
            let message = format!("give either --all or numbers, not both --all and {first}");
            return Err(CommandError::Mistakes(message));
        }
        Ok((default(), [first].into_iter().chain(behind).collect()))
    }

    /// Returns the flow file and the one argument behind it, which `help` calls `name`.
    pub(crate) fn and_one<T: std::str::FromStr>(
        self,
        behind: Option<T>,
        name: &str,
    ) -> Result<(PathBuf, T), CommandError> {
        if let Some(behind) = behind {
            return Ok((self.path, behind));
        }
        match self.argument() {
            Some(only) => Ok((default(), only)),
            None => Err(CommandError::Mistakes(self.missing(name))),
        }
    }

    /// Returns the flow file and the two arguments behind it, which `help` calls by these names.
    pub(crate) fn and_two(
        self,
        behind: (Option<String>, Option<String>),
        names: (&str, &str),
    ) -> Result<(PathBuf, String, String), CommandError> {
        match (behind, self.argument()) {
            ((Some(first), Some(second)), _) => Ok((self.path, first, second)),
            ((Some(second), None), Some(first)) => Ok((default(), first, second)),
            _ => {
                let (first, second) = names;
                Err(CommandError::Mistakes(format!("<{first}> and <{second}> are expected")))
            }
        }
    }

    /// Says that a number is missing, or that the only argument, which is no file, is none. Every other argument is a
    /// text, which any word can be.
    fn missing(&self, name: &str) -> String {
        match self.path.to_str().filter(|_| self.is_argument && !self.path.exists()) {
            Some(word) => format!("\"{word}\" is not a number: <{name}> is expected"),
            None => format!("<{name}> is missing"),
        }
    }

    /// Returns the text of the command line that was taken for the flow file, as something else.
    fn argument<T: std::str::FromStr>(&self) -> Option<T> {
        let text = self.path.as_os_str().to_str().filter(|_| self.is_argument)?;
        text.parse().ok()
    }
}

/// Returns the flow file of a command line without one.
fn default() -> PathBuf {
    env::var_os(VARIABLE).map_or_else(|| NAME.into(), PathBuf::from)
}

impl Args for FlowFile {
    fn augment_args(command: Command) -> Command {
        command.arg(
            Arg::new(ID)
                .value_name("FLOW")
                .help("The flow file")
                .value_parser(PathBufValueParser::new())
                // A key that begins with a minus may stand here, where the flow file is left out.
                .allow_negative_numbers(true)
                .env(VARIABLE)
                .hide_env_values(true)
                .default_value(OsStr::new(NAME)),
        )
    }

    fn augment_args_for_update(command: Command) -> Command {
        Self::augment_args(command)
    }
}

impl FromArgMatches for FlowFile {
    fn from_arg_matches(matches: &ArgMatches) -> Result<Self, clap::Error> {
        let path = matches.get_one::<PathBuf>(ID).cloned().unwrap_or_else(default);
        let is_argument = matches.value_source(ID) == Some(ValueSource::CommandLine);
        Ok(FlowFile { path, is_argument })
    }

    fn update_from_arg_matches(&mut self, matches: &ArgMatches) -> Result<(), clap::Error> {
        *self = Self::from_arg_matches(matches)?;
        Ok(())
    }
}
