//! Cancels the running replay.

use flow::flow_journal::JournalError;
use people::Role;
use serde::Deserialize;
use utoipa::ToSchema;

use crate::context::Context;
use crate::operation::{Nothing, Operation};
use crate::refusals;

/// Cancels the running replay.
///
/// Its results are dropped.
#[derive(Clone, Copy, Debug, Deserialize, ToSchema)]
pub struct CancelReplay {}

refusals! {
    /// Why no replay is cancelled.
    pub enum CancelReplayError {
        /// No replay runs.
        None => Conflict "replay-none" "no replay runs",
        /// The entry of the audit trail cannot be written.
        Journal(JournalError) => [NotReady],
    }
}

impl Operation for CancelReplay {
    type Response = Nothing;
    type Error = CancelReplayError;

    const NAME: &'static str = "replay cancel";
    const ROLE: Role = Role::Operator;
    const ACTIONS: &[&str] = &[Self::NAME];
    const HAS_RESPONSE: bool = false;

    fn perform(self, context: &Context<'_>) -> Result<Nothing, CancelReplayError> {
        let replays = context.shared.replays().ok_or(CancelReplayError::None)?;
        let subject = format!("begun by {}", replays.running().ok_or(CancelReplayError::None)?);
        // First the entry: without one, nothing is cancelled.
        context.change(Self::NAME, |db, author| author.record(db, &subject, "").map(drop))?;
        replays.cancel(context.who);
        Ok(Nothing {})
    }
}
