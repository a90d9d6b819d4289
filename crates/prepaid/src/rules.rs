//! What a charging system goes by: what its definition says, with the places of names in the back.
//!
//! Entries and buckets have numbers where the definition has names: a bit of a set for a service or tariff class, and the number
//! of a system account for what is offered: a bundle, a fee or a bonus; notices have one for a limit, and accounts for their
//! type of subscriber. A name has its place for ever.

use std::collections::BTreeSet;
use std::ops::Deref;

use accounts::AccountsError;
use charging::{SCOPES_MAX, Scope};
use ledger::{Allowance, LifeCycle, Millis, NewBucket, Scopes, SystemAccount, SystemKind};
use rating::{Length, Plans};

use crate::back::{Back, Named};
use crate::definition::{Bundle, Contents, Definition, Life, Terms};
use crate::refused::Refused;
use crate::system::OpenError;
use crate::versions::StoredVersion;
use crate::{past_plans, versions};

/// The most names of offers that there ever were: entries have the number of one in 16 bits.
pub(crate) const OFFERS_MAX: usize = 1 << 16;

/// The name of the fee of transfers.
pub(crate) const TRANSFER: &str = "transfer";

/// A day in milliseconds.
const DAY: Millis = 86_400_000;

/// What the system goes by: the terms of its definition, with the places that their names have in the back. A reload
/// replaces it.
#[derive(Debug)]
pub struct Rules {
    terms: Terms,
    /// The names of all bundles, fees, bonuses, limits and types of subscribers that there ever were, each in the place of its
    /// number.
    pub offers: Vec<String>,
    /// The number of the version of the definition, if it is stored.
    pub(crate) version: Option<i64>,
    /// The plans of this version alone, which explain its calls also when they have ended long ago.
    pub(crate) own_plans: Plans,
}

impl Deref for Rules {
    type Target = Terms;

    fn deref(&self) -> &Terms {
        &self.terms
    }
}

impl Rules {
    /// Returns what a system goes by that starts with a definition. The definition becomes a version. Calls that began before
    /// it go by the last versions.
    ///
    /// # Errors
    ///
    /// There are too many names, or the back fails.
    pub(crate) fn at_start(
        back: &Back,
        Definition { terms, texts, .. }: Definition,
    ) -> Result<Self, OpenError> {
        let rules = Self::with_places(back, terms)?;
        let version = versions::store(back, texts);
        let now = back.now_ms();
        let (number, at) = version.map_or((None, now), |of| (Some(of.number), of.at));
        let earlier = past_plans::before(back, (number, at), now)?;
        Ok(rules.since((number, at), earlier.as_ref(), now))
    }

    /// Returns what a system goes by whose definition has changed. The definition becomes a version. Calls that began before
    /// it go by the rules before.
    ///
    /// # Errors
    ///
    /// There are too many names, or the back fails.
    pub(crate) fn at_reload(
        &self,
        back: &Back,
        Definition { terms, texts, .. }: Definition,
    ) -> Result<Self, OpenError> {
        let mut rules = Self::with_places(back, terms)?;
        let version = versions::store(back, texts).map(|version| version.number);
        if version.is_some() && version == self.version {
            // Its plans are the same.
            rules.terms.charging.plans = self.charging.plans.clone();
            return Ok(Rules { version, ..rules });
        }
        // Another process may have used the version for longer: what this one granted meanwhile goes by the rules before.
        let now = back.now_ms();
        Ok(rules.since((version, now), Some(&self.charging.plans), now))
    }

    /// Returns what commands go by while no system runs. Nothing is stored: no call goes by it.
    ///
    /// # Errors
    ///
    /// There are too many names, or the back fails.
    pub(crate) fn of_commands(
        back: &Back,
        Definition { terms, texts, .. }: Definition,
    ) -> Result<Self, OpenError> {
        let rules = Self::with_places(back, terms)?;
        let newest = versions::newest(back)?.filter(|newest| newest.has(&texts));
        let Some(StoredVersion { number, at, .. }) = newest else { return Ok(rules) };
        let now = back.now_ms();
        let earlier = past_plans::before(back, (Some(number), at), now)?;
        Ok(rules.since((Some(number), at), earlier.as_ref(), now))
    }

    /// Goes by a version that is used since a time. Calls that began before go by earlier plans.
    fn since(
        mut self,
        (version, at): (Option<i64>, Millis),
        earlier: Option<&Plans>,
        now: Millis,
    ) -> Self {
        if let Some(earlier) = earlier {
            let plans = &mut self.terms.charging.plans;
            *plans = past_plans::in_place_of(plans.clone(), earlier, (at, now));
        }
        Rules { version, ..self }
    }

    fn with_places(back: &Back, mut terms: Terms) -> Result<Self, OpenError> {
        let Terms { charging, bundles, fees, bonuses, transfers, .. } = &terms;
        let limits = &charging.policy.spend_limits;
        let scopes = scopes_of(&terms);
        let offers = bundles
            .iter()
            .map(|bundle| &bundle.name)
            .chain(fees.iter().map(|fee| &fee.name))
            .chain(bonuses.iter().map(|bonus| &bonus.name))
            .chain(limits.iter().map(|limit| &limit.name));
        let types = types_of(&charging.plans);
        let transfer = (transfers.fee > 0).then_some(TRANSFER);
        let offers = offers.map(String::as_str).chain(types).chain(transfer).map(str::to_owned);
        let offers: Vec<String> = offers.collect();
        let count = |of, names: &[String]| -> Result<usize, AccountsError> {
            let known = back.names(of)?;
            Ok(known.len() + names.iter().filter(|name| !known.contains(name)).count())
        };
        match (count(Named::Scopes, &scopes)?, count(Named::Offers, &offers)?) {
            (scopes, _) if scopes > SCOPES_MAX => return Err(OpenError::Scopes(scopes)),
            (_, offers) if offers > OFFERS_MAX => return Err(OpenError::Offers(offers)),
            _ => {}
        }
        let scopes = back.add_names(Named::Scopes, scopes, SCOPES_MAX)?;
        terms.charging.scopes = scopes.iter().map(|stored| Scope::of_stored(stored)).collect();
        let offers = back.add_names(Named::Offers, offers, OFFERS_MAX)?;
        terms.charging.subscriber_types = offers.clone();
        for limit in &mut terms.charging.policy.spend_limits {
            let place = offers.iter().position(|offer| *offer == limit.name);
            limit.number = place.and_then(|place| place.try_into().ok()).unwrap_or(limit.number);
        }
        let own_plans = terms.charging.plans.clone();
        Ok(Rules { terms, offers, version: None, own_plans })
    }

    /// Returns the stages of the life of an account that is opened at a time.
    pub(crate) fn life_cycle(&self, at: Millis) -> LifeCycle {
        let Some(Life { active_days, grace, suspended }) = self.life else {
            return LifeCycle::ENDLESS;
        };
        let active_until = at.saturating_add(i64::from(active_days) * DAY);
        let grace_until = active_until.saturating_add(grace);
        let suspended_until = grace_until.saturating_add(suspended);
        LifeCycle { active_until, grace_until, suspended_until }
    }

    /// Returns a bundle that is sold.
    pub(crate) fn bundle(&self, name: &str) -> Option<&Bundle> {
        self.bundles.iter().find(|bundle| bundle.name == name)
    }

    /// Returns the system account of an offer that there is or was.
    pub(crate) fn system_account(&self, kind: SystemKind, name: &str) -> Option<SystemAccount> {
        Some(SystemAccount { kind, number: self.offer(name)? })
    }

    fn offer(&self, name: &str) -> Option<u16> {
        let place = self.offers.iter().position(|offer| offer == name)?;
        u16::try_from(place).ok()
    }

    /// Returns the name of what an entry is for, if that is an offer.
    pub(crate) fn offer_of(&self, system: SystemAccount) -> Option<&str> {
        let is_offer =
            matches!(system.kind, SystemKind::Bundle | SystemKind::Fee | SystemKind::Bonus);
        self.offers.get(usize::from(system.number)).filter(|_| is_offer).map(String::as_str)
    }

    /// Returns the name of the bundle or bonus that a balance is from.
    pub(crate) fn source_name(&self, source: Option<SystemAccount>) -> Option<String> {
        self.offer_of(source?).map(str::to_owned)
    }

    /// Returns until when contents may be used that are given at a time.
    pub(crate) fn end_of(&self, contents: &Contents, from: Millis) -> Millis {
        contents.valid.map_or(Millis::MAX, |valid| self.after(from, valid, 1))
    }

    /// Returns what an account is given for a time.
    pub(crate) fn allowances(
        &self,
        contents: &Contents,
        (from, until): (Millis, Millis),
    ) -> Vec<Allowance> {
        let Contents { amounts, scopes, priority, .. } = contents;
        let (scopes, priority) = (self.set_of(scopes), *priority);
        let allowance = |(unit, amount): &(_, _)| {
            let terms = NewBucket { unit: *unit, priority, scopes, from, until };
            Allowance { terms, amount: *amount }
        };
        amounts.iter().map(allowance).collect()
    }

    /// Returns the moment that is a number of lengths after another one, by the clock of the plan's home.
    pub(crate) fn after(&self, start: Millis, length: Length, count: u32) -> Millis {
        let plan = self.charging.plans.at(start.div_euclid(1_000));
        plan.expect("the first plan has no beginning").after(start, length, count)
    }

    /// Returns the beginning of the day of a time, by the clock of the plan's home.
    pub(crate) fn day_begin(&self, at: Millis) -> Millis {
        let plan = self.charging.plans.at(at.div_euclid(1_000));
        plan.expect("the first plan has no beginning").day_begin(at)
    }

    /// Returns the types of subscribers of the plans.
    pub(crate) fn subscriber_types(&self) -> Vec<String> {
        types_of(&self.own_plans).into_iter().map(str::to_owned).collect()
    }

    /// Returns the number of a type of subscriber that a plan has. `None` for that of the number.
    ///
    /// # Errors
    ///
    /// No plan has it.
    pub(crate) fn subscriber_type(&self, name: &str) -> Result<Option<u16>, Refused> {
        if name.is_empty() {
            return Ok(None);
        }
        let number = self.offer(name).filter(|_| types_of(&self.own_plans).contains(name));
        let unknown = || Refused::SubscriberTypeUnknown { subscriber_type: name.to_owned() };
        number.map(Some).ok_or_else(unknown)
    }

    /// Returns the set of scopes that the definition has; that of all without one.
    fn set_of(&self, scopes: &[Scope]) -> Scopes {
        if scopes.is_empty() {
            return Scopes::ALL;
        }
        let sets = scopes.iter().filter_map(|scope| self.scope(scope));
        sets.fold(Scopes::NONE, |all, set| Scopes(all.0 | set.0))
    }

    /// Returns the set of a scope. `None` if it has no place.
    pub(crate) fn scope(&self, scope: &Scope) -> Option<Scopes> {
        let place = self.charging.scopes.iter().position(|of| of == scope)?;
        Some(Scopes::one(place as u8))
    }
}

/// Returns the stored forms of the scopes that some terms need: all services of the plans, and the classes that are named.
fn scopes_of(Terms { charging, bundles, bonuses, barring, .. }: &Terms) -> Vec<String> {
    let services = charging.plans.all().flat_map(|plan| plan.services());
    let services = services.map(|name| Scope::Service(name.to_owned()));
    let contents = bundles.iter().map(|bundle| &bundle.contents);
    let contents = contents.chain(bonuses.iter().map(|bonus| &bonus.contents));
    let named = contents.flat_map(|contents| &contents.scopes).chain(barring);
    let mut scopes: Vec<String> = Vec::new();
    for stored in services.chain(named.cloned()).map(|scope| scope.stored()) {
        if !scopes.contains(&stored) {
            scopes.push(stored);
        }
    }
    scopes
}

/// Returns the types of subscribers of some plans.
fn types_of(plans: &Plans) -> BTreeSet<&str> {
    plans.all().flat_map(|plan| plan.subscriber_types()).collect()
}
