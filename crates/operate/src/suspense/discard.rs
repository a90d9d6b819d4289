//! Discards records in suspense, and reopens discarded ones.

use ::suspense::State;
use flow::flow_journal::JournalError;
use people::Role;
use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

use super::filter::{Choice, ChoiceError, RecordFilter};
use crate::context::Context;
use crate::operation::Operation;
use crate::refusals;

/// Discards open records.
///
/// They stay in the list of discarded records, with the reason, and can be reopened.
#[derive(Clone, Debug, Default, Deserialize, ToSchema)]
pub struct DiscardRecords {
    /// The numbers of the records.
    pub ids: Option<Vec<i64>>,
    /// The records that meet these conditions. With `ids`, only those of them.
    pub filter: Option<RecordFilter>,
    /// `true` for all records. Required if there are neither `ids` nor conditions.
    #[serde(default)]
    pub all: bool,
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
    /// The numbers of the records.
    pub ids: Option<Vec<i64>>,
    /// The records that meet these conditions. With `ids`, only those of them.
    pub filter: Option<RecordFilter>,
    /// `true` for all records. Required if there are neither `ids` nor conditions.
    #[serde(default)]
    pub all: bool,
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
    /// Why records are not discarded.
    pub enum DiscardRecordsError {
        /// The request does not say which records.
        NothingChosen => Wrong "records-not-chosen"
            "say which records are meant: their numbers, a condition, or all",
        /// The filter is for other records.
        NotOpen => Wrong "records-not-open" "only records that are open are discarded",
        /// The request has no reason.
        NoReason => Wrong "reason-missing" "give a reason, for the audit trail",
        /// A name in the filter is unknown, or the journal fails.
        Journal(JournalError) => [Unknown],
    }
}

refusals! {
    /// Why records are not reopened.
    pub enum ReopenRecordsError {
        /// The request does not say which records.
        NothingChosen => Wrong "records-not-chosen"
            "say which records are meant: their numbers, a condition, or all",
        /// The filter is for other records.
        NotDiscarded => Wrong "records-not-discarded" "only records that were discarded are reopened",
        /// The request has no reason.
        NoReason => Wrong "reason-missing" "give a reason, for the audit trail",
        /// A name in the filter is unknown, or the journal fails.
        Journal(JournalError) => [Unknown],
    }
}

impl From<ChoiceError> for DiscardRecordsError {
    fn from(error: ChoiceError) -> Self {
        match error {
            ChoiceError::Nothing => DiscardRecordsError::NothingChosen,
            ChoiceError::State => DiscardRecordsError::NotOpen,
        }
    }
}

impl From<ChoiceError> for ReopenRecordsError {
    fn from(error: ChoiceError) -> Self {
        match error {
            ChoiceError::Nothing => ReopenRecordsError::NothingChosen,
            ChoiceError::State => ReopenRecordsError::NotDiscarded,
        }
    }
}

impl Operation for DiscardRecords {
    type Response = DiscardedRecords;
    type Error = DiscardRecordsError;

    const NAME: &'static str = "suspense discard";
    const ROLE: Role = Role::Operator;

    fn perform(self, context: &Context<'_>) -> Result<DiscardedRecords, DiscardRecordsError> {
        let DiscardRecords { ids, filter, all, because } = self;
        let filter = Choice { ids, filter, all }.in_state(State::Open)?;
        let because = because.trim();
        if because.is_empty() {
            return Err(DiscardRecordsError::NoReason);
        }
        ::suspense::known(context.flow, &filter)?;
        let discarded = context
            .change(Self::NAME, |db, author| ::suspense::discard(db, &filter, author, because))?;
        let ::suspense::Discarded { records, to_be_retried } = discarded;
        Ok(DiscardedRecords { records, to_be_retried })
    }
}

impl Operation for ReopenRecords {
    type Response = ReopenedRecords;
    type Error = ReopenRecordsError;

    const NAME: &'static str = ::suspense::filter::REOPEN;
    const ROLE: Role = Role::Operator;

    fn perform(self, context: &Context<'_>) -> Result<ReopenedRecords, ReopenRecordsError> {
        let ReopenRecords { ids, filter, all, because } = self;
        let filter = Choice { ids, filter, all }.in_state(State::Discarded)?;
        let because = because.trim();
        if because.is_empty() {
            return Err(ReopenRecordsError::NoReason);
        }
        ::suspense::known(context.flow, &filter)?;
        let records = context
            .change(Self::NAME, |db, author| ::suspense::reopen(db, &filter, author, because))?;
        Ok(ReopenedRecords { records })
    }
}
