//! Tariff plans of the flow: reading them, explaining the price of a usage, and replacing a table while records flow.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use axum::Json;
use axum::extract::State;
use flow::drawing;
use operate::versions::Activated;
use rating::{Plan, Plans, UsageTexts};
use serde::{Deserialize, Serialize};
use utoipa::ToSchema;
use utoipa_axum::router::OpenApiRouter;
use utoipa_axum::routes;

use super::answer::{Answered, At, Body, Failure, blocking};
use super::flow_file::{Mistakes, Text};
use super::guard::{Operator, Viewer};
use super::scripts::put_file;
use super::tariff_versions::{self, TariffDraft, TariffVersion};
use crate::served::Served;
use versions::digest;

/// The file extension of a database of versions.
pub(super) const DATABASE: &str = ".db";

pub(super) fn routes() -> OpenApiRouter<Arc<Served>> {
    OpenApiRouter::new().routes(routes!(list, explain)).routes(routes!(table, look, put))
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

/// Lists the tariff plans of the flow.
///
/// The list includes databases of versions in the folder of the flow file that no node names.
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

fn one(served: &Served, files: &versions::FileTexts, plan: String, nodes: Vec<String>) -> Tariff {
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

fn tables(files: &versions::FileTexts, plan: &str) -> Vec<TariffTable> {
    let own = files.iter().filter(|(name, _)| is_of(name, plan));
    own.map(|(name, text)| TariffTable { file: name.clone(), digest: digest(text) }).collect()
}

/// Returns whether a file is in a plan's folder.
fn is_of(file: &str, plan: &str) -> bool {
    file.rsplit_once('/').is_some_and(|(folder, _)| folder == plan.trim_end_matches('/'))
}

/// A usage to price.
#[derive(Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
struct TariffUsage {
    /// The plan, as the flow file names it.
    plan: String,
    /// The service, by its name in the plan: `telephony`, `sms`, `data`.
    service: Option<String>,
    /// The served number.
    from: Option<String>,
    /// The other number.
    to: Option<String>,
    /// The type of subscriber, if the plan does not know it by the number.
    subscriber: Option<String>,
    /// The network that the subscriber roamed in.
    partner: Option<String>,
    /// When the usage started, with a zone: `2026-06-01 18:59:30 Europe/Stockholm`.
    start: String,
    /// When the usage ended, in place of `duration`.
    end: Option<String>,
    /// The duration: `60` (seconds), `3 min`.
    duration: Option<String>,
    /// The volume: `1000` (octets), `250 MB`.
    octets: Option<String>,
    /// The number of events.
    events: Option<u64>,
    /// For a database: the draft to price by. Default: the version that is valid at `start`.
    draft: Option<TariffDraft>,
}

/// The price of a usage, and how it came about. Amounts are texts, because a JSON number could lose digits.
#[derive(Serialize, ToSchema)]
struct TariffExplained {
    /// The name of the plan.
    plan: String,
    /// The steps of the rating, in order.
    steps: Vec<TariffStep>,
    /// The price. Absent if the plan has no tariff for the usage.
    price: Option<TariffPrice>,
    /// Why there is no price.
    problem: Option<String>,
}

/// A step of the rating of a usage.
#[derive(Serialize, ToSchema)]
struct TariffStep {
    /// The name of the step: `number analysis`.
    #[schema(value_type = String)]
    step: &'static str,
    /// The result of the step, in words.
    found: String,
    /// The file of the plan that the result is from. Absent if it is from no file.
    #[schema(value_type = Option<String>)]
    file: Option<&'static str>,
    /// The line in this file, from 1.
    line: Option<u32>,
}

/// The price of a usage.
#[derive(Serialize, ToSchema)]
struct TariffPrice {
    /// The tariff class.
    class: String,
    /// The currency, as an ISO 4217 code.
    #[schema(value_type = String)]
    currency: &'static str,
    /// The amount without tax.
    net: String,
    /// The tax.
    tax: String,
    /// The amount with tax.
    total: String,
    /// The unit of `counted` and `free`: `seconds`, `octets`.
    #[schema(value_type = String)]
    unit: &'static str,
    /// The number of billed units: those of all intervals that were begun.
    counted: u64,
    /// The part of `counted` that bundles paid.
    free: u64,
}

/// Explains the price of a usage, step by step.
///
/// The subscriber is one without counters: no bundle is used up, and nothing is spent. Nothing is saved.
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
    let nonempty = |text: Option<String>| text.filter(|text| !text.trim().is_empty());
    let usage_texts = UsageTexts {
        service: nonempty(service),
        from: nonempty(from),
        to: nonempty(to),
        subscriber: nonempty(subscriber),
        partner: nonempty(partner),
        start,
        end: nonempty(end),
        duration: nonempty(duration),
        octets: nonempty(octets),
        events,
    };
    let usage = usage_texts.usage().map_err(Failure::wrong)?;
    let plan = plans.at(usage.start).ok_or_else(|| {
        Failure::wrong(format!(
            "start \"{}\": no version of the plan is valid yet",
            usage_texts.start
        ))
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
    let plan = named(served)?.into_keys().find(|plan| is_of(file, plan));
    let text = served.versions.files(&served.text()?).remove(file);
    plan.zip(text)
        .ok_or_else(|| Failure::unknown(format!("no plan of the flow has a table \"{file}\"")))
}

/// Returns a table of a tariff plan that is a folder.
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

/// Checks an edited table of a tariff plan.
///
/// The answer has the mistakes that `tollgate tariff check` would find in the plan with this text. Nothing is saved.
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
#[utoipa::path(put, path = "/api/tariffs/{*file}", tag = "tariffs", params(("file" = String, Path)),
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
                "the table was changed by somebody else meanwhile: load it, and look again",
            ));
        }
        put_file(&served, (&file, text), (&who, "tariff put", remark.trim()))
    });
    Ok(Json(put.await?))
}
