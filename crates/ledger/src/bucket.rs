//! Buckets: the parts of a balance, each of one unit, for some scopes and some time.

use std::ops::Range;

use crate::totals::SystemAccount;
use crate::unit::{Millis, Unit};

/// The number of a bucket within its account.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct BucketId(pub u32);

/// The bucket of money that each account has. It does not expire, pays for all scopes, and is used last.
pub const MAIN_BUCKET: BucketId = BucketId(0);

/// A set of scopes, 64 at most. A scope is a part of all usage, such as a service; the caller knows which.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Scopes(pub u64);

impl Scopes {
    /// No scope.
    pub const NONE: Scopes = Scopes(0);

    /// All scopes.
    pub const ALL: Scopes = Scopes(u64::MAX);

    /// Returns the set of one scope.
    pub fn one(scope: u8) -> Self {
        assert!(scope < 64, "there are 64 scopes at most");
        Scopes(1 << scope)
    }

    /// Returns whether two sets have a scope in common.
    pub fn meets(self, other: Scopes) -> bool {
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
    /// Where its first amount came from, such as a bundle. The main bucket has none, since it gets amounts from many.
    pub source: Option<SystemAccount>,
    /// Whether it is used in a later period than it was given for.
    pub rolled_over: bool,
    /// The amount, of which `reserved` is not available. The main bucket may be overdrawn.
    pub amount: i64,
    /// The sum of all reservations.
    pub reserved: i64,
    /// What it was given in all, without what was taken back. The main bucket does not count it.
    pub given: i64,
    /// Buckets with a smaller number are used first.
    pub priority: u16,
    /// The scopes that it pays for.
    pub scopes: Scopes,
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
            source: None,
            rolled_over: false,
            amount: 0,
            reserved: 0,
            given: 0,
            priority: u16::MAX,
            scopes: Scopes::ALL,
            from: Millis::MIN,
            until: Millis::MAX,
        }
    }

    /// Returns when it may be used.
    pub fn valid(&self) -> Range<Millis> {
        self.from..self.until
    }

    /// Returns whether it may pay for scopes at a time.
    pub fn pays(&self, unit: Unit, scopes: Scopes, at: Millis) -> bool {
        // Usage without a scope is paid by buckets that pay for all.
        let is_for = self.scopes == Scopes::ALL || self.scopes.meets(scopes);
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
