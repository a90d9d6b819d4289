//! The completions at a place of a script.

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
use crate::language::{Candidate, Completions, NameSort};
use crate::served::Served;

pub(super) fn routes() -> OpenApiRouter<Arc<Served>> {
    OpenApiRouter::new().routes(routes!(complete))
}

/// What can be written at a place: the nearest first.
#[derive(Serialize, ToSchema)]
struct ScriptCompletions {
    /// Where the word begins that is written already, and would be replaced up to the place.
    line: usize,
    /// In characters, from 1.
    column: usize,
    candidates: Vec<ScriptCandidate>,
}

/// Something that can be written.
#[derive(Serialize, ToSchema)]
struct ScriptCandidate {
    name: String,
    sort: NameSort,
    /// As a script would declare it; empty for a word of the language.
    code: String,
    /// What is known beyond that; may be empty.
    text: String,
}

impl From<Candidate> for ScriptCandidate {
    fn from(Candidate { name, sort, code, text }: Candidate) -> Self {
        ScriptCandidate { name, sort, code, text }
    }
}

/// What can be written at a place of a text that is edited, in the place of a script of the flow.
#[utoipa::path(post, path = "/api/completion/{*file}", tag = "scripts", params(("file" = String, Path)),
    request_body = ScriptAt,
    responses((status = 200, body = ScriptCompletions), (status = 404), (status = 422)))]
async fn complete(
    State(served): State<Arc<Served>>,
    _: Viewer,
    At(file): At<String>,
    stop: Stop,
    Body(asked): Body<ScriptAt>,
) -> Answered<ScriptCompletions> {
    let found =
        asked_at(served, file, asked, stop, |language, draft, at| language.complete(draft, at));
    let Completions { from, candidates } = found.await?;
    let candidates = candidates.into_iter().map(ScriptCandidate::from).collect();
    Ok(Json(ScriptCompletions { line: from.line, column: from.column, candidates }))
}
