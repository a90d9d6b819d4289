//! Retries deliveries.

use flow::flow_journal::JournalError;
use flow::names;
use people::Role;
use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

use super::Choice;
use crate::context::Context;
use crate::operation::Operation;
use crate::refusals;

/// Retries deliveries that were given up.
///
/// They wait to be delivered again, and the count of their failures begins at 0.
#[derive(Clone, Debug, Default, Deserialize, ToSchema)]
pub struct RetryDeliveries {
    /// Only deliveries with these numbers. Deliveries that were not given up are left out.
    #[serde(default)]
    pub ids: Vec<i64>,
    /// Only deliveries to this receiver.
    pub post_processing_system: Option<String>,
    /// `true` for all deliveries that were given up, if neither `ids` nor `post_processing_system` is given.
    #[serde(default)]
    pub all: bool,
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
        NothingChosen => Wrong "deliveries-not-chosen"
            "say which deliveries are meant: their numbers, their receiver, or all",
        /// The receiver is unknown, or the journal fails.
        Journal(JournalError) => [Unknown],
    }
}

impl Operation for RetryDeliveries {
    type Response = RetriedDeliveries;
    type Error = RetryError;

    const NAME: &'static str = "deliveries retry";
    const ROLE: Role = Role::Operator;

    fn perform(self, context: &Context<'_>) -> Result<RetriedDeliveries, RetryError> {
        let RetryDeliveries { ids, post_processing_system, all } = &self;
        let choice = Choice { system: post_processing_system.as_deref(), ids, all: *all };
        let chosen = choice.of_some().ok_or(RetryError::NothingChosen)?;
        names::known_system(context.flow, chosen.system)?;
        let files =
            context.change(Self::NAME, |db, author| distribution::put_back(db, &chosen, author))?;
        Ok(RetriedDeliveries { files })
    }
}
