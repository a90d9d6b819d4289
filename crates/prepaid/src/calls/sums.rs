//! Sums the books: what accounts had before a period, what came and went in it, and what they have after it.

use std::collections::BTreeMap;

use accounts::BookedEntry;
use ledger::{AccountId, SystemKind, Unit};
use rating::Currency;
use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

use super::accounts::AmountUnit;
use super::history::system_word;
use super::period::period;
use super::{Call, Clerk, unusable};
use crate::amount;
use crate::refused::Refused;

/// The entries that are read at once.
const PAGE: usize = 10_000;

/// Sums the entries of a period: what accounts had before it, what came and went, and what they have after it.
#[derive(Clone, Debug, Default, Serialize, Deserialize, ToSchema)]
pub struct SumBooks {
    /// The beginning of the period: a day, which begins in UTC, or a time with its zone. Without it, all entries count.
    pub from: Option<String>,
    /// The end of the period, exclusive.
    pub to: Option<String>,
}

/// The sums of a period.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct SummedBooks {
    /// The currency of money.
    pub currency: String,
    /// The sums of each unit that has entries.
    pub units: Vec<UnitSums>,
}

/// The sums of a unit.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct UnitSums {
    /// The unit.
    pub unit: AmountUnit,
    /// What accounts had at the beginning.
    pub before: String,
    /// What went to the operator and came from it. What accounts had, less all of this, is what they have at the end.
    pub changes: Vec<SystemSum>,
    /// What accounts had at the end.
    pub after: String,
}

/// What went from accounts to a system account, or to accounts from it.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct SystemSum {
    /// The system account: `revenue`, `refill`, `adjustment`, `transfer`, `expired`, `bonus` or `fee`.
    pub system: String,
    /// How many entries there are.
    pub entries: u64,
    /// The amount: positive if accounts have paid it, negative if they got it. Figures of the system have this sign, too.
    pub amount: String,
}

impl Call for SumBooks {
    type Reply = SummedBooks;

    const NAME: &'static str = "ledger sums";

    fn perform(self, clerk: &Clerk<'_>) -> Result<SummedBooks, Refused> {
        let period = period(&self.from, &self.to)?;
        let mut units = BTreeMap::<Unit, Sums>::new();
        let mut after = (AccountId(0), 0);
        loop {
            let page = clerk.system.back.all_entries(after, PAGE).map_err(unusable)?;
            let Some(last) = page.last() else { break };
            after = (last.account, last.entry.number);
            for BookedEntry { at, entry, .. } in &page {
                let sums = units.entry(entry.unit).or_default();
                if *at < period.start {
                    sums.before += i128::from(entry.amount);
                } else if period.contains(at) {
                    let (count, sum) = sums.changes.entry(entry.system.kind as u8).or_default();
                    (*count, *sum) = (*count + 1, *sum + i128::from(entry.amount));
                }
            }
        }
        let currency = clerk.system.rules().currency;
        let units = units.into_iter().map(|(unit, sums)| sums.shown(unit, currency)).collect();
        Ok(SummedBooks { currency: currency.code().to_owned(), units })
    }

    fn subject(&self) -> Option<String> {
        None
    }
}

/// The sums of a unit that are being made.
#[derive(Default)]
struct Sums {
    before: i128,
    /// The number of entries and their sum, by the kind of system account.
    changes: BTreeMap<u8, (u64, i128)>,
}

impl Sums {
    fn shown(self, unit: Unit, currency: Currency) -> UnitSums {
        let shown = |sum| amount::shown_sum(sum, unit, currency);
        let after = self.before + self.changes.values().map(|(_, sum)| sum).sum::<i128>();
        let change = |(kind, (entries, sum)): (u8, (u64, i128))| SystemSum {
            system: system_word(SystemKind::ALL[usize::from(kind)]).to_owned(),
            entries,
            amount: shown(-sum),
        };
        UnitSums {
            unit: unit.into(),
            before: shown(self.before),
            changes: self.changes.into_iter().map(change).collect(),
            after: shown(after),
        }
    }
}
