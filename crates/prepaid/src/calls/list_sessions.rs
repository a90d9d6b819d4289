//! Lists the calls and connections in progress of all accounts.

use ledger::{AccountId, Millis, Session, SessionKey};
use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

use super::open_session::OpenSession;
use super::{Call, Clerk, unusable};
use crate::numbers::plain;
use crate::refused::Refused;

/// The most sessions of a page.
const PAGE_MAX: usize = 500;

/// The sessions of a page without `limit`.
const PAGE: usize = 50;

/// Lists the calls and connections in progress of all accounts, in the order of accounts.
#[derive(Clone, Debug, Default, Serialize, Deserialize, ToSchema)]
pub struct ListSessions {
    /// Only sessions whose number has these digits.
    #[serde(default)]
    pub number: String,
    /// Only sessions of this service.
    #[serde(default)]
    pub service: String,
    /// Only sessions of this client of the charging system.
    #[serde(default)]
    pub client: String,
    /// Only sessions that began at least so many seconds ago.
    pub older_than: Option<u32>,
    /// Only sessions whose grants are no longer valid.
    #[serde(default)]
    pub stuck: bool,
    /// Only sessions after this one: the account and the session of the last one of the page before, with a hyphen between.
    #[serde(default)]
    pub after: String,
    /// The sessions of a page, 500 at most.
    pub limit: Option<usize>,
}

/// A page of sessions.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct Sessions {
    /// The sessions.
    pub sessions: Vec<OpenSession>,
    /// The currency of their amounts.
    pub currency: String,
    /// Whether there are more.
    pub more: bool,
    /// Whether numbers are masked, since the role does not see subscriber data.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub masked: bool,
}

impl Call for ListSessions {
    type Reply = Sessions;

    const NAME: &'static str = "charging sessions";

    fn perform(self, clerk: &Clerk<'_>) -> Result<Sessions, Refused> {
        let count = self.limit.unwrap_or(PAGE).clamp(1, PAGE_MAX);
        let after = match self.after.trim() {
            "" => None,
            after => Some(place(after).ok_or(Refused::SessionUnknown)?),
        };
        let rules = clerk.system.rules();
        let now = clerk.system.now_ms();
        let filter = Filter {
            number: plain(&self.number),
            begun_by: self.older_than.map(|age| now.div_euclid(1_000) - i64::from(age)),
            of: &self,
        };
        let sessions = clerk.system.back.open_sessions(after, count + 1, |id, account, session| {
            let is_stuck = || rules.charging.valid_until(session) < now;
            let is_one = filter.takes(session) && (!self.stuck || is_stuck());
            is_one.then(|| OpenSession::of((id, account, session), &rules, now))
        });
        let mut sessions = sessions.map_err(unusable)?;
        let more = sessions.len() > count;
        sessions.truncate(count);
        let currency = rules.currency.code().to_owned();
        Ok(Sessions { sessions, currency, more, masked: false })
    }

    fn subject(&self) -> Option<String> {
        // Without numbers, nothing is shown of a subscriber: the interface masks them.
        (!self.number.is_empty()).then(|| format!("sessions {}", self.number))
    }
}

/// Reads the place of a session.
fn place(text: &str) -> Option<(AccountId, SessionKey)> {
    let (account, session) = text.split_once('-')?;
    let session = u128::from_str_radix(session, 16).ok()?;
    Some((AccountId(account.parse().ok()?), SessionKey(session)))
}

/// What a session must be.
struct Filter<'f> {
    /// The digits that its number has.
    number: String,
    /// The last moment at which it began, in seconds.
    begun_by: Option<Millis>,
    of: &'f ListSessions,
}

impl Filter<'_> {
    fn takes(&self, session: &Session) -> bool {
        let Filter { number, begun_by, of } = self;
        if number.is_empty() && begun_by.is_none() && of.service.is_empty() && of.client.is_empty()
        {
            return true;
        }
        charging::session_legs(session.memo()).map_while(Result::ok).any(|leg| {
            let served = std::str::from_utf8(leg.service.served).unwrap_or_default();
            served.contains(number.as_str())
                && begun_by.is_none_or(|begun_by| leg.service.start <= begun_by)
                && (of.service.is_empty() || leg.service.name == of.service)
                && (of.client.is_empty() || leg.client == of.client)
        })
    }
}
