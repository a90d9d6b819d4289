//! The explanation of a name in a script.

use std::sync::Arc;

use axum::Json;
use axum::extract::State;
use serde::Serialize;
use utoipa::ToSchema;
use utoipa_axum::router::OpenApiRouter;
use utoipa_axum::routes;

use super::answer::{Answered, At, Body};
use super::concurrency::Stop;
use super::guard::Viewer;
use super::scripts::{ScriptAt, with_draft_at};
use crate::language::{Definition, Explained};
use crate::served::Served;

pub(super) fn routes() -> OpenApiRouter<Arc<Served>> {
    OpenApiRouter::new().routes(routes!(hover))
}

/// The name at a place of a script, if there is one.
#[derive(Serialize, ToSchema)]
struct ScriptHover {
    /// Absent if there is no name at the place, or if it is not defined.
    name: Option<ScriptName>,
}

/// The explanation of a name. Lines count from 1, columns in characters from 1.
#[derive(Serialize, ToSchema)]
struct ScriptName {
    /// The line where the name begins.
    line: usize,
    /// The column where the name begins.
    column: usize,
    /// The line where the name ends.
    end_line: usize,
    /// The column behind the last character of the name.
    end_column: usize,
    /// The declaration in the script language.
    code: String,
    /// More about the name; may be empty.
    text: String,
    /// The definitions in ASN.1 modules, of the name and of its type.
    definitions: Vec<NameDefinition>,
}

/// A definition in an ASN.1 module.
#[derive(Serialize, ToSchema)]
struct NameDefinition {
    /// The module's file; relative to the folder of the flow file, if it is in it.
    file: String,
    /// The line, from 1.
    line: usize,
    /// The text; only the first lines if it is long.
    text: String,
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

/// Explains the name at a place of an edited script.
///
/// The text takes the place of the script `file` of the flow, or of a script that no node runs yet. Nothing is saved.
#[utoipa::path(post, path = "/api/hover/{*file}", tag = "scripts", params(("file" = String, Path)),
    request_body = ScriptAt,
    responses((status = 200, body = ScriptHover), (status = 404), (status = 422)))]
async fn hover(
    State(served): State<Arc<Served>>,
    _: Viewer,
    At(file): At<String>,
    stop: Stop,
    Body(script_at): Body<ScriptAt>,
) -> Answered<ScriptHover> {
    let found = with_draft_at(served, file, script_at, stop, |language, draft, at| {
        language.explain(draft, at)
    });
    Ok(Json(ScriptHover { name: found.await?.map(ScriptName::from) }))
}
