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
use super::scripts::{ScriptAt, with_draft_at};
use crate::language::{Candidate, Completions, NameSort};
use crate::served::Served;

pub(super) fn routes() -> OpenApiRouter<Arc<Served>> {
    OpenApiRouter::new().routes(routes!(complete))
}

/// The completions at a place of a script, the nearest first.
#[derive(Serialize, ToSchema)]
struct ScriptCompletions {
    /// The line of the beginning of the word before the place, from 1. A completion replaces this word.
    line: usize,
    /// The column of the beginning of that word, in characters, from 1.
    column: usize,
    candidates: Vec<ScriptCandidate>,
}

/// A completion.
#[derive(Serialize, ToSchema)]
struct ScriptCandidate {
    /// The text to insert.
    name: String,
    sort: NameSort,
    /// The declaration in the script language; empty for a keyword.
    code: String,
    /// More about it; may be empty.
    text: String,
}

impl From<Candidate> for ScriptCandidate {
    fn from(Candidate { name, sort, code, text }: Candidate) -> Self {
        ScriptCandidate { name, sort, code, text }
    }
}

/// Returns the completions at a place of an edited script.
///
/// The text takes the place of the script `file` of the flow, or of a script that no node runs yet. Nothing is saved.
#[utoipa::path(post, path = "/api/completion/{*file}", tag = "scripts", params(("file" = String, Path)),
    request_body = ScriptAt,
    responses((status = 200, body = ScriptCompletions), (status = 404), (status = 422)))]
async fn complete(
    State(served): State<Arc<Served>>,
    _: Viewer,
    At(file): At<String>,
    stop: Stop,
    Body(script_at): Body<ScriptAt>,
) -> Answered<ScriptCompletions> {
    let found = with_draft_at(served, file, script_at, stop, |language, draft, at| {
        language.complete(draft, at)
    });
    let Completions { from, candidates } = found.await?;
    let candidates = candidates.into_iter().map(ScriptCandidate::from).collect();
    Ok(Json(ScriptCompletions { line: from.line, column: from.column, candidates }))
}
