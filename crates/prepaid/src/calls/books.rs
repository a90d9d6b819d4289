//! Checks and exports the books: all entries of all accounts.

use accounts::BookedEntry;
use ledger::AccountId;
use runtime::time::shown;
use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

use super::accounts::AmountUnit;
use super::history::system_word;
use super::period::period;
use super::{Call, Clerk, unusable};
use crate::amount;
use crate::refused::Refused;
use crate::remark::Remark;
use crate::rules::Rules;

/// The most entries of a page.
const PAGE_MAX: usize = 10_000;

/// Checks the books: that each balance is the sum of its entries, and that all sums are zero.
#[derive(Clone, Copy, Debug, Default, Serialize, Deserialize, ToSchema)]
pub struct CheckBooks {}

/// What a check of the books has found.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct CheckedBooks {
    /// Accounts with entries.
    pub accounts: u64,
    /// Entries.
    pub entries: u64,
    /// What is wrong: the first 20 faults.
    pub faults: Vec<String>,
    /// How many faults there are.
    pub fault_count: u64,
}

/// Lists the entries of all accounts in a period, by account and number.
#[derive(Clone, Debug, Default, Serialize, Deserialize, ToSchema)]
pub struct ExportBooks {
    /// Only entries after this account's `after_entry`.
    #[serde(default)]
    pub after_account: u64,
    /// The last entry of the page before.
    #[serde(default)]
    pub after_entry: u64,
    /// The entries of a page, 10,000 at most.
    pub limit: Option<usize>,
    /// Only entries from this time on: a day, which begins in UTC, or a time with its zone.
    pub from: Option<String>,
    /// Only entries before this time.
    pub to: Option<String>,
}

/// A page of entries.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct ExportedBooks {
    /// The currency of money.
    pub currency: String,
    /// The entries.
    pub entries: Vec<ExportedEntry>,
    /// The last entry that was looked at: the next page is behind it. Without it, there is none.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub last: Option<LastEntry>,
}

/// The last entry of a page.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct LastEntry {
    /// Its account.
    pub account: u64,
    /// Its number.
    pub entry: u64,
}

/// An entry of the books.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct ExportedEntry {
    /// The account.
    pub account: u64,
    /// The number of the entry within the account.
    pub entry: u64,
    /// When it was made.
    pub at: String,
    /// What it counts.
    pub unit: AmountUnit,
    /// The balance; 0 for the main balance.
    pub bucket: u32,
    /// The amount: negative if it was taken.
    pub amount: String,
    /// The balance after it.
    pub balance: String,
    /// Where it went or came from.
    pub system: String,
    /// The bundle, the fee or the bonus that it is for.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub offer: Option<String>,
    /// The session that it was charged for: 32 hexadecimal digits.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub session: Option<String>,
    /// Who made it, and why.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub remark: Option<Remark>,
    /// The service that was charged.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub service: Option<ExportedService>,
}

/// A service that was charged.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct ExportedService {
    /// Its name.
    pub name: String,
    /// The number that paid.
    pub served: String,
    /// The number that was called; empty without one.
    pub other: String,
}

impl Call for CheckBooks {
    type Reply = CheckedBooks;

    const NAME: &'static str = "ledger check";

    fn perform(self, clerk: &Clerk<'_>) -> Result<CheckedBooks, Refused> {
        let accounts::Checked { accounts, entries, faults, fault_count } =
            clerk.system.back.check_books().map_err(unusable)?;
        Ok(CheckedBooks { accounts, entries, faults, fault_count })
    }

    fn subject(&self) -> Option<String> {
        None
    }
}

impl Call for ExportBooks {
    type Reply = ExportedBooks;

    const NAME: &'static str = "ledger export";

    fn perform(self, clerk: &Clerk<'_>) -> Result<ExportedBooks, Refused> {
        let period = period(&self.from, &self.to)?;
        let after = (AccountId(self.after_account), self.after_entry);
        let count = self.limit.unwrap_or(PAGE_MAX).clamp(1, PAGE_MAX);
        let found = clerk.system.back.all_entries(after, count).map_err(unusable)?;
        let rules = clerk.system.rules();
        let last = found.last();
        let last = last.map(|of| LastEntry { account: of.account.0, entry: of.entry.number });
        let entries = found.into_iter().filter(|of| period.contains(&of.at));
        let entries = entries.map(|of| ExportedEntry::of(of, &rules)).collect();
        Ok(ExportedBooks { currency: rules.currency.code().to_owned(), entries, last })
    }

    fn subject(&self) -> Option<String> {
        Some("all entries".to_owned())
    }
}

impl ExportedEntry {
    fn of(booked: BookedEntry, rules: &Rules) -> Self {
        let BookedEntry { account, at, entry, remark } = booked;
        let currency = rules.currency;
        let text = |octets: &[u8]| String::from_utf8_lossy(octets).into_owned();
        let charged = charging::ChargedUsage::read(&remark);
        ExportedEntry {
            account: account.0,
            entry: entry.number,
            at: shown(at),
            unit: entry.unit.into(),
            bucket: entry.bucket.0,
            amount: amount::shown(entry.amount, entry.unit, currency),
            balance: amount::shown(entry.balance, entry.unit, currency),
            system: system_word(entry.system.kind).to_owned(),
            offer: rules.offer_of(entry.system).map(str::to_owned),
            session: entry.session.map(|key| format!("{:032x}", key.0)),
            service: charged.map(|charging::ChargedUsage { service, .. }| ExportedService {
                name: service.name.to_owned(),
                served: text(service.served),
                other: text(service.other),
            }),
            remark: Remark::read(&remark),
        }
    }
}
