//! `tollgate run`: the gateway.

use std::sync::Arc;

use flow::Parts;

use crate::gateway::Gateway;
use crate::outcome::{CommandError, Outcome};
use crate::product::PARTS;

/// Arguments of `tollgate run`.
#[derive(Debug, clap::Args)]
pub(crate) struct Run {
    #[command(flatten)]
    gateway: Gateway,
}

impl Run {
    pub(crate) fn run(self) -> Result<Outcome, CommandError> {
        // It serves nobody, so no certificate is of any interest.
        let parts = Parts { certificate: |_| None, ..PARTS };
        self.gateway.run(parts, Arc::default(), |_| Ok(()))
    }
}
