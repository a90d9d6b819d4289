//! One leg of a request: what was used is paid, what comes is granted, and the ledger is charged.

use std::ops::Range;

use accounts::Desk;
use ledger::{Account, Action, Begin, Charge, Cost, Receipt, Scopes, Unit, WANTS_MAX, Want};
use rating::{NoCounters, Plan, State, SubscriberCounters, Usage};

use crate::answer::{LegRefusal, Noted, Notices};
use crate::means::{Amounts, Means, unreserved};
use crate::memo::{MemoDamaged, TEXT_OCTETS_MAX, placed_legs};
use crate::progress::LegProgress;
use crate::remark::ChargedUsage;
use crate::request::{LEGS_MAX, LegRequest, Phase, Quantity, Request, Service, at_moment};
use crate::settings::Charging;
use crate::spend::{Spending, limits_of, open_grants};

/// A leg that is worked on.
pub(crate) struct Leg<'l> {
    pub(crate) charging: &'l Charging,
    pub(crate) request: &'l Request<'l>,
    pub(crate) leg: &'l LegRequest<'l>,
    pub(crate) service: Service<'l>,
    /// What it is to buckets: its service, and its tariff class.
    pub(crate) scopes: Scopes,
    /// Where it is in the memo of its session.
    pub(crate) place: Range<usize>,
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
    /// The month in which spending counts.
    pub(crate) month: i64,
    pub(crate) memory: &'w mut Memory,
}

/// Working memory: what an account counts, and the state of a usage.
#[derive(Debug, Default)]
pub(crate) struct Memory {
    pub(crate) state: State,
    pub(crate) counters: SubscriberCounters,
    pub(crate) spending: Spending,
}

/// What is charged and granted.
#[derive(Debug, Default)]
pub(crate) struct Decided {
    /// What was used costs this.
    pub(crate) used: Amounts,
    /// What counts of it within limits: the money without tax.
    pub(crate) net: i64,
    /// What is reserved for the grant.
    pub(crate) wanted: Amounts,
    /// The unit of these, if buckets may pay.
    pub(crate) unit: Option<Unit>,
    /// The price of the grant, if it is not reserved; in billionths.
    pub(crate) unreserved: i64,
    /// What goes back to the account, in billionths.
    pub(crate) refund: i64,
    /// What is answered.
    pub(crate) noted: Noted,
    pub(crate) notices: Notices,
    pub(crate) progress: LegProgress,
    /// Whether counters have changed.
    pub(crate) has_counted: bool,
}

/// What is stored with a charge.
pub(crate) struct Stored<'s> {
    /// For the session, if it has changed.
    pub(crate) memo: Option<&'s [u8]>,
    /// For the account, if they have changed.
    pub(crate) counters: Option<&'s [u8]>,
    /// For the entries.
    pub(crate) remark: &'s [u8],
}

impl<'l> Leg<'l> {
    /// Finds a leg, as it is stored in the memo of its session or as it begins. One that begins without a type of subscriber
    /// has that of the account.
    pub(crate) fn find(
        charging: &'l Charging,
        request: &'l Request<'l>,
        leg: &'l LegRequest<'l>,
        (account, memo): (&Account, &'l [u8]),
    ) -> Result<Self, LegRefusal> {
        let (mut stored, mut first, mut count) = (None, None, 0);
        for known in placed_legs(memo) {
            count += 1;
            let known = known.map_err(|MemoDamaged| LegRefusal::Damaged)?;
            first = first.or(Some(known.0.service));
            stored = stored.or(Some(known).filter(|(known, _)| known.leg == leg.leg));
        }
        // What was used must be paid.
        if stored.is_none() && count >= LEGS_MAX && leg.used.is_none() {
            return Err(LegRefusal::TooMany);
        }
        let (stored, place) = stored.unzip();
        let place = place.unwrap_or(memo.len()..memo.len());
        let service = stored.map(|stored| stored.service).or(leg.service);
        let mut service = service.ok_or(LegRefusal::NoService)?;
        if stored.is_none() {
            if let Some(first) = first.filter(|_| request.inherits) {
                let Service { other, partner, subscriber, .. } = first;
                service = Service { other, partner, subscriber, ..service };
            }
            service = charging.of_account(service, account);
        }
        let mut texts = service.texts().into_iter().chain([request.client.as_bytes()]);
        if texts.any(|text| text.len() > TEXT_OCTETS_MAX) {
            return Err(LegRefusal::ServiceTooLong);
        }
        let progress = stored.map(|stored| stored.progress).unwrap_or_default();
        let validity = charging.validity(request.session);
        let scopes = charging.scopes_of(&service);
        Ok(Leg { charging, request, leg, service, scopes, place, progress, validity })
    }

    /// Finds what was used and what is granted. The counters are those after it.
    pub(crate) fn decide(
        &self,
        account: &Account,
        memory: &mut Memory,
    ) -> Result<Decided, LegRefusal> {
        let (means, mut rating) = self.basis(account, memory)?;
        match self.request.phase {
            Phase::First | Phase::Next => {
                let mut decided = self.pay(&means, &mut rating)?;
                self.grant(&means, &mut rating, &mut decided)?;
                Ok(decided)
            }
            Phase::Final => self.pay(&means, &mut rating),
            Phase::Event(kind) => self.event(kind, &means, &mut rating),
        }
    }

    /// Finds what may pay for the leg, and what it is priced by.
    pub(crate) fn basis<'b>(
        &'b self,
        account: &'b Account,
        memory: &'b mut Memory,
    ) -> Result<(Means<'b>, Rating<'b>), LegRefusal> {
        let plan = self.charging.plans.valid(self.service.start).map_err(LegRefusal::NoPrice)?;
        let limits = &self.charging.policy.spend_limits;
        let stored = memory.spending.read(limits, account.counters());
        memory.counters = match stored.ok_or(LegRefusal::Damaged)? {
            [] => SubscriberCounters::default(),
            stored => SubscriberCounters::read(stored).map_err(|NoCounters| LegRefusal::Damaged)?,
        };
        let means = self.means(account)?;
        let unit = match means.has_units() && self.has_quantity() {
            true => Some(plan.unit(&self.usage()).map_err(LegRefusal::NoPrice)?),
            false => None,
        };
        let month = match limits[..] {
            [] => 0,
            _ => plan.month(at_moment(means.at)),
        };
        Ok((means, Rating { plan, unit, month, memory }))
    }

    /// Returns whether the request has a quantity that is not money.
    fn has_quantity(&self) -> bool {
        self.leg.wanted.is_some() || self.leg.used.is_some_and(|used| used.money.is_none())
    }

    /// Returns what may pay for the leg.
    fn means<'a>(&self, account: &'a Account) -> Result<Means<'a>, LegRefusal> {
        let (Request { session, at, .. }, leg) = (*self.request, self.leg.leg);
        let unreserved = match self.charging.policy.reserve_below {
            Some(_) => unreserved(account, (session, leg)),
            None => Ok(0),
        };
        let unreserved = unreserved.map_err(|MemoDamaged| LegRefusal::Damaged)?;
        Ok(Means { account, session, leg, scopes: self.scopes, at: at.max(account.at), unreserved })
    }

    /// Returns the usage without a quantity.
    pub(crate) fn usage(&self) -> Usage<'_> {
        self.service.usage(Quantity::default())
    }

    /// Writes what is charged, for the entries.
    pub(crate) fn remark(&self, decided: &Decided, to: &mut Vec<u8>) {
        let Some(used) = self.leg.used else { return };
        let charged = ChargedUsage {
            leg: self.leg.leg,
            service: self.service,
            client: self.request.client,
            used,
            bucket_units: decided.used.units.unsigned_abs(),
            priced: ChargedUsage::priced(&self.service, &decided.progress),
        };
        charged.write(to);
    }

    /// Returns what may be spent within the limits of the service, besides the open grants; `None` without a limit.
    pub(crate) fn spend_left(
        &self,
        account: &Account,
        rating: &Rating<'_>,
    ) -> Result<Option<i64>, LegRefusal> {
        let except = (self.request.session, self.leg.leg);
        let mut least = None;
        for limit in limits_of(&self.charging.policy.spend_limits, &self.service) {
            if let Some(left) = rating.memory.spending.left(limit, rating.month) {
                let open = open_grants(account, limit, except);
                let left = left.saturating_sub(open.map_err(|MemoDamaged| LegRefusal::Damaged)?);
                least = Some(least.map_or(left, |least: i64| least.min(left)));
            }
        }
        Ok(least)
    }

    /// Charges the ledger.
    pub(crate) fn perform(
        &self,
        desk: &mut Desk<'_>,
        decided: &Decided,
        begin: Begin,
        Stored { memo, counters, remark }: Stored<'_>,
    ) -> Receipt {
        let Request { session, number, digest, at, .. } = *self.request;
        let mut used = [Cost { unit: Unit::Money, amount: 0 }; WANTS_MAX];
        let mut wanted = [Want { unit: Unit::Money, most: 0, least: 0 }; WANTS_MAX];
        let used = decided.listed(decided.used, &mut used, |unit, amount| Cost { unit, amount });
        let wanted = decided.listed(decided.wanted, &mut wanted, |unit, amount| Want {
            unit,
            most: amount,
            least: amount,
        });
        let charge = Charge {
            session,
            number,
            leg: self.leg.leg,
            digest,
            begin,
            scopes: self.scopes,
            used,
            wanted,
            // A client that is gone does not end its session.
            until: at.saturating_add(2_000 * i64::from(self.validity)),
            memo,
            counters,
            note: decided.noted.note(decided.notices),
            to: self.charging.revenue(),
            remark,
        };
        let receipt = desk.perform(at, Action::Charge(charge)).receipt;
        assert!(receipt.overdrawn <= decided.used.money, "more units are used than buckets have");
        receipt
    }
}

impl Decided {
    /// Writes the amounts that are not zero to a list, and returns them.
    fn listed<'l, T>(
        &self,
        Amounts { units, money }: Amounts,
        list: &'l mut [T; WANTS_MAX],
        item: impl Fn(Unit, i64) -> T,
    ) -> &'l [T] {
        let units = self.unit.map(|unit| (unit, units)).filter(|(_, amount)| *amount > 0);
        let money = Some((Unit::Money, money)).filter(|(_, amount)| *amount > 0);
        let mut count = 0;
        for (unit, amount) in units.into_iter().chain(money) {
            list[count] = item(unit, amount);
            count += 1;
        }
        &list[..count]
    }
}
