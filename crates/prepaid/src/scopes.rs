//! What balances pay for, and what accounts are barred from, as people see it: services and tariff classes.

use charging::Scope;
use ledger::Scopes;

use crate::refused::Refused;
use crate::rules::Rules;

/// The names of a set of scopes.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct ScopeNames {
    /// The services.
    pub(crate) services: Vec<String>,
    /// The tariff classes.
    pub(crate) classes: Vec<String>,
}

impl ScopeNames {
    /// Returns the names of some scopes.
    pub(crate) fn of<'s>(scopes: impl Iterator<Item = &'s Scope>) -> Self {
        let mut names = ScopeNames::default();
        for scope in scopes {
            match scope {
                Scope::Service(name) => names.services.push(name.clone()),
                Scope::Class(name) => names.classes.push(name.clone()),
            }
        }
        names
    }
}

impl Rules {
    /// Returns the names of what a set has.
    pub(crate) fn scope_names(&self, set: Scopes) -> ScopeNames {
        let scopes = self.charging.scopes.iter().enumerate();
        let of_set = scopes.filter(|(place, _)| set.meets(Scopes::one(*place as u8)));
        ScopeNames::of(of_set.map(|(_, scope)| scope))
    }

    /// Returns the names of what a balance pays for: none if it pays for all.
    pub(crate) fn paid_by(&self, set: Scopes) -> ScopeNames {
        match set {
            Scopes::ALL => ScopeNames::default(),
            set => self.scope_names(set),
        }
    }

    /// Returns the set of services and tariff classes with these names.
    ///
    /// # Errors
    ///
    /// No plan has the service, or the definition does not name the class.
    pub(crate) fn set_of_names(
        &self,
        services: &[String],
        classes: &[String],
    ) -> Result<Scopes, Refused> {
        let service = |name: &String| {
            let unknown = || Refused::ServiceUnknown { service: name.clone() };
            self.scope(&Scope::Service(name.clone())).ok_or_else(unknown)
        };
        let class = |name: &String| {
            let unknown = || Refused::ClassUnknown { class: name.clone() };
            self.scope(&Scope::Class(name.clone())).ok_or_else(unknown)
        };
        let mut sets = services.iter().map(service).chain(classes.iter().map(class));
        sets.try_fold(Scopes::NONE, |all, set| Ok(Scopes(all.0 | set?.0)))
    }
}
