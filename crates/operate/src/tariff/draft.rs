//! The files of a new version of a plan.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use rating::Plan;
use serde::Deserialize;
use tariffs::{Files, LoadablePlan, TariffsError};
use utoipa::ToSchema;

use super::{ChosenPlan, StoredPlanError};
use crate::context::Context;

/// The files of a new version of a tariff plan, as changes to another version.
#[derive(Clone, Debug, Default, Deserialize, ToSchema)]
pub struct TariffDraft {
    /// The version that has the unchanged files. Absent if `files` has all files of the plan.
    pub based_on: Option<i64>,
    /// The changed files, by name (`prices.csv`): the text, or `null` to leave the file out.
    #[serde(default)]
    pub files: BTreeMap<String, Option<String>>,
    /// A folder with all files, in place of the others. It is not part of a request of the API.
    #[serde(skip)]
    pub folder: Option<PathBuf>,
}

impl TariffDraft {
    /// Reads the plan of the draft. Its mistakes are in the diagnostics.
    pub(super) fn read(
        self,
        context: &Context<'_>,
        chosen: &ChosenPlan,
    ) -> Result<rating::Read, StoredPlanError> {
        let database = chosen.database_to_be(context)?;
        Ok(match self.folder {
            Some(folder) => Plan::read(&folder),
            None => Plan::of_files(Path::new(""), self.files(&database)?),
        })
    }

    /// Reads the plan of the draft, to load it into a database.
    pub(super) fn loadable(self, database: &Path) -> Result<LoadablePlan, TariffsError> {
        match self.folder {
            Some(folder) => LoadablePlan::of_folder(&folder),
            None => LoadablePlan::of_files(self.files(database)?),
        }
    }

    fn files(self, database: &Path) -> Result<Files, TariffsError> {
        let mut all = match self.based_on {
            Some(version) if !database.exists() => return Err(TariffsError::Unknown(version)),
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
}
