//! Lists and shows cases.

use actions::{ListedActions, RequestedAction};
use flow::flow_journal::JournalError;
use inspection::masking::masked_key;
use investigation::{
    Assigned, CaseState, CaseStep, FoundAlert, FraudCase, ListedAlerts, ListedCases,
};
use people::Role;
use serde::{Deserialize, Serialize};
use store::Page;
use utoipa::ToSchema;

use super::list::mask;
use crate::actions::mask_action;
use crate::context::Context;
use crate::operation::Operation;
use crate::page::PageQuery;
use crate::privacy::{SubscriberDataError, is_whole};
use crate::refusals;

/// The most alerts that are shown with a case: the last ones.
const ALERTS_MAX: u32 = 200;

/// Lists cases: the alerts about a subscriber, until people decide what they are.
///
/// Open cases come by their points, the most first, and have no pages. Others come by their numbers, the newest first.
#[derive(Clone, Debug, Default, Deserialize, ToSchema)]
pub struct ListFraudCases {
    /// Open cases, the default, decided ones, or all.
    #[serde(default)]
    pub state: CaseState,
    /// Only cases about this key, such as a number. It needs the role that sees subscriber data.
    pub key: Option<String>,
    /// Only cases with an alert of this rule.
    pub rule: Option<String>,
    /// Only cases that are assigned to this user.
    pub assigned: Option<String>,
    /// Only cases that are assigned to no one.
    #[serde(default)]
    pub unassigned: bool,
    /// The page.
    #[serde(flatten)]
    pub page: PageQuery,
}

/// A page of cases.
#[derive(Debug, Serialize, ToSchema)]
pub struct FraudCases {
    /// The cases.
    pub cases: Vec<FraudCase>,
    /// Whether there are more cases.
    pub more: bool,
    /// `true` if subscriber data is masked. Absent otherwise.
    #[serde(skip_serializing_if = "is_whole")]
    pub masked: bool,
}

refusals! {
    /// Why cases are not listed.
    pub enum ListFraudCasesError {
        /// The request names a user, and no one.
        AssignedTwice => Wrong "cases-assigned-twice" "specify either a user or unassigned cases, not both",
        /// The journal fails.
        Journal(JournalError) => [],
        /// The role does not see subscriber data, or the search cannot be recorded.
        SubscriberData(SubscriberDataError) => [Forbidden, NotReady],
    }
}

impl Operation for ListFraudCases {
    type Response = FraudCases;
    type Error = ListFraudCasesError;

    const NAME: &'static str = "fraud cases";
    const ROLE: Role = Role::Viewer;

    fn perform(self, context: &Context<'_>) -> Result<FraudCases, ListFraudCasesError> {
        let ListFraudCases { state, key, rule, assigned, unassigned, page } = self;
        let assigned = match (&assigned, unassigned) {
            (Some(_), true) => return Err(ListFraudCasesError::AssignedTwice),
            (Some(user), false) => Assigned::To(user),
            (None, true) => Assigned::NoOne,
            (None, false) => Assigned::Any,
        };
        let access = context.subscriber_access();
        if let Some(key) = &key {
            access.allow("a search by key")?;
            context.record_view(&access, Self::NAME, &format!("cases about \"{key}\""))?;
        }
        let (key, rule) = (key.as_deref(), rule.as_deref());
        let listed = ListedCases { state, key, rule, assigned };
        let (mut cases, more) = context.read(|db| investigation::cases(db, listed, page.rows()))?;
        if access.is_masked() {
            cases.iter_mut().for_each(|case| case.key = masked_key(&case.key));
        }
        Ok(FraudCases { cases, more, masked: access.is_masked() })
    }
}

/// Shows a case: its alerts, and what was done.
#[derive(Clone, Copy, Debug, Deserialize, ToSchema)]
pub struct ShowFraudCase {
    /// Its number.
    pub id: i64,
}

/// A case with all that belongs to it.
#[derive(Debug, Serialize, ToSchema)]
pub struct WholeFraudCase {
    /// The case.
    #[serde(flatten)]
    pub case: FraudCase,
    /// Its alerts, the newest first, 200 at most.
    pub found: Vec<FoundAlert>,
    /// What was done with it, the oldest first.
    pub steps: Vec<CaseStep>,
    /// The actions about its key, the newest first, 200 at most.
    pub actions: Vec<RequestedAction>,
    /// The other cases about the same key, the newest first, 200 at most.
    pub others: Vec<FraudCase>,
    /// Whether the caller may see it unmasked after giving a reason.
    pub unmaskable: bool,
    /// `true` if subscriber data is masked. Absent otherwise.
    #[serde(skip_serializing_if = "is_whole")]
    pub masked: bool,
}

refusals! {
    /// Why a case is not shown.
    pub enum ShowFraudCaseError {
        /// There is no such case.
        Unknown {
            /// Its number.
            id: i64,
        } => Unknown "case-unknown" "there is no case {id}",
        /// The journal fails.
        Journal(JournalError) => [],
        /// The view cannot be recorded.
        SubscriberData(SubscriberDataError) => [Forbidden, NotReady],
    }
}

impl Operation for ShowFraudCase {
    type Response = WholeFraudCase;
    type Error = ShowFraudCaseError;

    const NAME: &'static str = "fraud case";
    const ROLE: Role = Role::Viewer;

    fn perform(self, context: &Context<'_>) -> Result<WholeFraudCase, ShowFraudCaseError> {
        let ShowFraudCase { id } = self;
        let access = context.subscriber_access();
        let mut whole = whole(context, id)?.ok_or(ShowFraudCaseError::Unknown { id })?;
        context.record_view(&access, Self::NAME, &format!("case {id}"))?;
        if access.is_masked() {
            whole.mask(access.may_unmask());
        }
        Ok(whole)
    }
}

/// Returns a case with all that belongs to it, unmasked.
pub(super) fn whole(
    context: &Context<'_>,
    id: i64,
) -> Result<Option<WholeFraudCase>, JournalError> {
    let page = Page::newest(ALERTS_MAX);
    context.read(|db| {
        let Some(case) = investigation::case(db, id)? else { return Ok(None) };
        let of_case = ListedAlerts { case: Some(id), ..ListedAlerts::all(&(i64::MIN..i64::MAX)) };
        let (found, _) = investigation::alerts(db, of_case, page)?;
        let steps = investigation::steps(db, id)?;
        let of_key = ListedCases {
            state: CaseState::All,
            key: Some(&case.key),
            rule: None,
            assigned: Assigned::Any,
        };
        let (mut others, _) = investigation::cases(db, of_key, page)?;
        others.retain(|other| other.id != id);
        let of_key = ListedActions { key: Some(&case.key), ..ListedActions::default() };
        let (actions, _) = actions::list(db, of_key, page)?;
        let (masked, unmaskable) = (false, false);
        Ok(Some(WholeFraudCase { case, found, steps, actions, others, masked, unmaskable }))
    })
}

impl WholeFraudCase {
    /// Masks what tells the subscriber.
    fn mask(&mut self, unmaskable: bool) {
        self.found.iter_mut().for_each(mask);
        self.actions.iter_mut().for_each(mask_action);
        let cases = self.others.iter_mut().chain([&mut self.case]);
        cases.for_each(|case| case.key = masked_key(&case.key));
        (self.masked, self.unmaskable) = (true, unmaskable);
    }
}
