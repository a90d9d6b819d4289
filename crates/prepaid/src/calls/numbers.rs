//! Gives numbers to accounts and takes them.

use ledger::{Account, AccountId, Standing};
use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

use super::accounts::PrepaidAccount;
use super::{Call, Clerk, number, text, unusable};
use crate::numbers::{Number, NumberChange, delete, insert};
use crate::refused::Refused;

/// Lets a prepaid account pay for another number. A number of another account is refused: it is removed there first. That of a
/// closed account can be given when its quarantine is over.
#[derive(Clone, Debug, Serialize, Deserialize, ToSchema)]
pub struct AddNumber {
    /// A number of the subscriber, or `#` and the number of the account.
    pub account: String,
    /// The number.
    pub number: String,
    /// The reason.
    pub because: String,
}

impl Call for AddNumber {
    type Reply = PrepaidAccount;

    const NAME: &'static str = "account number add";

    fn perform(self, clerk: &Clerk<'_>) -> Result<PrepaidAccount, Refused> {
        let account = clerk.account(&self.account)?;
        let number = number(&self.number)?;
        let because = text("the reason", &self.because)?;
        let numbers = clerk.system.numbers.change();
        let is_closed = |of: Option<&Account>| of.is_some_and(|of| of.standing == Standing::Closed);
        if clerk.system.accounts.look(account, is_closed) {
            return Err(Refused::AccountClosed);
        }
        match clerk.holder(&numbers, &number) {
            Some(other) if other != account => {
                return Err(Refused::NumberTaken { number: self.number });
            }
            Some(_) => {}
            None => {
                let subject = format!("account {}: {}", account.0, number.as_str());
                let trail = clerk.trail(Self::NAME, subject, because);
                let stored = number.clone();
                let change = move |db: &store::Connection| {
                    insert(db, &stored, account)?;
                    trail(db)
                };
                clerk.system.journal().commit(change).map_err(unusable)?;
                numbers.add([(number, account)]);
            }
        }
        clerk.shown(account)
    }

    fn subject(&self) -> Option<String> {
        Some(format!("account {}", self.account))
    }
}

/// Takes a number from its prepaid account. During a call of the number it is refused, since the last request of the call
/// would find no account.
#[derive(Clone, Debug, Serialize, Deserialize, ToSchema)]
pub struct RemoveNumber {
    /// The number.
    pub number: String,
    /// The reason.
    pub because: String,
}

impl Call for RemoveNumber {
    type Reply = PrepaidAccount;

    const NAME: &'static str = "account number remove";

    fn perform(self, clerk: &Clerk<'_>) -> Result<PrepaidAccount, Refused> {
        let number = number(&self.number)?;
        let because = text("the reason", &self.because)?;
        let numbers = clerk.system.numbers.change();
        let account = numbers.account(&number);
        let account =
            account.ok_or_else(|| Refused::NumberUnknown { number: self.number.clone() })?;
        let is_in_use = || {
            let is_in_use = |of: &Account| is_in_use(of, &number);
            clerk.system.accounts.look(account, |of| of.is_some_and(is_in_use))
        };
        if !numbers.remove(&number, is_in_use) {
            return Err(Refused::NumberInUse { number: self.number });
        }
        let subject = format!("account {}: {}", account.0, number.as_str());
        let trail = clerk.trail(Self::NAME, subject, because);
        let stored = number.clone();
        let change = move |db: &store::Connection| {
            delete(db, &stored)?;
            trail(db)
        };
        if let Err(why) = clerk.system.journal().commit(change) {
            numbers.add([(number, account)]);
            return Err(unusable(why));
        }
        clerk.shown(account)
    }

    fn subject(&self) -> Option<String> {
        Some(format!("account {}", self.number))
    }
}

impl Clerk<'_> {
    /// Returns the account that has a number. A closed one has it until its quarantine is over.
    pub(super) fn holder(&self, numbers: &NumberChange<'_>, number: &Number) -> Option<AccountId> {
        let now = self.system.journal().now_ms();
        let until = |closed: i64| closed.saturating_add(self.system.rules().quarantine);
        let is_free = |of: Option<&Account>| {
            of.is_some_and(|of| of.standing == Standing::Closed && until(of.at) <= now)
        };
        numbers.account(number).filter(|id| !self.system.accounts.look(*id, is_free))
    }
}

/// Returns whether an account has an open session of a number.
fn is_in_use(account: &Account, number: &Number) -> bool {
    let mut open = account.sessions().iter().filter(|session| !session.is_closed);
    open.any(|session| {
        let mut legs = charging::session_legs(session.memo()).map_while(Result::ok);
        legs.any(|leg| leg.service.served == number.as_str().as_bytes())
    })
}
