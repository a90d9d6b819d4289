//! Paying for what was used: buckets of its unit as far as they go, and money for the rest.

use crate::answer::{LegRefusal, Notices};
use crate::leg::{Decided, Leg, Rating, at_moment};
use crate::means::{Amounts, Means, unit_of};
use crate::progress::LegProgress;
use crate::request::{Phase, Quantity};

/// How far the clocks of a client and of this program may differ, in seconds.
const CLOCK_SECONDS: u64 = 60;

impl Leg<'_> {
    /// Finds what pays for what was used.
    pub(crate) fn pay(
        &self,
        means: &Means<'_>,
        rating: &mut Rating<'_>,
    ) -> Result<Decided, LegRefusal> {
        let mut progress = self.progress;
        let Some(reported) = self.leg.used else {
            let unit = rating.unit.map(unit_of);
            return Ok(Decided { unit, progress, ..Decided::default() });
        };
        let used = self.plausible(reported);
        let notices = Notices { is_capped: used != reported, ..Notices::default() };
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
        let (used, unit) = (Amounts { units, money }, rating.unit.map(unit_of));
        Ok(Decided { used, unit, progress, has_counted, notices, ..Decided::default() })
    }

    /// Returns what can have been used: no more seconds than went by since the service began, with an excess.
    fn plausible(&self, used: Quantity) -> Quantity {
        let (Some(seconds), Some(percent)) = (used.seconds, self.charging.policy.excess_percent)
        else {
            return used;
        };
        if matches!(self.request.phase, Phase::Event(_)) {
            return used;
        }
        let now = at_moment(self.request.at);
        let passed = now.saturating_sub(self.service.start).max(0).unsigned_abs();
        let excess = passed.saturating_mul(percent.into()) / 100 + CLOCK_SECONDS;
        let most = passed.saturating_add(excess).saturating_sub(self.progress.seconds());
        Quantity { seconds: Some(seconds.min(most)), ..used }
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
