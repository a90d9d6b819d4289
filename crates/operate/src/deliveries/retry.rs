//! Retries deliveries.

use flow::flow_journal::JournalError;
use flow::names;
use people::Role;
use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

use super::{ChoiceError, ChosenDeliveries};
use crate::context::Context;
use crate::operation::Operation;
use crate::refusals;

/// Retries deliveries that were given up.
///
/// They wait to be delivered again, and the count of their failures begins at 0.
#[derive(Clone, Debug, Default, Deserialize, ToSchema)]
pub struct RetryDeliveries {
    /// The deliveries.
    #[serde(flatten)]
    pub chosen: ChosenDeliveries,
}

/// The result of a retry.
#[derive(Debug, Serialize, ToSchema)]
pub struct RetriedDeliveries {
    /// The number of files that are delivered again.
    pub files: usize,
}

refusals! {
    /// Why deliveries are not retried.
    pub enum RetryError {
        /// The request does not say which deliveries.
        Choice(ChoiceError) => [Wrong],
        /// The receiver is unknown, or the journal fails.
        Journal(JournalError) => [Unknown],
    }
}

impl Operation for RetryDeliveries {
    type Response = RetriedDeliveries;
    type Error = RetryError;

    const NAME: &'static str = "deliveries retry";
    const ROLE: Role = Role::Operator;
    const ACTIONS: &[&str] = &[Self::NAME];

    fn perform(self, context: &Context<'_>) -> Result<RetriedDeliveries, RetryError> {
        let chosen = self.chosen.given_up()?;
        names::known_system(context.flow, chosen.system)?;
        let files =
            context.change(Self::NAME, |db, author| distribution::put_back(db, &chosen, author))?;
        Ok(RetriedDeliveries { files })
    }
}
