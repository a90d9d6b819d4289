//! The bonuses that a refill may get at a time, by the rules of the definition.

use ledger::{Allowance, Bonus, Millis, SystemAccount, SystemKind};

use crate::definition::BonusRule;
use crate::rules::Rules;

/// The rules that hold at a time, with what they give then.
#[derive(Debug)]
pub(crate) struct Bonuses<'r>(Vec<(SystemAccount, &'r BonusRule, Vec<Allowance>)>);

impl<'r> Bonuses<'r> {
    pub(crate) fn at(rules: &'r Rules, at: Millis) -> Self {
        let held = rules.bonuses.iter().filter(|rule| (rule.from..rule.until).contains(&at));
        let given = held.filter_map(|rule| {
            let of = rules.system_account(SystemKind::Bonus, &rule.name)?;
            let valid = (at, rules.end_of(&rule.contents, at));
            Some((of, rule, rules.allowances(&rule.contents, valid)))
        });
        Bonuses(given.collect())
    }

    /// Returns the rules for the ledger.
    pub(crate) fn list(&self) -> Vec<Bonus<'_>> {
        self.0
            .iter()
            .map(|(of, rule, allowances)| Bonus {
                of: *of,
                only_first: rule.only_first,
                least: rule.least,
                allowances,
            })
            .collect()
    }
}
