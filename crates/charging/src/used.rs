//! Paying for what was used: buckets of its unit as far as they go, and money for the rest.

use crate::answer::LegRefusal;
use crate::leg::{Decided, Leg, Rating};
use crate::means::{Amounts, Means, unit_of};
use crate::progress::LegProgress;
use crate::request::Quantity;

impl Leg<'_> {
    /// Finds what pays for what was used.
    pub(crate) fn pay(
        &self,
        means: &Means<'_>,
        rating: &mut Rating<'_>,
    ) -> Result<Decided, LegRefusal> {
        let mut progress = self.progress;
        let Some(used) = self.leg.used else {
            let unit = rating.unit.map(unit_of);
            return Ok(Decided { unit, progress, ..Decided::default() });
        };
        let (units, rest) = match rating.unit {
            Some(unit) if used.money.is_none() => {
                paid_by_units(used, unit, means.available(unit_of(unit)))
            }
            _ => (0, Some(used)),
        };
        if rating.unit == Some(rating::Unit::Seconds) {
            progress.add_bucket_seconds(units as u64);
        }
        let money = match rest {
            Some(rest) => self.price(rest, &mut progress, rating)?,
            None => 0,
        };
        let has_counted = rating.counters.is_changed();
        rating.counters.keep();
        let (used, unit) = (Amounts { units, money }, rating.unit.map(unit_of));
        Ok(Decided { used, unit, progress, has_counted, ..Decided::default() })
    }

    /// Returns the price of the next part of the usage: what the client says, or what the plan does.
    pub(crate) fn price(
        &self,
        used: Quantity,
        progress: &mut LegProgress,
        Rating { plan, state, counters, .. }: &mut Rating<'_>,
    ) -> Result<i64, LegRefusal> {
        if let Some(money) = used.money {
            return i64::try_from(money).map_err(|_| LegRefusal::AmountTooLarge);
        }
        let mut usage = self.service.usage(used);
        usage.start = progress.begin(usage.start);
        let priced = plan.rate_part(&usage, &mut progress.priced, counters, state);
        let nanos = priced.map_err(LegRefusal::NoPrice)?.total.nanos;
        i64::try_from(nanos).map_err(|_| LegRefusal::AmountTooLarge)
    }
}

/// Returns how much of a quantity buckets pay that have an amount of its unit, and the rest; `None` if nothing is left that
/// has a price.
fn paid_by_units(used: Quantity, unit: rating::Unit, available: i64) -> (i64, Option<Quantity>) {
    // An event without a number is one.
    let one = (unit == rating::Unit::Events).then_some(1);
    let Some(quantity) = used.of(unit).or(one).filter(|_| available > 0) else {
        return (0, Some(used));
    };
    let units = i64::try_from(quantity).map_or(available, |quantity| quantity.min(available));
    let left = quantity - units as u64;
    (units, (left > 0).then(|| Quantity::only(unit, left)))
}
