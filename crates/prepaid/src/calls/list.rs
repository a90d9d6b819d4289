//! Lists accounts by their numbers.

use ledger::{Account, AccountId, Millis, Scopes, Unit};
use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

use super::accounts::AccountStanding;
use super::{Call, Clerk, unusable};
use crate::amount;
use crate::numbers;
use crate::refused::Refused;
use crate::rules::Rules;

/// The most accounts of a page.
const PAGE_MAX: usize = 500;

/// The accounts of a page without `limit`.
const PAGE: usize = 50;

/// Lists prepaid accounts by the numbers of subscribers, in order.
#[derive(Clone, Debug, Default, Serialize, Deserialize, ToSchema)]
pub struct ListAccounts {
    /// Only numbers that begin with these digits.
    #[serde(default)]
    pub begins: String,
    /// Only numbers that have these digits, at any place.
    #[serde(default)]
    pub part: String,
    /// Only numbers after this one: the last of the page before.
    #[serde(default)]
    pub after: String,
    /// The numbers of a page, 500 at most.
    pub limit: Option<usize>,
}

/// A page of accounts.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct Accounts {
    /// A line for each number.
    pub accounts: Vec<AccountLine>,
    /// Whether there are more numbers.
    pub more: bool,
}

/// A number and its account.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct AccountLine {
    /// The number of the subscriber.
    pub number: String,
    /// The number of the account.
    pub account: u64,
    /// Who may use it.
    pub standing: AccountStanding,
    /// The money that is available.
    pub available: String,
    /// The money that is reserved.
    pub reserved: String,
    /// The currency.
    pub currency: String,
    /// The number of open sessions.
    pub sessions: usize,
}

impl Call for ListAccounts {
    type Reply = Accounts;

    const NAME: &'static str = "account list";

    fn perform(self, clerk: &Clerk<'_>) -> Result<Accounts, Refused> {
        let count = self.limit.unwrap_or(PAGE).clamp(1, PAGE_MAX);
        let (begins, part) = (numbers::plain(&self.begins), numbers::plain(&self.part));
        let of = (begins.as_str(), part.as_str());
        let found = clerk.system.back.find_numbers(of, self.after.trim(), count + 1);
        let mut found = found.map_err(unusable)?;
        let more = found.len() > count;
        found.truncate(count);
        let rules = clerk.system.rules();
        let now = clerk.system.now_ms();
        let ids: Vec<AccountId> = found.iter().map(|(_, id)| *id).collect();
        let (mut accounts, mut numbers) = (Vec::with_capacity(found.len()), found.into_iter());
        let looked = clerk.system.back.look_each(&ids, |_, account| {
            let line = numbers.next().zip(account);
            accounts.extend(line.map(|(of, account)| AccountLine::of(of, account, &rules, now)));
        });
        looked.map_err(unusable)?;
        Ok(Accounts { accounts, more })
    }

    fn subject(&self) -> Option<String> {
        let ListAccounts { begins, part, .. } = self;
        Some(match part.is_empty() {
            true => format!("numbers {begins}"),
            false => format!("numbers {begins} with {part}"),
        })
    }
}

impl AccountLine {
    fn of(
        (number, id): (String, AccountId),
        account: &Account,
        rules: &Rules,
        now: Millis,
    ) -> Self {
        let money = |nanos| amount::shown(nanos, Unit::Money, rules.currency);
        let buckets = account.buckets().iter().filter(|bucket| bucket.unit == Unit::Money);
        AccountLine {
            number,
            account: id.0,
            standing: account.standing.into(),
            available: money(account.available_for(Scopes::ALL, Unit::Money, now)),
            reserved: money(buckets.map(|bucket| bucket.reserved).sum()),
            currency: rules.currency.code().to_owned(),
            sessions: account.sessions().iter().filter(|of| !of.is_closed).count(),
        }
    }
}
