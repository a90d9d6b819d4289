//! Versions of the flow: saving, listing, reading and activating them.

use std::sync::Arc;

use axum::Json;
use axum::extract::State;
use gateway::Answer;
use operate::versions::Activated;
use runtime::time::now_ms;
use serde::{Deserialize, Serialize};
use utoipa::ToSchema;
use utoipa_axum::router::OpenApiRouter;
use utoipa_axum::routes;

use super::Page;
use super::answer::{Answered, At, Body, Failure, Query, blocking};
use super::guard::{Operator, Viewer};
use crate::served::Served;
use crate::versions::{BaseState, Found, LeftOut, StoredVersion, VersionError, contents};

pub(super) fn routes() -> OpenApiRouter<Arc<Served>> {
    OpenApiRouter::new()
        .routes(routes!(list, save))
        .routes(routes!(version))
        .routes(routes!(activate))
}

#[derive(Serialize, ToSchema)]
struct Versions {
    /// The versions, the newest first.
    versions: Vec<Version>,
    /// Whether there are more versions.
    more: bool,
}

/// A version of the flow file and the files that it names.
#[derive(Serialize, ToSchema)]
struct Version {
    /// The number of the version.
    version: i64,
    /// When it was saved.
    at: String,
    /// The user or token who saved it.
    who: String,
    /// The remark; may be empty.
    remark: String,
    /// Whether the files on the disk are those of this version.
    active: bool,
    /// The activations, the oldest first.
    activated: Vec<Activation>,
}

/// An activation of a version.
#[derive(Serialize, ToSchema)]
struct Activation {
    /// When the version was activated.
    at: String,
    /// The user or token.
    who: String,
}

impl Version {
    fn of(stored: StoredVersion, now: &str) -> Self {
        let activation = |(at, who)| Activation { at, who };
        Version {
            version: stored.id,
            at: stored.at,
            who: stored.who,
            remark: stored.remark,
            active: stored.contents == now,
            activated: stored.activated.into_iter().map(activation).collect(),
        }
    }
}

/// Lists the versions of the flow, the newest first.
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
        let versions = versions.into_iter().map(|stored| Version::of(stored, &now)).collect();
        Ok(Versions { versions, more })
    });
    Ok(Json(versions.await?))
}

#[derive(Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
struct Draft {
    /// The text of the flow file.
    text: String,
    /// A remark about the change, for the version and the audit trail.
    #[serde(default)]
    remark: String,
}

#[derive(Serialize, ToSchema)]
struct Saved {
    /// The number of the version. It is that of the last version if nothing has changed since.
    version: i64,
    /// The files that the flow names and the version does not contain.
    left_out: Vec<LeftOutFile>,
    /// The digest of the files on the disk when the version was saved, for `found` of an activation.
    found: String,
}

/// A file that the flow names and that a version does not contain. Activating the version leaves it as it is.
#[derive(Serialize, ToSchema)]
struct LeftOutFile {
    /// The file, as the flow names it.
    name: String,
    /// The reason: it is too large, outside the folder of the flow file, a secret, or not of the kind that the flow
    /// names it as.
    why: String,
}

impl From<LeftOut> for LeftOutFile {
    fn from(LeftOut { name, why }: LeftOut) -> Self {
        LeftOutFile { name, why }
    }
}

/// Saves a version of the flow.
///
/// The version contains the flow file, and the scripts, their tables, modules and tariff plans as they are on the disk.
/// It is not activated.
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
    /// The text of the flow file.
    text: String,
    /// The scripts, their tables, modules and tariff plans.
    files: Vec<VersionFile>,
    /// The files that the flow names and the version does not contain.
    left_out: Vec<LeftOutFile>,
    /// The digest of the files on the disk now, for `found` of an activation.
    found: String,
}

/// A file of a version.
#[derive(Serialize, ToSchema)]
struct VersionFile {
    /// The file, as the flow names it.
    name: String,
    /// The size of the file in octets.
    octets: usize,
    /// The text. Absent if the file is larger than 1 MiB.
    text: Option<String>,
    /// Whether the file on the disk has another text, or does not exist.
    is_other: bool,
    /// The text on the disk, if it is another one. Absent if the file does not exist, or is larger than 1 MiB.
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

/// Returns a version with its files.
#[utoipa::path(get, path = "/api/flow/versions/{version}", tag = "versions",
    params(("version" = i64, Path)), responses((status = 200, body = Whole), (status = 404)))]
async fn version(State(served): State<Arc<Served>>, _: Viewer, At(id): At<i64>) -> Answered<Whole> {
    let whole = blocking(move || {
        let mut now = served.versions.on_disk()?.files;
        let (stored, Found { mut files, left_out }) = served.versions.get(id)?;
        let found = contents(&now);
        let version = Version::of(stored, &found);
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
    /// The digest of the flow file that the client has seen. The request is refused if the flow file on the disk is
    /// another one by now.
    #[serde(default)]
    based_on: Option<String>,
    /// The digest `found` from when the version was saved or read. The request is refused if any file on the disk has
    /// changed since.
    #[serde(default)]
    found: Option<String>,
}

/// Activates a version.
///
/// The files of the version replace those on the disk, and the gateway switches to them without a stop. If the version
/// has mistakes, the files on the disk are restored.
#[utoipa::path(post, path = "/api/flow/versions/{version}/activate", tag = "versions",
    params(("version" = i64, Path)), request_body = Activate,
    responses((status = 200, body = Activated), (status = 404),
        (status = 409, description = "The files were changed meanwhile, or cannot be written"),
        (status = 422, description = "The version names a file that may not be read: a secret, or of another kind")))]
async fn activate(
    State(served): State<Arc<Served>>,
    Operator(who): Operator,
    At(id): At<i64>,
    Body(Activate { based_on, found }): Body<Activate>,
) -> Answered<Activated> {
    let done = blocking(move || {
        let base = BaseState { flow: based_on.as_deref(), files: found.as_deref() };
        let answer = served.versions.activate(id, base, &who, now_ms())?;
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
    Ok(answer.into())
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
