//! Shows a script.

use people::Role;
use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

use super::{ListedScript, ScriptError, one_or_begun};
use crate::context::Context;
use crate::operation::Operation;

/// Returns the text of a script.
///
/// It is a script of the flow, or one that no node runs yet.
#[derive(Clone, Debug, Deserialize, ToSchema)]
pub struct ShowScript {
    /// The script's file, as the flow file names it.
    pub file: String,
}

/// The text of a script.
#[derive(Debug, Serialize, ToSchema)]
pub struct Script {
    /// The script's file, as the flow file names it.
    pub file: String,
    /// The text.
    pub text: String,
    /// The digest of the text, for `based_on`.
    pub digest: String,
}

impl Operation for ShowScript {
    type Response = Script;
    type Error = ScriptError;

    const NAME: &'static str = "scripts show";
    const ROLE: Role = Role::Viewer;

    fn perform(self, context: &Context<'_>) -> Result<Script, ScriptError> {
        let (ListedScript { file, digest, .. }, text) = one_or_begun(context, &self.file)?;
        Ok(Script { file, text, digest })
    }
}
