//! Opens an account.

use std::collections::HashSet;

use ledger::{AccountId, Currency, Key, NewAccount, Unit};
use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

use super::accounts::{AccountStanding, PrepaidAccount};
use super::numbers::Holder;
use super::opening::Opening;
use super::{Call, Clerk, new_number, unusable};
use crate::amount;
use crate::back::{AssignedNumber, BesideRow};
use crate::numbers::Number;
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
        let (rules, now) = (clerk.system.rules(), clerk.system.now_ms());
        let read = self.numbers.iter().map(|text| new_number(text, &rules, now));
        let mut numbers = read.collect::<Result<Vec<_>, _>>()?;
        let mut known = HashSet::new();
        numbers.retain(|number| known.insert(number.clone()));
        if numbers.is_empty() || numbers.len() > NUMBERS_MAX {
            return Err(Refused::TextInvalid { what: "the list of numbers".to_owned() });
        }
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
        let _turn = self.system.back.number_turn();
        let holders = self.holders(numbers)?;
        let is_taken = |(_, holder): &(&Number, Holder)| holder.account.is_some();
        if let Some((number, _)) = numbers.iter().zip(holders.iter().copied()).find(is_taken) {
            return Err(Refused::NumberTaken { number: number.as_str().to_owned() });
        }
        let account = self.next_account()?;
        let at = self.system.now_ms();
        let rules = self.system.rules();
        let (life_cycle, fees, key) = (rules.life_cycle(at), rules.first_fees(at), Key(0));
        let (watching, remark, refusal) = (rules.watching(), Vec::new(), None);
        let mut task = Opening {
            account,
            at,
            new,
            life_cycle,
            subscriber_type: None,
            watching,
            fees,
            amount: 0,
            key,
            remark,
            refusal,
        };
        let all_numbers: Vec<&str> = numbers.iter().map(Number::as_str).collect();
        let limit = match new.credit_limit {
            0 => String::new(),
            limit => {
                let currency = self.system.rules().currency;
                format!(", credit limit {}", amount::shown(limit, Unit::Money, currency))
            }
        };
        let subject = format!("account {}: {}{limit}", account.0, all_numbers.join(", "));
        let mut rows = self.trail(OpenAccount::NAME, subject, "");
        let assigned = numbers.iter().zip(holders).map(|(number, holder)| AssignedNumber {
            number: number.clone(),
            account,
            before: holder.before,
        });
        rows.push(BesideRow::Numbers(assigned.collect()));
        self.system.back.run_with(&mut task, rows).map_err(unusable)?;
        match task.refusal {
            Some(refusal) => Err(Refused::Unusable { why: refusal.to_string() }),
            None => Ok(account),
        }
    }
}
