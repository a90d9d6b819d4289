//! Tariff plans of the flow: reading them, explaining the price of a usage, and replacing a table while records flow.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use axum::Json;
use axum::extract::State;
use flow::drawing;
use rating::{Asked, Plan, Plans};
use serde::{Deserialize, Serialize};
use utoipa::ToSchema;
use utoipa_axum::router::OpenApiRouter;
use utoipa_axum::routes;

use super::answer::{Answered, At, Body, Failure, blocking};
use super::flow_file::{Mistakes, Text};
use super::guard::{Operator, Viewer};
use super::scripts::put_file;
use super::tariff_versions::{self, TariffDraft, TariffVersion};
use super::versions::Activated;
use crate::served::Served;
use crate::versions::digest;

/// The file extension of a database of versions.
pub(super) const DATABASE: &str = ".db";

pub(super) fn routes() -> OpenApiRouter<Arc<Served>> {
    OpenApiRouter::new().routes(routes!(list, explain)).routes(routes!(table, look, put))
}

#[derive(Serialize, ToSchema)]
struct Tariffs {
    tariffs: Vec<Tariff>,
}

/// A plan, or a database of its versions.
#[derive(Serialize, ToSchema)]
struct Tariff {
    /// As the flow file names it.
    plan: String,
    /// Who rates by it; none of a database that only scripts name, or nobody does yet.
    nodes: Vec<String>,
    /// What it calls itself; none where it has mistakes.
    name: Option<String>,
    currency: Option<String>,
    classes: Vec<String>,
    /// What a usage can be of, by the names of the plan.
    services: Vec<String>,
    /// The tables of a plan that is a folder.
    tables: Vec<TariffTable>,
    /// The versions of a plan that is a database, none where that is not there yet.
    versions: Option<Vec<TariffVersion>>,
    #[serde(flatten)]
    mistakes: Mistakes,
    /// Why nothing is rated by it, where that is no mistake in a file of its.
    problem: Option<String>,
}

#[derive(Serialize, ToSchema)]
struct TariffTable {
    /// With the folder, as the flow file names that.
    file: String,
    digest: String,
}

/// Returns the plans that the flow file names, each with the nodes that rate by it.
pub(super) fn named(served: &Served) -> Result<BTreeMap<String, Vec<String>>, Failure> {
    let mut plans: BTreeMap<String, Vec<String>> = BTreeMap::new();
    for node in drawing::sketch(&served.text()?, served.parts.kinds) {
        if let Some(plan) = node.settings.get("plan").and_then(|plan| plan.as_str()) {
            plans.entry(plan.to_owned()).or_default().push(node.name);
        }
    }
    Ok(plans)
}

/// Returns these plans, and the databases of versions beside the flow file: scripts may name them, or nothing does yet.
pub(super) fn known(served: &Served) -> Result<BTreeMap<String, Vec<String>>, Failure> {
    let mut plans = named(served)?;
    for database in beside(served)? {
        plans.entry(database).or_default();
    }
    Ok(plans)
}

/// Returns the names of the databases of versions in the folder of the flow file.
fn beside(served: &Served) -> Result<Vec<String>, Failure> {
    let of_this = Path::new("");
    let folder = served.flow.parent().filter(|folder| *folder != of_this).unwrap_or(Path::new("."));
    let mut found = Vec::new();
    for entry in std::fs::read_dir(folder)? {
        let path = entry?.path();
        let name = path.file_name().and_then(|name| name.to_str());
        let Some(name) = name.filter(|name| name.ends_with(DATABASE) && path.is_file()) else {
            continue;
        };
        // Databases of another kind fail here.
        if tariffs::versions(&path).is_ok() {
            found.push(name.to_owned());
        }
    }
    Ok(found)
}

/// Returns the path of a plan that the flow file names.
pub(super) fn lies(served: &Served, plan: &str) -> PathBuf {
    served.flow.parent().unwrap_or(Path::new("")).join(plan)
}

/// The plans by which records are rated, and databases of versions beside the flow file that no node names.
#[utoipa::path(get, path = "/api/tariffs", tag = "tariffs", responses((status = 200, body = Tariffs), (status = 409)))]
async fn list(State(served): State<Arc<Served>>, _: Viewer) -> Answered<Tariffs> {
    let tariffs = blocking(move || {
        let files = served.versions.files(&served.text()?);
        let plans = known(&served)?.into_iter();
        let tariffs = plans.map(|(plan, nodes)| one(&served, &files, plan, nodes));
        Ok(Tariffs { tariffs: tariffs.collect() })
    });
    Ok(Json(tariffs.await?))
}

fn one(
    served: &Served,
    files: &crate::versions::Files,
    plan: String,
    nodes: Vec<String>,
) -> Tariff {
    let place = lies(served, &plan);
    let (plans, diagnostics, problem) = match tariffs::read(&place) {
        Ok(read) => (read.plans, read.diagnostics, None),
        Err(error) => (None, Vec::new(), Some(error.to_string())),
    };
    // A plan that does not exist yet is a database if it has the extension of one.
    let is_database = place.is_file() || (!place.exists() && plan.ends_with(DATABASE));
    let versions = is_database.then(|| tariff_versions::all(&place).unwrap_or_default());
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

fn tables(files: &crate::versions::Files, plan: &str) -> Vec<TariffTable> {
    let own = files.iter().filter(|(name, _)| is_of(name, plan));
    own.map(|(name, text)| TariffTable { file: name.clone(), digest: digest(text) }).collect()
}

/// Returns whether a file is in a plan's folder.
fn is_of(file: &str, plan: &str) -> bool {
    file.rsplit_once('/').is_some_and(|(folder, _)| folder == plan.trim_end_matches('/'))
}

/// A usage, as people write it.
#[derive(Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
struct TariffUsage {
    /// By which plan, as the flow file names it.
    plan: String,
    /// By the names of the plan: `telephony`, `sms`, `data`.
    service: Option<String>,
    /// The served number: whose usage it is.
    from: Option<String>,
    /// The other number.
    to: Option<String>,
    /// The sort of subscriber, where the number does not tell it.
    subscriber: Option<String>,
    /// The network the subscriber roamed in.
    partner: Option<String>,
    /// When it started, with a zone: `2026-06-01 18:59:30 Europe/Stockholm`.
    start: String,
    /// When it ended, in place of a duration.
    end: Option<String>,
    /// `60` (seconds), `3 min`.
    duration: Option<String>,
    /// How much it carried: `1000` (octets), `250 MB`.
    octets: Option<String>,
    /// How many events it stands for.
    events: Option<u64>,
    /// By what it is priced, of a plan that is a database; where nothing is said, by the version that is valid when it
    /// starts.
    draft: Option<TariffDraft>,
}

/// What a usage costs, and why. Amounts are texts: a number would lose what it cannot hold.
#[derive(Serialize, ToSchema)]
struct TariffExplained {
    /// What the plan calls itself.
    plan: String,
    steps: Vec<TariffStep>,
    /// None where it has no tariff.
    price: Option<TariffPrice>,
    /// Why it has none.
    problem: Option<String>,
}

#[derive(Serialize, ToSchema)]
struct TariffStep {
    #[schema(value_type = String)]
    step: &'static str,
    /// What it found.
    found: String,
    /// The file of the plan that says so.
    #[schema(value_type = Option<String>)]
    file: Option<&'static str>,
    line: Option<u32>,
}

#[derive(Serialize, ToSchema)]
struct TariffPrice {
    class: String,
    #[schema(value_type = String)]
    currency: &'static str,
    net: String,
    tax: String,
    total: String,
    /// What is counted: `seconds`, `octets`.
    #[schema(value_type = String)]
    unit: &'static str,
    counted: u64,
    /// Of these, how many bundles paid.
    free: u64,
}

/// What a usage would cost a subscriber of whom nothing was counted yet, step by step.
#[utoipa::path(post, path = "/api/tariffs", tag = "tariffs", request_body = TariffUsage,
    responses((status = 200, body = TariffExplained), (status = 404), (status = 409), (status = 422)))]
async fn explain(
    State(served): State<Arc<Served>>,
    _: Viewer,
    Body(mut usage): Body<TariffUsage>,
) -> Answered<TariffExplained> {
    let explained = blocking(move || {
        // A draft may be for a database that does not exist yet.
        if usage.draft.is_none() && !known(&served)?.contains_key(&usage.plan) {
            return Err(no_plan(&usage.plan));
        }
        let draft = usage.draft.take().map(|draft| draft.plan(&served, &usage.plan));
        let (plans, diagnostics) = match draft.transpose()? {
            Some(read) => (read.plan.map(Plans::always), read.diagnostics),
            None => {
                let read = tariffs::read(&lies(&served, &usage.plan))?;
                (read.plans, read.diagnostics)
            }
        };
        let plans = plans.ok_or_else(|| {
            let first = diagnostics.iter().find(|found| found.is_error());
            let first = first.map_or(String::new(), |found| format!("; the first is\n\n{found}"));
            Failure::conflict(format!("the plan has mistakes{first}"))
        })?;
        explained(&plans, usage)
    });
    Ok(Json(explained.await?))
}

pub(super) fn no_plan(plan: &str) -> Failure {
    Failure::unknown(format!("no node of the flow rates by a plan \"{plan}\""))
}

fn explained(plans: &Plans, usage: TariffUsage) -> Result<TariffExplained, Failure> {
    let TariffUsage {
        service,
        from,
        to,
        subscriber,
        partner,
        start,
        end,
        duration,
        octets,
        events,
        ..
    } = usage;
    // An empty field counts as absent.
    let said = |text: Option<String>| text.filter(|text| !text.trim().is_empty());
    let asked = Asked {
        service: said(service),
        from: said(from),
        to: said(to),
        subscriber: said(subscriber),
        partner: said(partner),
        start,
        end: said(end),
        duration: said(duration),
        octets: said(octets),
        events,
    };
    let usage = asked.usage().map_err(Failure::wrong)?;
    let plan = plans.at(usage.start).ok_or_else(|| {
        Failure::wrong(format!("start \"{}\": no version of the plan is valid yet", asked.start))
    })?;
    Ok(of(plan, &usage))
}

fn of(plan: &Plan, usage: &rating::Usage<'_>) -> TariffExplained {
    let explanation = plan.explain(usage, &mut rating::State::default());
    let steps = explanation.steps.into_iter().map(|gone| {
        let (file, line) = gone.line.unzip();
        TariffStep { step: gone.step.name(), found: gone.found, file, line }
    });
    let steps = steps.collect();
    let (price, problem) = match explanation.result {
        Ok(priced) => {
            let price = TariffPrice {
                class: priced.class.to_owned(),
                currency: plan.currency().code(),
                net: priced.net.amount().to_string(),
                tax: priced.tax.amount().to_string(),
                total: priced.total.amount().to_string(),
                unit: priced.unit.name(),
                counted: priced.billed,
                free: priced.free,
            };
            (Some(price), None)
        }
        Err(error) => (None, Some(error.to_string())),
    };
    TariffExplained { plan: plan.name().to_owned(), steps, price, problem }
}

/// A table of a plan, or its `tariff.toml`.
#[derive(Serialize, ToSchema)]
struct TariffText {
    file: String,
    text: String,
    digest: String,
}

/// Returns the plan that has a table, and the text of the table.
fn found(served: &Served, file: &str) -> Result<(String, String), Failure> {
    let plan = named(served)?.into_keys().find(|plan| is_of(file, plan));
    let text = served.versions.files(&served.text()?).remove(file);
    plan.zip(text)
        .ok_or_else(|| Failure::unknown(format!("no plan of the flow has a table \"{file}\"")))
}

/// A table of a plan that is a folder.
#[utoipa::path(get, path = "/api/tariffs/{*file}", tag = "tariffs", params(("file" = String, Path)),
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

/// What `tollgate tariff check` would say of the plan with another text in the place of a table.
#[utoipa::path(post, path = "/api/tariffs/{*file}", tag = "tariffs", params(("file" = String, Path)),
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
        let read = Plan::of_files(&lies(&served, &plan), own.collect());
        Ok(TariffLooked { mistakes: Mistakes::of(&read.diagnostics) })
    });
    Ok(Json(looked.await?))
}

#[derive(Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
struct TariffChanged {
    text: String,
    /// The digest of the table that was looked at; where another lies there now, nothing is done.
    based_on: Option<String>,
    /// What is new, for who reads it later.
    #[serde(default)]
    remark: String,
}

/// Keeps a table as part of a version of the flow, and has records rated by it without stopping the gateway.
#[utoipa::path(put, path = "/api/tariffs/{*file}", tag = "tariffs", params(("file" = String, Path)),
    request_body = TariffChanged,
    responses((status = 200, body = Activated), (status = 404), (status = 409)))]
async fn put(
    State(served): State<Arc<Served>>,
    Operator(who): Operator,
    At(file): At<String>,
    Body(TariffChanged { text, based_on, remark }): Body<TariffChanged>,
) -> Answered<Activated> {
    let put = blocking(move || {
        let (_, before) = found(&served, &file)?;
        if based_on.is_some_and(|seen| seen != digest(&before)) {
            return Err(Failure::conflict(
                "the table was changed by somebody else meanwhile: load it, and look again",
            ));
        }
        put_file(&served, (&file, text), (&who, "tariff put", remark.trim()))
    });
    Ok(Json(put.await?))
}
