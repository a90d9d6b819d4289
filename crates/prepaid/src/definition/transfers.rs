//! `[transfers]`: what an account may send to others, and what it pays for it.

use rating::Currency;
use toml_edit::TableLike;

use super::{Fee, Reading};
use crate::rules::TRANSFER;
use diagnostics::Diagnostic;

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
        fees: &[Fee],
    ) -> TransferSettings {
        let Some(table) = self.table(document, "transfers", &["fee", "per-day"]) else {
            return TransferSettings::default();
        };
        let fee = table.get("fee").and_then(|setting| self.price(&table, setting, currency));
        let per_day =
            table.get("per-day").and_then(|setting| self.amount(&table, setting, currency));
        let fee = fee.unwrap_or(0);
        if fee > 0 && fees.iter().any(|fee| fee.name == TRANSFER) {
            let message =
                format!("\"{TRANSFER}\" is the name of the fee of transfers, and of one of [fees]");
            self.mistakes.push(Diagnostic::error(&self.source, table.span, message));
        }
        TransferSettings { fee, per_day }
    }
}
