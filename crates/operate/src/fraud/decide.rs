//! What people do with cases.

use flow::flow_journal::JournalError;
use investigation::Decision;
use people::Role;
use runtime::time::now_ms;
use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

use crate::context::Context;
use crate::operation::Operation;
use crate::refusals;

/// Decides what cases are: fraud, no fraud, or that it cannot be known.
///
/// Cases that are decided already stay as they are.
#[derive(Clone, Debug, Deserialize, ToSchema)]
pub struct DecideFraudCases {
    /// The numbers of the cases.
    pub cases: Vec<i64>,
    /// What they are.
    pub decision: Decision,
    /// Why, for others and the audit trail.
    pub reason: String,
}

/// Gives open cases to a user.
#[derive(Clone, Debug, Deserialize, ToSchema)]
pub struct AssignFraudCases {
    /// The numbers of the cases.
    pub cases: Vec<i64>,
    /// The user. Absent for no one.
    pub to: Option<String>,
}

/// Opens a decided case again.
#[derive(Clone, Debug, Deserialize, ToSchema)]
pub struct ReopenFraudCase {
    /// Its number.
    pub id: i64,
    /// Why, for others and the audit trail.
    pub reason: String,
}

/// Adds a remark to a case.
#[derive(Clone, Debug, Deserialize, ToSchema)]
pub struct RemarkFraudCase {
    /// Its number.
    pub id: i64,
    /// The remark.
    pub remark: String,
}

/// How many cases were changed.
#[derive(Debug, Serialize, ToSchema)]
pub struct ChangedFraudCases {
    /// The number of cases that were changed.
    pub changed: usize,
}

refusals! {
    /// Why cases are not changed.
    pub enum ChangeFraudCasesError {
        /// The request does not say why.
        NoReason => Wrong "case-without-reason" "say why: a decision is read by others, and counts for the rules",
        /// The case is open, or another one about its key is.
        NotReopened {
            /// Its number.
            id: i64,
        } => Conflict "case-not-reopened" "the case {id} is not decided, or there is an open one about the same key",
        /// There is no such case.
        Unknown {
            /// Its number.
            id: i64,
        } => Unknown "fraud-case-unknown" "there is no case {id}",
        /// The journal fails.
        Journal(JournalError) => [],
    }
}

/// Returns cases for the audit trail: `case 3`.
fn shown(case: i64) -> String {
    format!("case {case}")
}

impl Operation for DecideFraudCases {
    type Response = ChangedFraudCases;
    type Error = ChangeFraudCasesError;

    const NAME: &'static str = "fraud decide";
    const ROLE: Role = Role::Operator;

    fn perform(self, context: &Context<'_>) -> Result<ChangedFraudCases, ChangeFraudCasesError> {
        let DecideFraudCases { cases, decision, reason } = self;
        let reason = reason.trim();
        if reason.is_empty() {
            return Err(ChangeFraudCasesError::NoReason);
        }
        let changed = context.change(Self::NAME, |db, author| {
            let by = (context.who, now_ms());
            let decided = investigation::decide(db, &cases, (decision, reason), by)?;
            for case in &decided {
                author.record(db, &format!("{}: {}", shown(*case), decision.name()), reason)?;
            }
            Ok(decided.len())
        })?;
        Ok(ChangedFraudCases { changed })
    }
}

impl Operation for AssignFraudCases {
    type Response = ChangedFraudCases;
    type Error = ChangeFraudCasesError;

    const NAME: &'static str = "fraud assign";
    const ROLE: Role = Role::Operator;

    fn perform(self, context: &Context<'_>) -> Result<ChangedFraudCases, ChangeFraudCasesError> {
        let AssignFraudCases { cases, to } = self;
        let to = to.as_deref().map(str::trim).filter(|to| !to.is_empty());
        let changed = context.change(Self::NAME, |db, author| {
            let given = investigation::assign(db, &cases, to, (context.who, now_ms()))?;
            for case in &given {
                let subject = match to {
                    Some(to) => format!("{}: to {to}", shown(*case)),
                    None => format!("{}: to no one", shown(*case)),
                };
                author.record(db, &subject, "")?;
            }
            Ok(given.len())
        })?;
        Ok(ChangedFraudCases { changed })
    }
}

impl Operation for ReopenFraudCase {
    type Response = ChangedFraudCases;
    type Error = ChangeFraudCasesError;

    const NAME: &'static str = "fraud reopen";
    const ROLE: Role = Role::Operator;

    fn perform(self, context: &Context<'_>) -> Result<ChangedFraudCases, ChangeFraudCasesError> {
        let ReopenFraudCase { id, reason } = self;
        let reason = reason.trim();
        if reason.is_empty() {
            return Err(ChangeFraudCasesError::NoReason);
        }
        let is_opened = context.change(Self::NAME, |db, author| {
            let is_opened = investigation::reopen(db, id, reason, (context.who, now_ms()))?;
            if is_opened {
                author.record(db, &shown(id), reason)?;
            }
            Ok(is_opened)
        })?;
        match is_opened {
            true => Ok(ChangedFraudCases { changed: 1 }),
            false => Err(ChangeFraudCasesError::NotReopened { id }),
        }
    }
}

impl Operation for RemarkFraudCase {
    type Response = ChangedFraudCases;
    type Error = ChangeFraudCasesError;

    const NAME: &'static str = "fraud remark";
    const ROLE: Role = Role::Operator;

    fn perform(self, context: &Context<'_>) -> Result<ChangedFraudCases, ChangeFraudCasesError> {
        let RemarkFraudCase { id, remark } = self;
        let remark = remark.trim();
        if remark.is_empty() {
            return Err(ChangeFraudCasesError::NoReason);
        }
        let is_there = context.change(Self::NAME, |db, author| {
            let is_there = investigation::remark(db, id, remark, (context.who, now_ms()))?;
            if is_there {
                author.record(db, &shown(id), remark)?;
            }
            Ok(is_there)
        })?;
        match is_there {
            true => Ok(ChangedFraudCases { changed: 1 }),
            false => Err(ChangeFraudCasesError::Unknown { id }),
        }
    }
}
