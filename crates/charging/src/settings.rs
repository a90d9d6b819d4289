//! What charging goes by: plans and settings.

use ledger::{Services, SystemAccount, SystemKind};
use rating::{Plans, Unit};

/// Plans and settings of charging.
#[derive(Debug)]
pub struct Charging {
    /// The tariff.
    pub plans: Plans,
    /// The services, by the names that the plan has. Their places are those of [`Services`]; 64 at most.
    pub services: Vec<String>,
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
}

impl Default for Policy {
    fn default() -> Self {
        Policy { smallest_grant: GrantSettings { seconds: 10, octets: 100_000, events: 1 } }
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
    /// Returns the set with a service. Services without a place are paid only by buckets that pay for all.
    pub(crate) fn services_of(&self, service: &str) -> Services {
        match self.services.iter().take(64).position(|name| name == service) {
            Some(place) => Services::one(place as u8),
            None => Services(0),
        }
    }

    /// Returns the system account that gets what subscribers pay.
    pub(crate) fn revenue(&self) -> SystemAccount {
        SystemAccount { kind: SystemKind::Revenue, number: 0 }
    }
}
