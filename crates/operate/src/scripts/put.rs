//! Replaces a script.

use ::versions::VersionError;
use people::Role;
use serde::Deserialize;
use utoipa::ToSchema;

use super::{ScriptDraft, ScriptError, one};
use crate::context::Context;
use crate::operation::Operation;
use crate::refusal::{ReasonError, reason};
use crate::refusals;
use crate::versions::{Activated, activate_file};

/// Replaces a script and activates it.
///
/// The new text is saved in a new version of the flow. The gateway switches to it without a stop.
#[derive(Clone, Debug, Deserialize, ToSchema)]
pub struct PutScript {
    /// The script and its new text.
    #[serde(flatten)]
    pub draft: ScriptDraft,
    /// The digest of the text that the edit began with. The request is refused if the script has another text by now.
    pub based_on: Option<String>,
    /// A remark about the change, for the version and the audit trail. It must not be empty.
    pub remark: String,
}

refusals! {
    /// Why a script is not replaced.
    pub enum PutScriptError {
        /// The script has changed.
        Overtaken => Conflict "script-changed"
            "the script was changed by another user meanwhile: load it, and look again",
        /// The request has no remark.
        Reason(ReasonError) => [Wrong],
        /// The flow has no such script.
        Script(ScriptError) => [Unknown],
        /// The files of the flow do not allow it, or the gateway does not answer.
        Versions(VersionError) => [Conflict, Wrong, NotReady],
    }
}

impl Operation for PutScript {
    type Response = Activated;
    type Error = PutScriptError;

    const NAME: &'static str = "scripts put";
    const ROLE: Role = Role::Operator;
    const ACTIONS: &[&str] = &[Self::NAME];
    const IS_LONG: bool = true;

    fn perform(self, context: &Context<'_>) -> Result<Activated, PutScriptError> {
        let PutScript { draft: ScriptDraft { file, text }, based_on, remark } = self;
        let remark = reason(&remark)?;
        let (listed, _) = one(context, &file)?;
        if based_on.is_some_and(|expected| expected != listed.digest) {
            return Err(PutScriptError::Overtaken);
        }
        Ok(activate_file(context, (&file, text), Some(&listed.digest), (Self::NAME, remark))?)
    }
}
