//! Checks a draft of a plan.

use people::Role;
use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

use super::{ChosenPlan, StoredPlanError, TariffDraft};
use crate::context::Context;
use crate::mistakes::Mistakes;
use crate::operation::Operation;

/// Checks a draft of a tariff plan.
///
/// The answer has the mistakes that `tollgate tariff check` would find. Nothing is saved.
#[derive(Clone, Debug, Default, Deserialize, ToSchema)]
#[schema(as = TariffChecked)]
pub struct CheckTariff {
    /// The plan.
    #[serde(flatten)]
    pub chosen: ChosenPlan,
    /// The files of the plan.
    pub draft: TariffDraft,
}

/// The mistakes of a tariff plan.
#[derive(Debug, Serialize, ToSchema)]
pub struct TariffFound {
    /// The mistakes and warnings.
    #[serde(flatten)]
    pub mistakes: Mistakes,
}

impl Operation for CheckTariff {
    type Response = TariffFound;
    type Error = StoredPlanError;

    const NAME: &'static str = "tariff check";
    const ROLE: Role = Role::Viewer;
    const IS_LONG: bool = true;

    fn perform(self, context: &Context<'_>) -> Result<TariffFound, StoredPlanError> {
        let read = self.draft.read(context, &self.chosen)?;
        Ok(TariffFound { mistakes: Mistakes::of(&read.diagnostics) })
    }
}
