//! Ends sessions by hand.

use ledger::{Action, SessionKey};
use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

use super::{Call, Clerk, done, text};
use crate::refused::Refused;

/// Ends a session of a prepaid account, and releases what is reserved for it. The network learns it by its next request.
#[derive(Clone, Debug, Serialize, Deserialize, ToSchema)]
pub struct EndSession {
    /// A number of the subscriber, or `#` and the number of the account.
    pub account: String,
    /// The key of the session: 32 hexadecimal digits.
    pub session: String,
    /// The reason.
    pub because: String,
}

/// A session that was ended.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct EndedSession {
    /// The account.
    pub account: u64,
    /// The key of the session.
    pub session: String,
}

impl Call for EndSession {
    type Reply = EndedSession;

    const NAME: &'static str = "account session end";

    fn perform(self, clerk: &Clerk<'_>) -> Result<EndedSession, Refused> {
        let account = clerk.account(&self.account)?;
        let because = text("the reason", &self.because)?;
        let key = session_key(&self.session)?;
        let is_open = clerk.look(account, |account| {
            let session = account.and_then(|account| account.session(key));
            session.is_some_and(|session| !session.is_closed)
        })?;
        if !is_open {
            return Err(Refused::SessionUnknown);
        }
        let at = clerk.system.now_ms();
        let remembered = i64::from(clerk.system.rules().charging.remembered_seconds) * 1_000;
        let action = Action::End { session: key, until: at.saturating_add(remembered) };
        let session = format!("{:032x}", key.0);
        let subject = format!("account {}: session {session}", account.0);
        let trail = clerk.trail(Self::NAME, subject, because);
        done(clerk.operate(account, action, trail)?.receipt, "")?;
        Ok(EndedSession { account: account.0, session })
    }

    fn subject(&self) -> Option<String> {
        Some(format!("account {}", self.account))
    }
}

/// Reads the key of a session: 32 hexadecimal digits.
pub(super) fn session_key(text: &str) -> Result<SessionKey, Refused> {
    u128::from_str_radix(text.trim(), 16).map(SessionKey).map_err(|_| Refused::SessionUnknown)
}
