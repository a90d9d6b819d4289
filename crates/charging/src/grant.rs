//! Granting: as much as is wanted or usual, and as buckets and money pay for.

use ledger::Unit;
use rating::{Affordable, Money, Plan, State, Usage};

use crate::answer::{GRANT_MAX, Grant, LegRefusal};
use crate::leg::{Amounts, Decided, Leg, Rating, at_moment};
use crate::means::{Means, unit_of};
use crate::request::Quantity;

/// What is granted of money.
struct Bought {
    quantity: u64,
    unit: rating::Unit,
    /// In billionths.
    price: i64,
    /// The seconds until it may cost something else.
    until_change: u32,
}

impl Leg<'_> {
    /// Grants as much as is wanted and paid for.
    pub(crate) fn grant(
        &self,
        means: &Means<'_>,
        rating: &mut Rating<'_>,
        decided: &mut Decided,
    ) -> Result<(), LegRefusal> {
        let Some(wanted) = self.leg.wanted else { return Ok(()) };
        let (mut most, mut units) = (0, 0);
        if let Some(unit) = rating.unit {
            most = self.most(wanted, unit);
            let left = means.available(unit_of(unit)) - decided.used.units;
            units = most.min(u64::try_from(left).expect("no more is used than is available"));
        }
        let bought = match rating.unit {
            Some(unit) if units == most => {
                Bought { quantity: 0, unit, price: 0, until_change: u32::MAX }
            }
            _ => self.buy(means, rating, decided, (units, &mut most), wanted)?,
        };
        let Bought { unit, price, until_change, .. } = bought;
        let quantity = units + bought.quantity;
        if quantity == 0 {
            decided.is_out_of_money = true;
            return Ok(());
        }
        decided.wanted = Amounts { units: units as i64, money: price };
        let is_final = quantity < most;
        let validity_seconds =
            self.validity.min(until_change).min(self.until_end(means, decided, unit));
        decided.grant = Some(Grant { quantity, unit, validity_seconds, is_final });
        Ok(())
    }

    /// Returns the largest grant: what is wanted, or what is usual.
    fn most(&self, wanted: Quantity, unit: rating::Unit) -> u64 {
        let usual = self.charging.grants.of(unit).min(GRANT_MAX);
        let wanted = wanted.of(unit).filter(|wanted| *wanted > 0);
        wanted.map_or(usual, |wanted| wanted.min(usual))
    }

    /// Buys what buckets do not pay, behind the units that they do.
    fn buy(
        &self,
        means: &Means<'_>,
        Rating { plan, unit, state, counters }: &mut Rating<'_>,
        decided: &Decided,
        (units, most): (u64, &mut u64),
        wanted: Quantity,
    ) -> Result<Bought, LegRefusal> {
        let mut progress = decided.progress;
        let mut usage = self.usage();
        let nanos = means.available(Unit::Money).saturating_sub(decided.used.money);
        let amount = Money { nanos: nanos.into(), currency: plan.currency() };
        let most_of = |unit| {
            *most = self.most(wanted, unit);
            *most - units
        };
        if *unit == Some(rating::Unit::Seconds) {
            progress.add_bucket_seconds(units);
        }
        usage.start = progress.begin(usage.start);
        let found =
            plan.affordable_part(&usage, &progress.priced, counters, state, amount, most_of);
        let Affordable { quantity, priced } = found.map_err(LegRefusal::NoPrice)?;
        // It is not above the amount, which was one of 64 bits.
        let price = i64::try_from(priced.total.nanos).map_err(|_| LegRefusal::AmountTooLarge)?;
        let until_change = match quantity {
            0 => u32::MAX,
            _ => self.until_change(plan, &usage, state),
        };
        Ok(Bought { quantity, unit: priced.unit, price, until_change })
    }

    /// Returns the seconds until the price of the service may change.
    fn until_change(&self, plan: &Plan, usage: &Usage<'_>, state: &State) -> u32 {
        let now = at_moment(self.request.at);
        match plan.next_change(usage, state, now.max(usage.start)) {
            Ok(Some(change)) => u32::try_from(change - now).unwrap_or(u32::MAX).max(1),
            _ => u32::MAX,
        }
    }

    /// Returns the seconds until the first bucket ends that pays.
    fn until_end(&self, means: &Means<'_>, decided: &Decided, unit: rating::Unit) -> u32 {
        let Decided { used, wanted, .. } = decided;
        let end = |unit, wanted, used: i64| match wanted {
            0 => i64::MAX,
            wanted => means.end(unit, used.saturating_add(wanted)),
        };
        let units = end(unit_of(unit), wanted.units, used.units);
        let end = units.min(end(Unit::Money, wanted.money, used.money));
        let seconds = end.saturating_sub(means.at) / 1_000;
        u32::try_from(seconds).unwrap_or(u32::MAX).max(1)
    }
}
