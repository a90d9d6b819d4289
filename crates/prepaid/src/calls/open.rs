//! Opens an account.

use ledger::{AccountId, Currency, Key, NewAccount, Unit};
use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

use super::accounts::{AccountStanding, PrepaidAccount};
use super::opening::Opening;
use super::{Call, Clerk, number, unusable};
use crate::amount;
use crate::numbers::{self, Number};
use crate::refused::Refused;

/// The most numbers of a new account.
const NUMBERS_MAX: usize = 100;

/// Opens a prepaid account for numbers of subscribers.
#[derive(Clone, Debug, Serialize, Deserialize, ToSchema)]
pub struct OpenAccount {
    /// The numbers that it pays for, at least one.
    pub numbers: Vec<String>,
    /// Who may use it; `active` by default.
    pub standing: Option<AccountStanding>,
    /// How far the main balance may be overdrawn. Prepaid accounts have none.
    pub credit_limit: Option<String>,
}

impl Call for OpenAccount {
    type Reply = PrepaidAccount;

    const NAME: &'static str = "account open";

    fn perform(self, clerk: &Clerk<'_>) -> Result<PrepaidAccount, Refused> {
        let numbers =
            self.numbers.iter().map(|text| number(text)).collect::<Result<Vec<_>, _>>()?;
        if numbers.is_empty() || numbers.len() > NUMBERS_MAX {
            return Err(Refused::TextInvalid { what: "the list of numbers".to_owned() });
        }
        let rules = clerk.system.rules();
        let limit = self.credit_limit.as_deref().unwrap_or("0");
        let credit_limit = amount::money_or_zero(limit, rules.currency)?;
        let standing = self.standing.unwrap_or(AccountStanding::Active).into();
        let currency = Currency(rules.currency.number());
        let new = NewAccount { currency, standing, credit_limit };
        let id = clerk.open(new, &numbers)?;
        clerk.shown(id)
    }

    fn subject(&self) -> Option<String> {
        Some(format!("numbers {}", self.numbers.join(", ")))
    }
}

impl Clerk<'_> {
    /// Opens an account for numbers that no other account has.
    fn open(&self, new: NewAccount, numbers: &[Number]) -> Result<AccountId, Refused> {
        // Held until the numbers are stored, so that two calls cannot take the same one.
        let change = self.system.numbers.change();
        if let Some(number) = numbers.iter().find(|number| self.holder(&change, number).is_some()) {
            return Err(Refused::NumberTaken { number: number.as_str().to_owned() });
        }
        let account = self.system.next_account();
        let at = self.system.journal().now_ms();
        let rules = self.system.rules();
        let (life_cycle, fees, key) = (rules.life_cycle(at), rules.first_fees(at), Key(0));
        let (remark, refusal) = (Vec::new(), None);
        let mut task =
            Opening { account, at, new, life_cycle, fees, amount: 0, key, remark, refusal };
        let all_numbers: Vec<&str> = numbers.iter().map(Number::as_str).collect();
        let limit = match new.credit_limit {
            0 => String::new(),
            limit => {
                let currency = self.system.rules().currency;
                format!(", credit limit {}", amount::shown(limit, Unit::Money, currency))
            }
        };
        let subject = format!("account {}: {}{limit}", account.0, all_numbers.join(", "));
        let trail = self.trail(OpenAccount::NAME, subject, "");
        let stored = numbers.to_vec();
        let also = move |db: &store::Connection| {
            stored.iter().try_for_each(|number| numbers::insert(db, number, account))?;
            trail(db)
        };
        self.system.accounts.run_with(&mut task, also).map_err(unusable)?;
        if let Some(refusal) = task.refusal {
            return Err(Refused::Unusable { why: refusal.to_string() });
        }
        change.add(numbers.iter().map(|number| (number.clone(), account)));
        Ok(account)
    }
}
