//! Lists accounts by their numbers.

use ledger::{AccountId, Unit};
use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

use super::accounts::AccountStanding;
use super::{Call, Clerk, unusable};
use crate::amount;
use crate::numbers;
use crate::refused::Refused;

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
        let journal = clerk.system.journal();
        let mut found = match part.is_empty() {
            true => {
                let reader = journal.reader().map_err(unusable)?;
                let of = (begins.as_str(), self.after.trim());
                let found = numbers::beginning_with(&reader, of, count + 1);
                journal.answer(found).map_err(unusable)?
            }
            false => clerk.with_part((&part, &begins), self.after.trim(), count + 1)?,
        };
        let more = found.len() > count;
        found.truncate(count);
        let rules = clerk.system.rules();
        let now = journal.now_ms();
        let line = |(number, id): (String, AccountId)| {
            clerk.system.accounts.look(id, |account| {
                let account = account?;
                let money = |nanos| amount::shown(nanos, Unit::Money, rules.currency);
                let buckets = account.buckets().iter().filter(|bucket| bucket.unit == Unit::Money);
                Some(AccountLine {
                    number,
                    account: id.0,
                    standing: account.standing.into(),
                    available: money(account.available_for(
                        ledger::Services::ALL,
                        Unit::Money,
                        now,
                    )),
                    reserved: money(buckets.map(|bucket| bucket.reserved).sum()),
                    currency: rules.currency.code().to_owned(),
                    sessions: account.sessions().iter().filter(|of| !of.is_closed).count(),
                })
            })
        };
        Ok(Accounts { accounts: found.into_iter().filter_map(line).collect(), more })
    }

    fn subject(&self) -> Option<String> {
        let ListAccounts { begins, part, .. } = self;
        Some(match part.is_empty() {
            true => format!("numbers {begins}"),
            false => format!("numbers {begins} with {part}"),
        })
    }
}

/// The numbers that are looked at in order before all are. Among these, a part is found soon that every 40th number has; and
/// of a part that fewer have, there are few to be put in order.
const WALKED: usize = 2_000;

impl Clerk<'_> {
    /// Finds numbers that have a part in them and begin with a text, and their accounts, in order, after one.
    fn with_part(
        &self,
        (part, begins): (&str, &str),
        after: &str,
        count: usize,
    ) -> Result<Vec<(String, AccountId)>, Refused> {
        let journal = self.system.journal();
        let reader = journal.reader().map_err(unusable)?;
        let walked = numbers::beginning_with(&reader, (begins, after), WALKED);
        let mut found = journal.answer(walked).map_err(unusable)?;
        let are_all = found.len() < WALKED;
        found.retain(|(number, _)| number.contains(part));
        if are_all || found.len() >= count {
            found.truncate(count);
            return Ok(found);
        }
        let all = self.system.numbers.read();
        Ok(all.with_part((part, begins), after, count))
    }
}
