//! What pays for a leg: buckets of the unit that its service counts, and money.

use ledger::{Account, Bucket, Millis, Scopes, Session, SessionKey, Unit};

use crate::memo::{MemoDamaged, StoredLeg, legs};

/// The means of an account for a leg of a session, at a time.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Means<'a> {
    pub(crate) account: &'a Account,
    pub(crate) session: SessionKey,
    pub(crate) leg: u32,
    pub(crate) scopes: Scopes,
    pub(crate) at: Millis,
    /// The sum of the other grants of the account that are not reserved, in billionths.
    pub(crate) unreserved: i64,
}

/// An amount of the unit that the service counts, from buckets, and one of money.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Amounts {
    pub(crate) units: i64,
    /// In billionths.
    pub(crate) money: i64,
}

impl Amounts {
    /// Returns the part of each that is for one of some sessions.
    pub(crate) fn share(self, sessions: i64) -> Self {
        Amounts { units: self.units / sessions, money: self.money / sessions }
    }
}

impl Means<'_> {
    /// Returns whether buckets of other units than money may pay.
    pub(crate) fn has_units(&self) -> bool {
        let is_of_units = |of: &Bucket| of.unit != Unit::Money && of.scopes.meets(self.scopes);
        self.account.buckets().iter().any(is_of_units)
    }

    /// Returns whether the account pays for services to come. If not, what is free may be used, such as emergency calls.
    pub(crate) fn may_pay(&self) -> bool {
        self.account.may_pay_for(self.scopes)
    }

    /// Returns how much of a unit is available: what is free, if the account pays, and what is reserved for the leg already.
    pub(crate) fn available(&self, unit: Unit) -> i64 {
        let free = match self.may_pay() {
            true => self.account.available_for(self.scopes, unit, self.at),
            false => 0,
        };
        let available =
            free.saturating_add(self.account.reserved_for(self.session, self.leg, unit));
        match unit {
            Unit::Money => available.saturating_sub(self.unreserved),
            _ => available,
        }
    }

    /// Returns whether nothing may be granted any more, because the session has ended.
    pub(crate) fn has_ended(&self) -> bool {
        self.account.session(self.session).is_some_and(|session| session.is_closed)
    }

    /// Returns what is left behind a use: nothing, if the account does not pay. Money is negative where the account is
    /// overdrawn.
    pub(crate) fn left(&self, unit: Option<rating::Unit>, used: Amounts) -> Amounts {
        let units = unit.map_or(0, |unit| self.available(unit_of(unit)));
        assert!(used.units <= units, "no more units are used than buckets have");
        let money = self.available(Unit::Money).saturating_sub(used.money);
        match self.may_pay() {
            true => Amounts { units: units - used.units, money },
            false => Amounts::default(),
        }
    }

    /// Returns the number of open sessions besides this one.
    pub(crate) fn other_sessions(&self) -> i64 {
        let is_other = |of: &&Session| !of.is_closed && of.key != self.session;
        self.account.sessions().iter().filter(is_other).count() as i64
    }

    /// Returns when the first of the buckets ends that an amount may be taken from. It may be one of which nothing is
    /// taken in the end: the others of its session may have reserved it.
    pub(crate) fn end(&self, unit: Unit, amount: i64) -> Millis {
        let session = self.account.session(self.session);
        let reserved = |of: &Bucket| session.map_or(0, |session| session.reserved_from(of.id));
        let (mut end, mut left) = (Millis::MAX, amount);
        for bucket in self.account.buckets() {
            if left <= 0 {
                break;
            }
            let free = bucket.free().max(0);
            if bucket.pays(unit, self.scopes, self.at) && free + reserved(bucket) > 0 {
                end = end.min(bucket.until);
                left -= free;
            }
        }
        end
    }
}

/// Returns the sum of the grants of an account that are not reserved, except that of a leg.
pub(crate) fn unreserved(account: &Account, except: (SessionKey, u32)) -> Result<i64, MemoDamaged> {
    let mut sum = 0_i64;
    for session in account.sessions().iter().filter(|session| !session.is_closed) {
        for leg in legs(session.memo()) {
            let StoredLeg { leg, unreserved, .. } = leg?;
            if (session.key, leg) != except {
                sum = sum.saturating_add(unreserved);
            }
        }
    }
    Ok(sum)
}

/// Returns the ledger's unit of what a plan counts.
pub(crate) fn unit_of(unit: rating::Unit) -> Unit {
    match unit {
        rating::Unit::Seconds => Unit::Seconds,
        rating::Unit::Octets => Unit::Octets,
        rating::Unit::Events => Unit::Events,
    }
}
