//! `[transfers]`: what an account may send to others, and what it pays for it.

use rating::Currency;
use toml_edit::TableLike;

use super::Reading;

/// The rules of transfers between accounts.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct TransferSettings {
    /// What the sender pays for each, in billionths; 0 for nothing.
    pub fee: i64,
    /// What an account may send on a day, in billionths. `None`: as much as it has.
    pub per_day: Option<i64>,
}

impl Reading<'_> {
    /// Reads the rules of transfers.
    pub(super) fn transfers(
        &mut self,
        document: &dyn TableLike,
        currency: Currency,
    ) -> TransferSettings {
        let Some(table) = self.table(document, "transfers", &["fee", "per-day"]) else {
            return TransferSettings::default();
        };
        let fee = table.get("fee").and_then(|setting| self.price(&table, setting, currency));
        let per_day =
            table.get("per-day").and_then(|setting| self.amount(&table, setting, currency));
        TransferSettings { fee: fee.unwrap_or(0), per_day }
    }
}
