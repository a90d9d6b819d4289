//! One leg of a request: what was used is paid, what comes is granted, and the ledger is charged.

use accounts::Desk;
use ledger::{Account, Action, Begin, Charge, Cost, Millis, Receipt, Unit, Want};
use rating::{Moment, NoCounters, Plan, State, SubscriberCounters, Usage};

use crate::answer::{Grant, LegRefusal, note};
use crate::means::{Amounts, Means, unit_of};
use crate::progress::LegProgress;
use crate::request::{LegRequest, Phase, Quantity, Request, Service};
use crate::settings::Charging;

/// A leg that is worked on.
pub(crate) struct Leg<'l> {
    pub(crate) charging: &'l Charging,
    pub(crate) request: &'l Request<'l>,
    pub(crate) leg: &'l LegRequest<'l>,
    pub(crate) service: Service<'l>,
    /// How far the usage had come before.
    pub(crate) progress: LegProgress,
    /// For how long a grant is valid, in seconds.
    pub(crate) validity: u32,
}

/// What a leg is priced by.
pub(crate) struct Rating<'w> {
    pub(crate) plan: &'w Plan,
    /// The unit that the service counts, if buckets of such units may pay.
    pub(crate) unit: Option<rating::Unit>,
    /// Working memory.
    pub(crate) state: &'w mut State,
    pub(crate) counters: &'w mut SubscriberCounters,
}

/// What is charged and granted.
#[derive(Debug, Default)]
pub(crate) struct Decided {
    /// What was used costs this.
    pub(crate) used: Amounts,
    /// What is reserved for the grant.
    pub(crate) wanted: Amounts,
    /// The unit of these, if buckets may pay.
    pub(crate) unit: Option<Unit>,
    pub(crate) grant: Option<Grant>,
    /// Whether there is nothing that pays for what was wanted.
    pub(crate) is_out_of_money: bool,
    pub(crate) progress: LegProgress,
    /// Whether counters have changed.
    pub(crate) has_counted: bool,
}

/// Returns the moment of a time.
pub(crate) fn at_moment(at: Millis) -> Moment {
    at.div_euclid(1_000)
}

impl Leg<'_> {
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
        let means = self.means(account);
        let unit = match means.has_units() {
            true => Some(plan.unit(&self.usage()).map_err(LegRefusal::NoPrice)?),
            false => None,
        };
        let mut rating = Rating { plan, unit, state, counters };
        let mut decided = self.pay(&means, &mut rating)?;
        match self.request.phase {
            Phase::Event if means.available(Unit::Money) < decided.used.money => {
                let progress = self.progress;
                decided = Decided { is_out_of_money: true, progress, ..Decided::default() };
            }
            Phase::First | Phase::Next => self.grant(&means, &mut rating, &mut decided)?,
            Phase::Event | Phase::Final => {}
        }
        decided.unit = unit.map(unit_of);
        Ok(decided)
    }

    /// Returns what may pay for the leg.
    fn means<'a>(&self, account: &'a Account) -> Means<'a> {
        let Request { session, at, .. } = *self.request;
        let services = self.charging.services_of(self.service.name);
        Means { account, session, leg: self.leg.leg, services, at: at.max(account.at) }
    }

    /// Returns the usage without a quantity.
    pub(crate) fn usage(&self) -> Usage<'_> {
        self.service.usage(Quantity::default())
    }

    /// Charges the ledger.
    pub(crate) fn perform(
        &self,
        desk: &mut Desk<'_>,
        decided: &Decided,
        (begin, memo, counters): (Begin, &[u8], Option<&[u8]>),
    ) -> Receipt {
        let Request { session, number, digest, at, .. } = *self.request;
        let (mut used, mut used_count) = ([Cost { unit: Unit::Money, amount: 0 }; 2], 0);
        let (mut wanted, mut wanted_count) =
            ([Want { unit: Unit::Money, most: 0, least: 0 }; 2], 0);
        for (unit, amount) in decided.amounts(decided.used) {
            used[used_count] = Cost { unit, amount };
            used_count += 1;
        }
        for (unit, amount) in decided.amounts(decided.wanted) {
            wanted[wanted_count] = Want { unit, most: amount, least: amount };
            wanted_count += 1;
        }
        let charge = Charge {
            session,
            number,
            leg: self.leg.leg,
            digest,
            begin,
            services: self.charging.services_of(self.service.name),
            used: &used[..used_count],
            wanted: &wanted[..wanted_count],
            // A client that is gone does not end its session.
            until: at.saturating_add(2_000 * i64::from(self.validity)),
            memo: Some(memo),
            counters,
            note: note(decided.grant, decided.is_out_of_money),
            to: self.charging.revenue(),
        };
        let receipt = desk.perform(at, Action::Charge(charge)).receipt;
        assert!(receipt.overdrawn <= decided.used.money, "more units are used than buckets have");
        receipt
    }
}

impl Decided {
    /// Returns the amounts that are not zero, with their units.
    fn amounts(&self, amounts: Amounts) -> impl Iterator<Item = (Unit, i64)> + use<> {
        let units = self.unit.map(|unit| (unit, amounts.units));
        let money = Some((Unit::Money, amounts.money));
        units.into_iter().chain(money).filter(|(_, amount)| *amount > 0)
    }
}
