//! Thresholds and warnings: all accounts have those of the definition.

use accounts::{Accounts as _, AccountsError, Desk, Task};
use ledger::{Account, AccountId, Action, Millis, Standing, Threshold};

use crate::rules::Rules;
use crate::system::System;

/// The accounts that get thresholds at once.
const SET_AT_ONCE: usize = 10_000;

/// What makes notices of an account by itself.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Watching {
    /// The levels below which there is one.
    thresholds: Vec<Threshold>,
    /// How long before an end there is one; 0 for never.
    before_end: Millis,
}

impl Watching {
    fn is_of(&self, account: &Account) -> bool {
        let Watching { thresholds, before_end } = self;
        account.warned_before() == *before_end
            && account.thresholds().eq(thresholds.iter().copied())
    }

    fn is_none(&self) -> bool {
        self.thresholds.is_empty() && self.before_end == 0
    }

    /// Lets an account have it.
    pub(crate) fn begin(&self, desk: &mut Desk<'_>, at: Millis) {
        let has_others =
            |account: &Account| !account.thresholds().eq(self.thresholds.iter().copied());
        if desk.account().is_some_and(has_others) {
            desk.perform(at, Action::SetThresholds(&self.thresholds));
        }
        if desk.account().is_some_and(|account| account.warned_before() != self.before_end) {
            desk.perform(at, Action::SetWarning(self.before_end));
        }
    }
}

impl Rules {
    /// Returns what makes notices of each account.
    pub(crate) fn watching(&self) -> Watching {
        let thresholds = self.thresholds.iter().map(|rule| rule.threshold).collect();
        Watching { thresholds, before_end: self.notices.before_end }
    }
}

/// Lets accounts have the thresholds and warnings of the definition that have others: those that were opened before. Without
/// any in the definition, nothing is done: notices of others are not sent.
///
/// # Errors
///
/// The back fails.
pub fn watch_accounts(system: &System, at: Millis) -> Result<(), AccountsError> {
    let watching = system.rules().watching();
    if watching.is_none() {
        return Ok(());
    }
    let others = system.back.accounts_where(|account| {
        account.standing != Standing::Closed && !watching.is_of(account)
    })?;
    for some in others.chunks(SET_AT_ONCE) {
        let watch = |account: &AccountId| Watch { account: *account, at, watching: &watching };
        let mut tasks: Vec<_> = some.iter().map(watch).collect();
        system.back.run(&mut tasks)?;
    }
    Ok(())
}

/// An account that gets thresholds and warnings.
struct Watch<'w> {
    account: AccountId,
    at: Millis,
    watching: &'w Watching,
}

impl Task for Watch<'_> {
    fn account(&self) -> AccountId {
        self.account
    }

    fn work(&mut self, desk: &mut Desk<'_>) {
        self.watching.begin(desk, self.at);
    }
}
