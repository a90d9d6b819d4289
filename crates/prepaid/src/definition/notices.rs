//! `[thresholds]` and `[notices]`: when there is a notice that little is left, and the program to which notices are sent.

use std::time::Duration;

use diagnostics::{Diagnostic, Span};
use ledger::{Millis, THRESHOLDS_MAX, Threshold, Unit};
use rating::Currency;
use runtime::time::milliseconds;
use settings::Settings;
use toml_edit::TableLike;
use webhook::Webhook;

use super::Reading;

/// For how long notices are kept by default.
const KEEP: Duration = Duration::from_secs(30 * 86_400);

/// How old a notice is at most that is sent, by default: the day after, it would be wrong.
const WITHIN: Duration = Duration::from_secs(86_400);

/// A level of what an account has, below which there is a notice.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ThresholdRule {
    /// Its name.
    pub name: String,
    /// The level.
    pub threshold: Threshold,
}

/// What becomes of notices.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct NoticeSettings {
    /// The program to which they are sent.
    pub webhook: Option<Webhook>,
    /// For how long they are kept, in milliseconds.
    pub keep: Millis,
    /// How old a notice is at most that is sent, in milliseconds.
    pub within: Millis,
}

impl Reading<'_> {
    /// Reads the thresholds, in the order of the file.
    pub(super) fn thresholds(
        &mut self,
        document: &dyn TableLike,
        currency: Currency,
    ) -> Vec<ThresholdRule> {
        let tables = self.tables(document, "thresholds", &["unit", "below", "again-above"]);
        if tables.len() > THRESHOLDS_MAX {
            let message = format!("there are {THRESHOLDS_MAX} thresholds at most");
            self.mistakes.push(Diagnostic::error(&self.source, Span::default(), message));
        }
        let mut rules: Vec<ThresholdRule> = Vec::new();
        for table in tables {
            let Some(rule) = self.threshold(&table, currency) else { continue };
            let is_same = |of: &&ThresholdRule| {
                (of.threshold.unit, of.threshold.level)
                    == (rule.threshold.unit, rule.threshold.level)
            };
            if let Some(other) = rules.iter().find(is_same) {
                let message = format!("\"{}\" and \"{}\" have one level", other.name, rule.name);
                self.mistakes.push(Diagnostic::error(&self.source, table.span, message));
            }
            rules.push(rule);
        }
        rules
    }

    fn threshold(&mut self, table: &Settings, currency: Currency) -> Option<ThresholdRule> {
        let units = [
            ("money", Unit::Money),
            ("octets", Unit::Octets),
            ("seconds", Unit::Seconds),
            ("events", Unit::Events),
        ];
        let unit = match table.get("unit") {
            Some(setting) => self.noted(table.choice(setting, &units))?,
            None => Unit::Money,
        };
        let below = self.required(table, "below")?;
        let level = self.of_unit(table, &below, (unit, currency))?;
        let above = match table.get("again-above") {
            Some(setting) => self.of_unit(table, setting, (unit, currency))?,
            None => level,
        };
        if above < level {
            let message = format!("\"again-above\" of \"{}\" is below \"below\"", table.name);
            self.mistakes.push(Diagnostic::error(&self.source, table.span, message));
            return None;
        }
        let threshold = Threshold { unit, level, hysteresis: above - level };
        Some(ThresholdRule { name: table.name.clone(), threshold })
    }

    /// Reads what becomes of notices.
    pub(super) fn notices(&mut self, document: &dyn TableLike) -> NoticeSettings {
        let (keep, within) = (milliseconds(KEEP), milliseconds(WITHIN));
        let known = [&[webhook::ADDRESS, "keep", "within"], webhook::KEYS].concat();
        let Some(table) = self.table(document, "notices", &known) else {
            return NoticeSettings { webhook: None, keep, within };
        };
        let mut length = |key, otherwise| {
            let length = table.get(key).map(|setting| table.duration(setting));
            let length = length.and_then(|length| self.noted(length));
            length.map_or(otherwise, milliseconds)
        };
        let (keep, within) = (length("keep", keep), length("within", within));
        if within > keep {
            let message =
                "\"keep\" is less than \"within\": notices would be deleted before they are sent";
            self.mistakes.push(Diagnostic::error(&self.source, table.span, message));
        }
        // What belongs to a webhook needs its address.
        let is_webhook = |key: &&str| table.get(key).is_some();
        let has_webhook = [webhook::ADDRESS].iter().chain(webhook::KEYS).any(is_webhook);
        let webhook = has_webhook.then(|| Webhook::read(&table));
        let webhook = webhook.transpose().map_err(|mistakes| self.mistakes.extend(mistakes)).ok();
        NoticeSettings { webhook: webhook.flatten(), keep, within }
    }
}
