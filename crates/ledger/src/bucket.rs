//! Buckets: the parts of a balance, each of one unit, for some services and some time.

use std::ops::Range;

use crate::unit::{Millis, Unit};

/// The number of a bucket within its account.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct BucketId(pub u32);

/// The bucket of money that each account has. It does not expire, pays for all services, and is used last.
pub const MAIN_BUCKET: BucketId = BucketId(0);

/// A set of services, 64 at most; what a service is, the configuration says.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Services(pub u64);

impl Services {
    /// No service.
    pub const NONE: Services = Services(0);

    /// All services.
    pub const ALL: Services = Services(u64::MAX);

    /// Returns the set of one service.
    pub fn one(service: u8) -> Self {
        assert!(service < 64, "there are 64 services at most");
        Services(1 << service)
    }

    /// Returns whether two sets have a service in common.
    pub fn meets(self, other: Services) -> bool {
        self.0 & other.0 != 0
    }
}

/// A part of an account's balance.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Bucket {
    /// Its number.
    pub id: BucketId,
    /// What it counts.
    pub unit: Unit,
    /// The amount, of which `reserved` is not available. The main bucket may be overdrawn.
    pub amount: i64,
    /// The sum of all reservations.
    pub reserved: i64,
    /// What it was given in all, without what was taken back. The main bucket does not count it.
    pub given: i64,
    /// Buckets with a smaller number are used first.
    pub priority: u16,
    /// The services that it pays for.
    pub services: Services,
    /// When it may be used, end not included.
    pub from: Millis,
    /// The end of that time.
    pub until: Millis,
}

impl Bucket {
    /// Returns the main bucket of a new account.
    pub(crate) fn main() -> Self {
        Bucket {
            id: MAIN_BUCKET,
            unit: Unit::Money,
            amount: 0,
            reserved: 0,
            given: 0,
            priority: u16::MAX,
            services: Services::ALL,
            from: Millis::MIN,
            until: Millis::MAX,
        }
    }

    /// Returns when it may be used.
    pub fn valid(&self) -> Range<Millis> {
        self.from..self.until
    }

    /// Returns whether it may pay for a service at a time.
    pub fn pays(&self, unit: Unit, services: Services, at: Millis) -> bool {
        // Services without a place are paid by buckets that pay for all.
        let is_for = self.services == Services::ALL || self.services.meets(services);
        self.unit == unit && is_for && self.valid().contains(&at)
    }

    /// Returns what is not reserved. It is negative if the bucket is overdrawn.
    pub fn free(&self) -> i64 {
        self.amount - self.reserved
    }

    /// Returns the place of a bucket in the order of use: by priority, then the earliest end, then the oldest.
    pub(crate) fn order(&self) -> (u16, Millis, BucketId) {
        (self.priority, self.until, self.id)
    }
}
