//! The switch that stops all actions.

use actions::Stop;
use flow::flow_journal::JournalError;
use people::Role;
use runtime::time::now_ms;
use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

use crate::context::Context;
use crate::operation::Operation;
use crate::refusals;

/// Stops all actions at once: none is sent until they are resumed. What is requested meanwhile waits.
#[derive(Clone, Debug, Deserialize, ToSchema)]
pub struct StopActions {
    /// Why, for others and the audit trail.
    pub reason: String,
}

/// Resumes actions: what waits is sent.
#[derive(Clone, Debug, Deserialize, ToSchema)]
pub struct ResumeActions {
    /// Why, for others and the audit trail.
    pub reason: String,
}

/// Whether actions are stopped.
#[derive(Debug, Serialize, ToSchema)]
pub struct StoppedActions {
    /// That no action is sent. Absent if they are sent.
    pub stopped: Option<Stop>,
}

refusals! {
    /// Why actions are not stopped or resumed.
    pub enum StopActionsError {
        /// The request does not say why.
        NoReason => Wrong "stop-without-reason" "say why: it is read by others",
        /// The journal fails.
        Journal(JournalError) => [],
    }
}

impl Operation for StopActions {
    type Response = StoppedActions;
    type Error = StopActionsError;

    const NAME: &'static str = "action stop";
    const ROLE: Role = Role::Operator;
    const ACTIONS: &[&str] = &[Self::NAME];

    fn perform(self, context: &Context<'_>) -> Result<StoppedActions, StopActionsError> {
        let reason = self.reason.trim();
        if reason.is_empty() {
            return Err(StopActionsError::NoReason);
        }
        let stopped = context.change(Self::NAME, |db, author| {
            if actions::stop(db, reason, (context.who, now_ms()))? {
                author.record(db, "all actions", reason)?;
            }
            actions::stopped(db)
        })?;
        Ok(StoppedActions { stopped })
    }
}

impl Operation for ResumeActions {
    type Response = StoppedActions;
    type Error = StopActionsError;

    const NAME: &'static str = "action resume";
    const ROLE: Role = Role::Operator;
    const ACTIONS: &[&str] = &[Self::NAME];

    fn perform(self, context: &Context<'_>) -> Result<StoppedActions, StopActionsError> {
        let reason = self.reason.trim();
        if reason.is_empty() {
            return Err(StopActionsError::NoReason);
        }
        context.change(Self::NAME, |db, author| {
            if actions::resume(db)? {
                author.record(db, "all actions", reason)?;
            }
            Ok(())
        })?;
        Ok(StoppedActions { stopped: None })
    }
}
