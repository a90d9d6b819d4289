//! `tollgate replay-process`: what a gateway starts to try a change on files that came. Nobody types it.

use flow::Program;

use super::processing_process;
use super::run::PARTS;
use super::{CommandError, Outcome};

/// How the command is called.
const NAME: &str = "replay-process";

/// Arguments of `tollgate replay-process`: what it is to do comes on its standard input.
#[derive(Debug, clap::Args)]
pub(crate) struct ReplayProcess {}

impl ReplayProcess {
    pub(crate) fn run(self) -> Result<Outcome, CommandError> {
        flow::replay_process(PARTS)?;
        Ok(Outcome::Clean)
    }
}

/// How a gateway of this program starts one.
pub(super) fn program() -> Option<Program> {
    let this = processing_process::program()?;
    Some(Program { arguments: vec![NAME.into()], ..this })
}
