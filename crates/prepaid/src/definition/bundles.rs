//! `[bundles]`: what subscribers buy.

use charging::Scope;
use ledger::{AMOUNT_MAX, Unit};
use rating::{Currency, Length, Plans};
use settings::{Setting, Settings};
use toml_edit::TableLike;

use super::Reading;
use super::fees::Recurrence;
use crate::amount;
use diagnostics::Diagnostic;

/// The priority of a balance that has none in the definition.
const PRIORITY: u16 = 100;

/// The keys of what is given.
pub(super) const CONTENTS: [&str; 8] =
    ["money", "octets", "seconds", "events", "services", "classes", "priority", "valid"];

/// A bundle that is sold.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Bundle {
    /// Its name.
    pub name: String,
    /// What it costs, in billionths; 0 for nothing.
    pub price: i64,
    /// What it consists of.
    pub contents: Contents,
    /// When it is bought again, if it renews.
    pub recurrence: Option<Recurrence>,
    /// Whether what is left at the end of a period can be used in the next one.
    pub rolls_over: bool,
}

/// What an account is given: a balance for each amount.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Contents {
    /// The amounts, one at least.
    pub amounts: Vec<(Unit, i64)>,
    /// What the balances pay for. Empty for all.
    pub scopes: Vec<Scope>,
    /// Balances with a smaller number are used first.
    pub priority: u16,
    /// For how long the balances may be used. `None` for ever.
    pub valid: Option<Length>,
}

impl Reading<'_> {
    /// Reads the bundles, in the order of the file.
    pub(super) fn bundles(
        &mut self,
        document: &dyn TableLike,
        (currency, plans): (Currency, &Plans),
    ) -> Vec<Bundle> {
        let mut bundles = Vec::new();
        for table in self.tables(
            document,
            "bundles",
            &[&["price", "renews", "retry", "rolls-over"], &CONTENTS[..]].concat(),
        ) {
            let price = self.required(&table, "price");
            let price = price.and_then(|setting| self.price(&table, &setting, currency));
            let contents = self.contents(&table, (currency, plans));
            if let (Some(price), Some(contents)) = (price, contents) {
                let recurrence = self.recurrence(&table, contents.valid);
                let rolls_over = self.rolls_over(&table, recurrence.is_some());
                bundles.push(Bundle { name: table.name, price, contents, recurrence, rolls_over });
            }
        }
        bundles
    }

    /// Reads whether a bundle is bought again when its time is over.
    fn recurrence(&mut self, table: &Settings, valid: Option<Length>) -> Option<Recurrence> {
        let truths = [("true", true), ("false", false)];
        let setting = table.get("renews")?;
        let retry = self.retry(table)?;
        if !self.noted(table.choice(setting, &truths))? {
            return None;
        }
        if valid.is_none() {
            let message = "a bundle that renews has \"valid\", after which it is bought again";
            self.mistakes.push(table.error(setting, message));
        }
        Some(Recurrence { every: valid?, retry })
    }

    /// Reads whether what is left rolls over to the next period.
    fn rolls_over(&mut self, table: &Settings, renews: bool) -> bool {
        let Some(setting) = table.get("rolls-over") else { return false };
        let rolls_over = self.noted(table.choice(setting, &[("true", true), ("false", false)]));
        if rolls_over == Some(true) && !renews {
            let message = "only what is left of a bundle that renews can roll over";
            self.mistakes.push(table.error(setting, message).hint("write renews = true"));
        }
        rolls_over.unwrap_or(false)
    }

    /// Reads an amount that may be zero.
    pub(super) fn price(
        &mut self,
        table: &Settings,
        setting: &Setting,
        currency: Currency,
    ) -> Option<i64> {
        let read = amount::money_or_zero(&setting.value, currency);
        self.noted(read.map_err(|refused| table.error(setting, refused.to_string())))
    }

    /// Reads what is given.
    pub(super) fn contents(
        &mut self,
        table: &Settings,
        (currency, plans): (Currency, &Plans),
    ) -> Option<Contents> {
        let mut amounts = Vec::new();
        for (key, unit) in [
            ("money", Unit::Money),
            ("octets", Unit::Octets),
            ("seconds", Unit::Seconds),
            ("events", Unit::Events),
        ] {
            if let Some(setting) = table.get(key) {
                amounts.push((unit, self.of_unit(table, setting, (unit, currency))?));
            }
        }
        if amounts.is_empty() {
            let message = format!("\"{}\" gives nothing", table.name);
            let hint = "write \"octets\", \"seconds\", \"events\" or \"money\"";
            self.mistakes.push(Diagnostic::error(&self.source, table.span, message).hint(hint));
            return None;
        }
        let priority = match table.get("priority") {
            Some(setting) => {
                let read = setting.value.parse();
                let message = || table.error(setting, "\"priority\" is a number from 0 to 65535");
                self.noted(read.map_err(|_| message()))?
            }
            None => PRIORITY,
        };
        let valid = match table.get("valid") {
            Some(setting) => Some(self.length(table, setting)?),
            None => None,
        };
        Some(Contents { amounts, scopes: self.scopes(table, plans), priority, valid })
    }

    /// Reads an amount of a unit.
    pub(super) fn of_unit(
        &mut self,
        table: &Settings,
        setting: &Setting,
        (unit, currency): (Unit, Currency),
    ) -> Option<i64> {
        let amount = match unit {
            Unit::Money => return self.amount(table, setting, currency),
            Unit::Octets => table.octets(setting),
            Unit::Seconds | Unit::Events => table.count(setting),
        };
        let amount = self.noted(amount)?;
        let amount = i64::try_from(amount).ok().filter(|amount| *amount <= AMOUNT_MAX);
        let message =
            || table.error(setting, format!("\"{}\" is {AMOUNT_MAX} at most", setting.key));
        self.noted(amount.ok_or_else(message))
    }

    /// Reads a length of calendar time.
    pub(super) fn length(&mut self, table: &Settings, setting: &Setting) -> Option<Length> {
        let message = || {
            let message = format!("\"{}\" is no number of days or months", setting.value);
            table.error(setting, message).hint("write \"30 days\" or \"1 month\"")
        };
        self.noted(Length::read(&setting.value).ok_or_else(message))
    }
}
