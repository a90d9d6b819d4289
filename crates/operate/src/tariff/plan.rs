//! The plans that a request may choose.

use std::collections::BTreeMap;
use std::io;
use std::path::{Path, PathBuf};

use diagnostics::plain;
use flow::drawing;
use gateway::compile::prepare::Parts;
use serde::Deserialize;
use utoipa::ToSchema;

use super::DATABASE;
use crate::context::Context;
use crate::refusals;

/// The maximum number of characters in the name of a new database.
const NAME_MAX: usize = 64;

/// The plan that a request is about.
#[derive(Clone, Debug, Default, Deserialize, ToSchema)]
pub struct ChosenPlan {
    /// The plan, as the flow file names it, or the name of a database in the folder of the flow
    /// file: `prices.db`.
    pub plan: String,
    /// Which plans may be chosen. It is not part of a request of the API.
    #[serde(skip)]
    pub reach: Reach,
}

/// Which plans a request may choose.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Reach {
    /// Plans that the flow names, and databases in the folder of the flow file.
    #[default]
    Flow,
    /// Any path, also without a flow file. It is for commands: their user can read and write such
    /// files anyway.
    AnyPath,
}

refusals! {
    /// Why a plan cannot be chosen.
    pub enum PlanError {
        /// The flow does not name it.
        Unknown {
            /// Its name.
            plan: String,
        } => Unknown "tariff-plan-unknown" "no node of the flow rates by a plan \"{plan}\"",
        /// A new database cannot have this name.
        NewName {
            /// The name.
            plan: String,
        } => Unknown "tariff-plan-name"
            "\"{plan}\" is not a plan of the flow; a new database is in the folder of the flow \
             file, and its name has letters, digits, - and _, and ends with .db: prices.db",
        /// It is a folder of tables.
        Folder {
            /// Its name.
            plan: String,
        } => Conflict "tariff-plan-is-folder"
            "\"{plan}\" is not a database of versions; change the tables of a plan that is a folder \
             one by one",
        /// The database does not exist yet.
        Missing {
            /// Its name.
            plan: String,
        } => Conflict "tariff-database-missing"
            "the database \"{plan}\" does not exist yet; load its first version",
        /// The flow file or its folder cannot be read.
        Unreadable {
            /// The path.
            path: String,
            /// Why.
            reason: io::Error,
        } => Conflict "flow-file-unreadable" "cannot read \"{path}\": {reason}",
    }
}

fn unreadable(path: &Path) -> impl FnOnce(io::Error) -> PlanError {
    let path = path.display().to_string();
    move |reason| PlanError::Unreadable { path, reason }
}

/// Returns the plans that the flow file names, each with the nodes that rate by it.
///
/// # Errors
///
/// The flow file cannot be read.
pub(super) fn named(
    flow: &Path,
    parts: Parts<'_>,
) -> Result<BTreeMap<String, Vec<String>>, PlanError> {
    let text = plain::read_text(flow, plain::TEXT_OCTETS_MAX).map_err(unreadable(flow))?;
    let mut plans: BTreeMap<String, Vec<String>> = BTreeMap::new();
    for node in drawing::sketch(&text, parts.kinds) {
        if let Some(plan) = node.settings.get("plan").and_then(|plan| plan.as_str()) {
            plans.entry(plan.to_owned()).or_default().push(node.name);
        }
    }
    Ok(plans)
}

/// Returns these plans, and the databases of versions in the folder of the flow file: scripts may
/// name them, or nothing does yet.
///
/// # Errors
///
/// The flow file or its folder cannot be read.
pub(super) fn known(
    flow: &Path,
    parts: Parts<'_>,
) -> Result<BTreeMap<String, Vec<String>>, PlanError> {
    let mut plans = named(flow, parts)?;
    for database in beside(flow)? {
        plans.entry(database).or_default();
    }
    Ok(plans)
}

/// Returns the names of the databases of versions in the folder of the flow file.
fn beside(flow: &Path) -> Result<Vec<String>, PlanError> {
    let of_this = Path::new("");
    let folder = flow.parent().filter(|folder| *folder != of_this).unwrap_or(Path::new("."));
    let mut found = Vec::new();
    for entry in std::fs::read_dir(folder).map_err(unreadable(folder))? {
        let path = entry.map_err(unreadable(folder))?.path();
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

/// Returns the path of a plan.
pub(super) fn path(flow: &Path, plan: &str) -> PathBuf {
    flow.parent().unwrap_or(Path::new("")).join(plan)
}

impl ChosenPlan {
    /// Returns the path of a plan that the request may choose: a folder of tables, or a database.
    pub(super) fn path(&self, context: &Context<'_>) -> Result<PathBuf, PlanError> {
        if !self.is_known(context)? {
            return Err(PlanError::Unknown { plan: self.plan.clone() });
        }
        Ok(path(context.flow, &self.plan))
    }

    /// Returns the path of a database that exists.
    pub(super) fn database(&self, context: &Context<'_>) -> Result<PathBuf, PlanError> {
        let path = self.path(context)?;
        let plan = || self.plan.clone();
        match path.is_file() {
            true => Ok(path),
            false if path.exists() => Err(PlanError::Folder { plan: plan() }),
            false => Err(PlanError::Missing { plan: plan() }),
        }
    }

    /// Returns the path of a database, or the path for a new one.
    pub(super) fn database_to_be(&self, context: &Context<'_>) -> Result<PathBuf, PlanError> {
        // For any other name, the answer does not reveal whether such a file exists.
        if may_be_new(&self.plan) || self.is_known(context)? {
            let path = path(context.flow, &self.plan);
            return if path.exists() { self.database(context) } else { Ok(path) };
        }
        Err(PlanError::NewName { plan: self.plan.clone() })
    }

    fn is_known(&self, context: &Context<'_>) -> Result<bool, PlanError> {
        match self.reach {
            Reach::AnyPath => Ok(true),
            Reach::Flow => Ok(known(context.flow, context.parts)?.contains_key(&self.plan)),
        }
    }
}

/// Returns whether a file is in a plan's folder.
pub(super) fn is_of(file: &str, plan: &str) -> bool {
    file.rsplit_once('/').is_some_and(|(folder, _)| folder == plan.trim_end_matches('/'))
}

/// Returns whether a new database in the folder of the flow file may have this name.
fn may_be_new(plan: &str) -> bool {
    let is_plain = |letter: char| letter.is_ascii_alphanumeric() || "-_".contains(letter);
    let stem = plan.strip_suffix(DATABASE).unwrap_or_default();
    (1..=NAME_MAX).contains(&stem.len()) && stem.chars().all(is_plain)
}
