//! `tollgate replay-process`: tries a change on collected files for a gateway, which starts it. It is not for users.

use crate::execute::Execute;
use crate::outcome::{CommandError, Outcome};
use crate::product::{PARTS, REPLAY_PROCESS};

/// Try a change on files for a gateway, which starts this itself
#[derive(Debug, clap::Parser)]
#[command(name = REPLAY_PROCESS, hide = true)]
pub(crate) struct ReplayProcess {}

impl Execute for ReplayProcess {
    const HAS_OWN_LOG: bool = true;

    fn run(self) -> Result<Outcome, CommandError> {
        inspection::replay_process(PARTS)?;
        Ok(Outcome::Clean)
    }
}
