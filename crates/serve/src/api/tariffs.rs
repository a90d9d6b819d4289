//! Tariff plans of the flow: reading them, and replacing a table while records flow. A replaced table is a version of
//! the flow, so this is with the versions.

use std::sync::Arc;

use axum::Json;
use axum::extract::State;
use operate::mistakes::Mistakes;
use operate::tariff::{DATABASE, TariffVersion, all, known, named, path};
use operate::versions::Activated;
use rating::Plan;
use serde::{Deserialize, Serialize};
use utoipa::ToSchema;
use utoipa_axum::router::OpenApiRouter;
use utoipa_axum::routes;

use super::answer::{Answered, At, Body, Failure, blocking};
use super::flow_file::Text;
use super::guard::{Operator, Viewer};
use super::scripts::put_file;
use crate::served::Served;
use versions::digest;

pub(super) fn routes() -> OpenApiRouter<Arc<Served>> {
    OpenApiRouter::new().routes(routes!(list)).routes(routes!(table, look, put))
}

#[derive(Serialize, ToSchema)]
struct Tariffs {
    /// The plans, by name.
    tariffs: Vec<Tariff>,
}

/// A tariff plan: a folder of tables, or a database of versions. For a database, `name`, `currency`, `classes` and
/// `services` are those of the last version.
#[derive(Serialize, ToSchema)]
struct Tariff {
    /// The plan, as the flow file names it; of another database, its name in the folder of the flow file.
    plan: String,
    /// The nodes that rate by it. Empty for a database that only scripts use, or that is not used yet.
    nodes: Vec<String>,
    /// The name of the plan. Absent if the plan has mistakes.
    name: Option<String>,
    /// The currency of the plan, as an ISO 4217 code. Absent if the plan has mistakes.
    currency: Option<String>,
    /// The tariff classes of the plan.
    classes: Vec<String>,
    /// The services that the plan prices.
    services: Vec<String>,
    /// The tables of the plan. Empty for a database.
    tables: Vec<TariffTable>,
    /// The versions of a database; empty if it does not exist yet. Absent for a folder.
    versions: Option<Vec<TariffVersion>>,
    #[serde(flatten)]
    mistakes: Mistakes,
    /// Why the plan cannot be used, if this is not a mistake in one of its files.
    problem: Option<String>,
}

/// A table of a tariff plan.
#[derive(Serialize, ToSchema)]
struct TariffTable {
    /// The file, with the folder as the flow file names it.
    file: String,
    /// The digest of the text.
    digest: String,
}

/// Lists the tariff plans of the flow.
///
/// The list includes databases of versions in the folder of the flow file that no node names.
#[utoipa::path(get, path = "/api/tariffs", tag = "tariff", responses((status = 200, body = Tariffs), (status = 409)))]
async fn list(State(served): State<Arc<Served>>, _: Viewer) -> Answered<Tariffs> {
    let tariffs = blocking(move || {
        let files = served.versions.files(&served.text()?);
        let plans = known(&served.flow, served.parts);
        let plans = plans.map_err(|error| Failure::from_refusal(&error))?.into_iter();
        let tariffs = plans.map(|(plan, nodes)| one(&served, &files, plan, nodes));
        Ok(Tariffs { tariffs: tariffs.collect() })
    });
    Ok(Json(tariffs.await?))
}

fn one(served: &Served, files: &versions::FileTexts, plan: String, nodes: Vec<String>) -> Tariff {
    let place = path(&served.flow, &plan);
    let (plans, diagnostics, problem) = match tariffs::read(&place) {
        Ok(read) => (read.plans, read.diagnostics, None),
        Err(error) => (None, Vec::new(), Some(error.to_string())),
    };
    // A plan that does not exist yet is a database if it has the extension of one.
    let is_database = place.is_file() || (!place.exists() && plan.ends_with(DATABASE));
    let versions = is_database.then(|| all(&place).unwrap_or_default());
    let last = plans.as_ref().and_then(|plans| plans.all().last());
    Tariff {
        name: last.map(|plan| plan.name().to_owned()),
        currency: last.map(|plan| plan.currency().code().to_owned()),
        classes: last.map(|plan| plan.classes().map(str::to_owned).collect()).unwrap_or_default(),
        services: last.map(|plan| plan.services().map(str::to_owned).collect()).unwrap_or_default(),
        tables: tables(files, &plan),
        versions,
        mistakes: Mistakes::of(&diagnostics),
        problem,
        plan,
        nodes,
    }
}

fn tables(files: &versions::FileTexts, plan: &str) -> Vec<TariffTable> {
    let own = files.iter().filter(|(name, _)| is_of(name, plan));
    own.map(|(name, text)| TariffTable { file: name.clone(), digest: digest(text) }).collect()
}

/// Returns whether a file is in a plan's folder.
fn is_of(file: &str, plan: &str) -> bool {
    file.rsplit_once('/').is_some_and(|(folder, _)| folder == plan.trim_end_matches('/'))
}

/// A table of a tariff plan, or its `tariff.toml`.
#[derive(Serialize, ToSchema)]
struct TariffText {
    /// The file, with the folder as the flow file names it.
    file: String,
    text: String,
    /// The digest of the text, for `based_on`.
    digest: String,
}

/// Returns the plan that has a table, and the text of the table.
fn found(served: &Served, file: &str) -> Result<(String, String), Failure> {
    let plans = named(&served.flow, served.parts);
    let plans = plans.map_err(|error| Failure::from_refusal(&error))?;
    let plan = plans.into_keys().find(|plan| is_of(file, plan));
    let text = served.versions.files(&served.text()?).remove(file);
    plan.zip(text)
        .ok_or_else(|| Failure::unknown(format!("no plan of the flow has a table \"{file}\"")))
}

/// Returns a table of a tariff plan that is a folder.
#[utoipa::path(get, path = "/api/tariffs/{*file}", tag = "tariff", params(("file" = String, Path)),
    responses((status = 200, body = TariffText), (status = 404)))]
async fn table(
    State(served): State<Arc<Served>>,
    _: Viewer,
    At(file): At<String>,
) -> Answered<TariffText> {
    let text = blocking(move || {
        let (_, text) = found(&served, &file)?;
        Ok(TariffText { digest: digest(&text), file, text })
    });
    Ok(Json(text.await?))
}

#[derive(Serialize, ToSchema)]
struct TariffLooked {
    #[serde(flatten)]
    mistakes: Mistakes,
}

/// Checks an edited table of a tariff plan.
///
/// The answer has the mistakes that `tollgate tariff check` would find in the plan with this text. Nothing is saved.
#[utoipa::path(post, path = "/api/tariffs/{*file}", tag = "tariff", params(("file" = String, Path)),
    request_body = Text, responses((status = 200, body = TariffLooked), (status = 404)))]
async fn look(
    State(served): State<Arc<Served>>,
    _: Viewer,
    At(file): At<String>,
    Body(Text { text }): Body<Text>,
) -> Answered<TariffLooked> {
    let looked = blocking(move || {
        let (plan, _) = found(&served, &file)?;
        let mut files = served.versions.files(&served.text()?);
        files.insert(file, text);
        let own = files.into_iter().filter(|(name, _)| is_of(name, &plan));
        let own = own.filter_map(|(name, text)| {
            Some((name.rsplit_once('/')?.1.to_owned(), text.into_bytes()))
        });
        let read = Plan::of_files(&path(&served.flow, &plan), own.collect());
        Ok(TariffLooked { mistakes: Mistakes::of(&read.diagnostics) })
    });
    Ok(Json(looked.await?))
}

#[derive(Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
struct TariffChanged {
    /// The new text.
    text: String,
    /// The digest of the text that the edit began with. The request is refused if the table has another text by now.
    based_on: Option<String>,
    /// A remark about the change, for the version and the audit trail.
    #[serde(default)]
    remark: String,
}

/// Replaces a table of a tariff plan and activates it.
///
/// The new text is saved in a new version of the flow. The gateway switches to it without a stop.
#[utoipa::path(put, path = "/api/tariffs/{*file}", tag = "tariff", params(("file" = String, Path)),
    request_body = TariffChanged,
    responses((status = 200, body = Activated), (status = 404),
        (status = 409, description = "The files of the flow were changed meanwhile, or cannot be written")))]
async fn put(
    State(served): State<Arc<Served>>,
    Operator(who): Operator,
    At(file): At<String>,
    Body(TariffChanged { text, based_on, remark }): Body<TariffChanged>,
) -> Answered<Activated> {
    let put = blocking(move || {
        let (_, before) = found(&served, &file)?;
        if based_on.is_some_and(|expected| expected != digest(&before)) {
            return Err(Failure::conflict(
                "the table was changed by another user meanwhile: load it, and look again",
            ));
        }
        put_file(&served, (&file, text), (&who, "tariff put", remark.trim()))
    });
    Ok(Json(put.await?))
}
