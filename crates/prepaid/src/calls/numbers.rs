//! Gives numbers to accounts and takes them.

use std::collections::HashSet;

use ledger::{Account, AccountId, Standing};
use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

use super::accounts::PrepaidAccount;
use super::{Call, Clerk, new_number, number, text, unusable};
use crate::back::{AssignedNumber, BesideRow};
use crate::numbers::Number;
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
        let (rules, now) = (clerk.system.rules(), clerk.system.now_ms());
        let number = new_number(&self.number, &rules, now)?;
        let because = text("the reason", &self.because)?;
        let _turn = clerk.system.back.number_turn();
        let is_closed = |of: Option<&Account>| of.is_some_and(|of| of.standing == Standing::Closed);
        if clerk.look(account, is_closed)? {
            return Err(Refused::AccountClosed);
        }
        let Holder { account: holder, before } = clerk.holders(std::slice::from_ref(&number))?[0];
        match holder {
            Some(other) if other != account => {
                return Err(Refused::NumberTaken { number: self.number });
            }
            Some(_) => {}
            None => {
                let subject = format!("account {}: {}", account.0, number.as_str());
                let mut rows = clerk.trail(Self::NAME, subject, because);
                rows.push(BesideRow::Numbers(vec![AssignedNumber { number, account, before }]));
                clerk.system.back.commit(rows).map_err(unusable)?;
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
        let back = &clerk.system.back;
        let _turn = back.number_turn();
        let account = back.account_of(&number).map_err(unusable)?;
        let account =
            account.ok_or_else(|| Refused::NumberUnknown { number: self.number.clone() })?;
        let subject = format!("account {}: {}", account.0, number.as_str());
        let trail = clerk.trail(Self::NAME, subject, because);
        let is_in_use = |of: &Account| is_in_use(of, &number);
        match back.remove_number((&number, account), is_in_use, trail).map_err(unusable)? {
            true => clerk.shown(account),
            false => Err(Refused::NumberInUse { number: self.number }),
        }
    }

    fn subject(&self) -> Option<String> {
        Some(format!("account {}", self.number))
    }
}

/// The account of a number.
#[derive(Clone, Copy)]
pub(super) struct Holder {
    /// The account that has it. A closed one has it until its quarantine is over.
    pub(super) account: Option<AccountId>,
    /// The account that it leads to.
    pub(super) before: Option<AccountId>,
}

impl Clerk<'_> {
    /// Returns the accounts of numbers.
    pub(super) fn holders(&self, numbers: &[Number]) -> Result<Vec<Holder>, Refused> {
        let (back, now) = (&self.system.back, self.system.now_ms());
        let before: Vec<Option<AccountId>> = {
            let payers = back.payers(numbers.iter()).map_err(unusable)?;
            numbers.iter().map(|number| payers.account(number)).collect()
        };
        let until = |closed: i64| closed.saturating_add(self.system.rules().quarantine);
        let is_free = |of: &Account| of.standing == Standing::Closed && until(of.at) <= now;
        let mut free = HashSet::new();
        let ids: Vec<AccountId> = before.iter().copied().flatten().collect();
        let looked = back.look_each(&ids, |id, account| {
            free.extend(account.is_some_and(is_free).then_some(id));
        });
        looked.map_err(unusable)?;
        let holder = |before: Option<AccountId>| Holder {
            account: before.filter(|id| !free.contains(id)),
            before,
        };
        Ok(before.into_iter().map(holder).collect())
    }

    /// Returns the number of a new account.
    pub(super) fn next_account(&self) -> Result<AccountId, Refused> {
        let new = self.system.back.next_accounts(1).map_err(unusable)?;
        Ok(new[0])
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
