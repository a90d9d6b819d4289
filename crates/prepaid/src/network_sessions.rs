//! What the server of a network asks of sessions: whose they are, and to end those that its clients have lost.

use std::collections::HashMap;

use accounts::AccountsError;
use ledger::{Action, SessionKey};

use crate::calls::operate::Operate;
use crate::numbers::Number;
use crate::system::System;

impl System {
    /// Returns the numbers that pay for the sessions in progress. It looks at all accounts, so it is not for each request.
    ///
    /// # Errors
    ///
    /// The accounts cannot be read.
    pub fn payers_of_sessions(&self) -> Result<HashMap<SessionKey, Number>, AccountsError> {
        let mut payers = HashMap::new();
        self.back.open_sessions(None, usize::MAX, |_, _, session| {
            let first = charging::session_legs(session.memo()).next()?.ok()?;
            let number = std::str::from_utf8(first.service.served).ok()?;
            payers.insert(session.key, Number::stored(number.to_owned()));
            None::<()>
        })?;
        Ok(payers)
    }

    /// Ends a session of a number that its client has lost. What was used so far is paid, and the rest is released. Returns whether
    /// it was in progress.
    ///
    /// # Errors
    ///
    /// The accounts cannot be used.
    pub fn end_lost_session(
        &self,
        number: &Number,
        session: SessionKey,
    ) -> Result<bool, AccountsError> {
        let Some(account) = self.back.account_of(number)? else { return Ok(false) };
        let at = self.now_ms();
        let remembered = i64::from(self.rules().charging.remembered_seconds) * 1_000;
        let action = Action::End { session, until: at.saturating_add(remembered) };
        let mut task = Operate::new(account, at, action);
        self.back.run_with(&mut task, Vec::new())?;
        let outcome = task.outcome();
        Ok(outcome.receipt.refusal.is_none() && !outcome.is_repeated)
    }
}
