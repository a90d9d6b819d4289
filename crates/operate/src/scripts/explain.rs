//! Explains a name in a draft of a script.

use people::Role;
use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

use super::language::{Definition, Explained};
use super::{DraftError, ScriptAt};
use crate::context::Context;
use crate::operation::Operation;

/// Explains the name at a place of an edited script.
///
/// The text takes the place of the script `file` of the flow, or of a script that no node runs yet. Nothing is saved.
#[derive(Clone, Debug, Deserialize, ToSchema)]
pub struct ExplainScript {
    /// The place.
    #[serde(flatten)]
    pub at: ScriptAt,
}

/// The name at a place of a script, if there is one.
#[derive(Debug, Serialize, ToSchema)]
pub struct ScriptHover {
    /// Absent if there is no name at the place, or if it is not defined.
    pub name: Option<ScriptName>,
}

/// The explanation of a name. Lines count from 1, columns in characters from 1.
#[derive(Debug, Serialize, ToSchema)]
pub struct ScriptName {
    /// The line where the name begins.
    pub line: usize,
    /// The column where the name begins.
    pub column: usize,
    /// The line where the name ends.
    pub end_line: usize,
    /// The column behind the last character of the name.
    pub end_column: usize,
    /// The declaration in the script language.
    pub code: String,
    /// More about the name; may be empty.
    pub text: String,
    /// The definitions in ASN.1 modules, of the name and of its type.
    pub definitions: Vec<NameDefinition>,
}

/// A definition in an ASN.1 module.
#[derive(Debug, Serialize, ToSchema)]
pub struct NameDefinition {
    /// The module's file; relative to the folder of the flow file, if it is in it.
    pub file: String,
    /// The line, from 1.
    pub line: usize,
    /// The text; only the first lines if it is long.
    pub text: String,
}

impl From<Explained> for ScriptName {
    fn from(Explained { from, to, code, text, definitions }: Explained) -> Self {
        let definition = |Definition { file, line, text }| NameDefinition { file, line, text };
        ScriptName {
            line: from.line,
            column: from.column,
            end_line: to.line,
            end_column: to.column,
            code,
            text,
            definitions: definitions.into_iter().map(definition).collect(),
        }
    }
}

impl Operation for ExplainScript {
    type Response = ScriptHover;
    type Error = DraftError;

    const NAME: &'static str = "scripts explain";
    const ROLE: Role = Role::Viewer;
    const IS_CHANGE: bool = false;

    fn perform(self, context: &Context<'_>) -> Result<ScriptHover, DraftError> {
        let explained = self.at.ask(context, |language, draft, at| language.explain(draft, at))?;
        Ok(ScriptHover { name: explained.map(ScriptName::from) })
    }
}
