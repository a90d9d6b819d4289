//! The definition that a command is about.

use std::path::PathBuf;

use prepaid::Definition;

use crate::outcome::CommandError;

/// The definition of a command.
#[derive(Debug, clap::Args)]
pub(crate) struct Defined {
    /// The definition
    #[arg(
        value_name = "CHARGING",
        env = "TOLLGATE_CHARGING",
        hide_env_values = true,
        default_value = "charging.toml"
    )]
    pub(super) definition: PathBuf,
    /// One JSON object with the result
    #[arg(long)]
    pub(super) json: bool,
}

pub(super) fn read(defined: &Defined) -> Result<Definition, CommandError> {
    Definition::read(&defined.definition).map_err(|mistakes| {
        let mistakes: Vec<String> = mistakes.iter().map(ToString::to_string).collect();
        CommandError::Mistakes(mistakes.join("\n\n"))
    })
}
