//! `[bonuses]`: what accounts get with a refill.

use ledger::{BONUSES_MAX, Millis};
use rating::{Currency, Plans};
use settings::Settings;
use toml_edit::TableLike;

use super::Reading;
use super::bundles::{CONTENTS, Contents};
use diagnostics::{Diagnostic, Span};

/// A rule for a bonus.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct BonusRule {
    /// Its name.
    pub name: String,
    /// Whether it is only for the first refill of an account.
    pub only_first: bool,
    /// The least amount that is refilled, in billionths; 0 for any.
    pub least: i64,
    /// When it begins.
    pub from: Millis,
    /// The end of that time.
    pub until: Millis,
    /// What the account gets.
    pub contents: Contents,
}

impl Reading<'_> {
    /// Reads the rules, in the order of the file.
    pub(super) fn bonuses(
        &mut self,
        document: &dyn TableLike,
        of: (Currency, &Plans),
    ) -> Vec<BonusRule> {
        let known = [&["first-refill", "at-least", "from", "until"], &CONTENTS[..]].concat();
        let tables = self.tables(document, "bonuses", &known);
        if tables.len() > BONUSES_MAX {
            let message = format!("there are {BONUSES_MAX} bonuses at most");
            self.mistakes.push(Diagnostic::error(&self.source, Span::default(), message));
        }
        tables.into_iter().filter_map(|table| self.bonus(table, of)).collect()
    }

    fn bonus(&mut self, table: Settings, of: (Currency, &Plans)) -> Option<BonusRule> {
        let contents = self.contents(&table, of);
        let truths = [("true", true), ("false", false)];
        let only_first = match table.get("first-refill") {
            Some(setting) => self.noted(table.choice(setting, &truths)),
            None => Some(false),
        };
        let least = match table.get("at-least") {
            Some(setting) => self.amount(&table, setting, of.0),
            None => Some(0),
        };
        let from = self.moment(&table, "from", Millis::MIN);
        let until = self.moment(&table, "until", Millis::MAX);
        let (from, until) = (from?, until?);
        if until <= from {
            let message = format!("\"{}\" ends before it begins", table.name);
            self.mistakes.push(Diagnostic::error(&self.source, table.span, message));
        }
        let (name, only_first, least) = (table.name, only_first?, least?);
        Some(BonusRule { name, only_first, least, from, until, contents: contents? })
    }

    /// Reads a moment, `otherwise` without one.
    pub(super) fn moment(
        &mut self,
        table: &Settings,
        key: &str,
        otherwise: Millis,
    ) -> Option<Millis> {
        let Some(setting) = table.get(key) else { return Some(otherwise) };
        let moment = runtime::time::moment(&setting.value);
        self.noted(moment.map_err(|why| table.error(setting, why.to_string())))
    }
}
