//! Transfers between two accounts, in one transaction.

use accounts::AccountsError;
use ledger::{Outcome, Transfer};

use crate::front::Front;
use crate::locked::Also;

impl Front {
    /// Makes a transfer. If it changed something, `also` stores rows of the caller in the same transaction, as for
    /// [`run_with`](Self::run_with).
    ///
    /// # Errors
    ///
    /// It is not known whether it is done.
    pub fn transfer(
        &self,
        transfer: &Transfer<'_>,
        mut also: impl Also,
    ) -> Result<Outcome, AccountsError> {
        self.locked(&[transfer.from, transfer.to], |of| {
            let outcome = of.transfer(transfer);
            if of.has_changed() {
                also(of)?;
            }
            Ok(outcome)
        })
    }
}
