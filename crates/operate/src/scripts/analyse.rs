//! Answers requests to the language server about a draft of a script.

use people::Role;
use serde::{Deserialize, Serialize};
use serde_json::Value;
use utoipa::ToSchema;

use super::language::LanguageRequest;
use super::{DraftError, ScriptDraft};
use crate::context::Context;
use crate::operation::Operation;

/// Answers a request to the language server about an edited script.
///
/// The text takes the place of the script `file` of the flow, or of a script that no node runs yet. Nothing is saved. The
/// server is that of `tollgate dup lsp`; each request has the text, so there is no connection to open. The methods are
/// `initialize`, which returns the capabilities, and those of the capabilities: `textDocument/completion`, `hover`,
/// `definition`, `references`, `prepareRename`, `rename`, `formatting` and `documentSymbol`.
#[derive(Clone, Debug, Deserialize, ToSchema)]
pub struct AnalyseScript {
    /// The draft.
    #[serde(flatten)]
    pub draft: ScriptDraft,
    /// The method, as in the Language Server Protocol 3.17: `textDocument/hover`.
    pub method: String,
    /// Its parameters. Columns are UTF-16 units. The URI of the document may be any; it is the URI of the text in results.
    pub params: Value,
}

/// The result of a request to the language server.
#[derive(Debug, Serialize, ToSchema)]
pub struct ScriptAnalysis {
    /// The result, as in the Language Server Protocol 3.17. A module has the URI `flow:` with the name that the flow file
    /// has for it: `flow:asn1/msc.asn1`.
    pub result: Value,
}

impl Operation for AnalyseScript {
    type Response = ScriptAnalysis;
    type Error = DraftError;

    const NAME: &'static str = "scripts analyse";
    const ROLE: Role = Role::Viewer;
    const IS_LONG: bool = true;

    fn perform(self, context: &Context<'_>) -> Result<ScriptAnalysis, DraftError> {
        let AnalyseScript { draft, method, params } = self;
        let request = LanguageRequest { method, params };
        let result = draft.ask(context, |language, draft| language.answer(draft, request))?;
        Ok(ScriptAnalysis { result })
    }
}
