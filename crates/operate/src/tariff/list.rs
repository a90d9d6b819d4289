//! Lists the plans of a flow.

use ::versions::{FileTexts, VersionError, digest};
use people::Role;
use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

use super::{DATABASE, PlanError, TariffVersion, all, is_of, known, path};
use crate::context::Context;
use crate::mistakes::Mistakes;
use crate::operation::Operation;
use crate::refusals;

/// Lists the tariff plans of the flow.
///
/// The list includes databases of versions in the folder of the flow file that no node names.
#[derive(Clone, Copy, Debug, Deserialize, ToSchema)]
pub struct ListTariffs {}

/// The tariff plans of a flow.
#[derive(Debug, Serialize, ToSchema)]
pub struct Tariffs {
    /// The plans, by name.
    pub tariffs: Vec<Tariff>,
}

/// A tariff plan: a folder of tables, or a database of versions. For a database, `name`, `currency`, `classes` and
/// `services` are those of the last version.
#[derive(Debug, Serialize, ToSchema)]
pub struct Tariff {
    /// The plan, as the flow file names it; of another database, its name in the folder of the flow file.
    pub plan: String,
    /// The nodes that rate by it. Empty for a database that only scripts use, or that is not used yet.
    pub nodes: Vec<String>,
    /// The name of the plan. Absent if the plan has mistakes.
    pub name: Option<String>,
    /// The currency of the plan, as an ISO 4217 code. Absent if the plan has mistakes.
    pub currency: Option<String>,
    /// The tariff classes of the plan.
    pub classes: Vec<String>,
    /// The services that the plan prices.
    pub services: Vec<String>,
    /// The tables of the plan. Empty for a database.
    pub tables: Vec<TariffTable>,
    /// The versions of a database; empty if it does not exist yet. Absent for a folder.
    pub versions: Option<Vec<TariffVersion>>,
    /// The mistakes of the plan.
    #[serde(flatten)]
    pub mistakes: Mistakes,
    /// Why the plan cannot be used, if this is not a mistake in one of its files.
    pub problem: Option<String>,
}

/// A table of a tariff plan.
#[derive(Debug, Serialize, ToSchema)]
pub struct TariffTable {
    /// The file, with the folder as the flow file names it.
    pub file: String,
    /// The digest of the text.
    pub digest: String,
}

refusals! {
    /// Why the plans are not listed.
    pub enum ListTariffsError {
        /// The flow file or its folder cannot be read.
        Plan(PlanError) => [],
        /// The files of the flow or the versions cannot be read.
        Versions(VersionError) => [Conflict],
    }
}

impl Operation for ListTariffs {
    type Response = Tariffs;
    type Error = ListTariffsError;

    const NAME: &'static str = "tariff list";
    const ROLE: Role = Role::Viewer;

    fn perform(self, context: &Context<'_>) -> Result<Tariffs, ListTariffsError> {
        let store = context.shared.versions()?;
        let files = store.files(&store.flow_text()?);
        let plans = known(context.flow, context.parts)?.into_iter();
        let tariffs = plans.map(|(plan, nodes)| Tariff::read(context, &files, plan, nodes));
        Ok(Tariffs { tariffs: tariffs.collect() })
    }
}

impl Tariff {
    fn read(context: &Context<'_>, files: &FileTexts, plan: String, nodes: Vec<String>) -> Self {
        let place = path(context.flow, &plan);
        let (plans, diagnostics, problem) = match tariffs::read(&place) {
            Ok(read) => (read.plans, read.diagnostics, None),
            Err(error) => (None, Vec::new(), Some(error.to_string())),
        };
        // A plan that does not exist yet is a database if it has the extension of one.
        let is_database = place.is_file() || (!place.exists() && plan.ends_with(DATABASE));
        let versions = is_database.then(|| all(&place).unwrap_or_default());
        let last = plans.as_ref().and_then(|plans| plans.all().last());
        let classes = last.map(|plan| plan.classes().map(str::to_owned).collect());
        let services = last.map(|plan| plan.services().map(str::to_owned).collect());
        Tariff {
            name: last.map(|plan| plan.name().to_owned()),
            currency: last.map(|plan| plan.currency().code().to_owned()),
            classes: classes.unwrap_or_default(),
            services: services.unwrap_or_default(),
            tables: tables(files, &plan),
            versions,
            mistakes: Mistakes::of(&diagnostics),
            problem,
            plan,
            nodes,
        }
    }
}

fn tables(files: &FileTexts, plan: &str) -> Vec<TariffTable> {
    let own = files.iter().filter(|(name, _)| is_of(name, plan));
    own.map(|(name, text)| TariffTable { file: name.clone(), digest: digest(text) }).collect()
}
