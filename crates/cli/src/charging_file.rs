//! The definition of the charging system that a command is about.

use std::path::PathBuf;

/// The option that names the definition.
#[derive(Clone, Debug, clap::Args)]
pub(crate) struct ChargingFile {
    /// The definition of the charging system
    #[arg(
        long = "charging",
        value_name = "FILE",
        env = "TOLLGATE_CHARGING",
        hide_env_values = true,
        default_value = "charging.toml"
    )]
    pub(crate) path: PathBuf,
}
