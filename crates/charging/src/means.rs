//! What pays for a leg: buckets of the unit that its service counts, and money.

use ledger::{Account, Bucket, Millis, Services, SessionKey, Unit};

/// The means of an account for a leg of a session, at a time.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Means<'a> {
    pub(crate) account: &'a Account,
    pub(crate) session: SessionKey,
    pub(crate) leg: u32,
    pub(crate) services: Services,
    pub(crate) at: Millis,
}

impl<'a> Means<'a> {
    /// Returns whether buckets of other units than money may pay.
    pub(crate) fn has_units(&self) -> bool {
        let is_of_units = |of: &Bucket| of.unit != Unit::Money && of.services.meets(self.services);
        self.account.buckets().iter().any(is_of_units)
    }

    /// Returns how much of a unit is available: what is free, and what is reserved for the leg already.
    pub(crate) fn available(&self, unit: Unit) -> i64 {
        let free = self.account.available_for(self.services, unit, self.at);
        free.saturating_add(self.account.reserved_for(self.session, self.leg, unit))
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
            if bucket.pays(unit, self.services, self.at) && free + reserved(bucket) > 0 {
                end = end.min(bucket.until);
                left -= free;
            }
        }
        end
    }
}

/// Returns the ledger's unit of what a plan counts.
pub(crate) fn unit_of(unit: rating::Unit) -> Unit {
    match unit {
        rating::Unit::Seconds => Unit::Seconds,
        rating::Unit::Octets => Unit::Octets,
        rating::Unit::Events => Unit::Events,
    }
}
