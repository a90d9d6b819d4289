//! Discards deliveries.

use flow::flow_journal::JournalError;
use flow::names;
use people::Role;
use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

use super::{ChoiceError, ChosenDeliveries};
use crate::context::Context;
use crate::operation::Operation;
use crate::refusal::{ReasonError, reason};
use crate::refusals;

/// Discards deliveries that were given up.
///
/// The files stay where they are.
#[derive(Clone, Debug, Default, Deserialize, ToSchema)]
pub struct DiscardDeliveries {
    /// The deliveries.
    #[serde(flatten)]
    pub chosen: ChosenDeliveries,
    /// The reason, for the audit trail. It must not be empty.
    pub because: String,
}

/// The result of discarding deliveries.
#[derive(Debug, Serialize, ToSchema)]
pub struct DiscardedDeliveries {
    /// The number of files that were discarded.
    pub files: usize,
}

refusals! {
    /// Why deliveries are not discarded.
    pub enum DiscardError {
        /// The request does not say which deliveries.
        Choice(ChoiceError) => [Wrong],
        /// The request has no reason.
        Reason(ReasonError) => [Wrong],
        /// The receiver is unknown, or the journal fails.
        Journal(JournalError) => [Unknown],
    }
}

impl Operation for DiscardDeliveries {
    type Response = DiscardedDeliveries;
    type Error = DiscardError;

    const NAME: &'static str = "deliveries discard";
    const ROLE: Role = Role::Operator;
    const ACTIONS: &[&str] = &[Self::NAME];

    fn perform(self, context: &Context<'_>) -> Result<DiscardedDeliveries, DiscardError> {
        let chosen = self.chosen.given_up()?;
        let because = reason(&self.because)?;
        names::known_system(context.flow, chosen.system)?;
        let files = context.change(Self::NAME, |db, author| {
            distribution::discard_deliveries(db, &chosen, author, because)
        })?;
        Ok(DiscardedDeliveries { files })
    }
}
