//! Discards deliveries.

use flow::flow_journal::JournalError;
use flow::names;
use people::Role;
use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

use super::Choice;
use crate::context::Context;
use crate::operation::Operation;
use crate::refusals;

/// Discards deliveries that were given up.
///
/// The files stay where they are.
#[derive(Clone, Debug, Default, Deserialize, ToSchema)]
pub struct DiscardDeliveries {
    /// Only deliveries with these numbers. Deliveries that were not given up are left out.
    #[serde(default)]
    pub ids: Vec<i64>,
    /// Only deliveries to this receiver.
    pub post_processing_system: Option<String>,
    /// `true` for all deliveries that were given up, if neither `ids` nor `post_processing_system` is given.
    #[serde(default)]
    pub all: bool,
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
        NothingChosen => Wrong "deliveries-not-chosen"
            "say which deliveries are meant: their numbers, their receiver, or all",
        /// The request has no reason.
        NoReason => Wrong "reason-missing" "give a reason, for the audit trail",
        /// The receiver is unknown, or the journal fails.
        Journal(JournalError) => [Unknown],
    }
}

impl Operation for DiscardDeliveries {
    type Response = DiscardedDeliveries;
    type Error = DiscardError;

    const NAME: &'static str = "deliveries discard";
    const ROLE: Role = Role::Operator;

    fn perform(self, context: &Context<'_>) -> Result<DiscardedDeliveries, DiscardError> {
        let DiscardDeliveries { ids, post_processing_system, all, because } = &self;
        let choice = Choice { system: post_processing_system.as_deref(), ids, all: *all };
        let chosen = choice.of_some().ok_or(DiscardError::NothingChosen)?;
        let because = because.trim();
        if because.is_empty() {
            return Err(DiscardError::NoReason);
        }
        names::known_system(context.flow, chosen.system)?;
        let files = context.change(Self::NAME, |db, author| {
            distribution::discard_deliveries(db, &chosen, author, because)
        })?;
        Ok(DiscardedDeliveries { files })
    }
}
