//! Withdraws a version of a plan.

use flow::flow_journal::JournalError;
use people::Role;
use serde::{Deserialize, Serialize};
use tariffs::{Deed, TariffsError, Version};
use utoipa::ToSchema;

use super::record::{record, taken};
use super::{ChosenPlan, PlanError, now};
use crate::context::Context;
use crate::operation::Operation;
use crate::refusal::{ReasonError, reason};
use crate::refusals;
use crate::versions::ActivationAnswer;

/// Withdraws a version that has not begun yet.
#[derive(Clone, Debug, Default, Deserialize, ToSchema)]
#[schema(as = TariffWithdraw)]
pub struct WithdrawTariff {
    /// The plan.
    #[serde(flatten)]
    pub chosen: ChosenPlan,
    /// The number of the version.
    pub version: i64,
    /// The reason, for the audit trail. It must not be empty.
    pub because: String,
}

/// The result of withdrawing a version.
#[derive(Debug, Serialize, ToSchema)]
pub struct WithdrawnTariff {
    /// The number of the version.
    pub version: i64,
    /// The name of the plan.
    pub name: String,
    /// The answer of the gateway, which reads the remaining versions. Absent if no gateway answers.
    pub answer: Option<ActivationAnswer>,
    /// The changes of the flow, in words, if the answer is `active` or `pending`.
    pub changed: Vec<String>,
    /// The mistakes, if the answer is `mistakes`; 100 at most.
    pub mistakes: Vec<String>,
}

refusals! {
    /// Why a version is not withdrawn.
    pub enum WithdrawError {
        /// The request has no reason.
        Reason(ReasonError) => [Wrong],
        /// The plan cannot be chosen.
        Plan(PlanError) => [Unknown, Conflict],
        /// There is no such version, it has begun, or the database fails.
        Tariffs(TariffsError) => [Unknown, Conflict],
        /// The journal fails.
        Journal(JournalError) => [],
    }
}

impl Operation for WithdrawTariff {
    type Response = WithdrawnTariff;
    type Error = WithdrawError;

    const NAME: &'static str = "tariff withdraw";
    const ROLE: Role = Role::Operator;
    const ACTIONS: &[&str] = &[Self::NAME];
    const IS_LONG: bool = true;

    fn perform(self, context: &Context<'_>) -> Result<WithdrawnTariff, WithdrawError> {
        let WithdrawTariff { chosen, version, because } = self;
        let database = chosen.database(context)?;
        let reason = reason(&because)?;
        let deed = Deed { who: context.who, reason, now: now() };
        let Version { id, name, .. } =
            tariffs::withdraw(&database, version, deed, |version| -> Result<(), WithdrawError> {
                let subject = format!("version {}", version.id);
                Ok(record(context, Self::NAME, &chosen, &subject, reason)?)
            })?;
        let (answer, changed, mistakes) = match taken(context) {
            Some(taken) => (Some(taken.answer), taken.changed, taken.mistakes),
            None => (None, Vec::new(), Vec::new()),
        };
        Ok(WithdrawnTariff { version: id, name, answer, changed, mistakes })
    }
}
