//! Makes the gateway read the files of its flow now.

use flow::flow_journal::JournalError;
use gateway::Answer;
use gateway::ReloadError;
use gateway::service::reload::running;
use people::Role;
use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

use super::Activated;
use crate::context::Context;
use crate::operation::Operation;
use crate::refusal::{PossibleRefusal, Refusal, RefusalKind};
use crate::refusals;

/// Makes the gateway read the files of its flow now.
///
/// What changed runs, or its mistakes are shown.
#[derive(Clone, Debug, Default, Deserialize, ToSchema)]
pub struct ReloadFlow {
    /// The reason of the change, for the audit trail. The gateway would take the files in a moment without a reason, so
    /// it may be empty.
    #[serde(default)]
    pub because: String,
}

/// The answer of the gateway.
#[derive(Clone, Debug, Serialize, ToSchema)]
pub struct ReloadedFlow {
    /// The answer.
    #[serde(flatten)]
    pub activated: Activated,
    /// The seconds since the last change, if the answer is `active`.
    pub seconds: Option<u64>,
    /// The number of further mistakes.
    pub mistakes_more: usize,
}

refusals! {
    /// Why the gateway does not read its files.
    pub enum ReloadFlowError {
        /// The gateway does not answer.
        Reload(ReloadError) => [NotReady],
        /// The journal fails.
        Journal(JournalError) => [NotReady],
    }
}

impl Refusal for ReloadError {
    fn kind(&self) -> RefusalKind {
        RefusalKind::NotReady
    }

    fn code(&self) -> &'static str {
        "gateway-does-not-answer"
    }

    fn possible() -> Vec<PossibleRefusal> {
        let text =
            Some(("gateway-does-not-answer", "the gateway does not run, or does not answer"));
        vec![PossibleRefusal { kind: RefusalKind::NotReady, text }]
    }
}

impl Operation for ReloadFlow {
    type Response = ReloadedFlow;
    type Error = ReloadFlowError;

    const NAME: &'static str = "reload";
    const ROLE: Role = Role::Operator;
    const ACTIONS: &[&str] = &[Self::NAME];

    fn perform(self, context: &Context<'_>) -> Result<ReloadedFlow, ReloadFlowError> {
        let Some(_) = running(context.flow)? else {
            return Err(ReloadError::NotRunning(context.flow.into()).into());
        };
        let flow = context.flow.file_name().unwrap_or_default().to_string_lossy();
        let note = |reason: &str| {
            context.change(Self::NAME, |db, author| author.record(db, &flow, reason).map(drop))
        };
        note(self.because.trim())?;
        let answer = gateway::reload(context.flow);
        match &answer {
            Ok(Answer::Mistakes { .. }) => note("not active: the flow has mistakes")?,
            Ok(_) => {}
            Err(error) => note(&format!("not active: {error}"))?,
        }
        let answer = answer?;
        let (seconds, mistakes_more) = match &answer {
            Answer::Active { seconds, .. } => (Some(*seconds), 0),
            Answer::Mistakes { more, .. } => (None, *more),
            Answer::Pending { .. } | Answer::Stopping => (None, 0),
        };
        Ok(ReloadedFlow { activated: answer.into(), seconds, mistakes_more })
    }
}
