//! Versions of the flow: saving, listing, reading and activating them.

use std::sync::Arc;

use axum::Json;
use axum::extract::State;
use flow::Answer;
use serde::{Deserialize, Serialize};
use utoipa::ToSchema;
use utoipa_axum::router::OpenApiRouter;
use utoipa_axum::routes;

use super::Page;
use super::answer::{Answered, At, Body, Failure, Query, blocking};
use super::guard::{Operator, Viewer};
use crate::served::Served;
use crate::versions::{Found, LeftOut, Seen, Version as Kept, VersionError, contents, now_ms};

pub(super) fn routes() -> OpenApiRouter<Arc<Served>> {
    OpenApiRouter::new()
        .routes(routes!(list, save))
        .routes(routes!(version))
        .routes(routes!(activate))
}

#[derive(Serialize, ToSchema)]
struct Versions {
    versions: Vec<Version>,
    more: bool,
}

#[derive(Serialize, ToSchema)]
struct Version {
    version: i64,
    at: String,
    who: String,
    remark: String,
    /// Whether the files lie on the disk as they are in it.
    active: bool,
    activated: Vec<Activation>,
}

#[derive(Serialize, ToSchema)]
struct Activation {
    at: String,
    who: String,
}

impl Version {
    fn of(kept: Kept, now: &str) -> Self {
        let activation = |(at, who)| Activation { at, who };
        Version {
            version: kept.id,
            at: kept.at,
            who: kept.who,
            remark: kept.remark,
            active: kept.contents == now,
            activated: kept.activated.into_iter().map(activation).collect(),
        }
    }
}

/// All versions, the last first.
#[utoipa::path(get, path = "/api/flow/versions", tag = "versions", params(Page),
    responses((status = 200, body = Versions)))]
async fn list(
    State(served): State<Arc<Served>>,
    _: Viewer,
    Query(page): Query<Page>,
) -> Answered<Versions> {
    let versions = blocking(move || {
        let now = contents(&served.versions.on_disk()?.files);
        let (versions, more) = served.versions.list(page.recent())?;
        let versions = versions.into_iter().map(|kept| Version::of(kept, &now)).collect();
        Ok(Versions { versions, more })
    });
    Ok(Json(versions.await?))
}

#[derive(Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
struct Draft {
    /// The flow file.
    text: String,
    /// What is new, for who reads it later.
    #[serde(default)]
    remark: String,
}

#[derive(Serialize, ToSchema)]
struct Saved {
    version: i64,
    left_out: Vec<LeftOutFile>,
    /// Tells what lay on the disk when it was made from anything else.
    found: String,
}

/// A file that the flow names and no version has: going back to one leaves it as it is.
#[derive(Serialize, ToSchema)]
struct LeftOutFile {
    name: String,
    /// It is too large, lies elsewhere, is a secret, or not what it is named as.
    why: String,
}

impl From<LeftOut> for LeftOutFile {
    fn from(LeftOut { name, why }: LeftOut) -> Self {
        LeftOutFile { name, why }
    }
}

/// Keeps a flow file as a version, with its scripts, their tables, modules and tariff plans as they lie on the disk. It is not activated by that.
#[utoipa::path(post, path = "/api/flow/versions", tag = "versions", request_body = Draft,
    responses((status = 200, body = Saved)))]
async fn save(
    State(served): State<Arc<Served>>,
    Operator(who): Operator,
    Body(Draft { text, remark }): Body<Draft>,
) -> Answered<Saved> {
    let saved = blocking(move || {
        // Read first, so that a concurrent change of the files does not count as seen by the user.
        let there = contents(&served.versions.on_disk()?.files);
        let found = served.versions.whole(&text, None);
        let left_out = found.left_out.iter().cloned().map(LeftOutFile::from).collect();
        let version = served.versions.save(found, &who, remark.trim())?;
        served.live.versions_changed();
        served.note(&who, "flow save", &format!("version {version}"), remark.trim())?;
        Ok(Saved { version, left_out, found: there })
    });
    Ok(Json(saved.await?))
}

#[derive(Serialize, ToSchema)]
struct Whole {
    #[serde(flatten)]
    version: Version,
    /// The flow file.
    text: String,
    /// Its scripts, their tables, modules and tariff plans.
    files: Vec<VersionFile>,
    left_out: Vec<LeftOutFile>,
    /// Tells what lies on the disk now from anything else.
    found: String,
}

#[derive(Serialize, ToSchema)]
struct VersionFile {
    name: String,
    octets: usize,
    /// None of one that has more than 1 MiB.
    text: Option<String>,
    /// Whether what lies on the disk is another one, or none.
    is_other: bool,
    /// What lies there, if that is another one, and has no more than 1 MiB.
    now: Option<String>,
}

/// The maximum size in octets of a text that is shown.
const SHOWN_OCTETS_MAX: usize = 1 << 20;

impl VersionFile {
    fn of(name: String, text: String, now: Option<String>) -> Self {
        let is_shown = |text: &String| text.len() <= SHOWN_OCTETS_MAX;
        let is_other = now.as_ref() != Some(&text);
        let now = now.filter(|now| is_other && is_shown(now));
        VersionFile { name, octets: text.len(), is_other, now, text: Some(text).filter(is_shown) }
    }
}

/// A version with its files.
#[utoipa::path(get, path = "/api/flow/versions/{version}", tag = "versions",
    params(("version" = i64, Path)), responses((status = 200, body = Whole), (status = 404)))]
async fn version(State(served): State<Arc<Served>>, _: Viewer, At(id): At<i64>) -> Answered<Whole> {
    let whole = blocking(move || {
        let mut now = served.versions.on_disk()?.files;
        let (kept, Found { mut files, left_out }) = served.versions.get(id)?;
        let found = contents(&now);
        let version = Version::of(kept, &found);
        let text = files.remove("").unwrap_or_default();
        let files = files.into_iter().map(|(name, text)| {
            let now = now.remove(&name);
            VersionFile::of(name, text, now)
        });
        let (files, left_out) =
            (files.collect(), left_out.into_iter().map(LeftOutFile::from).collect());
        Ok(Whole { version, text, files, left_out, found })
    });
    Ok(Json(whole.await?))
}

#[derive(Default, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
struct Activate {
    /// The digest of the flow file that was looked at; where another lies there now, nothing is done.
    #[serde(default)]
    based_on: Option<String>,
    /// What was found on the disk when the version was looked at or made; where anything else lies there now, nothing is
    /// done.
    #[serde(default)]
    found: Option<String>,
}

/// What became of it.
#[derive(Serialize, ToSchema)]
pub(super) struct Activated {
    /// `active`, `pending` until files in work are done, `mistakes` (all is as it was), or `stopping`.
    #[schema(value_type = String)]
    answer: &'static str,
    changed: Vec<String>,
    mistakes: Vec<String>,
}

/// Has a version run, without stopping the gateway.
#[utoipa::path(post, path = "/api/flow/versions/{version}/activate", tag = "versions",
    params(("version" = i64, Path)), request_body = Activate,
    responses((status = 200, body = Activated), (status = 404),
        (status = 409, description = "Somebody else changed the files meanwhile"),
        (status = 422, description = "It names a file that nobody is shown")))]
async fn activate(
    State(served): State<Arc<Served>>,
    Operator(who): Operator,
    At(id): At<i64>,
    Body(Activate { based_on, found }): Body<Activate>,
) -> Answered<Activated> {
    let done = blocking(move || {
        let seen = Seen { flow: based_on.as_deref(), files: found.as_deref() };
        let answer = served.versions.activate(id, seen, &who, now_ms())?;
        activated(&served, answer, (&who, "flow activate", &format!("version {id}"), ""))
    });
    Ok(Json(done.await?))
}

/// Adds an activation to the audit trail if the gateway accepted it, and notifies watching clients.
pub(super) fn activated(
    served: &Served,
    answer: Answer,
    (who, action, subject, reason): (&str, &str, &str, &str),
) -> Result<Activated, Failure> {
    served.live.versions_changed();
    if !matches!(answer, Answer::Mistakes { .. }) {
        served.note(who, action, subject, reason)?;
    }
    Ok(told(answer))
}

/// Converts the answer of the gateway.
pub(super) fn told(answer: Answer) -> Activated {
    let told = |answer, changed, mistakes| Activated { answer, changed, mistakes };
    match answer {
        Answer::Active { changed, .. } => told("active", changed, Vec::new()),
        Answer::Pending { changed } => told("pending", changed, Vec::new()),
        Answer::Mistakes { mistakes, .. } => told("mistakes", Vec::new(), mistakes),
        Answer::Stopping => told("stopping", Vec::new(), Vec::new()),
    }
}

impl From<VersionError> for Failure {
    fn from(error: VersionError) -> Self {
        match error {
            VersionError::Unknown(_) => Failure::unknown(error),
            VersionError::Overtaken | VersionError::Runs(_) | VersionError::There(_) => {
                Failure::conflict(error)
            }
            VersionError::Outside(_) | VersionError::NoScript(_) | VersionError::Unseen { .. } => {
                Failure::wrong(error)
            }
            VersionError::Reload(error) => error.into(),
            VersionError::Store(error) => error.into(),
            VersionError::Read { .. } | VersionError::Write { .. } => {
                Failure::conflict(with_cause(&error))
            }
        }
    }
}

fn with_cause(error: &VersionError) -> String {
    match std::error::Error::source(error) {
        Some(cause) => format!("{error}: {cause}"),
        None => error.to_string(),
    }
}
