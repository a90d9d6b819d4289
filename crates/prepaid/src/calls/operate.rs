//! One operation on an account, with its entry of the audit trail.

use accounts::{Desk, Task};
use ledger::{Account, AccountId, Action, Millis, Outcome, SessionKey, Standing};

use super::{Clerk, unusable};
use crate::back::BesideRow;
use crate::refused::Refused;

/// An operation as a task.
pub(crate) struct Operate<'o> {
    account: AccountId,
    at: Millis,
    action: Action<'o>,
    /// Whether it is only for an account that is not closed.
    needs_open: bool,
    outcome: Option<Outcome>,
}

impl<'o> Operate<'o> {
    pub(crate) fn new(account: AccountId, at: Millis, action: Action<'o>) -> Self {
        Operate { account, at, action, needs_open: false, outcome: None }
    }

    /// Returns what became of it.
    ///
    /// # Panics
    ///
    /// It was not run.
    pub(crate) fn outcome(&self) -> Outcome {
        self.outcome.expect("a task that was run has an outcome")
    }
}

impl Task for Operate<'_> {
    fn account(&self) -> AccountId {
        self.account
    }

    fn work(&mut self, desk: &mut Desk<'_>) {
        let is_closed = || desk.account().is_some_and(|of| of.standing == Standing::Closed);
        if !self.needs_open || !is_closed() {
            self.outcome = Some(desk.perform(self.at, self.action));
        }
    }
}

impl Clerk<'_> {
    /// Performs an operation now. If it changes something, `trail` makes its entry in the same transaction.
    pub(super) fn operate(
        &self,
        account: AccountId,
        action: Action<'_>,
        trail: Vec<BesideRow>,
    ) -> Result<Outcome, Refused> {
        let at = self.system.now_ms();
        let mut task = Operate::new(account, at, action);
        self.system.back.run_with(&mut task, trail).map_err(unusable)?;
        let outcome = task.outcome();
        self.notify_clients(account, &action, outcome);
        Ok(outcome)
    }

    /// As [`operate`](Self::operate), and refused for an account that is closed.
    pub(super) fn operate_open(
        &self,
        account: AccountId,
        action: Action<'_>,
        trail: Vec<BesideRow>,
    ) -> Result<Outcome, Refused> {
        let at = self.system.now_ms();
        let mut task = Operate { needs_open: true, ..Operate::new(account, at, action) };
        self.system.back.run_with(&mut task, trail).map_err(unusable)?;
        let outcome = task.outcome.ok_or(Refused::AccountClosed)?;
        self.notify_clients(account, &action, outcome);
        Ok(outcome)
    }

    /// Tells the clients of the sessions of an account what an operation on it means for them.
    fn notify_clients(&self, account: AccountId, action: &Action<'_>, outcome: Outcome) {
        let Some(server) = self.system.network_peers() else { return };
        if outcome.receipt.refusal.is_some() || outcome.is_repeated {
            return;
        }
        match action {
            Action::End { session, .. } => server.abort_sessions(&[*session]),
            Action::SetStanding(Standing::Active) => self.reauthorize_sessions(account),
            Action::SetStanding(_) => server.abort_sessions(&self.sessions_of(account)),
            _ => server.reauthorize(&self.sessions_of(account)),
        }
    }

    /// Tells the clients of the sessions of an account that it may have more than before.
    pub(super) fn reauthorize_sessions(&self, account: AccountId) {
        if let Some(server) = self.system.network_peers() {
            server.reauthorize(&self.sessions_of(account));
        }
    }

    fn sessions_of(&self, account: AccountId) -> Vec<SessionKey> {
        let keys = |found: Option<&Account>| {
            let sessions = found.iter().flat_map(|found| found.sessions());
            sessions.map(|session| session.key).collect()
        };
        // They learn it by their next request, too.
        self.look(account, keys).unwrap_or_default()
    }
}
