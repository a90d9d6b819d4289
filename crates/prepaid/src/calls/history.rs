//! The statement of an account: its entries.

use runtime::time::shown;
use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

use ledger::SystemKind;

use super::accounts::AmountUnit;
use super::{Call, Clerk, unusable};
use crate::amount;
use crate::refused::Refused;
use crate::remark::Remark;

/// The most entries of a page.
const PAGE_MAX: usize = 500;

/// The entries of a page without `limit`.
const PAGE: usize = 50;

/// Lists the entries of a prepaid account, the newest first: what was paid, refilled and corrected, and why.
#[derive(Clone, Debug, Default, Serialize, Deserialize, ToSchema)]
pub struct ShowHistory {
    /// A number of the subscriber, or `#` and the number of the account.
    pub account: String,
    /// Only entries before this one.
    pub before: Option<u64>,
    /// The entries of a page, 500 at most.
    pub limit: Option<usize>,
}

/// A page of entries.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct AccountHistory {
    /// The account.
    pub account: u64,
    /// The currency of its money.
    pub currency: String,
    /// The entries, the newest first.
    pub entries: Vec<HistoryEntry>,
    /// Whether there are older ones.
    pub more: bool,
}

/// An amount that was moved.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct HistoryEntry {
    /// Its number within the account.
    pub entry: u64,
    /// When it was made.
    pub at: String,
    /// The amount: negative if it was taken.
    pub amount: String,
    /// What it counts.
    pub unit: AmountUnit,
    /// The balance that it changed; 0 for the main balance.
    pub bucket: u32,
    /// That balance after it.
    pub balance: String,
    /// Where it went or came from: `revenue`, `refill`, `adjustment`, `transfer`, `expired`, `bonus` or `fee`.
    pub system: String,
    /// The session that it was charged for: 32 hexadecimal digits.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub session: Option<String>,
    /// Who made it, and why.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub remark: Option<Remark>,
    /// What was charged.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub charged: Option<ChargedUsage>,
}

/// What a network reported, as it was priced.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct ChargedUsage {
    /// The service.
    pub service: String,
}

impl Call for ShowHistory {
    type Reply = AccountHistory;

    const NAME: &'static str = "account history";

    fn perform(self, clerk: &Clerk<'_>) -> Result<AccountHistory, Refused> {
        let account = clerk.account(&self.account)?;
        let count = self.limit.unwrap_or(PAGE).clamp(1, PAGE_MAX);
        let found = clerk.system.accounts.entries(account, self.before, count + 1);
        let mut found = found.map_err(unusable)?;
        let more = found.len() > count;
        found.truncate(count);
        let currency = clerk.system.rules().currency;
        let entry = |found: accounts::AccountEntry| {
            let of = found.entry;
            HistoryEntry {
                entry: of.number,
                at: shown(found.at),
                amount: amount::shown(of.amount, of.unit, currency),
                unit: of.unit.into(),
                bucket: of.bucket.0,
                balance: amount::shown(of.balance, of.unit, currency),
                system: system_word(of.system.kind).to_owned(),
                session: of.session.map(|key| format!("{:032x}", key.0)),
                remark: of.session.is_none().then(|| Remark::read(&found.remark)).flatten(),
                charged: None,
            }
        };
        let entries = found.into_iter().map(entry).collect();
        let currency = currency.code().to_owned();
        Ok(AccountHistory { account: account.0, currency, entries, more })
    }

    fn subject(&self) -> Option<String> {
        Some(format!("account {}", self.account))
    }
}

/// Returns the word for users of what a system account is for.
pub(crate) fn system_word(kind: SystemKind) -> &'static str {
    match kind {
        SystemKind::Revenue => "revenue",
        SystemKind::Refill => "refill",
        SystemKind::Bonus => "bonus",
        SystemKind::Expired => "expired",
        SystemKind::Adjustment => "adjustment",
        SystemKind::Transfer => "transfer",
        SystemKind::Fee => "fee",
    }
}
