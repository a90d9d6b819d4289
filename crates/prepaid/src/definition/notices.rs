//! `[thresholds]` and `[notices]`: when there is a notice that little is left, and the program to which notices are sent.

use std::time::Duration;

use diagnostics::{Diagnostic, Span};
use ledger::{Measure, Millis, THRESHOLDS_MAX, Threshold, Unit};
use rating::Currency;
use runtime::time::milliseconds;
use settings::{Setting, Settings};
use toml_edit::TableLike;
use webhook::Webhook;

use super::Reading;

/// For how long notices are kept by default.
const KEEP: Duration = Duration::from_secs(30 * 86_400);

/// How old a notice is at most that is sent, by default: the day after, it would be wrong.
const WITHIN: Duration = Duration::from_secs(86_400);

/// How long before an end there is a notice at most: a year.
const BEFORE_END_MAX: Millis = 365 * 86_400_000;

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
    /// How long before a balance or a stage of an account's life ends there is a notice, in milliseconds; 0 for never.
    pub before_end: Millis,
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
                let level = |of: &Threshold| (of.unit, of.measure, of.level);
                level(&of.threshold) == level(&rule.threshold)
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
        let (measure, level) = self.level(table, &below, (unit, currency))?;
        let above = match table.get("again-above") {
            Some(setting) => {
                let (other, above) = self.level(table, setting, (unit, currency))?;
                if other != measure {
                    let message =
                        "\"below\" and \"again-above\" are both amounts, or both percentages";
                    self.mistakes.push(table.error(setting, message));
                    return None;
                }
                above
            }
            None => level,
        };
        if above < level {
            let message = format!("\"again-above\" of \"{}\" is below \"below\"", table.name);
            self.mistakes.push(Diagnostic::error(&self.source, table.span, message));
            return None;
        }
        let threshold = Threshold { unit, measure, level, hysteresis: above - level };
        Some(ThresholdRule { name: table.name.clone(), threshold })
    }

    /// Reads a level: an amount, or a percentage of what balances were given.
    fn level(
        &mut self,
        table: &Settings,
        setting: &Setting,
        of: (Unit, Currency),
    ) -> Option<(Measure, i64)> {
        let Some(number) = setting.value.strip_suffix('%') else {
            return Some((Measure::Amount, self.of_unit(table, setting, of)?));
        };
        let percent = number.trim().parse().ok().filter(|percent| (1..100).contains(percent));
        let message = || table.error(setting, "a percentage is a whole number from 1 to 99");
        Some((Measure::Percent, self.noted(percent.ok_or_else(message))?))
    }

    /// Reads what becomes of notices.
    pub(super) fn notices(&mut self, document: &dyn TableLike) -> NoticeSettings {
        let (keep, within) = (milliseconds(KEEP), milliseconds(WITHIN));
        let known = [&[webhook::ADDRESS, "keep", "within", "before-end"], webhook::KEYS].concat();
        let Some(table) = self.table(document, "notices", &known) else {
            return NoticeSettings { webhook: None, keep, within, before_end: 0 };
        };
        let mut length = |key, otherwise| {
            let length = table.get(key).map(|setting| table.duration(setting));
            let length = length.and_then(|length| self.noted(length));
            length.map_or(otherwise, milliseconds)
        };
        let (keep, within) = (length("keep", keep), length("within", within));
        let before_end = length("before-end", 0);
        if before_end > BEFORE_END_MAX {
            let message = "\"before-end\" is 365 days at most";
            self.mistakes.push(Diagnostic::error(&self.source, table.span, message));
        }
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
        NoticeSettings { webhook: webhook.flatten(), keep, within, before_end }
    }
}
