//! The counters of a subscriber in long-term storage. They are stored by the names of bundles and discounts, so that
//! another version of a plan finds them, and for several periods, since usages of a month come after the next has
//! begun.
//!
//! A [`State`] has the counters of one plan and one period by their places. It is filled from here for each usage.

use std::fmt;

use crate::calendar::month;
use crate::money::exact;
use crate::no_tariff::NoTariff;
use crate::plan::{Period, Plan, Unit};
use crate::price::{MEASURES_MAX, Priced};
use crate::state::{Counter, Counters, State};
use crate::usage::Usage;

/// The counters of a subscriber.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct SubscriberCounters {
    counters: Vec<StoredCounter>,
    /// The changes since the last [`keep`](Self::keep): the place of each counter and its value before; `None` if there
    /// was no counter.
    changed: Vec<(usize, Option<Count>)>,
}

/// The count of a bundle or discount in a period.
#[derive(Clone, Debug, PartialEq, Eq)]
struct StoredCounter {
    of: Of,
    name: Box<str>,
    period: Period,
    number: i64,
    count: Count,
}

/// What a counter is of.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Of {
    /// A bundle, which pays for these units.
    Bundle(Unit),
    /// A discount, whose counter is an amount.
    Discount,
}

impl Of {
    /// The kinds, by the octet they are written as.
    const ALL: [Of; 4] = [
        Of::Bundle(Unit::Seconds),
        Of::Bundle(Unit::Octets),
        Of::Bundle(Unit::Events),
        Of::Discount,
    ];

    fn octet(self) -> u8 {
        match self {
            Of::Bundle(unit) => unit as u8,
            Of::Discount => 3,
        }
    }
}

/// A count: units of a bundle with `measures` 1, or an amount in measures, `measures` of which make a billionth.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Count {
    used: i128,
    measures: i128,
}

/// A counter, for display.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ShownCounter {
    /// What it is of.
    pub of: Of,
    /// Its name in the plan.
    pub name: String,
    /// `once`, a day or a month.
    pub period: String,
    /// Units that a bundle paid; or what was spent, in the plan's currency.
    pub used: String,
}

/// The error for octets that are no counters.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("these octets are no counters of a subscriber")]
pub struct NoCounters;

/// The first octet, which identifies the format.
const FORM: u8 = 2;

/// Returns how many periods of a bundle or discount are stored, so that late usages are counted in their own.
const fn periods_stored(period: Period) -> usize {
    match period {
        Period::Once => 1,
        Period::Day => 40,
        Period::Month => 4,
    }
}

impl SubscriberCounters {
    /// Reads what [`write`](Self::write) wrote.
    pub fn read(octets: &[u8]) -> Result<Self, NoCounters> {
        let Some((&FORM, mut rest)) = octets.split_first() else { return Err(NoCounters) };
        let mut counters = Vec::new();
        while !rest.is_empty() {
            let (counter, behind) = StoredCounter::read(rest).ok_or(NoCounters)?;
            counters.push(counter);
            rest = behind;
        }
        Ok(SubscriberCounters { counters, changed: Vec::new() })
    }

    /// Appends the counters as octets. Only the latest periods of each bundle and discount are written.
    pub fn write(&self, to: &mut Vec<u8>) {
        to.push(FORM);
        let is_stored = |counter: &&StoredCounter| {
            let later =
                |other: &&StoredCounter| other.is_alike(counter) && other.number > counter.number;
            self.counters.iter().filter(later).count() < periods_stored(counter.period)
        };
        self.counters.iter().filter(is_stored).for_each(|counter| counter.write(to));
    }

    /// Returns whether anything was counted since the last `keep`.
    pub fn is_changed(&self) -> bool {
        !self.changed.is_empty()
    }

    /// Makes the changes since the last `keep` permanent.
    pub fn keep(&mut self) {
        self.changed.clear();
    }

    /// Undoes the changes since the last `keep`.
    pub fn take_back(&mut self) {
        while let Some((place, before)) = self.changed.pop() {
            match before {
                Some(count) => self.counters[place].count = count,
                // Added counters are behind all others.
                None => self.counters.truncate(place),
            }
        }
    }

    /// Returns all counters, in the order they were added.
    pub fn all(&self) -> impl Iterator<Item = ShownCounter> {
        self.counters.iter().map(|counter| ShownCounter {
            of: counter.of,
            name: counter.name.to_string(),
            period: counter.period.shown(counter.number),
            used: match counter.of {
                Of::Bundle(_) => counter.count.used.to_string(),
                Of::Discount => exact(counter.count.used, counter.count.measures),
            },
        })
    }

    /// Adds other counters of the same subscriber.
    pub fn add(&mut self, others: &SubscriberCounters) {
        for other in &others.counters {
            let is_same = |counter: &&mut StoredCounter| {
                counter.is_alike(other) && counter.number == other.number
            };
            match self.counters.iter_mut().find(is_same) {
                Some(counter) => counter.count = counter.count.and(other.count),
                None => self.counters.push(other.clone()),
            }
        }
        self.keep();
    }

    /// Returns the count of a period, or whether the period is too old to be stored.
    fn find(&self, wanted: &Wanted<'_>) -> StoredCount {
        let alike = || self.counters.iter().filter(|counter| wanted.is_of(counter));
        if let Some(counter) = alike().find(|counter| counter.number == wanted.number) {
            return StoredCount::Counted(counter.count);
        }
        let later = alike().filter(|counter| counter.number > wanted.number).count();
        if later >= periods_stored(wanted.period) {
            StoredCount::Forgotten
        } else {
            StoredCount::Nothing
        }
    }

    fn set(&mut self, wanted: &Wanted<'_>, count: Count) {
        let is_wanted =
            |counter: &StoredCounter| wanted.is_of(counter) && counter.number == wanted.number;
        match self.counters.iter().position(is_wanted) {
            Some(place) => {
                let counter = &mut self.counters[place];
                if counter.count != count {
                    self.changed.push((place, Some(std::mem::replace(&mut counter.count, count))));
                }
            }
            None => {
                let Wanted { of, name, period, number } = *wanted;
                self.changed.push((self.counters.len(), None));
                self.counters.push(StoredCounter { of, name: name.into(), period, number, count });
            }
        }
    }
}

/// The key of a counter.
struct Wanted<'w> {
    of: Of,
    name: &'w str,
    period: Period,
    number: i64,
}

impl Wanted<'_> {
    fn is_of(&self, counter: &StoredCounter) -> bool {
        (self.of, self.period, self.name) == (counter.of, counter.period, &*counter.name)
    }
}

enum StoredCount {
    Counted(Count),
    Nothing,
    Forgotten,
}

impl StoredCounter {
    fn is_alike(&self, other: &StoredCounter) -> bool {
        (self.of, self.period, &self.name) == (other.of, other.period, &other.name)
    }

    fn write(&self, to: &mut Vec<u8>) {
        to.push(self.of.octet());
        to.push(self.period as u8);
        to.extend_from_slice(&self.number.to_be_bytes());
        to.extend_from_slice(&self.count.used.to_be_bytes());
        to.extend_from_slice(&self.count.measures.to_be_bytes());
        to.extend_from_slice(&(self.name.len() as u32).to_be_bytes());
        to.extend_from_slice(self.name.as_bytes());
    }

    fn read(octets: &[u8]) -> Option<(StoredCounter, &[u8])> {
        let ([of, period], rest) = octets.split_first_chunk()?;
        let of = *Of::ALL.get(usize::from(*of))?;
        let (_, period) = *Period::NAMES.get(usize::from(*period))?;
        let (number, rest) = rest.split_first_chunk()?;
        let (used, rest) = rest.split_first_chunk()?;
        let (measures, rest) = rest.split_first_chunk()?;
        let (length, rest) = rest.split_first_chunk()?;
        let (name, rest) = rest.split_at_checked(u32::from_be_bytes(*length) as usize)?;
        let [used, measures] = [used, measures].map(|number| i128::from_be_bytes(*number));
        let is_sound = used >= 0 && (1..=MEASURES_MAX).contains(&measures);
        let counter = StoredCounter {
            of,
            name: std::str::from_utf8(name).ok()?.into(),
            period,
            number: i64::from_be_bytes(*number),
            count: Count { used, measures },
        };
        is_sound.then_some((counter, rest))
    }
}

impl Count {
    /// Returns the sum, in the finer measures of the two.
    fn and(self, other: Count) -> Count {
        let measures = self.measures.max(other.measures);
        let used = self.in_measures(measures).saturating_add(other.in_measures(measures));
        Count { used, measures }
    }

    /// Converts the count into measures, of which `measures` make a billionth. Rounds down.
    fn in_measures(self, measures: i128) -> i128 {
        if self.measures == measures {
            return self.used;
        }
        let (nanos, rest) = (self.used / self.measures, self.used % self.measures);
        nanos.saturating_mul(measures).saturating_add(rest * measures / self.measures)
    }
}

impl Plan {
    /// Returns the price of a whole usage, and counts it in the subscriber's counters. An error leaves the counters as
    /// they were. The state is only working memory, and may be shared by all subscribers.
    pub fn rate_counted(
        &self,
        usage: &Usage<'_>,
        counters: &mut SubscriberCounters,
        state: &mut State,
    ) -> Result<Priced<'_>, NoTariff> {
        state.end_usage();
        self.check_start(usage.start)?;
        self.fill_all(usage, counters, state);
        let before = state.counters;
        let priced = self.rate(usage, state)?;
        state.end_usage();
        self.count(usage, &before, state, counters);
        Ok(priced)
    }

    /// Copies the stored counters for a usage into the state.
    pub(crate) fn fill_all(
        &self,
        usage: &Usage<'_>,
        counters: &SubscriberCounters,
        state: &mut State,
    ) {
        self.wanted(usage).for_each(|wanted| self.fill(wanted, counters, state));
    }

    /// Stores the counters that a usage has changed.
    pub(crate) fn count(
        &self,
        usage: &Usage<'_>,
        before: &Counters,
        state: &State,
        counters: &mut SubscriberCounters,
    ) {
        for (place, wanted) in self.wanted(usage) {
            let (used, was) = match wanted.of {
                Of::Bundle(_) => {
                    let of = |state: &State| i128::from(state.counters.bundles[place].used);
                    (of(state), i128::from(before.bundles[place].used))
                }
                Of::Discount => (state.counters.spent[place].used, before.spent[place].used),
            };
            if used != was {
                let measures = if wanted.of == Of::Discount { self.measures } else { 1 };
                counters.set(&wanted, Count { used, measures });
            }
        }
    }

    /// Returns the plan's counters for a usage: their places in the plan, and their keys in storage.
    fn wanted<'w>(
        &'w self,
        usage: &Usage<'_>,
    ) -> impl Iterator<Item = (usize, Wanted<'w>)> + Clone + use<'w> {
        let start = usage.start;
        let wanted = move |of, name: &'w str, period| {
            let number = self.period(period, start);
            Wanted { of, name, period, number }
        };
        let bundles = self.bundles.iter().enumerate();
        let bundles = bundles.map(move |(place, bundle)| {
            (place, wanted(Of::Bundle(bundle.unit), &bundle.name, bundle.period))
        });
        let discounts = self.discounts.iter().enumerate();
        let discounts = discounts.map(move |(place, discount)| {
            (place, wanted(Of::Discount, &discount.name, discount.period))
        });
        bundles.chain(discounts)
    }

    /// Copies a stored counter into its place in the state.
    fn fill(
        &self,
        (place, wanted): (usize, Wanted<'_>),
        counters: &SubscriberCounters,
        state: &mut State,
    ) {
        let (period, count) = match counters.find(&wanted) {
            StoredCount::Counted(count) => (wanted.number, count),
            StoredCount::Nothing => (wanted.number, Count { used: 0, measures: 1 }),
            // Use a later period, so that a usage that would be counted in the forgotten one is refused.
            StoredCount::Forgotten => (wanted.number + 1, Count { used: 0, measures: 1 }),
        };
        match wanted.of {
            Of::Bundle(_) => {
                let used = u64::try_from(count.used).unwrap_or(u64::MAX);
                state.counters.bundles[place] = Counter { period, used };
            }
            Of::Discount => {
                let used = count.in_measures(self.measures);
                state.counters.spent[place] = Counter { period, used };
            }
        }
    }
}

impl Period {
    /// Returns the period with a number as text.
    fn shown(self, number: i64) -> String {
        match self {
            Period::Once => "once".to_owned(),
            Period::Month => {
                format!("{:04}-{:02}", number.div_euclid(12), number.rem_euclid(12) + 1)
            }
            Period::Day => {
                let month = month(number);
                // Find the day of the month by going back to the first.
                let first = (0..31).find(|back| self::month(number - back - 1) != month);
                format!("{}-{:02}", Period::Month.shown(month), first.unwrap_or(0) + 1)
            }
        }
    }
}

impl fmt::Display for ShownCounter {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        let of = match self.of {
            Of::Bundle(_) => "bundle",
            Of::Discount => "discount",
        };
        write!(out, "{of} {} {}: {}", self.name, self.period, self.used)
    }
}
