//! The inverse of a price: the largest quantity that an amount pays for, and the next moment at which a price changes.
//!
//! The quantity is computed, not searched for: the intervals of one price that the amount pays for are a division, as
//! their cost is a multiplication. First the amount is turned into the greatest exact sum whose charge, after limits,
//! rounding and tax, is not above it. The meter then buys as far as that sum reaches.

use clocks::{DAY, DAYS};

use crate::meter::{Budget, Meter};
use crate::money::Money;
use crate::no_tariff::NoTariff;
use crate::plan::{Crossing, Limits, Plan, Unit};
use crate::price::{
    AMOUNT_MAX, Bill, DURATION_SECONDS_MAX, HUNDRED_PERCENT, MEASURES_MAX, PERCENT_MAX, Priced,
    QUANTITY_MAX,
};
use crate::state::{Session, State};
use crate::time::Moment;
use crate::usage::Usage;

/// How far ahead a change of price is looked for: bands repeat each week, except around holidays.
const LOOK_AHEAD_SECONDS: i64 = 8 * DAY;

/// The maximum total of a usage: the maximum price with the maximum tax is below.
const TOTAL_MAX: i128 = AMOUNT_MAX << 4;

const _: () = assert!(TOTAL_MAX >= AMOUNT_MAX / HUNDRED_PERCENT * (HUNDRED_PERCENT + PERCENT_MAX));
const _: () = assert!(TOTAL_MAX.checked_mul(PERCENT_MAX).is_some());
const _: () = assert!(TOTAL_MAX.checked_mul(2 * MEASURES_MAX).is_some());

/// The part of a usage that an amount pays for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Affordable<'p> {
    /// The largest quantity whose price is not above the amount, in the unit of `priced`.
    pub quantity: u64,
    /// Its price.
    pub priced: Priced<'p>,
}

impl Plan {
    /// Returns the largest quantity that an amount pays for, `most` of its unit at most, as the next part of the usage that the state
    /// is in, or as the first one of a new usage. The quantity of `usage` is not used.
    ///
    /// The price of one unit more is above the amount, unless the quantity is `most` or the largest that can be rated. An
    /// amount of zero pays for what is free or paid already, and not for what costs so little that it is rounded to zero:
    /// otherwise, such a part of each usage would cost nothing.
    ///
    /// # Errors
    ///
    /// The plan has no price for the usage.
    pub fn affordable(
        &self,
        usage: &Usage<'_>,
        state: &State,
        amount: Money,
        most: impl FnOnce(Unit) -> u64,
    ) -> Result<Affordable<'_>, NoTariff> {
        assert_eq!(amount.currency, self.currency(), "an amount pays prices of its own currency");
        let State { session: mut in_hand, mut counters } = *state;
        let session = self.session(usage, &counters, &mut in_hand, &mut ())?;
        let before = Bill::of(session);
        let begun = session.used;
        let most = most(self.classes[usize::from(session.class)].unit);
        session.used = begun.saturating_add(most).min(self.quantity_max(session)).max(begun);
        let (end, charged) = (session.used, before.total());
        if amount.nanos < 0 {
            session.used = begun;
            return Ok(Affordable { quantity: 0, priced: self.priced(before, session) });
        }
        let budget = self.budget(session, (charged, amount.nanos));
        Meter { plan: self, session, counters: &mut counters, watch: &mut () }
            .buy_affordable(budget);
        session.used = session.bought.clamp(begun, end);
        session.charged = self.charge(session, &mut ());
        assert!(
            before.total() == self.total(session) || self.total(session) - charged <= amount.nanos,
            "a quantity is bought that the amount does not pay for"
        );
        Ok(Affordable { quantity: session.used - begun, priced: self.priced(before, session) })
    }

    /// Returns the next moment after `now` at which the price of one more unit of a usage may change: where another time
    /// band begins. `None` if it stays for a week, or for as long as the usage lasts.
    ///
    /// # Errors
    ///
    /// The plan has no price for the usage.
    pub fn next_change(
        &self,
        usage: &Usage<'_>,
        state: &State,
        now: Moment,
    ) -> Result<Option<Moment>, NoTariff> {
        let State { session: mut in_hand, counters } = *state;
        let session = self.session(usage, &counters, &mut in_hand, &mut ())?;
        let class = &self.classes[usize::from(session.class)];
        let varies = self.versions[session.version as usize].varies;
        if !varies || class.crossing == Crossing::Start || class.unit != Unit::Seconds {
            return Ok(None);
        }
        let band = |at: Moment| self.calendar.band(session.place, at);
        let mut here = band(now.clamp(0, DAYS as i64 * DAY - 1));
        let held = here.band;
        while here.band == held {
            if here.until >= (now + LOOK_AHEAD_SECONDS).min(DAYS as i64 * DAY) {
                return Ok(None);
            }
            let until = here.until;
            here = band(until);
            if here.band != held {
                return Ok(Some(until));
            }
        }
        Ok(None)
    }

    /// Returns the greatest total quantity of a usage that can be rated.
    fn quantity_max(&self, session: &Session) -> u64 {
        let limit = match self.classes[usize::from(session.class)].unit {
            Unit::Seconds => {
                let until_end = (DAYS as i64 * DAY - 1 - session.start).max(0) as u64;
                DURATION_SECONDS_MAX.min(until_end)
            }
            Unit::Octets | Unit::Events => QUANTITY_MAX,
        };
        let first = self.groups[session.group as usize].first;
        limit.min(self.versions[session.version as usize].units_max.saturating_sub(first))
    }

    /// Returns what may be spent on a usage in all, so that its charge is not above what was charged and an amount.
    fn budget(&self, session: &Session, (charged, amount): (i128, i128)) -> Budget {
        let total = charged.saturating_add(amount).min(TOTAL_MAX);
        let charge = self.charge_within(total, session.percent);
        let sum = match amount {
            0 => session.sum.max(charge.saturating_mul(self.measures)),
            _ => self.rounding.sum_within(charge, self.measures),
        };
        let group = &self.groups[session.group as usize];
        if !group.limited {
            return Budget { sum, is_free_only: false };
        }
        let Limits { minimum, maximum } = self.limits[session.group as usize];
        match maximum <= sum {
            true => Budget { sum: i128::MAX, is_free_only: false },
            false => Budget { sum, is_free_only: minimum > sum },
        }
    }

    /// Returns the greatest rounded charge that is not above a total with its tax.
    fn charge_within(&self, total: i128, percent: i128) -> i128 {
        let unit = self.rounding.unit;
        let whole = match self.tax_included {
            true => HUNDRED_PERCENT,
            false => HUNDRED_PERCENT + percent,
        };
        // The tax is rounded by a unit at most, so the estimate is wrong by two units at most.
        let estimate = total / whole * HUNDRED_PERCENT + total % whole * HUNDRED_PERCENT / whole;
        let mut charge = (estimate / unit + 2) * unit;
        while charge > 0 && self.with_tax(charge, percent) > total {
            charge -= unit;
        }
        charge
    }

    fn with_tax(&self, charge: i128, percent: i128) -> i128 {
        match self.tax_included {
            true => charge,
            false => charge + self.rounding.apply(charge * percent, HUNDRED_PERCENT),
        }
    }

    fn total(&self, session: &Session) -> i128 {
        session.charged.net + session.charged.tax
    }
}
