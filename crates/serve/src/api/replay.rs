//! Replays: a change of the flow is tried on earlier files before it runs.

use std::sync::Arc;

use axum::Json;
use axum::extract::State;
use inspection::{OverlayError, ReplayChoice, ReplayFiles, ReplayOrder};
use runtime::time::{moment, now_ms};
use serde::{Deserialize, Serialize};
use utoipa::ToSchema;
use utoipa_axum::router::OpenApiRouter;
use utoipa_axum::routes;

use super::answer::{Answered, Body, Failure, blocking};
use super::guard::{Operator, Viewer};
use crate::replays::{self, Replay, ReplayProgress, ReplayScope, without};
use crate::served::Served;
use versions::{FileTexts, superfluous};

/// The number of files of a replay: the default, and the maximum.
const FILES: usize = 100;
const FILES_MAX: usize = 1_000;

/// The maximum size of these files together, in octets as they came.
const OCTETS_MAX: u64 = 4 << 30;

/// The maximum number of drafts, and of network elements named.
const NAMES_MAX: usize = 1_000;

pub(super) fn routes() -> OpenApiRouter<Arc<Served>> {
    OpenApiRouter::new().routes(routes!(last, start, cancel))
}

#[derive(Serialize, ToSchema)]
struct ReplayState {
    /// The running replay, or the last one. Absent if there was none since the start of the gateway.
    replay: Option<Replay>,
    /// The maximum number of files of a replay.
    files_max: usize,
}

/// Returns the state of the running replay, or the result of the last one.
#[utoipa::path(get, path = "/api/replay", tag = "replay", responses((status = 200, body = ReplayState)))]
async fn last(State(served): State<Arc<Served>>, _: Viewer) -> Answered<ReplayState> {
    Ok(Json(ReplayState { replay: served.replays.last(), files_max: FILES_MAX }))
}

/// The change to try, and the files to try it on. The change is a version, or drafts of files; all other files of the
/// flow are then as they are on the disk.
#[derive(Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
#[schema(as = ReplayAsked)]
struct ReplayRequest {
    /// The number of a version of the flow. Give either this or drafts.
    version: Option<i64>,
    /// A draft of the flow file.
    text: Option<String>,
    /// Drafts of scripts, modules and tariff tables; 1000 at most.
    #[serde(default)]
    files: Vec<ReplayDraft>,
    /// Only files of these network elements; all if the list is empty.
    #[serde(default)]
    network_elements: Vec<String>,
    /// Only files that were done at this time or later: a day (`2026-11-21`, which begins in UTC), or a time with its
    /// zone.
    from: Option<String>,
    /// Only files that were done before this time.
    to: Option<String>,
    /// The maximum number of files; the latest are used. Default 100, at most 1000. All files together have 4 GiB at
    /// most.
    limit: Option<usize>,
}

#[derive(Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
struct ReplayDraft {
    /// The name of the file, as the flow names it.
    name: String,
    /// The edited text.
    text: String,
}

/// Starts a replay of earlier files.
///
/// A process beside the gateway runs the files through the flow as it is and as it would be with the change, and
/// compares the results. Nothing is delivered, and the gateway is not affected. Only one replay runs at a time.
#[utoipa::path(post, path = "/api/replay", tag = "replay", request_body = ReplayRequest,
    responses((status = 200, body = ReplayState),
        (status = 404, description = "There is no such version or network element"),
        (status = 409, description = "A replay runs, no file is available, or the flow has mistakes"),
        (status = 422, description = "The change has mistakes, there is no change, or a value is wrong")))]
async fn start(
    State(served): State<Arc<Served>>,
    Operator(who): Operator,
    Body(request): Body<ReplayRequest>,
) -> Answered<ReplayState> {
    let replay = blocking(move || started(&served, &who, request)).await?;
    Ok(Json(ReplayState { replay: Some(replay), files_max: FILES_MAX }))
}

fn started(served: &Arc<Served>, who: &str, request: ReplayRequest) -> Result<Replay, Failure> {
    let choice = chosen(&request)?;
    let begun = now_ms();
    let scope = ReplayScope {
        version: request.version,
        drafts: { request.text.iter().map(|_| String::new()) }
            .chain(request.files.iter().map(|draft| draft.name.clone()))
            .collect(),
        network_elements: choice.network_elements.clone(),
        from: request.from.clone(),
        to: request.to.clone(),
        files_most: choice.files_most,
    };
    let place = served.replays.take(who).map_err(Failure::conflict)?;
    let program = served.replays.program.clone();
    let program = program.ok_or_else(|| {
        Failure::conflict("this gateway cannot start a process beside it; use \"tollgate replay\"")
    })?;
    let (files, there) = (candidate(served, request)?, served.versions.on_disk()?.files);
    served.versions.may_be_read(&files)?;
    let flows = put_together(served, &files, &there)?;
    let found = inspection::replay_files(&served.flow, served.parts, &choice)?;
    let ReplayFiles { files, octets, left_out, gone } = found;
    if files.is_empty() {
        return Err(Failure::conflict(match gone {
            0 => "no file came in this time".to_owned(),
            gone => format!(
                "of the {gone} files that came in this time none is there any more; with [archive] in the flow file \
                 they would be kept"
            ),
        }));
    }
    let tried = match scope.version {
        Some(version) => format!("version {version}"),
        None => scope.drafts.iter().map(|name| named(name)).collect::<Vec<_>>().join(", "),
    };
    let subject = format!("{tried}, {}", diagnostics::counted(files.len(), "file"));
    served.note(who, "replay start", &subject, "")?;
    let replay = Replay {
        id: 0,
        state: ReplayProgress::Running,
        who: who.to_owned(),
        began: runtime::time::shown(begun),
        ended: None,
        scope,
        files: files.len(),
        octets,
        files_left_out: left_out,
        files_gone: gone,
        files_done: 0,
        problem: None,
        cancelled_by: None,
        report: None,
    };
    let order = ReplayOrder { flows, files, folder: served.replays.folder.clone() };
    let replay = replays::run(served, program, order, replay)?;
    // The thread owns the place now.
    std::mem::forget(place);
    Ok(replay)
}

fn named(name: &str) -> &str {
    if name.is_empty() { "the flow file" } else { name }
}

/// Returns which files to replay.
fn chosen(request: &ReplayRequest) -> Result<ReplayChoice, Failure> {
    let ReplayRequest { version, text, files, network_elements, from, to, limit } = request;
    match (version, text.is_some() || !files.is_empty()) {
        (Some(_), true) => {
            return Err(Failure::wrong("say a version, or drafts, and not both"));
        }
        (None, false) => {
            return Err(Failure::wrong("say what is to be tried: a version, or drafts of files"));
        }
        _ => {}
    }
    if files.len().max(network_elements.len()) > NAMES_MAX {
        return Err(Failure::wrong(format!("these are more than {NAMES_MAX} names")));
    }
    let time = |of: &Option<String>| of.as_deref().map(moment).transpose().map_err(Failure::wrong);
    let (from_ms, to_ms) = (time(from)?.unwrap_or(i64::MIN), time(to)?.unwrap_or(i64::MAX));
    if from_ms >= to_ms {
        return Err(Failure::wrong("\"to\" is to be later than \"from\""));
    }
    Ok(ReplayChoice {
        network_elements: network_elements.clone(),
        from_ms,
        to_ms,
        files_most: limit.unwrap_or(FILES).clamp(1, FILES_MAX),
        octets_most: OCTETS_MAX,
    })
}

/// Returns the files of the flow with the change.
fn candidate(served: &Served, request: ReplayRequest) -> Result<FileTexts, Failure> {
    match request.version {
        Some(version) => Ok(served.versions.get(version)?.1.files),
        None => {
            let drafts = request.files.into_iter().map(|ReplayDraft { name, text }| (name, text));
            Ok(served.versions.drafted(request.text, drafts.collect())?)
        }
    }
}

/// Writes both flows to the folder of the replay, so that an activation meanwhile changes neither.
fn put_together(
    served: &Served,
    files: &FileTexts,
    there: &FileTexts,
) -> Result<(std::path::PathBuf, std::path::PathBuf), Failure> {
    let folder = &served.replays.folder;
    let overlay = |texts: &FileTexts, without: &[&String], name: &str| {
        let without: Vec<String> = without.iter().map(|name| (*name).clone()).collect();
        inspection::overlay_texts(
            &served.flow,
            served.parts,
            (texts, &without[..]),
            &folder.join(name),
        )
    };
    let now = overlay(there, &[], "now")?;
    let candidate = overlay(files, &superfluous(files, there), "candidate")?;
    let mistakes = gateway::check(&candidate, served.parts);
    if let Some(first) = mistakes.iter().find(|mistake| mistake.is_error()) {
        let first = without(flow::drawing::without_secrets(first), folder);
        return Err(Failure::wrong(format!(
            "what is to be tried has mistakes; the first is\n\n{first}"
        )));
    }
    Ok((now, candidate))
}

/// Cancels the running replay.
///
/// Its results are dropped.
#[utoipa::path(delete, path = "/api/replay", tag = "replay",
    responses((status = 204), (status = 409, description = "No replay runs")))]
async fn cancel(
    State(served): State<Arc<Served>>,
    Operator(who): Operator,
) -> Result<axum::http::StatusCode, Failure> {
    let cancelled = blocking(move || match served.replays.cancel(&who) {
        Some(by) => served.note(&who, "replay cancel", &format!("begun by {by}"), ""),
        None => Err(Failure::conflict("no replay runs")),
    });
    cancelled.await?;
    Ok(axum::http::StatusCode::NO_CONTENT)
}

impl From<OverlayError> for Failure {
    fn from(error: OverlayError) -> Self {
        match error {
            OverlayError::Folder { .. } => Failure::internal(&error),
            error => Failure::conflict(error),
        }
    }
}
