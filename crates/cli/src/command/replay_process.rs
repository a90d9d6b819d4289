//! `tollgate replay-process`: what a gateway starts to try a change on files that came. Nobody types it.

use crate::outcome::{CommandError, Outcome};
use crate::product::PARTS;

/// Arguments of `tollgate replay-process`: what it is to do comes on its standard input.
#[derive(Debug, clap::Args)]
pub(crate) struct ReplayProcess {}

impl ReplayProcess {
    pub(crate) fn run(self) -> Result<Outcome, CommandError> {
        flow::replay_process(PARTS)?;
        Ok(Outcome::Clean)
    }
}
