//! The meter: buys the intervals of a usage, one run of equal price after the other, and pays for them from bundles and
//! with money.

use crate::plan::{Crossing, Group, Plan, PriceStep, Unit};
use crate::state::{Counters, Session};
use crate::usage::{Step, Watch};

/// Buys intervals for a usage.
pub(crate) struct Meter<'m, W> {
    pub(crate) plan: &'m Plan,
    pub(crate) session: &'m mut Session,
    pub(crate) counters: &'m mut Counters,
    pub(crate) watch: &'m mut W,
}

/// What may be spent on a usage.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Budget {
    /// The sum of the whole usage, in measures.
    pub(crate) sum: i128,
    /// Whether only units that bundles pay may be bought: the minimum price of a usage is above the sum.
    pub(crate) is_free_only: bool,
}

impl<'m, W: Watch> Meter<'m, W> {
    pub(crate) fn buy_intervals(&mut self) {
        if self.session.used > 0 && self.session.bought == 0 {
            self.start();
        }
        while self.session.bought < self.session.used {
            let (count, length, step) = self.run();
            self.buy(count * length, step);
        }
    }

    /// Buys the intervals of the usage as far as a budget reaches.
    pub(crate) fn buy_affordable(&mut self, budget: Budget) {
        if self.session.used > 0 && self.session.bought == 0 && !self.start_affordable(budget) {
            return;
        }
        while self.session.bought < self.session.used {
            let (count, length, step) = self.run();
            let affordable =
                (self.affordable_units(count * length, step, budget) / length).min(count);
            if affordable > 0 {
                self.buy(affordable * length, step);
            }
            if affordable < count {
                return;
            }
        }
    }

    /// Buys the set-up and the first interval, if the budget pays for both. Otherwise nothing is bought.
    fn start_affordable(&mut self, budget: Budget) -> bool {
        let (session, counters) = (*self.session, *self.counters);
        self.start();
        if self.session.bought == 0 {
            let group = &self.plan.groups[self.session.group as usize];
            let (step, _) = self.step(group);
            // The set-up is paid only together with an interval.
            let left = self.affordable_units(group.next, step, budget);
            if self.session.sum <= budget.sum && left >= group.next {
                return true;
            }
        } else {
            let is_paid = self.session.bought > self.session.free;
            if self.session.sum <= budget.sum && !(is_paid && budget.is_free_only) {
                return true;
            }
        }
        (*self.session, *self.counters) = (session, counters);
        false
    }

    /// Returns how many of the next units, which have one price, a budget pays for.
    fn affordable_units(&mut self, units: u64, step: PriceStep, budget: Budget) -> u64 {
        let free = self.left_in_bundles(units);
        if free == units || budget.is_free_only {
            return free;
        }
        let Some(left) = budget.sum.checked_sub(self.session.sum).filter(|left| *left >= 0) else {
            return 0;
        };
        let paid = units - free;
        let amount = self.amount_within(left, step.unit_price * i128::from(paid));
        let paid = match step.unit_price {
            0 => paid,
            price => u64::try_from(amount / price).map_or(paid, |within| within.min(paid)),
        };
        free + paid
    }

    /// Returns how many of some units bundles would pay.
    fn left_in_bundles(&mut self, units: u64) -> u64 {
        let bundles = self.bundles().iter();
        bundles
            .fold(0, |free: u64, place| free.saturating_add(self.left_of(usize::from(*place))))
            .min(units)
    }

    /// Returns the greatest amount, `most` at most, that costs no more than `left` after its discount.
    fn amount_within(&mut self, mut left: i128, most: i128) -> i128 {
        let Some(place) = self.discount() else { return left.min(most) };
        let discount = &self.plan.discounts[place];
        let period = self.plan.period(discount.period, self.session.start);
        let mut spent = *self.counters.spent[place].at(period);
        let mut amount = 0;
        while amount < most {
            let begun = discount.tiers.partition_point(|tier| tier.above <= spent);
            let part = match discount.tiers.get(begun) {
                Some(next) => (most - amount).min(next.above - spent),
                None => most - amount,
            };
            let (kept, whole) = discount.tiers[..begun].last().map_or((1, 1), |tier| tier.factor);
            // Rounded up: the part costs no more than is left only if its exact cost does.
            let cost = part / whole * kept + (part % whole * kept + whole - 1) / whole;
            if cost > left {
                // Within these, the quotient is exact in two steps that do not overflow.
                return amount + left / kept * whole + left % kept * whole / kept;
            }
            (left, amount) = (left - cost, amount + part);
            spent = spent.saturating_add(part);
        }
        amount
    }

    /// Charges the set-up fee, and buys the first interval if it differs from the others.
    fn start(&mut self) {
        let group = &self.plan.groups[self.session.group as usize];
        if group.set_up > 0 {
            let payer = self.bundle_that_pays_set_up();
            self.watch.step(
                Step::SetUp,
                || match payer {
                    Some(bundle) => format!("paid by \"{}\"", self.plan.bundles[bundle].name),
                    None => self.plan.shown(group.set_up),
                },
                Some(("prices.csv", group.line)),
            );
            if payer.is_none() {
                self.spend(group.set_up);
            }
        }
        // A first interval like the others is bought with them.
        if group.first != group.next {
            let (step, _) = self.step(group);
            self.buy(group.first, step);
        }
    }

    /// Returns the next intervals that have the same price: their number, their length and the price.
    #[inline]
    fn run(&mut self) -> (u64, u64, PriceStep) {
        let (group, band_end) = self.group();
        let (step, step_end) = self.step(group);
        let end = self.session.used.min(band_end).min(step_end);
        let count = (end - self.session.bought).div_ceil(group.next);
        (count, group.next, step)
    }

    /// Returns the prices at the next interval, and the unit up to which they hold.
    fn group(&self) -> (&'m Group, u64) {
        let session = &*self.session;
        let (class, version) = (
            &self.plan.classes[usize::from(session.class)],
            &self.plan.versions[session.version as usize],
        );
        if !version.varies || class.crossing == Crossing::Start || class.unit != Unit::Seconds {
            return (&self.plan.groups[session.group as usize], u64::MAX);
        }
        let now = session.start + session.bought as i64;
        let band = self.plan.calendar.band(session.place, now);
        let group = &self.plan.groups[version.groups + usize::from(band.band)];
        (group, session.bought.saturating_add((band.until - now) as u64))
    }

    /// Returns the price step at the next interval, and the unit at which the next step begins.
    fn step(&self, group: &Group) -> (PriceStep, u64) {
        let first = PriceStep { from: 0, unit_price: group.unit_price, line: group.line };
        if group.step_count == 0 {
            return (first, u64::MAX);
        }
        let steps = &self.plan.steps[group.first_step as usize..][..group.step_count as usize];
        let begun = steps.partition_point(|step| step.from <= self.session.bought);
        let step = begun.checked_sub(1).map_or(first, |place| steps[place]);
        (step, steps.get(begun).map_or(u64::MAX, |next| next.from))
    }

    /// Buys units of one price. Bundles pay as far as they reach.
    #[inline(always)]
    fn buy(&mut self, units: u64, step: PriceStep) {
        let from = self.session.bought;
        let left = self.take_from_bundles(units);
        self.session.bought += units;
        self.session.free += units - left;
        self.watch.step(
            Step::Interval,
            || {
                let price = self.plan.shown(step.unit_price);
                let sum = self.plan.shown(step.unit_price * i128::from(left));
                format!("units {} to {}: {left} at {price} = {sum}", from + 1, from + units)
            },
            Some(("prices.csv", step.line)),
        );
        self.spend(step.unit_price * i128::from(left));
    }

    #[inline]
    fn bundles(&self) -> &'m [u8] {
        // Most plans have no bundles: then skip the lookup.
        if self.plan.bundles.is_empty() {
            return &[];
        }
        let at = self.plan.class_and_type(self.session.class, self.session.subscriber);
        &self.plan.bundles_of[at]
    }

    #[inline]
    fn discount(&self) -> Option<usize> {
        if self.plan.discounts.is_empty() {
            return None;
        }
        let at = self.plan.class_and_type(self.session.class, self.session.subscriber);
        self.plan.discount_of[at].map(usize::from)
    }

    /// Returns how many units of a bundle are left.
    fn left_of(&mut self, place: usize) -> u64 {
        let bundle = &self.plan.bundles[place];
        if !bundle.valid.contains(&self.session.start) {
            return 0;
        }
        let period = self.plan.period(bundle.period, self.session.start);
        bundle.amount.saturating_sub(*self.counters.bundles[place].at(period))
    }

    /// Returns the bundle that pays for the first unit, if it also pays the set-up fee.
    fn bundle_that_pays_set_up(&mut self) -> Option<usize> {
        let bundles = self.bundles().iter().map(|place| usize::from(*place));
        let first = bundles.into_iter().find(|place| self.left_of(*place) > 0)?;
        self.plan.bundles[first].pays_set_up.then_some(first)
    }

    /// Takes units from bundles in order. Returns how many are left to pay.
    #[inline]
    fn take_from_bundles(&mut self, units: u64) -> u64 {
        match self.bundles() {
            [] => units,
            bundles => self.take_from(bundles, units),
        }
    }

    #[inline(never)]
    fn take_from(&mut self, bundles: &[u8], units: u64) -> u64 {
        let mut left = units;
        for place in bundles.iter().map(|place| usize::from(*place)) {
            let taken = left.min(self.left_of(place));
            if taken > 0 {
                self.counters.bundles[place].used += taken;
                left -= taken;
                let bundle = &self.plan.bundles[place];
                let rest = bundle.amount.saturating_sub(self.counters.bundles[place].used);
                let found = || format!("{taken} paid by \"{}\", {rest} left", bundle.name);
                self.watch.step(Step::Bundle, found, Some(("bundles.csv", bundle.line)));
            }
        }
        left
    }

    /// Adds an amount, less its discount, to the sum.
    #[inline]
    fn spend(&mut self, amount: i128) {
        match self.discount() {
            None => self.session.sum += amount,
            Some(place) => self.spend_discounted(place, amount),
        }
    }

    #[inline(never)]
    fn spend_discounted(&mut self, place: usize, amount: i128) {
        let discount = &self.plan.discounts[place];
        let period = self.plan.period(discount.period, self.session.start);
        let spent = self.counters.spent[place].at(period);
        let mut left = amount;
        while left > 0 {
            let begun = discount.tiers.partition_point(|tier| tier.above <= *spent);
            let part = match discount.tiers.get(begun) {
                Some(next) => left.min(next.above - *spent),
                None => left,
            };
            let cost = match discount.tiers[..begun].last() {
                // Measures are chosen so that this division is exact.
                Some(tier) => {
                    let cost = part / tier.factor.1 * tier.factor.0;
                    let found = || {
                        let (part, cost) = (self.plan.shown(part), self.plan.shown(cost));
                        format!("\"{}\": {part} becomes {cost}", discount.name)
                    };
                    self.watch.step(Step::Discount, found, Some(("discounts.csv", tier.line)));
                    cost
                }
                None => part,
            };
            self.session.sum += cost;
            *spent = spent.saturating_add(part);
            left -= part;
        }
    }
}
