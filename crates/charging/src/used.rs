//! Paying for what was used: buckets of its unit as far as they go, and money for the rest.

use crate::answer::{LegRefusal, Notices};
use crate::leg::{Decided, Leg, Memory, Rating};
use crate::means::{Amounts, Means, unit_of};
use crate::progress::LegProgress;
use crate::request::{Phase, Quantity, at_moment};
use crate::spend::limits_of;

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
        let mut notices = Notices { is_capped: used != reported, ..Notices::default() };
        let (units, rest) = match rating.unit {
            Some(unit) if used.money.is_none() => {
                paid_by_units(used, unit, means.available(unit_of(unit)))
            }
            _ => (0, Some(used)),
        };
        if rating.unit == Some(rating::Unit::Seconds) {
            progress.add_bucket_seconds(units as u64);
        }
        let Cost { money, net } = match rest {
            Some(rest) => self.price(rest, &mut progress, rating)?,
            None => Cost::default(),
        };
        self.count_spending(net, rating, &mut notices);
        progress.total.add(used, money)?;
        let Memory { counters, spending, .. } = &*rating.memory;
        let has_counted = counters.is_changed() || spending.is_changed;
        let (paid, unit) = (Amounts { units, money }, rating.unit.map(unit_of));
        Ok(Decided { used: paid, net, unit, progress, has_counted, notices, ..Decided::default() })
    }

    /// Counts what was spent within the limits of the service.
    fn count_spending(&self, net: i64, rating: &mut Rating<'_>, notices: &mut Notices) {
        if net == 0 {
            return;
        }
        for limit in limits_of(&self.charging.policy.spend_limits, &self.service) {
            let passed = rating.memory.spending.count(limit, rating.month, net);
            notices.is_spend_near |= passed.notice;
            notices.is_spend_reached |= passed.limit;
        }
    }

    /// Returns what can have been used: no more seconds than went by since the service began, with an excess.
    fn plausible(&self, used: Quantity) -> Quantity {
        let (Some(seconds), Some(percent)) = (used.seconds, self.charging.policy.excess_percent)
        else {
            return used;
        };
        // A leg that is not stored has begun before now, at a moment that is not known.
        if matches!(self.request.phase, Phase::Event(_)) || self.place.is_empty() {
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
        Rating { plan, memory, .. }: &mut Rating<'_>,
    ) -> Result<Cost, LegRefusal> {
        let nanos = |nanos| i64::try_from(nanos).map_err(|_| LegRefusal::AmountTooLarge);
        if let Some(money) = used.money {
            let money = nanos(money.into())?;
            return Ok(Cost { money, net: money });
        }
        let mut usage = self.service.usage(used);
        usage.start = progress.begin(usage.start);
        let Memory { state, counters, .. } = &mut **memory;
        let priced = plan.rate_part(&usage, &mut progress.priced, counters, state);
        let priced = priced.map_err(LegRefusal::NoPrice)?;
        Ok(Cost { money: nanos(priced.total.nanos)?, net: nanos(priced.net.nanos)? })
    }
}

/// What something costs, in billionths.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Cost {
    pub(crate) money: i64,
    /// Without tax.
    pub(crate) net: i64,
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
