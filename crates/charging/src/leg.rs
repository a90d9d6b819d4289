//! One leg of a request: what was used is priced, what comes is granted, and the ledger is charged.

use accounts::Desk;
use ledger::{Account, Action, Begin, Charge, Cost, Millis, Receipt, Services, Unit, Want};
use rating::{Affordable, Moment, Money, NoCounters, Plan, Progress, State, SubscriberCounters};

use crate::answer::{Grant, LegRefusal, note};
use crate::request::{LegRequest, Phase, Quantity, Request, Service};
use crate::settings::Charging;

/// A leg that is worked on.
pub(crate) struct Leg<'l> {
    pub(crate) charging: &'l Charging,
    pub(crate) request: &'l Request<'l>,
    pub(crate) leg: &'l LegRequest<'l>,
    pub(crate) service: Service<'l>,
    /// How far the usage had come before.
    pub(crate) progress: Option<Progress>,
    /// For how long a grant is valid, in seconds.
    pub(crate) validity: u32,
}

/// What is charged and granted.
#[derive(Debug)]
pub(crate) struct Decided {
    /// What was used costs this, in billionths.
    cost: i64,
    /// What is reserved for the grant.
    price: i64,
    grant: Option<Grant>,
    /// Whether there is money for what was wanted.
    has_money: bool,
    pub(crate) progress: Option<Progress>,
    /// Whether counters have changed.
    pub(crate) has_counted: bool,
    validity: u32,
}

impl Decided {
    pub(crate) fn validity(&self) -> u32 {
        self.validity
    }
}

/// Returns the moment of a time.
pub(crate) fn at_moment(at: Millis) -> Moment {
    at.div_euclid(1_000)
}

impl Leg<'_> {
    fn services(&self) -> Services {
        self.charging.services_of(self.service.name)
    }

    /// Finds what was used and what is granted. The counters are those after it.
    pub(crate) fn decide(
        &self,
        desk: &Desk<'_>,
        (state, counters): (&mut State, &mut SubscriberCounters),
    ) -> Result<Decided, LegRefusal> {
        let account = desk.account().expect("it was there before the legs");
        if self.request.phase == Phase::Event && !account.standing.may_use() {
            return Err(LegRefusal::Barred);
        }
        let plan = self.charging.plans.valid(self.service.start).map_err(LegRefusal::NoPrice)?;
        *counters = match account.counters() {
            [] => SubscriberCounters::default(),
            stored => SubscriberCounters::read(stored).map_err(|NoCounters| LegRefusal::Damaged)?,
        };
        let mut progress = self.progress;
        let cost = self.price(plan, &mut progress, (state, counters))?;
        let has_counted = counters.is_changed();
        counters.keep();
        let validity = self.validity;
        let mut decided = Decided {
            cost,
            price: 0,
            grant: None,
            has_money: true,
            progress,
            has_counted,
            validity,
        };
        match self.request.phase {
            Phase::Event if self.available(account) < cost => {
                let (progress, has_counted) = (self.progress, false);
                decided = Decided { cost: 0, has_money: false, progress, has_counted, ..decided };
            }
            Phase::First | Phase::Next => {
                self.grant(account, plan, &mut decided, (state, counters))?
            }
            Phase::Event | Phase::Final => {}
        }
        Ok(decided)
    }

    /// Returns the price of what was used.
    fn price(
        &self,
        plan: &Plan,
        progress: &mut Option<Progress>,
        (state, counters): (&mut State, &mut SubscriberCounters),
    ) -> Result<i64, LegRefusal> {
        let Some(used) = self.leg.used else { return Ok(0) };
        let usage = self.service.usage(used);
        let priced = plan.rate_part(&usage, progress, counters, state);
        let nanos = priced.map_err(LegRefusal::NoPrice)?.total.nanos;
        i64::try_from(nanos).map_err(|_| LegRefusal::AmountTooLarge)
    }

    /// Returns the money that is available for the leg: what is free, and what is reserved for it already.
    fn available(&self, account: &Account) -> i64 {
        let Request { session, at, .. } = *self.request;
        let at = at.max(account.at);
        let free = account.available_for(self.services(), Unit::Money, at);
        free.saturating_add(account.reserved_for(session, self.leg.leg, Unit::Money))
    }

    /// Grants as much as is wanted and paid for.
    fn grant(
        &self,
        account: &Account,
        plan: &Plan,
        decided: &mut Decided,
        (state, counters): (&mut State, &SubscriberCounters),
    ) -> Result<(), LegRefusal> {
        let Some(wanted) = self.leg.wanted else { return Ok(()) };
        let usage = self.service.usage(Quantity::default());
        let nanos = self.available(account).saturating_sub(decided.cost);
        let amount = Money { nanos: nanos.into(), currency: plan.currency() };
        let mut most = 0;
        let most_of = |unit| {
            most = self.most(wanted, unit);
            most
        };
        let found =
            plan.affordable_part(&usage, &decided.progress, counters, state, amount, most_of);
        let Affordable { quantity, priced } = found.map_err(LegRefusal::NoPrice)?;
        if quantity == 0 {
            decided.has_money = false;
            return Ok(());
        }
        // It is not above the amount, which was one of 64 bits.
        decided.price =
            i64::try_from(priced.total.nanos).map_err(|_| LegRefusal::AmountTooLarge)?;
        decided.validity = self.until_change(plan, state).min(self.validity);
        decided.grant = Some(Grant {
            quantity,
            unit: priced.unit,
            validity_seconds: decided.validity,
            is_final: quantity < most,
        });
        Ok(())
    }

    /// Returns the largest grant: what is wanted, or what is usual.
    fn most(&self, wanted: Quantity, unit: rating::Unit) -> u64 {
        let (wanted, usual) = match unit {
            rating::Unit::Seconds => (wanted.seconds, self.charging.grants.seconds),
            rating::Unit::Octets => (wanted.octets, self.charging.grants.octets),
            rating::Unit::Events => (wanted.events, self.charging.grants.events),
        };
        wanted.filter(|wanted| *wanted > 0).map_or(usual, |wanted| wanted.min(usual))
    }

    /// Returns the seconds until the price of the service may change.
    fn until_change(&self, plan: &Plan, state: &State) -> u32 {
        let now = at_moment(self.request.at);
        let usage = self.service.usage(Quantity::default());
        match plan.next_change(&usage, state, now.max(self.service.start)) {
            Ok(Some(change)) => u32::try_from(change - now).unwrap_or(u32::MAX).max(1),
            _ => u32::MAX,
        }
    }

    /// Charges the ledger.
    pub(crate) fn perform(
        &self,
        desk: &mut Desk<'_>,
        decided: &Decided,
        (begin, memo, counters): (Begin, &[u8], Option<&[u8]>),
    ) -> Receipt {
        let Request { session, number, digest, at, .. } = *self.request;
        let used = [Cost { unit: Unit::Money, amount: decided.cost }];
        let wanted = [Want { unit: Unit::Money, most: decided.price, least: decided.price }];
        let charge = Charge {
            session,
            number,
            leg: self.leg.leg,
            digest,
            begin,
            services: self.services(),
            used: if decided.cost > 0 { &used } else { &[] },
            wanted: if decided.price > 0 { &wanted } else { &[] },
            // A client that is gone does not end its session.
            until: at.saturating_add(2_000 * i64::from(self.validity)),
            memo: Some(memo),
            counters,
            note: note(decided.grant, decided.has_money),
            to: self.charging.revenue(),
            remark: &[],
        };
        desk.perform(at, Action::Charge(charge)).receipt
    }
}
