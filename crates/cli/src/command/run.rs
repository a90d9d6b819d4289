//! `tollgate run`: runs the gateway.

use std::sync::Arc;

use gateway::Parts;

use crate::execute::Execute;
use crate::gateway::Gateway;
use crate::outcome::{CommandError, Outcome};
use crate::product::PARTS;
use crate::progress::Progress;

/// Run a flow: collect, decode, encode and deliver files
#[derive(Debug, clap::Parser)]
#[command(name = "run", after_help = "Example:\n  tollgate run flow.toml --once")]
pub(crate) struct Run {
    #[command(flatten)]
    gateway: Gateway,
}

impl Execute for Run {
    const HAS_OWN_LOG: bool = true;

    fn run(self) -> Result<Outcome, CommandError> {
        // `run` serves no clients, so it does not check certificates.
        let parts = Parts { certificate: |_| None, ..PARTS };
        let meters = Arc::default();
        let progress = Arc::clone(&meters);
        self.gateway.run(parts, meters, |_| Ok(Progress::of_gateway(progress)))
    }
}
