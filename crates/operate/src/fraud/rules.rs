//! What became of the alerts of rules.

use investigation::RuleFigures;
use people::Role;
use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

use crate::context::Context;
use crate::operation::Operation;
use crate::period::{Period, PeriodReadError};

/// Says what became of the alerts of each rule: how many there are, how many cases they led to, and what these were decided to be.
///
/// The period chooses alerts by the time at which the rule fired.
#[derive(Clone, Debug, Default, Deserialize, ToSchema)]
pub struct ReportFraudRules {
    /// Only alerts of this period.
    #[serde(flatten)]
    pub period: Period,
}

/// What became of the alerts of rules.
#[derive(Debug, Serialize, ToSchema)]
pub struct FraudRules {
    /// The rules that have alerts, by node and name.
    pub rules: Vec<RuleFigures>,
}

impl Operation for ReportFraudRules {
    type Response = FraudRules;
    type Error = PeriodReadError;

    const NAME: &'static str = "fraud rules";
    const ROLE: Role = Role::Viewer;

    fn perform(self, context: &Context<'_>) -> Result<FraudRules, PeriodReadError> {
        let of = self.period.range()?;
        let rules = context.read(|db| investigation::figures(db, &of))?;
        Ok(FraudRules { rules })
    }
}
