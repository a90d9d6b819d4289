//! Thresholds: all accounts have those of the definition.

use accounts::{Accounts as _, AccountsError, Desk, Task};
use ledger::{AccountId, Action, Millis, Standing, Threshold};

use crate::system::System;

/// The accounts that get thresholds at once.
const SET_AT_ONCE: usize = 10_000;

/// Lets accounts have the thresholds of the definition that have others: those that were opened before. Without a threshold
/// in the definition, nothing is done: notices of others are not sent.
///
/// # Errors
///
/// The back fails.
pub fn set_thresholds(system: &System, at: Millis) -> Result<(), AccountsError> {
    let thresholds = system.rules().account_thresholds();
    if thresholds.is_empty() {
        return Ok(());
    }
    let others = system.back.accounts_where(|account| {
        account.standing != Standing::Closed && !account.thresholds().eq(thresholds.iter().copied())
    })?;
    for some in others.chunks(SET_AT_ONCE) {
        let watch = |account: &AccountId| Watch { account: *account, at, thresholds: &thresholds };
        let mut tasks: Vec<_> = some.iter().map(watch).collect();
        system.back.run(&mut tasks)?;
    }
    Ok(())
}

/// An account that gets thresholds.
struct Watch<'t> {
    account: AccountId,
    at: Millis,
    thresholds: &'t [Threshold],
}

impl Task for Watch<'_> {
    fn account(&self) -> AccountId {
        self.account
    }

    fn work(&mut self, desk: &mut Desk<'_>) {
        desk.perform(self.at, Action::SetThresholds(self.thresholds));
    }
}
