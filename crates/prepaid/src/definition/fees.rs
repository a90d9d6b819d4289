//! `[fees]`: what each account pays in each period.

use ledger::Millis;
use rating::{Currency, Length};
use settings::Settings;
use toml_edit::TableLike;

use super::Reading;

/// After how long a period that could not be paid is tried again by default: a day.
const RETRY: Millis = 86_400_000;

/// A fee.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Fee {
    /// Its name.
    pub name: String,
    /// The amount, in billionths.
    pub amount: i64,
    /// When it is charged.
    pub recurrence: Recurrence,
    /// The earliest beginning of a first period.
    pub from: Millis,
}

/// How often something is charged.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Recurrence {
    /// The length of a period.
    pub every: Length,
    /// After how long a period that could not be paid is tried again, in milliseconds.
    pub retry: Millis,
}

impl Reading<'_> {
    /// Reads the fees, in the order of the file.
    pub(super) fn fees(&mut self, document: &dyn TableLike, currency: Currency) -> Vec<Fee> {
        let tables = self.tables(document, "fees", &["amount", "every", "retry", "from"]);
        tables.into_iter().filter_map(|table| self.fee(table, currency)).collect()
    }

    fn fee(&mut self, table: Settings, currency: Currency) -> Option<Fee> {
        let amount = self.required(&table, "amount");
        let amount = amount.and_then(|setting| self.amount(&table, &setting, currency));
        let every = self.required(&table, "every");
        let every = every.and_then(|setting| self.length(&table, &setting));
        let retry = self.retry(&table)?;
        let from = self.moment(&table, "from", Millis::MIN)?;
        let recurrence = Recurrence { every: every?, retry };
        Some(Fee { name: table.name, amount: amount?, recurrence, from })
    }

    /// Reads after how long a period is tried again.
    pub(super) fn retry(&mut self, table: &Settings) -> Option<Millis> {
        match table.get("retry") {
            Some(setting) => self.noted(table.duration(setting)).map(runtime::time::milliseconds),
            None => Some(RETRY),
        }
    }
}
