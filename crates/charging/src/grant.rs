//! Granting: as much as is wanted or usual, and as buckets and money pay for.

use ledger::Unit;
use rating::{Affordable, Money, Plan, State, Usage};

use crate::answer::{GRANT_MAX, Grant, LegRefusal, Noted, is_last};
use crate::leg::{Decided, Leg, Memory, Rating};
use crate::means::{Amounts, Means, unit_of};
use crate::progress::LegProgress;
use crate::request::{Phase, Quantity, at_moment};

/// A quantity that may be granted.
pub(crate) struct Offer {
    pub(crate) quantity: u64,
    pub(crate) unit: rating::Unit,
    /// What was to be granted, if there is enough.
    most: u64,
    /// What it takes.
    pub(crate) amounts: Amounts,
    /// What counts of it within limits: the money without tax.
    net: i64,
    /// The units that bundles of the plan pay for.
    pub(crate) bundled: u64,
    /// Whether it would be more without a limit of spending.
    pub(crate) is_limited: bool,
    /// The seconds until the price may change.
    until_change: u32,
}

/// What a grant may take.
#[derive(Clone, Copy)]
pub(crate) struct Funds {
    pub(crate) amounts: Amounts,
    /// What may count of it within limits; `None` without a limit.
    pub(crate) net: Option<i64>,
}

impl Funds {
    /// Returns the part of one of some sessions. They share no limit: what open grants take of it is known.
    fn share(self, sessions: i64) -> Self {
        Funds { amounts: self.amounts.share(sessions), ..self }
    }
}

/// How often a price at a limit is looked for. The second time, only the rounding of the tax is wrong.
const TRIES_MAX: usize = 4;

impl Leg<'_> {
    /// Grants as much as is wanted and paid for, and leaves a share to the other sessions of the account.
    pub(crate) fn grant(
        &self,
        means: &Means<'_>,
        rating: &mut Rating<'_>,
        decided: &mut Decided,
    ) -> Result<(), LegRefusal> {
        let Some(wanted) = self.leg.wanted else {
            if self.awaits_money(means) {
                decided.noted = Noted::AwaitsMoney;
            }
            return Ok(());
        };
        if self.request.phase == Phase::Next && means.has_ended() {
            decided.noted = Noted::Ended;
            return Ok(());
        }
        let (all, progress) = (means.left(rating.unit, decided.used), decided.progress);
        let sessions = means.other_sessions() + 1;
        let most = |unit| self.most(wanted, unit);
        let funds = Funds { amounts: all, net: self.spend_left(means.account, rating)? };
        let mut offer = self.offer_within(rating, progress, funds.share(sessions), &most)?;
        let least = self.charging.policy.smallest_grant.of(offer.unit).min(offer.most);
        let mut is_final = offer.quantity < offer.most;
        // What is left of a unit that was paid is no service that is free, nor what the bundles of the plan pay for: the subscriber
        // has paid for them.
        if !means.may_pay() && (is_final || offer.bundled > 0) {
            decided.noted = Noted::Barred;
            return Ok(());
        }
        if sessions > 1 && is_final {
            // There is more, but it is the share of others; unless the share is too small to be of use.
            if offer.quantity < least {
                offer = self.offer_within(rating, progress, funds, &|_| least)?;
            }
            is_final = offer.quantity < least;
        }
        let Offer { quantity, unit, amounts, until_change, .. } = offer;
        if quantity == 0 {
            decided.noted = if offer.is_limited { Noted::SpendLimit } else { Noted::NoMoney };
            return Ok(());
        }
        decided.wanted = amounts;
        let validity_seconds =
            self.validity.min(until_change).min(self.until_end(means, decided, unit));
        if self.is_unreserved(means, all.money - amounts.money) {
            decided.unreserved = std::mem::take(&mut decided.wanted.money);
        }
        let is_limited = is_final && offer.is_limited;
        let grant = Grant { quantity, unit, validity_seconds, is_final, is_limited };
        decided.noted = Noted::Grant(grant);
        Ok(())
    }

    /// Returns whether the leg had its last grant, or none, and goes on without one until there is money (RFC 8506 section
    /// 5.6.2). Its client only reports what was used meanwhile.
    fn awaits_money(&self, means: &Means<'_>) -> bool {
        let session = means.account.session(self.request.session).filter(|of| !of.is_closed);
        let last = session.and_then(|session| session.last_answer(self.leg.leg));
        self.request.dialogue.redirects && last.is_some_and(|last| is_last(&last))
    }

    /// Returns whether no money is reserved for a grant, if an amount is left behind it and all other grants.
    fn is_unreserved(&self, means: &Means<'_>, left: i64) -> bool {
        let reserve_below = self.charging.policy.reserve_below;
        reserve_below.is_some_and(|limit| left >= limit) && means.may_pay()
    }

    /// Returns the largest grant: what is wanted, or what is usual.
    fn most(&self, wanted: Quantity, unit: rating::Unit) -> u64 {
        let usual = self.charging.grants.of(unit).min(GRANT_MAX);
        let wanted = wanted.of(unit).filter(|wanted| *wanted > 0);
        wanted.map_or(usual, |wanted| wanted.min(usual))
    }

    /// Finds what funds pay for.
    pub(crate) fn offer_within(
        &self,
        rating: &mut Rating<'_>,
        progress: LegProgress,
        Funds { mut amounts, net: limit }: Funds,
        most: &impl Fn(rating::Unit) -> u64,
    ) -> Result<Offer, LegRefusal> {
        let mut offer = self.offer(rating, progress, amounts, most)?;
        let Some(limit) = limit.map(|limit| limit.max(0)) else { return Ok(offer) };
        let mut tries = 0..TRIES_MAX;
        while offer.net > limit {
            // The price with tax at the limit: what is without tax is about the same part of it.
            let (net, money) = (i128::from(offer.net), i128::from(offer.amounts.money));
            let at_limit = (i128::from(limit) * money / net).min(money - 1) as i64;
            amounts.money = if tries.next().is_some() { at_limit } else { 0 };
            offer = Offer { is_limited: true, ..self.offer(rating, progress, amounts, most)? };
        }
        Ok(offer)
    }

    /// Finds what some amounts pay for: units first, and money for what comes behind them.
    fn offer(
        &self,
        rating: &mut Rating<'_>,
        progress: LegProgress,
        amounts: Amounts,
        most: &impl Fn(rating::Unit) -> u64,
    ) -> Result<Offer, LegRefusal> {
        let units = rating.unit.map_or(0, |unit| most(unit).min(amounts.units as u64));
        let units_amount = Amounts { units: units as i64, money: 0 };
        if let Some((unit, most)) = rating.unit.map(|unit| (unit, most(unit)))
            && units == most
        {
            let until_change = u32::MAX;
            let (quantity, amounts) = (units, units_amount);
            let (net, is_limited) = (0, false);
            let bundled = 0;
            return Ok(Offer {
                quantity,
                unit,
                most,
                amounts,
                net,
                bundled,
                is_limited,
                until_change,
            });
        }
        self.offer_of_money(
            rating,
            progress,
            Amounts { money: amounts.money, ..units_amount },
            most,
        )
    }

    /// Adds what money pays for to some units.
    fn offer_of_money(
        &self,
        Rating { plan, unit, memory, .. }: &mut Rating<'_>,
        mut progress: LegProgress,
        Amounts { units, money }: Amounts,
        most: &impl Fn(rating::Unit) -> u64,
    ) -> Result<Offer, LegRefusal> {
        if *unit == Some(rating::Unit::Seconds) {
            progress.add_bucket_seconds(units as u64);
        }
        let Memory { state, counters, .. } = &mut **memory;
        let mut usage = self.usage();
        usage.start = progress.begin(usage.start);
        let amount = Money { nanos: money.into(), currency: plan.currency() };
        let more = |unit| most(unit) - units as u64;
        let found = plan.affordable_part(&usage, &progress.priced, counters, state, amount, more);
        let Affordable { quantity, priced } = found.map_err(LegRefusal::NoPrice)?;
        // It is not above the amount, which was one of 64 bits.
        let nanos = |of: Money| i64::try_from(of.nanos).map_err(|_| LegRefusal::AmountTooLarge);
        let (price, net) = (nanos(priced.total)?, nanos(priced.net)?);
        let until_change = match quantity {
            0 => u32::MAX,
            _ => self.until_change(plan, &usage, state),
        };
        Ok(Offer {
            quantity: units as u64 + quantity,
            unit: priced.unit,
            most: most(priced.unit),
            amounts: Amounts { units, money: price },
            net,
            bundled: priced.free,
            is_limited: false,
            until_change,
        })
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
        // An account that is not refilled in time may pay for less.
        let stage = means.account.next_stage().map_or(i64::MAX, |(until, _)| until);
        let end = units.min(end(Unit::Money, wanted.money, used.money)).min(stage);
        let seconds = end.saturating_sub(means.at) / 1_000;
        u32::try_from(seconds).unwrap_or(u32::MAX).max(1)
    }
}
