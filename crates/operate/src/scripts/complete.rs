//! Completes a word in a draft of a script.

use people::Role;
use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

use super::language::{Candidate, Completions, NameSort};
use super::{DraftError, ScriptAt};
use crate::context::Context;
use crate::operation::Operation;

/// Returns the completions at a place of an edited script.
///
/// The text takes the place of the script `file` of the flow, or of a script that no node runs yet. Nothing is saved.
#[derive(Clone, Debug, Deserialize, ToSchema)]
pub struct CompleteScript {
    /// The place.
    #[serde(flatten)]
    pub at: ScriptAt,
}

/// The completions at a place of a script, the nearest first.
#[derive(Debug, Serialize, ToSchema)]
pub struct ScriptCompletions {
    /// The line of the beginning of the word before the place, from 1. A completion replaces this word.
    pub line: usize,
    /// The column of the beginning of that word, in characters, from 1.
    pub column: usize,
    /// The completions.
    pub candidates: Vec<ScriptCandidate>,
}

/// A completion.
#[derive(Debug, Serialize, ToSchema)]
pub struct ScriptCandidate {
    /// The text to insert.
    pub name: String,
    /// The sort of name.
    pub sort: NameSort,
    /// The declaration in the script language; empty for a keyword.
    pub code: String,
    /// More about it; may be empty.
    pub text: String,
}

impl From<Candidate> for ScriptCandidate {
    fn from(Candidate { name, sort, code, text }: Candidate) -> Self {
        ScriptCandidate { name, sort, code, text }
    }
}

impl Operation for CompleteScript {
    type Response = ScriptCompletions;
    type Error = DraftError;

    const NAME: &'static str = "scripts complete";
    const ROLE: Role = Role::Viewer;
    const IS_CHANGE: bool = false;

    fn perform(self, context: &Context<'_>) -> Result<ScriptCompletions, DraftError> {
        let complete = self.at.ask(context, |language, draft, at| language.complete(draft, at));
        let Completions { from, candidates } = complete?;
        let candidates = candidates.into_iter().map(ScriptCandidate::from).collect();
        Ok(ScriptCompletions { line: from.line, column: from.column, candidates })
    }
}
