//! Reports all that is stored about a subject, for people who have the right to know.

use actions::{ListedActions, RequestedAction};
use flow::flow_journal::JournalError;
use investigation::{
    Assigned, CaseState, CaseStep, FoundAlert, FraudCase, ListedAlerts, ListedCases,
};
use journal::audit_trail::{self, AuditEntry};
use people::Role;
use serde::{Deserialize, Serialize};
use store::Page;
use utoipa::ToSchema;

use super::cases::ShowFraudCase;
use super::lists::{Listed, ListedKey, listed};
use super::records::{self, CountError};
use super::unmask::UnmaskFraudCase;
use crate::context::Context;
use crate::operation::Operation;
use crate::privacy::SubscriberDataError;
use crate::refusals;

/// The most alerts, cases, actions and views of a report, each. A subject has some dozens.
const ROWS_MAX: u32 = 10_000;

/// The most other keys that a report names.
const KEYS_MAX: usize = 100;

/// Reports what is stored about a subject: alerts, cases with decisions and steps, actions, entries of lists, and who looked at it. It
/// needs the role that sees subscriber data, and is a view of the audit trail itself.
///
/// A command makes no entry: its user can read the journal.
#[derive(Clone, Debug, Default, Deserialize, ToSchema)]
pub struct ReportFraudSubject {
    /// The key, such as a number.
    pub key: String,
}

/// All that is stored about a subject.
#[derive(Debug, Serialize, ToSchema)]
pub struct FraudSubject {
    /// The key.
    pub key: String,
    /// The alerts, the newest first, 10000 at most.
    pub alerts: Vec<FoundAlert>,
    /// The cases, the newest first, 10000 at most.
    pub cases: Vec<CaseOfSubject>,
    /// The actions, the newest first, 10000 at most.
    pub actions: Vec<RequestedAction>,
    /// Whether there are more alerts, cases, actions or views than shown.
    pub more: bool,
    /// How many records about the key are in indexes: `GET /api/fraud/records` lists them.
    pub indexed: u64,
    /// The entries of lists that are for the key.
    pub lists: Vec<ListedKey>,
    /// The lists that have mistakes or cannot be read.
    pub unread_lists: Vec<String>,
    /// The views that name the key or its cases, the newest first, 10000 at most.
    pub views: Vec<AuditEntry>,
    /// Other keys that the key is part of, such as pairs: 100 at most. They are subjects of their own.
    pub other_keys: Vec<String>,
}

/// A case with what was done.
#[derive(Debug, Serialize, ToSchema)]
pub struct CaseOfSubject {
    /// The case.
    #[serde(flatten)]
    pub case: FraudCase,
    /// What was done with it, the oldest first.
    pub steps: Vec<CaseStep>,
}

refusals! {
    /// Why there is no report.
    pub enum ReportFraudSubjectError {
        /// The role does not see subscriber data, or the view cannot be recorded.
        SubscriberData(SubscriberDataError) => [Forbidden, NotReady],
        /// An index cannot be read.
        Index(CountError) => [Conflict],
        /// The journal fails.
        Journal(JournalError) => [],
    }
}

impl Operation for ReportFraudSubject {
    type Response = FraudSubject;
    type Error = ReportFraudSubjectError;

    const NAME: &'static str = "fraud about";
    const ROLE: Role = Role::Viewer;
    const IS_LONG: bool = true;

    fn perform(self, context: &Context<'_>) -> Result<FraudSubject, ReportFraudSubjectError> {
        let ReportFraudSubject { key } = self;
        let access = context.subscriber_access();
        access.allow("a report about a subject")?;
        context.record_view(&access, Self::NAME, &format!("all about \"{key}\""))?;
        let Listed { found: lists, unread: unread_lists } = listed(context, &key)?;
        let indexed = records::count(context, &key)?;
        let page = Page::newest(ROWS_MAX);
        let subject = context.read(|db| {
            let of_key =
                ListedAlerts { key: Some(&key), ..ListedAlerts::all(&(i64::MIN..i64::MAX)) };
            let (alerts, more_alerts) = investigation::alerts(db, of_key, page)?;
            let of_key = ListedCases {
                state: CaseState::All,
                key: Some(&key),
                rule: None,
                assigned: Assigned::Any,
            };
            let (found, more_cases) = investigation::cases(db, of_key, page)?;
            let mut cases = Vec::with_capacity(found.len());
            for case in found {
                let steps = investigation::steps(db, case.id)?;
                cases.push(CaseOfSubject { case, steps });
            }
            let of_key = ListedActions { key: Some(&key), ..ListedActions::default() };
            let (actions, more_actions) = actions::list(db, of_key, page)?;
            let is_about = |view: &AuditEntry| {
                let of_case = |of: &CaseOfSubject| view.subject == format!("case {}", of.case.id);
                let is_case =
                    [ShowFraudCase::NAME, UnmaskFraudCase::NAME].contains(&view.action.as_str());
                audit_trail::names(&view.subject, &key) || (is_case && cases.iter().any(of_case))
            };
            let views = audit_trail::views(db, is_about, ROWS_MAX as usize)?;
            let has_key = |other: &str| audit_trail::names(other, &key);
            let other_keys = investigation::keys_with(db, &key, has_key, KEYS_MAX)?;
            let more_views = views.len() == ROWS_MAX as usize;
            let more = more_alerts || more_cases || more_actions || more_views;
            Ok(FraudSubject {
                key: key.clone(),
                alerts,
                cases,
                actions,
                more,
                indexed,
                lists,
                unread_lists,
                views,
                other_keys,
            })
        })?;
        Ok(subject)
    }
}
