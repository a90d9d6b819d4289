//! Versions of a tariff plan that is a database: reading them, loading one from edited files, and withdrawing one.
//! `tollgate tariff` uses the same functions.
//!
//! A plan is one that the flow names, or a database beside the flow file; a file is one of a plan's. So a client cannot
//! choose a path, apart from the name of a new database in that folder.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use axum::Json;
use axum::extract::State;
use operate::versions::Activated;
use rating::{Moment, Plan};
use runtime::time::{now_ms, shown};
use serde::{Deserialize, Serialize};
use tariffs::{Deed, Files, Standing, TariffsError};
use utoipa::{IntoParams, ToSchema};
use utoipa_axum::router::OpenApiRouter;
use utoipa_axum::routes;

use super::answer::{Answered, At, Body, Failure, Query, blocking};
use super::flow_file::Mistakes;
use super::guard::{Operator, Viewer};
use super::tariffs::{DATABASE, known, lies, no_plan};
use crate::served::Served;
use versions::digest;

/// The maximum size in octets of a file that is shown for editing in a browser. Larger files stay as they are in the
/// next version; `tollgate tariff take-out` writes them to a folder for editing.
const SHOWN_OCTETS_MAX: usize = 2 << 20;

pub(super) fn routes() -> OpenApiRouter<Arc<Served>> {
    OpenApiRouter::new()
        .routes(routes!(load))
        .routes(routes!(check))
        .routes(routes!(version))
        .routes(routes!(file))
        .routes(routes!(withdraw))
}

/// A version of a tariff plan in a database. It is valid until the next one begins.
#[derive(Serialize, ToSchema)]
pub(super) struct TariffVersion {
    /// The number of the version.
    version: i64,
    /// When the version begins.
    valid_from: String,
    /// When the next version begins. Absent if there is none, or if this version is withdrawn.
    valid_to: Option<String>,
    standing: TariffStanding,
    /// The name of the plan.
    name: String,
    /// The action that loaded the version.
    loaded: TariffDeed,
    /// The action that withdrew the version, if it is withdrawn.
    withdrawn: Option<TariffDeed>,
}

/// The state of a version of a tariff plan now. One version at most is `valid`.
#[derive(Serialize, ToSchema)]
#[serde(rename_all = "kebab-case")]
enum TariffStanding {
    Past,
    Valid,
    Coming,
    Withdrawn,
}

/// An action on a version of a tariff plan.
#[derive(Serialize, ToSchema)]
struct TariffDeed {
    /// When it was done.
    at: String,
    /// The user or token.
    who: String,
    /// The reason that the user gave.
    reason: String,
}

/// Returns all versions of a database, in the order in which they become valid.
pub(super) fn all(database: &Path) -> Result<Vec<TariffVersion>, TariffsError> {
    let versions = tariffs::versions(database)?;
    let standing = tariffs::standing(&versions, now());
    Ok(versions.into_iter().zip(standing).map(TariffVersion::of).collect())
}

impl TariffVersion {
    fn of((version, (standing, until)): (tariffs::Version, (Standing, Option<Moment>))) -> Self {
        let deed = |(moment, who, reason)| TariffDeed { at: at(moment), who, reason };
        TariffVersion {
            version: version.id,
            valid_from: at(version.valid_from),
            valid_to: until.map(at),
            standing: match standing {
                Standing::Past => TariffStanding::Past,
                Standing::Valid => TariffStanding::Valid,
                Standing::Coming => TariffStanding::Coming,
                Standing::Withdrawn => TariffStanding::Withdrawn,
            },
            name: version.name,
            loaded: deed(version.loaded),
            withdrawn: version.withdrawn.map(deed),
        }
    }
}

fn at(moment: Moment) -> String {
    shown(moment.saturating_mul(1_000))
}

fn now() -> Moment {
    now_ms() / 1_000
}

impl From<TariffsError> for Failure {
    fn from(error: TariffsError) -> Self {
        match &error {
            TariffsError::Unknown(_) => Failure::unknown(error),
            TariffsError::NoReason => Failure::wrong("say why, for who reads it later"),
            _ => Failure::conflict(error),
        }
    }
}

/// Returns the path of a database that the flow names, or that lies beside the flow file.
fn database(served: &Served, plan: &str) -> Result<PathBuf, Failure> {
    if !known(served)?.contains_key(plan) {
        return Err(no_plan(plan));
    }
    let place = lies(served, plan);
    match place.is_file() {
        true => Ok(place),
        false => {
            let why = "is no database of versions; of a plan that is a folder, tables are changed one by one";
            Err(Failure::conflict(format!("\"{plan}\" {why}")))
        }
    }
}

/// The maximum number of characters in the name of a new database.
const NAME_MAX: usize = 64;

/// Returns the path of a database, or the path for a new one: the plan's in the flow, or one beside the flow file.
fn database_to_be(served: &Served, plan: &str) -> Result<PathBuf, Failure> {
    let is_plain = |letter: char| letter.is_ascii_alphanumeric() || "-_".contains(letter);
    let stem = plan.strip_suffix(DATABASE).unwrap_or_default();
    let may_begin = (1..=NAME_MAX).contains(&stem.len()) && stem.chars().all(is_plain);
    // For any other name, the answer does not reveal whether such a file exists.
    if may_begin || known(served)?.contains_key(plan) {
        let place = lies(served, plan);
        return if place.exists() { database(served, plan) } else { Ok(place) };
    }
    let why = format!(
        "\"{plan}\" is no plan of the flow; a new database lies beside the flow file, and is named by letters, digits, - \
         and _, with {DATABASE} behind: prices{DATABASE}"
    );
    Err(Failure::unknown(why))
}

/// The files of a new version of a tariff plan, as changes to another version.
#[derive(Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub(super) struct TariffDraft {
    /// The version that has the unchanged files. Absent if `files` has all files of the plan.
    based_on: Option<i64>,
    /// The changed files, by name (`prices.csv`): the text, or `null` to leave the file out.
    #[serde(default)]
    files: BTreeMap<String, Option<String>>,
}

impl TariffDraft {
    fn all(self, database: &Path) -> Result<Files, Failure> {
        let mut all = match self.based_on {
            Some(version) if !database.exists() => {
                return Err(TariffsError::Unknown(version).into());
            }
            Some(version) => tariffs::files(database, version)?,
            None => Files::new(),
        };
        for (name, text) in self.files {
            match text {
                Some(text) => drop(all.insert(name, text.into_bytes())),
                None => drop(all.remove(&name)),
            }
        }
        Ok(all)
    }

    /// Returns the plan of the draft; its mistakes are in the diagnostics.
    pub(super) fn plan(self, served: &Served, plan: &str) -> Result<rating::Read, Failure> {
        let files = self.all(&database_to_be(served, plan)?)?;
        Ok(Plan::of_files(Path::new(""), files))
    }
}

#[derive(Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
struct TariffChecked {
    /// The plan, as the flow file names it.
    plan: String,
    draft: TariffDraft,
}

#[derive(Serialize, ToSchema)]
struct TariffFound {
    #[serde(flatten)]
    mistakes: Mistakes,
}

/// Checks a draft of a tariff plan.
///
/// The answer has the mistakes that `tollgate tariff check` would find. Nothing is saved.
#[utoipa::path(post, path = "/api/tariff-versions/check", tag = "tariffs", request_body = TariffChecked,
    responses((status = 200, body = TariffFound), (status = 404), (status = 409)))]
async fn check(
    State(served): State<Arc<Served>>,
    _: Viewer,
    Body(TariffChecked { plan, draft }): Body<TariffChecked>,
) -> Answered<TariffFound> {
    let found = blocking(move || {
        let read = draft.plan(&served, &plan)?;
        Ok(TariffFound { mistakes: Mistakes::of(&read.diagnostics) })
    });
    Ok(Json(found.await?))
}

#[derive(Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
struct TariffLoad {
    /// The database, as the flow file names it; or the name of a new database in the folder of the flow file: up to 64
    /// letters, digits, `-` and `_`, with `.db` behind.
    plan: String,
    draft: TariffDraft,
    /// When the version begins, with a zone: `2027-01-01 Europe/Stockholm`. It must be in the future, except for the
    /// first version of a database.
    valid_from: String,
    /// The reason, for the audit trail. It must not be empty.
    because: String,
}

/// The result of loading a tariff plan.
#[derive(Serialize, ToSchema)]
struct TariffLoaded {
    /// The number of the new version. Absent if the plan has mistakes; it is then not loaded.
    version: Option<i64>,
    #[serde(flatten)]
    mistakes: Mistakes,
    /// The answer of the gateway, which reads the new version. Absent if the plan is not loaded.
    gateway: Option<Activated>,
}

/// Loads a tariff plan as a new version.
///
/// The first version creates the database, where the flow names it or in the folder of the flow file.
#[utoipa::path(post, path = "/api/tariff-versions", tag = "tariffs", request_body = TariffLoad,
    responses((status = 200, body = TariffLoaded), (status = 404),
        (status = 409, description = "`valid_from` is past, or another version begins then"), (status = 422)))]
async fn load(
    State(served): State<Arc<Served>>,
    Operator(who): Operator,
    Body(TariffLoad { plan, draft, valid_from, because }): Body<TariffLoad>,
) -> Answered<TariffLoaded> {
    let loaded = blocking(move || {
        let database = database_to_be(&served, &plan)?;
        let from = rating::moment(&valid_from)
            .map_err(|fault| Failure::wrong(format!("valid from \"{valid_from}\": {fault}")))?;
        let deed = Deed { who: &who, reason: because.trim(), now: now() };
        match tariffs::load_files(&database, draft.all(&database)?, from, deed) {
            Ok((version, warnings)) => {
                let subject = format!("{plan}, version {}, from {}", version.id, at(from));
                Ok(TariffLoaded {
                    version: Some(version.id),
                    mistakes: Mistakes::of(&warnings),
                    gateway: Some(taken(&served, (&who, "tariff load", &subject, deed.reason))?),
                })
            }
            Err(TariffsError::Mistakes(found)) => {
                let mistakes = Mistakes::of(&found);
                Ok(TariffLoaded { version: None, mistakes, gateway: None })
            }
            Err(error) => Err(error.into()),
        }
    });
    Ok(Json(loaded.await?))
}

/// Adds an entry to the audit trail, and makes the gateway read the database now.
fn taken(
    served: &Served,
    (who, action, subject, reason): (&str, &str, &str, &str),
) -> Result<Activated, Failure> {
    let noted = served.note(who, action, subject, reason);
    let answer = gateway::reload(&served.flow);
    served.live.versions_changed();
    noted?;
    Ok(answer?.into())
}

#[derive(Deserialize, IntoParams)]
#[into_params(parameter_in = Query)]
struct OfPlan {
    /// The plan, as the flow file names it.
    plan: String,
}

/// The files of a version.
#[derive(Serialize, ToSchema)]
struct TariffFiles {
    files: Vec<TariffFile>,
}

#[derive(Serialize, ToSchema)]
struct TariffFile {
    /// The name of the file: `prices.csv`.
    file: String,
    /// The size of the file in octets.
    octets: usize,
    /// The digest of the file. Two versions of a file with the same digest are the same.
    digest: String,
}

/// Lists the files of a version of a tariff plan.
#[utoipa::path(get, path = "/api/tariff-versions/{version}", tag = "tariffs",
    params(("version" = i64, Path), OfPlan), responses((status = 200, body = TariffFiles), (status = 404), (status = 409)))]
async fn version(
    State(served): State<Arc<Served>>,
    _: Viewer,
    At(version): At<i64>,
    Query(OfPlan { plan }): Query<OfPlan>,
) -> Answered<TariffFiles> {
    let files = blocking(move || {
        let files = tariffs::files(&database(&served, &plan)?, version)?;
        let file = |(file, octets): (String, Vec<u8>)| TariffFile {
            file,
            octets: octets.len(),
            digest: digest(&octets),
        };
        Ok(TariffFiles { files: files.into_iter().map(file).collect() })
    });
    Ok(Json(files.await?))
}

#[derive(Serialize, ToSchema)]
struct TariffFileText {
    text: String,
}

/// Returns the text of a file of a version.
#[utoipa::path(get, path = "/api/tariff-versions/{version}/{file}", tag = "tariffs",
    params(("version" = i64, Path), ("file" = String, Path), OfPlan),
    responses((status = 200, body = TariffFileText), (status = 404),
        (status = 409, description = "The file is not UTF-8 text, or is larger than 2 MiB")))]
async fn file(
    State(served): State<Arc<Served>>,
    _: Viewer,
    At((version, file)): At<(i64, String)>,
    Query(OfPlan { plan }): Query<OfPlan>,
) -> Answered<TariffFileText> {
    let text = blocking(move || {
        let octets = tariffs::files(&database(&served, &plan)?, version)?.remove(&file);
        let octets = octets
            .ok_or_else(|| Failure::unknown(format!("version {version} has no file \"{file}\"")))?;
        let out = format!("change it where \"tollgate tariff take-out\" puts version {version}");
        if octets.len() > SHOWN_OCTETS_MAX {
            let many = octets.len();
            return Err(Failure::conflict(format!("\"{file}\" has {many} octets; {out}")));
        }
        let text = String::from_utf8(octets)
            .map_err(|_| Failure::conflict(format!("\"{file}\" is no text in UTF-8; {out}")))?;
        Ok(TariffFileText { text })
    });
    Ok(Json(text.await?))
}

#[derive(Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
struct TariffWithdraw {
    /// The plan, as the flow file names it.
    plan: String,
    /// The reason, for the audit trail. It must not be empty.
    because: String,
}

/// Withdraws a version that has not begun yet.
#[utoipa::path(post, path = "/api/tariff-versions/{version}/withdraw", tag = "tariffs",
    params(("version" = i64, Path)), request_body = TariffWithdraw,
    responses((status = 200, body = Activated), (status = 404),
        (status = 409, description = "The version has begun, or is withdrawn already"), (status = 422)))]
async fn withdraw(
    State(served): State<Arc<Served>>,
    Operator(who): Operator,
    At(version): At<i64>,
    Body(TariffWithdraw { plan, because }): Body<TariffWithdraw>,
) -> Answered<Activated> {
    let withdrawn = blocking(move || {
        let deed = Deed { who: &who, reason: because.trim(), now: now() };
        tariffs::withdraw(&database(&served, &plan)?, version, deed)?;
        let subject = format!("{plan}, version {version}");
        taken(&served, (&who, "tariff withdraw", &subject, deed.reason))
    });
    Ok(Json(withdrawn.await?))
}
