//! Checks a draft of a script.

use people::Role;
use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

use super::{DraftError, ScriptDraft};
use crate::context::Context;
use crate::mistakes::Mistakes;
use crate::operation::Operation;

/// Checks an edited script.
///
/// The answer has the mistakes that `tollgate check` would find with this text as the script `file`. Nothing is saved.
#[derive(Clone, Debug, Deserialize, ToSchema)]
pub struct CheckScript {
    /// The draft.
    #[serde(flatten)]
    pub draft: ScriptDraft,
}

/// The mistakes of a draft.
#[derive(Debug, Serialize, ToSchema)]
pub struct CheckedScript {
    /// The mistakes.
    #[serde(flatten)]
    pub mistakes: Mistakes,
}

impl Operation for CheckScript {
    type Response = CheckedScript;
    type Error = DraftError;

    const NAME: &'static str = "scripts check";
    const ROLE: Role = Role::Viewer;
    const IS_LONG: bool = true;

    fn perform(self, context: &Context<'_>) -> Result<CheckedScript, DraftError> {
        let found = self.draft.ask(context, |language, draft| language.check(draft))?;
        Ok(CheckedScript { mistakes: Mistakes::of(&found) })
    }
}
