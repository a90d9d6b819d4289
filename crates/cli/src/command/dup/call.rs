//! The arguments that choose a function of a script, and the records that it is called on.

use std::path::PathBuf;

use crate::modules::ModuleArguments;
use crate::outcome::CommandError;
use crate::scripts::loaded::{Called, Loaded, load};

/// Which function is called on which records.
#[derive(Debug, clap::Args)]
pub(super) struct CallArguments {
    /// The script
    script: PathBuf,
    #[command(flatten)]
    modules: ModuleArguments,
    /// The file of records
    #[arg(long, value_name = "FILE")]
    pub(super) record: PathBuf,
    /// The function to call [default: the first of the script]
    #[arg(long)]
    function: Option<String>,
}

impl CallArguments {
    pub(super) fn load(&self) -> Result<Loaded, CommandError> {
        load(&self.script, &self.modules.load(&self.script)?)
    }

    /// The function of the given name; the first if none is given.
    pub(super) fn called(&self, loaded: &Loaded) -> Result<Called, CommandError> {
        let functions = loaded.program.functions();
        let place = match &self.function {
            Some(name) => loaded.find(name)?,
            None if functions.is_empty() => {
                return Err(CommandError::Mistakes("the script has no function".into()));
            }
            None => 0,
        };
        loaded.called(place)
    }
}
