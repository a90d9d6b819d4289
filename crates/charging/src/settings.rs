//! What charging goes by: plans and settings.

use ledger::{Account, Millis, Session, SessionKey, SystemAccount, SystemKind};
use rating::{Plans, Unit};

use crate::answer::VALIDITY_MAX;
use crate::ended::{last_grant, session_legs};
use crate::request::{Service, at_moment};
use crate::scope::Scope;
use crate::spend::{SpendLimit, Spending, SpentWithinLimit};

/// Plans and settings of charging.
#[derive(Debug)]
pub struct Charging {
    /// The tariff.
    pub plans: Plans,
    /// What buckets pay for, in the places of [`Scopes`](ledger::Scopes); [`SCOPES_MAX`](crate::SCOPES_MAX) at most.
    pub scopes: Vec<Scope>,
    /// The types of subscribers, by the names that the plan has, in the places that accounts have as theirs.
    pub subscriber_types: Vec<String>,
    /// How much is granted.
    pub grants: GrantSettings,
    /// For how long a grant is valid, in seconds. A session is over after twice this time without a request (RFC 8506
    /// section 13).
    pub validity_seconds: u32,
    /// For how long a session that has ended is remembered, in seconds.
    pub remembered_seconds: u32,
    /// What the operator decides.
    pub policy: Policy,
}

/// What the operator decides about charging.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Policy {
    /// The smallest grants that are of use to a client. While an account has several open sessions, a grant takes no more
    /// than what is available divided by their number; but it is not smaller than this unless it is the last one.
    pub smallest_grant: GrantSettings,
    /// What is done about what was used in a session that is not known.
    pub orphan_usage: OrphanUsage,
    /// The percentage by which the seconds used may exceed those since the service began; one more minute is allowed for
    /// clocks that differ. What is beyond it is not charged, and [noted](crate::Notices::is_capped): a client has
    /// reported 71,582,788 seconds (kamailio#4495). `None`: there is no such limit.
    pub excess_percent: Option<u32>,
    /// The optimised dialogue: no money is reserved for a grant while this much, in billionths, is left behind the worst
    /// case of all grants of the account, those that are not reserved included. `None`: each grant is reserved.
    ///
    /// What is not reserved is stored with its session, and no other grant or event takes it. Operations from outside,
    /// such as transfers and fees, may: they leave an account overdrawn by the sum of its grants without a reservation at
    /// most, and only if they take more than this limit.
    pub reserve_below: Option<i64>,
    /// Limits of what an account spends on services in a month. Refunds do not lower what was spent.
    pub spend_limits: Vec<SpendLimit>,
}

/// What is done about what was used in a session that is not known: one that was forgotten, or never began. The request
/// is answered [`Answer::SessionUnknown`](crate::Answer::SessionUnknown) in any case.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum OrphanUsage {
    /// It is debited, once, if the request names its service.
    Charge,
    /// It is not debited. An entry of the account without an amount has what was used, and the answer its price, for an alarm.
    Report,
    /// Nothing.
    Drop,
}

impl Default for Policy {
    fn default() -> Self {
        Policy {
            smallest_grant: GrantSettings { seconds: 10, octets: 100_000, events: 1 },
            orphan_usage: OrphanUsage::Report,
            excess_percent: None,
            reserve_below: None,
            spend_limits: Vec::new(),
        }
    }
}

/// How much is granted at once, if a client does not say how much it wants; and at most. Never more than [`GRANT_MAX`](crate::GRANT_MAX).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct GrantSettings {
    /// Seconds of calls.
    pub seconds: u64,
    /// Octets of data.
    pub octets: u64,
    /// Events.
    pub events: u64,
}

impl GrantSettings {
    /// Returns how much is granted of a unit.
    pub(crate) fn of(&self, unit: Unit) -> u64 {
        match unit {
            Unit::Seconds => self.seconds,
            Unit::Octets => self.octets,
            Unit::Events => self.events,
        }
    }
}

impl Charging {
    /// Returns what an account has spent within each limit in the month of a time. Empty without a plan for that time, or
    /// if what is stored cannot be read.
    pub fn spent_within_limits(&self, account: &Account, at: Millis) -> Vec<SpentWithinLimit<'_>> {
        let limits = &self.policy.spend_limits;
        let (at, mut spending) = (at_moment(at), Spending::default());
        let (Ok(plan), Some(_)) = (self.plans.valid(at), spending.read(limits, account.counters()))
        else {
            return Vec::new();
        };
        spending.within(limits, plan.month(at))
    }

    /// Returns for how long grants are valid: a little less or more for each session, so that those that began together do
    /// not come back together.
    pub fn validity(&self, session: SessionKey) -> u32 {
        let usual = self.validity_seconds.min(VALIDITY_MAX / 2);
        let spread = usual / 10;
        let by = (session.0 as u64 % u64::from(2 * spread + 1)) as u32;
        usual - spread + by
    }

    /// Returns until when the grants of an open session are valid, by the settings of now: the client requests again by
    /// then, if it is still there.
    pub fn valid_until(&self, session: &Session) -> Millis {
        let validity = 1_000 * i64::from(self.validity(session.key));
        let requested = session.until.saturating_sub(2 * validity);
        let legs = session_legs(session.memo()).map_while(Result::ok);
        let grants = legs.filter_map(|leg| last_grant(session, leg.leg));
        let least = grants.map(|grant| 1_000 * i64::from(grant.validity_seconds)).min();
        requested.saturating_add(least.unwrap_or(validity))
    }

    /// Returns a service with the type of the account's subscriber, unless the request names one. A type that its plan does
    /// not have is left out: the calls of the account go on.
    pub(crate) fn of_account<'s>(&'s self, service: Service<'s>, account: &Account) -> Service<'s> {
        let place = account.subscriber_type.filter(|_| service.subscriber.is_empty());
        let name = place.and_then(|place| self.subscriber_types.get(usize::from(place)));
        let has_type = |name: &&String| {
            let plan = self.plans.valid(service.start);
            plan.is_ok_and(|plan| plan.subscriber_types().any(|known| known == name.as_str()))
        };
        let name = name.filter(has_type);
        Service { subscriber: name.map_or(service.subscriber, String::as_str), ..service }
    }

    /// Returns the system account that gets what subscribers pay.
    pub fn revenue(&self) -> SystemAccount {
        SystemAccount { kind: SystemKind::Revenue, number: 0 }
    }
}
