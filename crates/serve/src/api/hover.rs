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
use super::scripts::{ScriptAt, asked_at};
use crate::language::{Definition, Explained};
use crate::served::Served;

pub(super) fn routes() -> OpenApiRouter<Arc<Served>> {
    OpenApiRouter::new().routes(routes!(hover))
}

/// What is known at a place of a script.
#[derive(Serialize, ToSchema)]
struct ScriptHover {
    /// None where there is no name, or one that stands for nothing.
    name: Option<ScriptName>,
}

/// What a name is. It has its place in the text: lines from 1, columns in characters, from 1.
#[derive(Serialize, ToSchema)]
struct ScriptName {
    line: usize,
    column: usize,
    /// Where it ends.
    end_line: usize,
    end_column: usize,
    /// As a script would declare it.
    code: String,
    /// What is known beyond that; may be empty.
    text: String,
    /// How modules define it, and its type.
    definitions: Vec<NameDefinition>,
}

/// What a module says.
#[derive(Serialize, ToSchema)]
struct NameDefinition {
    /// The module's file, as seen from the flow's folder.
    file: String,
    line: usize,
    /// Of a long one the first lines.
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

/// What the name at a place of a text is that is edited, in the place of a script of the flow.
#[utoipa::path(post, path = "/api/hover/{*file}", tag = "scripts", params(("file" = String, Path)),
    request_body = ScriptAt,
    responses((status = 200, body = ScriptHover), (status = 404), (status = 422)))]
async fn hover(
    State(served): State<Arc<Served>>,
    _: Viewer,
    At(file): At<String>,
    stop: Stop,
    Body(asked): Body<ScriptAt>,
) -> Answered<ScriptHover> {
    let found =
        asked_at(served, file, asked, stop, |language, draft, at| language.explain(draft, at));
    Ok(Json(ScriptHover { name: found.await?.map(ScriptName::from) }))
}
