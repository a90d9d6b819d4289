//! Activates a version.

use ::versions::{BaseState, VersionError};
use gateway::Answer;
use people::Role;
use runtime::time::now_ms;
use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

use crate::context::Context;
use crate::operation::Operation;
use crate::refusal::{ReasonError, reason};
use crate::refusals;

/// Activates a version.
///
/// The files of the version replace those on the disk, and the gateway switches to them without a stop. If the version
/// has mistakes, the files on the disk are restored.
#[derive(Clone, Debug, Default, Deserialize, ToSchema)]
pub struct ActivateVersion {
    /// The number of the version.
    pub version: i64,
    /// The reason, for the version and the audit trail. It must not be empty.
    pub because: String,
    /// The digest of the flow file that the client has seen. The request is refused if the flow file on the disk is
    /// another one by now.
    pub based_on: Option<String>,
    /// The digest `found` from when the version was saved or read. The request is refused if any file on the disk has
    /// changed since.
    pub found: Option<String>,
}

/// The answer of the gateway to a changed flow.
#[derive(Clone, Debug, Serialize, ToSchema)]
pub struct Activated {
    /// What the gateway does.
    pub answer: ActivationAnswer,
    /// The changes of the flow, in words, if the answer is `active` or `pending`.
    pub changed: Vec<String>,
    /// The mistakes, if the answer is `mistakes`; 100 at most.
    pub mistakes: Vec<String>,
}

/// `active`: the gateway runs the flow. `pending`: it runs it as soon as the files in work are done. `mistakes`: the
/// flow has mistakes, and the gateway goes on as before. `stopping`: the gateway stops, and the next one runs it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, ToSchema)]
#[serde(rename_all = "kebab-case")]
pub enum ActivationAnswer {
    /// The gateway runs the flow.
    Active,
    /// It runs the flow as soon as the files in work are done.
    Pending,
    /// The flow has mistakes.
    Mistakes,
    /// The gateway stops.
    Stopping,
}

refusals! {
    /// Why a version is not activated.
    pub enum ActivateError {
        /// The request has no reason.
        Reason(ReasonError) => [Wrong],
        /// The version or the files of the flow do not allow it, or the gateway does not answer.
        Versions(VersionError) => [Unknown, Conflict, Wrong, NotReady],
    }
}

impl From<Answer> for Activated {
    fn from(answer: Answer) -> Self {
        let of = |answer, changed, mistakes| Activated { answer, changed, mistakes };
        match answer {
            Answer::Active { changed, .. } => of(ActivationAnswer::Active, changed, Vec::new()),
            Answer::Pending { changed } => of(ActivationAnswer::Pending, changed, Vec::new()),
            Answer::Mistakes { mistakes, .. } => {
                of(ActivationAnswer::Mistakes, Vec::new(), mistakes)
            }
            Answer::Stopping => of(ActivationAnswer::Stopping, Vec::new(), Vec::new()),
        }
    }
}

impl Operation for ActivateVersion {
    type Response = Activated;
    type Error = ActivateError;

    const NAME: &'static str = "versions activate";
    const ROLE: Role = Role::Operator;

    fn perform(self, context: &Context<'_>) -> Result<Activated, ActivateError> {
        let ActivateVersion { version, because, based_on, found } = self;
        let because = reason(&because)?;
        let base = BaseState { flow: based_on.as_deref(), files: found.as_deref() };
        let subject = format!("version {version}");
        let entry = (Self::NAME, subject.as_str(), because);
        Ok(activate_recorded(context, (version, base), entry)?.into())
    }
}

/// Activates a version, with an entry in the audit trail: an action, its subject and its reason. The entry is made before
/// the first file changes, so no change is without one. If the version does not become active after all, another entry
/// says so.
///
/// # Errors
///
/// The version or the files of the flow do not allow it, the journal cannot be written, or the gateway does not answer.
pub fn activate_recorded(
    context: &Context<'_>,
    (version, base): (i64, BaseState<'_>),
    (action, subject, because): (&str, &str, &str),
) -> Result<Answer, VersionError> {
    let store = context.shared.versions()?;
    let prepared = store.prepare(version, base)?;
    let note = |reason: &str| {
        context.change(action, |db, author| author.record(db, subject, reason).map(drop))
    };
    note(because)?;
    let activation = ::versions::Activation { who: context.who, because, now_ms: now_ms() };
    let answer = prepared.activate(activation);
    if let Some(why) = why_not_active(&answer)
        && let Err(error) = note(&format!("not active: {why}"))
    {
        tracing::error!(
            "the audit trail does not say that \"{subject}\" is not active ({why}): {error}"
        );
    }
    answer
}

/// Returns why a version did not become active; `None` if it did.
fn why_not_active(answer: &Result<Answer, VersionError>) -> Option<String> {
    match answer {
        Ok(Answer::Mistakes { .. }) => Some("the flow has mistakes".into()),
        // The gateway runs it. Only the list of activations lacks it.
        Ok(_) | Err(VersionError::Store(_)) => None,
        Err(error) => Some(error.to_string()),
    }
}
