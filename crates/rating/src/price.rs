//! Price setting: from a tariff class, a start and a quantity to money.
//!
//! A usage is bought in intervals: the first, then equal ones. The price of an interval depends only on where it
//! begins: on the time band there (or at the start of the usage, as the class says) and on the step there. So it does
//! not matter in how many parts a usage comes: the same intervals are bought, and their sum is exact. The charge for a
//! part is the total charge with it, less the charge before it. Each total is rounded from the exact sum, so the
//! charges for the parts add up exactly to the charge for the whole.
//!
//! Prices are not negative, and each interval adds to what was paid before, so a price never falls with duration.

use clocks::{DAY, DAYS};

use crate::analysis::Analysed;
use crate::calendar::month;
use crate::meter::Meter;
use crate::money::{Money, NANOS, exact};
use crate::no_tariff::{Cause, NoTariff};
use crate::plan::{Limits, Period, Plan, Unit};
use crate::state::{Charged, Counters, Session, State};
use crate::time::{Moment, in_utc};
use crate::usage::{Gone, Step, Usage, Watch};

/// Maximum duration of a usage in seconds: a leap year. A longer one is the fault of a clock, and would be cut into too
/// many bands.
pub const DURATION_SECONDS_MAX: u64 = 366 * 86_400;

/// Maximum octets or events of a usage, so that counting them does not overflow.
pub const QUANTITY_MAX: u64 = 1 << 60;

/// Maximum price of a usage, in billionths: a million billion of the major unit.
pub(crate) const AMOUNT_MAX: i128 = 1 << 80;

/// Maximum number of measures in a billionth: see `read`.
pub(crate) const MEASURES_MAX: i128 = 1 << 40;

/// A hundred percent, in billionths of a percent.
pub(crate) const HUNDRED_PERCENT: i128 = 100 * NANOS;

/// Maximum tax, in billionths of a percent: a thousand percent.
pub(crate) const PERCENT_MAX: i128 = 10 * HUNDRED_PERCENT;

// A sum of measures, and a charge times a tax, do not overflow.
const _: () = assert!(AMOUNT_MAX.checked_mul(MEASURES_MAX).is_some());
const _: () = assert!(AMOUNT_MAX.checked_mul(PERCENT_MAX).is_some());

/// The price of a usage, or of a part of one.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Priced<'p> {
    /// The tariff class.
    pub class: &'p str,
    /// The unit of `billed` and `free`.
    pub unit: Unit,
    /// Without tax.
    pub net: Money,
    /// The tax.
    pub tax: Money,
    /// With tax.
    pub total: Money,
    /// The units of the intervals that were begun.
    pub billed: u64,
    /// How many of these units bundles paid.
    pub free: u64,
}

/// A price and the steps to it; or the steps up to an error.
#[derive(Clone, Debug)]
pub struct Explanation<'p> {
    /// The steps.
    pub steps: Vec<Gone>,
    /// The price or the error.
    pub result: Result<Priced<'p>, NoTariff>,
}

impl Plan {
    /// Returns the price of a usage, or of the next part of the usage that the state is in.
    ///
    /// An error leaves the state as it was.
    pub fn rate(&self, usage: &Usage<'_>, state: &mut State) -> Result<Priced<'_>, NoTariff> {
        self.rate_watched(usage, state, &mut ())
    }

    /// Returns the unit in which a usage is counted. Its quantity is not used.
    ///
    /// # Errors
    ///
    /// The usage has no tariff class.
    pub fn unit(&self, usage: &Usage<'_>) -> Result<Unit, NoTariff> {
        self.check_start(usage.start)?;
        let found = self.analyse(usage, &mut ())?;
        Ok(self.classes[usize::from(found.class)].unit)
    }

    /// Returns the tariff class of a usage. Its quantity is not used.
    ///
    /// # Errors
    ///
    /// The usage has no tariff class.
    pub fn class(&self, usage: &Usage<'_>) -> Result<&str, NoTariff> {
        self.check_start(usage.start)?;
        let found = self.analyse(usage, &mut ())?;
        Ok(self.class_names.get(found.class))
    }

    /// Like [`rate`](Self::rate); also returns each step, with its result and the line of the plan.
    pub fn explain(&self, usage: &Usage<'_>, state: &mut State) -> Explanation<'_> {
        let mut steps = Vec::new();
        let result = self.rate_watched(usage, state, &mut steps);
        Explanation { steps, result }
    }

    fn rate_watched(
        &self,
        usage: &Usage<'_>,
        state: &mut State,
        watch: &mut impl Watch,
    ) -> Result<Priced<'_>, NoTariff> {
        // Work in place: copying the state would take longer than most of the work.
        let State { session: in_hand, counters } = state;
        let is_begun = in_hand.is_some();
        let session = self.session(usage, counters, in_hand, watch)?;
        let before = Bill::of(session);
        if let Err(error) = self.add_used(usage, session) {
            if !is_begun {
                *in_hand = None;
            }
            return Err(error);
        }
        Meter { plan: self, session, counters, watch }.buy_intervals();
        session.charged = self.charge(session, watch);
        Ok(self.priced(before, session))
    }

    /// Returns the usage in hand, or begins it.
    #[inline]
    pub(crate) fn session<'s>(
        &self,
        usage: &Usage<'_>,
        counters: &Counters,
        in_hand: &'s mut Option<Session>,
        watch: &mut impl Watch,
    ) -> Result<&'s mut Session, NoTariff> {
        match in_hand {
            Some(session) if usage.start < session.start => {
                Err(NoTariff::new(Step::Time, Cause::PartBeforeUsage))
            }
            Some(session) => Ok(session),
            None => self.begin(usage, counters, in_hand, watch),
        }
    }

    /// Runs charging analysis, and finds the prices and taxes at the start.
    fn begin<'s>(
        &self,
        usage: &Usage<'_>,
        counters: &Counters,
        in_hand: &'s mut Option<Session>,
        watch: &mut impl Watch,
    ) -> Result<&'s mut Session, NoTariff> {
        let start = usage.start;
        self.check_start(start)?;
        let found = self.analyse(usage, watch)?;
        let version = self.version(found.class, start)?;
        let band = self.calendar.band(found.place, start);
        watch.step(Step::DayType, || self.day_kinds.get(band.day_kind.into()).to_owned(), None);
        watch.step(Step::TimeBand, || self.bands.get(band.band.into()).to_owned(), None);
        let percent = self.percent(found.class, start, watch)?;
        if self.has_counters() {
            self.check_periods(found, start, counters)?;
        }
        let groups = self.versions[version as usize].groups;
        Ok(in_hand.insert(Session {
            class: found.class,
            subscriber: found.subscriber,
            place: found.place,
            start,
            version,
            group: (groups + usize::from(band.band)) as u32,
            percent,
            used: 0,
            bought: 0,
            free: 0,
            sum: 0,
            charged: Charged::default(),
        }))
    }

    pub(crate) fn check_start(&self, start: Moment) -> Result<(), NoTariff> {
        match (0..DAYS as i64 * DAY).contains(&start) {
            true => Ok(()),
            false => Err(NoTariff::new(Step::Time, Cause::StartOutside)),
        }
    }

    fn version(&self, class: u16, start: Moment) -> Result<u32, NoTariff> {
        let range = self.classes[usize::from(class)].versions.clone();
        // Most usages are of the last version.
        let begun = range.clone().rev().find(|place| self.versions[*place].valid.start <= start);
        match begun.filter(|place| start < self.versions[*place].valid.end) {
            Some(place) => Ok(place as u32),
            None => Err(self.no_version(class, start)),
        }
    }

    #[cold]
    fn no_version(&self, class: u16, start: Moment) -> NoTariff {
        let class = self.class_names.get(class).to_owned();
        NoTariff::new(Step::Price, Cause::NoPrice { class, at: in_utc(start) })
    }

    fn percent(&self, class: u16, start: Moment, watch: &mut impl Watch) -> Result<i128, NoTariff> {
        let Some(tax) = self.classes[usize::from(class)].tax else { return Ok(0) };
        let rates = &self.taxes[usize::from(tax)];
        let begun = rates.partition_point(|rate| rate.from <= start);
        let Some(rate) = rates[..begun].last() else {
            let class = self.class_names.get(class).to_owned();
            return Err(NoTariff::new(Step::Tax, Cause::NoTaxRate { class }));
        };
        let found = || format!("{} %", exact(rate.percent, 1));
        watch.step(Step::Tax, found, Some(("taxes.csv", rate.line)));
        Ok(rate.percent)
    }

    /// Refuses a usage of a period that is over, whose counter already counts a later one.
    fn check_periods(
        &self,
        found: Analysed,
        start: Moment,
        counters: &Counters,
    ) -> Result<(), NoTariff> {
        let at = self.class_and_type(found.class, found.subscriber);
        for bundle in &self.bundles_of[at] {
            let place = usize::from(*bundle);
            if counters.bundles[place].period > self.period(self.bundles[place].period, start) {
                let name = self.bundles[place].name.to_string();
                return Err(NoTariff::new(Step::Bundle, Cause::PeriodOver { name }));
            }
        }
        if let Some(place) = self.discount_of[at].map(usize::from)
            && counters.spent[place].period > self.period(self.discounts[place].period, start)
        {
            let name = self.discounts[place].name.to_string();
            return Err(NoTariff::new(Step::Discount, Cause::PeriodOver { name }));
        }
        Ok(())
    }

    /// Returns the number of the month that a moment is in, in the plan's time zone. Later months have greater numbers.
    pub fn month(&self, moment: Moment) -> i64 {
        self.period(Period::Month, moment.clamp(0, DAYS as i64 * DAY - 1))
    }

    /// Returns the number of the period that a moment is in, at the home place.
    pub(crate) fn period(&self, period: Period, moment: Moment) -> i64 {
        match period {
            Period::Once => 0,
            Period::Day => self.calendar.day(self.home, moment),
            Period::Month => month(self.calendar.day(self.home, moment)),
        }
    }

    /// Adds the quantity of a usage, if it can be counted and paid.
    fn add_used(&self, usage: &Usage<'_>, session: &mut Session) -> Result<(), NoTariff> {
        let class = &self.classes[usize::from(session.class)];
        let (used, limit) = match class.unit {
            Unit::Seconds => (usage.duration, DURATION_SECONDS_MAX),
            Unit::Octets => (usage.octets, QUANTITY_MAX),
            Unit::Events => (usage.events.or(Some(1)), QUANTITY_MAX),
        };
        let Some(used) = used else { return Err(self.nothing_used(session.class)) };
        let total = session.used.saturating_add(used);
        let unit = || class.unit.name();
        if total > limit {
            return Err(NoTariff::new(
                Step::Quantity,
                Cause::TooMuch { total, unit: unit(), limit },
            ));
        }
        if class.unit == Unit::Seconds && session.start + total as i64 >= DAYS as i64 * DAY {
            return Err(NoTariff::new(Step::Time, Cause::EndOutside));
        }
        let version = &self.versions[session.version as usize];
        let group = &self.groups[session.group as usize];
        // The last interval may extend beyond the quantity used.
        if total.saturating_add(group.first) > version.units_max {
            return Err(NoTariff::new(Step::Quantity, Cause::CostsTooMuch { total, unit: unit() }));
        }
        session.used = total;
        Ok(())
    }

    #[cold]
    fn nothing_used(&self, class: u16) -> NoTariff {
        let unit = self.classes[usize::from(class)].unit.name();
        let class = self.class_names.get(class).to_owned();
        NoTariff::new(Step::Quantity, Cause::NothingUsed { class, unit })
    }

    /// Returns the charge for a usage, all its parts together.
    pub(crate) fn charge(&self, session: &Session, watch: &mut impl Watch) -> Charged {
        let group = &self.groups[session.group as usize];
        let sum = match group.limited {
            true => self.limits[session.group as usize].applied(session),
            false => session.sum,
        };
        if sum != session.sum {
            let found = || format!("{} becomes {}", self.shown(session.sum), self.shown(sum));
            watch.step(Step::Limit, found, Some(("prices.csv", group.line)));
        }
        let rounded = self.rounding.apply(sum, self.measures);
        watch.step(
            Step::Rounding,
            || format!("{} becomes {}", self.shown(sum), exact(rounded, 1)),
            None,
        );
        match self.tax_included {
            _ if session.percent == 0 => Charged { net: rounded, tax: 0 },
            true => {
                let whole = HUNDRED_PERCENT + session.percent;
                let tax = self.rounding.apply(rounded * session.percent, whole);
                Charged { net: rounded - tax, tax }
            }
            false => {
                let tax = self.rounding.apply(rounded * session.percent, HUNDRED_PERCENT);
                Charged { net: rounded, tax }
            }
        }
    }

    pub(crate) fn priced(&self, before: Bill, session: &Session) -> Priced<'_> {
        let after = Bill::of(session);
        let money = |nanos| Money { nanos, currency: self.currency };
        let net = after.charged.net - before.charged.net;
        let tax = after.charged.tax - before.charged.tax;
        Priced {
            class: self.class_names.get(session.class),
            unit: self.classes[usize::from(session.class)].unit,
            net: money(net),
            tax: money(tax),
            total: money(net + tax),
            billed: after.bought - before.bought,
            free: after.free - before.free,
        }
    }

    /// Returns a sum as text.
    pub(crate) fn shown(&self, sum: i128) -> String {
        exact(sum, self.measures)
    }
}

impl Limits {
    /// Applies the minimum, if any unit was not free, and the maximum.
    fn applied(&self, session: &Session) -> i128 {
        let least = if session.bought > session.free { self.minimum } else { 0 };
        session.sum.max(least).min(self.maximum)
    }
}

/// The totals of a session before a part, to compute the difference.
#[derive(Clone, Copy)]
pub(crate) struct Bill {
    charged: Charged,
    bought: u64,
    free: u64,
}

impl Bill {
    pub(crate) fn of(session: &Session) -> Self {
        Bill { charged: session.charged, bought: session.bought, free: session.free }
    }

    /// Returns the charge with tax.
    pub(crate) fn total(&self) -> i128 {
        self.charged.net + self.charged.tax
    }
}
