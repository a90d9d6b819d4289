//! Scopes: what buckets pay for, and what accounts are barred from.

use ledger::Scopes;

use crate::request::Service;
use crate::settings::Charging;

/// A part of all usage that has a place in sets of [`Scopes`].
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Scope {
    /// A service, by its name in the plan.
    Service(String),
    /// A tariff class, by its name in the plan. The plan finds it by the service, the type of subscriber, where the subscriber
    /// is and who is called: so it stands for calls within a network, to a country, or abroad.
    Class(String),
}

/// What the names of classes begin with in their stored form. No service begins so.
const CLASS: &str = "class:";

impl Scope {
    /// Returns its stored form.
    pub fn stored(&self) -> String {
        match self {
            Scope::Service(name) => name.clone(),
            Scope::Class(name) => format!("{CLASS}{name}"),
        }
    }

    /// Returns the scope of a stored form.
    pub fn of_stored(stored: &str) -> Self {
        match stored.strip_prefix(CLASS) {
            Some(name) => Scope::Class(name.to_owned()),
            None => Scope::Service(stored.to_owned()),
        }
    }

    /// Returns whether a service can have a name: its stored form is not that of a class.
    pub fn may_be_service(name: &str) -> bool {
        !name.starts_with(CLASS)
    }

    /// Returns the name of a service. `None` for a class.
    pub fn service(&self) -> Option<&str> {
        match self {
            Scope::Service(name) => Some(name),
            Scope::Class(_) => None,
        }
    }

    /// Returns the name of a tariff class. `None` for a service.
    pub fn class(&self) -> Option<&str> {
        match self {
            Scope::Class(name) => Some(name),
            Scope::Service(_) => None,
        }
    }
}

impl Charging {
    /// Returns the set of a service, in any tariff class. A service without a place is in no set but that of all.
    pub fn services_of(&self, service: &str) -> Scopes {
        self.set(|scope| scope.service() == Some(service))
    }

    /// Returns the set of a service that begins: itself, and its tariff class if that is a scope.
    pub(crate) fn scopes_of(&self, service: &Service<'_>) -> Scopes {
        let of_service = self.services_of(service.name);
        if self.scopes.iter().all(|scope| scope.class().is_none()) {
            return of_service;
        }
        let Ok(plan) = self.plans.valid(service.start) else { return of_service };
        let Ok(class) = plan.class(&service.usage(Default::default())) else { return of_service };
        Scopes(of_service.0 | self.set(|scope| scope.class() == Some(class)).0)
    }

    /// Returns the set of the first scope that is meant.
    fn set(&self, is_meant: impl Fn(&Scope) -> bool) -> Scopes {
        let place = self.scopes.iter().take(SCOPES_MAX).position(is_meant);
        place.map_or(Scopes::NONE, |place| Scopes::one(place as u8))
    }
}

/// The most scopes: a set of them has a bit for each.
pub const SCOPES_MAX: usize = 64;
