//! Discards records in suspense, and reopens discarded ones.

use ::suspense::State;
use flow::flow_journal::JournalError;
use people::Role;
use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

use super::filter::{ChoiceError, ChosenRecords, known};
use crate::context::Context;
use crate::operation::Operation;
use crate::refusal::{ReasonError, reason};
use crate::refusals;

/// Discards open records.
///
/// They stay in the list of discarded records, with the reason, and can be reopened.
#[derive(Clone, Debug, Default, Deserialize, ToSchema)]
pub struct DiscardRecords {
    /// The records.
    #[serde(flatten)]
    pub chosen: ChosenRecords,
    /// The reason, for the audit trail. It must not be empty.
    pub because: String,
}

/// The result of discarding records.
#[derive(Debug, Serialize, ToSchema)]
#[schema(as = Discarded)]
pub struct DiscardedRecords {
    /// The number of records that were discarded.
    pub records: usize,
    /// Records that were left as they are, because a retry of them is requested.
    pub to_be_retried: usize,
}

/// Reopens discarded records.
///
/// Their history keeps both actions.
#[derive(Clone, Debug, Default, Deserialize, ToSchema)]
pub struct ReopenRecords {
    /// The records.
    #[serde(flatten)]
    pub chosen: ChosenRecords,
    /// The reason, for the audit trail. It must not be empty.
    pub because: String,
}

/// The result of reopening records.
#[derive(Debug, Serialize, ToSchema)]
#[schema(as = Reopened)]
pub struct ReopenedRecords {
    /// The number of records that are open again.
    pub records: usize,
}

refusals! {
    /// Why records are not discarded, or not reopened.
    pub enum DiscardRecordsError {
        /// The request does not say which records, or is for other records.
        Choice(ChoiceError) => [Wrong, Forbidden],
        /// The request has no reason.
        Reason(ReasonError) => [Wrong],
        /// A name in the filter is unknown, or the journal fails.
        Journal(JournalError) => [Unknown],
    }
}

impl Operation for DiscardRecords {
    type Response = DiscardedRecords;
    type Error = DiscardRecordsError;

    const NAME: &'static str = "suspense discard";
    const ROLE: Role = Role::Operator;
    const ACTIONS: &[&str] = &[Self::NAME];
    const IS_LONG: bool = true;

    fn perform(self, context: &Context<'_>) -> Result<DiscardedRecords, DiscardRecordsError> {
        let DiscardRecords { chosen, because } = self;
        let filter = chosen.in_state(State::Open, &context.subscriber_access())?;
        let because = reason(&because)?;
        known(context, &filter)?;
        let discarded = context
            .change(Self::NAME, |db, author| ::suspense::discard(db, &filter, author, because))?;
        let ::suspense::Discarded { records, to_be_retried } = discarded;
        Ok(DiscardedRecords { records, to_be_retried })
    }
}

impl Operation for ReopenRecords {
    type Response = ReopenedRecords;
    type Error = DiscardRecordsError;

    const NAME: &'static str = ::suspense::filter::REOPEN;
    const ROLE: Role = Role::Operator;
    const ACTIONS: &[&str] = &[Self::NAME];
    const IS_LONG: bool = true;

    fn perform(self, context: &Context<'_>) -> Result<ReopenedRecords, DiscardRecordsError> {
        let ReopenRecords { chosen, because } = self;
        let filter = chosen.in_state(State::Discarded, &context.subscriber_access())?;
        let because = reason(&because)?;
        known(context, &filter)?;
        let records = context
            .change(Self::NAME, |db, author| ::suspense::reopen(db, &filter, author, because))?;
        Ok(ReopenedRecords { records })
    }
}
