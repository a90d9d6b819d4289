//! Loads a plan as a new version.

use flow::flow_journal::JournalError;
use people::Role;
use serde::{Deserialize, Serialize};
use tariffs::{Deed, TariffsError, Version};
use utoipa::ToSchema;

use super::record::{record, taken};
use super::{ChosenPlan, PlanError, TariffDraft, at, now};
use crate::context::Context;
use crate::mistakes::Mistakes;
use crate::operation::Operation;
use crate::refusal::{ReasonError, reason};
use crate::refusals;
use crate::versions::Activated;

/// Loads a tariff plan as a new version.
///
/// The first version creates the database, where the flow names it or in the folder of the flow
/// file. The name of a new database in that folder has up to 64 letters, digits, `-` and `_`, and
/// ends with `.db`.
#[derive(Clone, Debug, Default, Deserialize, ToSchema)]
#[schema(as = TariffLoad)]
pub struct LoadTariff {
    /// The plan.
    #[serde(flatten)]
    pub chosen: ChosenPlan,
    /// The files of the plan.
    pub draft: TariffDraft,
    /// When the version begins, with a zone: `2027-01-01 Europe/Stockholm`. It must be in the
    /// future, except for the first version of a database.
    pub valid_from: String,
    /// The reason, for the audit trail. It must not be empty.
    pub because: String,
}

/// The result of loading a tariff plan.
#[derive(Debug, Serialize, ToSchema)]
pub struct TariffLoaded {
    /// The number of the new version. Absent if the plan has mistakes; it is then not loaded.
    pub version: Option<i64>,
    /// The name of the plan. Absent if the plan is not loaded.
    pub name: Option<String>,
    /// When the version begins. Absent if the plan is not loaded.
    pub valid_from: Option<String>,
    /// The mistakes and warnings of the plan.
    #[serde(flatten)]
    pub mistakes: Mistakes,
    /// The answer of the gateway, which reads the new version. Absent if the plan is not loaded, or
    /// no gateway answers.
    pub gateway: Option<Activated>,
}

refusals! {
    /// Why a plan is not loaded.
    pub enum LoadError {
        /// `valid_from` cannot be read.
        ValidFrom {
            /// The text.
            text: String,
            /// What is wrong.
            fault: String,
        } => Wrong "tariff-valid-from-unreadable" "valid from \"{text}\": {fault}",
        /// The request has no reason.
        Reason(ReasonError) => [Wrong],
        /// The plan cannot be chosen.
        Plan(PlanError) => [Unknown, Conflict],
        /// The versions that there are do not allow it, or the database fails.
        Tariffs(TariffsError) => [Unknown, Conflict],
        /// The journal fails.
        Journal(JournalError) => [],
    }
}

impl Operation for LoadTariff {
    type Response = TariffLoaded;
    type Error = LoadError;

    const NAME: &'static str = "tariff load";
    const ROLE: Role = Role::Operator;
    const ACTIONS: &[&str] = &[Self::NAME];
    const IS_LONG: bool = true;

    fn perform(self, context: &Context<'_>) -> Result<TariffLoaded, LoadError> {
        let LoadTariff { chosen, draft, valid_from, because } = self;
        let database = chosen.database_to_be(context)?;
        let from = rating::moment(&valid_from)
            .map_err(|fault| LoadError::ValidFrom { text: valid_from, fault: fault.to_string() })?;
        let reason = reason(&because)?;
        let plan = match draft.loadable(&database) {
            Ok(plan) => plan,
            Err(TariffsError::Mistakes(found)) => {
                let mistakes = Mistakes::of(&found);
                let (version, name, valid_from, gateway) = (None, None, None, None);
                return Ok(TariffLoaded { version, name, valid_from, mistakes, gateway });
            }
            Err(error) => return Err(error.into()),
        };
        let deed = Deed { who: context.who, reason, now: now() };
        let Version { id, name, .. } =
            tariffs::load(&database, &plan, from, deed, |version| -> Result<(), LoadError> {
                let subject = format!("version {}, from {}", version.id, at(from));
                Ok(record(context, Self::NAME, &chosen, &subject, reason)?)
            })?;
        Ok(TariffLoaded {
            version: Some(id),
            name: Some(name),
            valid_from: Some(at(from)),
            mistakes: Mistakes::of(&plan.warnings),
            gateway: taken(context),
        })
    }
}
