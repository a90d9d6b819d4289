//! What people do with cases.

use diagnostics::did_you_mean;
use flow::flow_journal::JournalError;
use investigation::Decision;
use people::Role;
use runtime::time::now_ms;
use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

use crate::context::Context;
use crate::operation::Operation;
use crate::people::PeopleUnreadError;
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

/// Gives open cases to a user. If the gateway has users, it must be one of them.
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

/// Which cases were changed.
#[derive(Debug, Serialize, ToSchema)]
pub struct ChangedFraudCases {
    /// How many cases were changed.
    pub changed: usize,
    /// Their numbers.
    pub cases: Vec<i64>,
}

impl From<Vec<i64>> for ChangedFraudCases {
    fn from(cases: Vec<i64>) -> Self {
        ChangedFraudCases { changed: cases.len(), cases }
    }
}

refusals! {
    /// Why cases are not changed.
    pub enum ChangeFraudCasesError {
        /// The request does not say why.
        NoReason => Wrong "case-without-reason" "say why: a decision is read by others, and counts for the rules",
        /// The remark is empty.
        NoRemark => Wrong "remark-empty" "write a remark: the text is empty",
        /// The gateway has users, and none of this name.
        NoUser {
            /// The name.
            to: String,
            /// Which one may be meant, or where users are listed.
            hint: String,
        } => Unknown "case-user-unknown" "there is no user \"{to}\"; {hint}",
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
        /// The users cannot be read.
        People(PeopleUnreadError) => [NotReady],
        /// The journal fails.
        Journal(JournalError) => [],
    }
}

/// Refuses a user that the gateway does not know. A gateway that only commands work on may have no users: then any name will do.
fn check_user(context: &Context<'_>, to: &str) -> Result<(), ChangeFraudCasesError> {
    let people = context.shared.people()?.list().map_err(PeopleUnreadError::from)?;
    if people.is_empty() || people.iter().any(|person| person.name == to) {
        return Ok(());
    }
    let hint = did_you_mean(to, people.iter().map(|person| person.name.as_str()));
    let hint = hint.unwrap_or_else(|| "\"tollgate people list\" lists the users".to_owned());
    Err(ChangeFraudCasesError::NoUser { to: to.to_owned(), hint })
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
    const ACTIONS: &[&str] = &[Self::NAME];

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
            Ok(decided)
        })?;
        Ok(changed.into())
    }
}

impl Operation for AssignFraudCases {
    type Response = ChangedFraudCases;
    type Error = ChangeFraudCasesError;

    const NAME: &'static str = "fraud assign";
    const ROLE: Role = Role::Operator;
    const ACTIONS: &[&str] = &[Self::NAME];

    fn perform(self, context: &Context<'_>) -> Result<ChangedFraudCases, ChangeFraudCasesError> {
        let AssignFraudCases { cases, to } = self;
        let to = to.as_deref().map(str::trim).filter(|to| !to.is_empty());
        if let Some(to) = to {
            check_user(context, to)?;
        }
        let changed = context.change(Self::NAME, |db, author| {
            let given = investigation::assign(db, &cases, to, (context.who, now_ms()))?;
            for case in &given {
                let subject = match to {
                    Some(to) => format!("{}: to {to}", shown(*case)),
                    None => format!("{}: to no one", shown(*case)),
                };
                author.record(db, &subject, "")?;
            }
            Ok(given)
        })?;
        Ok(changed.into())
    }
}

impl Operation for ReopenFraudCase {
    type Response = ChangedFraudCases;
    type Error = ChangeFraudCasesError;

    const NAME: &'static str = "fraud reopen";
    const ROLE: Role = Role::Operator;
    const ACTIONS: &[&str] = &[Self::NAME];

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
            true => Ok(vec![id].into()),
            false => Err(ChangeFraudCasesError::NotReopened { id }),
        }
    }
}

impl Operation for RemarkFraudCase {
    type Response = ChangedFraudCases;
    type Error = ChangeFraudCasesError;

    const NAME: &'static str = "fraud remark";
    const ROLE: Role = Role::Operator;
    const ACTIONS: &[&str] = &[Self::NAME];

    fn perform(self, context: &Context<'_>) -> Result<ChangedFraudCases, ChangeFraudCasesError> {
        let RemarkFraudCase { id, remark } = self;
        let remark = remark.trim();
        if remark.is_empty() {
            return Err(ChangeFraudCasesError::NoRemark);
        }
        let is_there = context.change(Self::NAME, |db, author| {
            let is_there = investigation::remark(db, id, remark, (context.who, now_ms()))?;
            if is_there {
                author.record(db, &shown(id), remark)?;
            }
            Ok(is_there)
        })?;
        match is_there {
            true => Ok(vec![id].into()),
            false => Err(ChangeFraudCasesError::Unknown { id }),
        }
    }
}
