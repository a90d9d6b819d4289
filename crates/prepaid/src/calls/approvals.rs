//! Four eyes: above an amount of `charging.toml`, what one person asks for is stored, and another one approves or rejects it.

use ledger::{AccountId, Unit};
use runtime::time::shown;
use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

use super::{Authority, Call, Clerk, text, unusable};
use crate::amount;
use crate::approvals::StoredRequest;
use crate::refused::Refused;

/// The most requests that wait. One who has to approve more has no eyes for them.
const REQUESTS_MAX: usize = 1_000;

/// Lists what waits for the approval of a second person, the oldest first.
#[derive(Clone, Copy, Debug, Default, Serialize, Deserialize, ToSchema)]
pub struct ListApprovals {}

/// What waits for approval.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct Approvals {
    /// The requests, the oldest first.
    pub requests: Vec<ApprovalRequest>,
    /// The amount above which a second person is needed, in the currency of the plan. Absent without one.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub above: Option<String>,
}

/// What one person asked for and another one approves or rejects.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct ApprovalRequest {
    /// Its number.
    pub request: i64,
    /// When it was asked for.
    pub at: String,
    /// The user or token who asked for it.
    pub who: String,
    /// What is done, by the words of its command: `account refill`.
    pub action: String,
    /// What it is about: the account and the amount.
    pub subject: String,
    /// The reason, or the reference of a payment.
    pub because: String,
}

/// Approves what another person asked for, and does it.
///
/// If it cannot be done now, such as for want of money, it goes on waiting.
#[derive(Clone, Debug, Default, Serialize, Deserialize, ToSchema)]
pub struct ApproveRequest {
    /// The number of the request.
    pub request: i64,
    /// The reason.
    pub because: String,
}

/// Rejects what a person asked for: nothing is done. The one who asked for it may do so, too.
#[derive(Clone, Debug, Default, Serialize, Deserialize, ToSchema)]
pub struct RejectRequest {
    /// The number of the request.
    pub request: i64,
    /// The reason.
    pub because: String,
}

impl Call for ListApprovals {
    type Reply = Approvals;

    const NAME: &'static str = "account approvals";

    fn perform(self, clerk: &Clerk<'_>) -> Result<Approvals, Refused> {
        let waiting = clerk.system.back.approvals().map_err(unusable)?;
        let rules = clerk.system.rules();
        let above = rules.approval_above;
        Ok(Approvals {
            requests: waiting.into_iter().map(ApprovalRequest::of).collect(),
            above: above.map(|above| amount::shown(above, Unit::Money, rules.currency)),
        })
    }

    fn subject(&self) -> Option<String> {
        Some(String::new())
    }
}

impl Call for ApproveRequest {
    type Reply = ApprovalRequest;

    const NAME: &'static str = "account approve";

    fn perform(self, clerk: &Clerk<'_>) -> Result<ApprovalRequest, Refused> {
        let because = text("the reason", &self.because)?;
        let _turn = clerk.system.approval_turn();
        let found = clerk.waiting(self.request)?;
        if !people::is_second_person(&found.who, clerk.who) {
            return Err(Refused::SecondPersonNeeded { who: found.who });
        }
        let request = serde_json::from_str(&found.request)
            .map_err(|why| Refused::Unusable { why: why.to_string() })?;
        let authority = Authority::Approved { by: clerk.who, because, request: found.number };
        let asked = Clerk { system: clerk.system, who: &found.who, authority };
        super::perform(&asked, &found.call, request)?;
        // What was done before changes nothing, and leaves its request.
        clerk.system.back.reject(found.number, Vec::new()).map_err(unusable)?;
        Ok(ApprovalRequest::of(found))
    }

    fn subject(&self) -> Option<String> {
        Some(String::new())
    }
}

impl Call for RejectRequest {
    type Reply = ApprovalRequest;

    const NAME: &'static str = "account reject";

    fn perform(self, clerk: &Clerk<'_>) -> Result<ApprovalRequest, Refused> {
        let because = text("the reason", &self.because)?;
        let _turn = clerk.system.approval_turn();
        let found = clerk.waiting(self.request)?;
        let subject = format!("{}, {}, asked for by {}", found.call, found.subject, found.who);
        let trail = clerk.trail(Self::NAME, subject, because);
        match clerk.system.back.reject(found.number, trail).map_err(unusable)? {
            true => Ok(ApprovalRequest::of(found)),
            false => Err(Refused::RequestUnknown { request: found.number }),
        }
    }

    fn subject(&self) -> Option<String> {
        Some(String::new())
    }
}

/// Returns the name of an account that stays: its numbers may lead to another one when a request is approved.
pub(super) fn named(account: AccountId) -> String {
    format!("#{}", account.0)
}

impl ApprovalRequest {
    fn of(stored: StoredRequest) -> Self {
        let StoredRequest { number, at, who, call, subject, because, request: _ } = stored;
        ApprovalRequest { request: number, at: shown(at), who, action: call, subject, because }
    }
}

impl Clerk<'_> {
    fn waiting(&self, number: i64) -> Result<StoredRequest, Refused> {
        let found = self.system.back.approval(number).map_err(unusable)?;
        found.ok_or(Refused::RequestUnknown { request: number })
    }

    /// Refuses a call of a person whose amount of money needs a second one, and stores it as a request. The same call that
    /// waits already is stored once. That of a token is not stored: its owner could approve it by a login.
    pub(super) fn check_approval<C: Call>(
        &self,
        call: &C,
        nanos: i64,
        (subject, because): (&str, &str),
    ) -> Result<(), Refused> {
        let rules = self.system.rules();
        let is_below = |above: i64| nanos.unsigned_abs() <= above.unsigned_abs();
        let (Authority::Person, Some(above)) = (self.authority, rules.approval_above) else {
            return Ok(());
        };
        if is_below(above) {
            return Ok(());
        }
        let shown_above = amount::shown(above, Unit::Money, rules.currency);
        if people::is_token_author(self.who) {
            return Err(Refused::PersonNeeded { above: shown_above });
        }
        let request = serde_json::to_string(call)
            .map_err(|why| Refused::Unusable { why: why.to_string() })?;
        let stored = StoredRequest {
            number: 0,
            at: self.system.now_ms(),
            who: self.who.to_owned(),
            call: C::NAME.to_owned(),
            subject: subject.to_owned(),
            because: because.to_owned(),
            request,
        };
        let trail = self.trail(C::NAME, subject, &format!("asked for: {because}"));
        let waits = self.system.back.await_approval(stored, REQUESTS_MAX, trail);
        match waits.map_err(unusable)? {
            Some(request) => Err(Refused::ApprovalNeeded { above: shown_above, request }),
            None => Err(Refused::TooManyRequests),
        }
    }
}
