//! Lists the versions of a plan.

use std::path::Path;

use people::Role;
use rating::Moment;
use serde::{Deserialize, Serialize};
use tariffs::{Standing, TariffsError};
use utoipa::ToSchema;

use super::{ChosenPlan, StoredPlanError, at, now};
use crate::context::Context;
use crate::operation::Operation;

/// Lists the versions of a tariff plan, in the order in which they become valid.
///
/// Withdrawn versions are among them.
#[derive(Clone, Debug, Default, Deserialize, ToSchema)]
pub struct ListTariffVersions {
    /// The plan.
    #[serde(flatten)]
    pub chosen: ChosenPlan,
}

/// The versions of a tariff plan.
#[derive(Debug, Serialize, ToSchema)]
pub struct TariffVersions {
    /// The versions, in the order in which they become valid.
    pub versions: Vec<TariffVersion>,
}

/// A version of a tariff plan in a database. It is valid until the next one begins.
#[derive(Debug, Serialize, ToSchema)]
pub struct TariffVersion {
    /// The number of the version.
    pub version: i64,
    /// When the version begins.
    pub valid_from: String,
    /// When the next version begins. Absent if there is none, or if this version is withdrawn.
    pub valid_to: Option<String>,
    /// Whether it is valid now.
    pub standing: TariffStanding,
    /// The name of the plan.
    pub name: String,
    /// The action that loaded the version.
    pub loaded: TariffAction,
    /// The action that withdrew the version, if it is withdrawn.
    pub withdrawn: Option<TariffAction>,
}

/// The state of a version of a tariff plan now. One version at most is `valid`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, ToSchema)]
#[serde(rename_all = "kebab-case")]
pub enum TariffStanding {
    /// The next version is valid.
    Past,
    /// It is valid.
    Valid,
    /// It will be valid.
    Coming,
    /// It was withdrawn before it was valid.
    Withdrawn,
}

/// An action on a version of a tariff plan.
#[derive(Debug, Serialize, ToSchema)]
pub struct TariffAction {
    /// When it was done.
    pub at: String,
    /// The user or token.
    pub who: String,
    /// The reason that the user gave.
    pub reason: String,
}

impl Operation for ListTariffVersions {
    type Response = TariffVersions;
    type Error = StoredPlanError;

    const NAME: &'static str = "tariff versions";
    const ROLE: Role = Role::Viewer;

    fn perform(self, context: &Context<'_>) -> Result<TariffVersions, StoredPlanError> {
        let versions = all(&self.chosen.database(context)?)?;
        Ok(TariffVersions { versions })
    }
}

/// Returns all versions of a database, in the order in which they become valid.
///
/// # Errors
///
/// The database cannot be read.
pub(super) fn all(database: &Path) -> Result<Vec<TariffVersion>, TariffsError> {
    let versions = tariffs::versions(database)?;
    let standing = tariffs::standing(&versions, now());
    Ok(versions.into_iter().zip(standing).map(TariffVersion::of).collect())
}

impl TariffVersion {
    fn of((version, (standing, until)): (tariffs::Version, (Standing, Option<Moment>))) -> Self {
        let action = |(moment, who, reason)| TariffAction { at: at(moment), who, reason };
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
            loaded: action(version.loaded),
            withdrawn: version.withdrawn.map(action),
        }
    }
}
