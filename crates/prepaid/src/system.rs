//! The accounts, numbers and settings of a running charging system.

use std::path::Path;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, PoisonError, RwLock};
use std::time::SystemTime;

use accounts::{AccountsError, Embedded, Vouchers};
use charging::Charging;
use journal::{Folders, Journal, Schema};
use ledger::{
    AccountId, Allowance, LifeCycle, Millis, NewBucket, Services, SystemAccount, SystemKind,
};
use rating::{Currency, Length};
use settings::{SecretError, SecretSource};
use store::{Connection, QueryResult, StoreError, Versions, params};

use crate::definition::{BonusRule, Bundle, Contents, Definition, Fee, Life, RecordSettings};
use crate::numbers::{Number, NumberBook, Numbers};

/// The most services: a set of them has a bit for each.
const SERVICES_MAX: usize = 64;

/// The most names of offers that there ever were: entries have the number of one in 16 bits.
const OFFERS_MAX: usize = 1 << 16;

static SCHEMA: Schema = Schema {
    versions: Versions::new(&[journal::TABLES, accounts::TABLES, include_str!("tables.sql")]),
    newest_ms: |db| db.query_row("SELECT max(at_ms) FROM trail", [], |row| row.get(0)),
};

/// A charging system that runs in this process.
pub struct System {
    pub(crate) accounts: Arc<Embedded>,
    /// Vouchers, if the definition names their secret.
    pub(crate) vouchers: Option<Vouchers>,
    pub(crate) numbers: NumberBook,
    rules: RwLock<Arc<Rules>>,
    /// The number of the last account that was opened.
    last_account: AtomicU64,
}

/// What the system goes by. A reload replaces it.
#[derive(Debug)]
pub struct Rules {
    /// Plans and grants.
    pub charging: Charging,
    /// The currency of all accounts.
    pub currency: Currency,
    /// The stages of an account's life, if they end.
    pub life: Option<Life>,
    /// How long the numbers of a closed account are given to no other one, in milliseconds.
    pub quarantine: Millis,
    /// The amount above which a second person is needed, in billionths.
    pub approval_above: Option<i64>,
    /// The bundles that subscribers buy.
    pub bundles: Vec<Bundle>,
    /// The fees of all accounts.
    pub fees: Vec<Fee>,
    /// What accounts get with a refill.
    pub bonuses: Vec<BonusRule>,
    /// The names of all bundles, fees and bonuses that there ever were, each in the place of its number.
    pub offers: Vec<String>,
    /// The files of records of ended sessions, if there are any.
    pub records: Option<RecordSettings>,
}

impl Rules {
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
}

impl Rules {
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
        let Contents { amounts, services, priority, .. } = contents;
        let (services, priority) = (self.services(services), *priority);
        let allowance = |(unit, amount): &(_, _)| {
            let terms = NewBucket { unit: *unit, priority, services, from, until };
            Allowance { terms, amount: *amount }
        };
        amounts.iter().map(allowance).collect()
    }

    /// Returns the moment that is a number of lengths after another one, by the clock of the plan's home.
    pub(crate) fn after(&self, start: Millis, length: Length, count: u32) -> Millis {
        let plan = self.charging.plans.at(start.div_euclid(1_000));
        plan.expect("the first plan has no beginning").after(start, length, count)
    }

    /// Returns the set of services with these names, which plans have; all services without one.
    fn services(&self, names: &[String]) -> Services {
        if names.is_empty() {
            return Services::ALL;
        }
        let place = |name: &String| self.charging.services.iter().position(|of| of == name);
        let places = names.iter().filter_map(place);
        places.fold(Services(0), |set, place| Services(set.0 | Services::one(place as u8).0))
    }
}

/// A day in milliseconds.
const DAY: Millis = 86_400_000;

/// Why a charging system cannot be opened.
#[derive(Debug, thiserror::Error)]
pub enum OpenError {
    /// The journal cannot be opened; another process may have it.
    #[error(transparent)]
    Journal(#[from] journal::OpenError),
    /// The accounts cannot be read.
    #[error(transparent)]
    Accounts(#[from] AccountsError),
    /// The journal cannot be read or written.
    #[error(transparent)]
    Store(#[from] StoreError),
    /// The secret of vouchers cannot be read.
    #[error("the secret of vouchers cannot be read")]
    Secret(#[from] SecretError),
    /// The plans have too many services.
    #[error(
        "the plans have {0} services, with those of earlier plans; {SERVICES_MAX} at most are possible"
    )]
    Services(usize),
    /// There were too many bundles, fees and bonuses.
    #[error(
        "there were {0} bundles, fees and bonuses, with those of earlier days; {OFFERS_MAX} at most are possible"
    )]
    Offers(usize),
    /// Accounts have another currency.
    #[error("the accounts are in the currency {there}, and the plan is in {plan}")]
    Currency {
        /// The number of the accounts' currency (ISO 4217).
        there: u16,
        /// The code of the plan's.
        plan: &'static str,
    },
}

impl std::fmt::Debug for System {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("System").field("numbers", &self.numbers).finish_non_exhaustive()
    }
}

impl OpenError {
    /// Returns whether another process has the accounts.
    pub fn is_in_use(&self) -> bool {
        matches!(self, OpenError::Journal(journal::OpenError::InUse { .. }))
    }
}

impl System {
    /// Opens the accounts of a definition. Only one process may have them.
    ///
    /// # Errors
    ///
    /// Another process has them, or they cannot be read.
    pub fn open(definition: Definition) -> Result<Self, OpenError> {
        let base = definition.state.parent().unwrap_or(Path::new(""));
        let folders = Folders { state: &definition.state, base };
        let journal = Arc::new(Journal::open(folders, &SCHEMA, SystemTime::now)?);
        let accounts = Arc::new(Embedded::open(Arc::clone(&journal))?);
        let secret = definition.voucher_secret.as_ref().map(SecretSource::read).transpose()?;
        let vouchers =
            secret.map(|secret| Vouchers::new(Arc::clone(&accounts), secret.reveal().as_bytes()));
        let numbers = {
            let reader = journal.reader()?;
            journal.answer(Numbers::load(&reader))?
        };
        let plan = definition.currency;
        if let Some(there) = accounts.currencies().iter().find(|there| there.0 != plan.number()) {
            return Err(OpenError::Currency { there: there.0, plan: plan.code() });
        }
        let rules = rules(&journal, definition)?;
        // A number may have an account that is not there: its import was interrupted.
        let last_account = accounts.last_account().map_or(0, |AccountId(last)| last);
        let last_account = last_account.max(numbers.last_account());
        Ok(System {
            accounts,
            vouchers,
            numbers: NumberBook::new(numbers),
            rules: RwLock::new(Arc::new(rules)),
            last_account: AtomicU64::new(last_account),
        })
    }

    /// Goes by another definition from now on. Its state is the same one.
    ///
    /// # Errors
    ///
    /// The journal fails, or the plans have another currency or too many services.
    pub fn replace(&self, definition: Definition) -> Result<(), OpenError> {
        let before = self.rules().currency;
        if definition.currency != before {
            let plan = definition.currency.code();
            return Err(OpenError::Currency { there: before.number(), plan });
        }
        let rules = rules(self.journal(), definition)?;
        *self.rules.write().unwrap_or_else(PoisonError::into_inner) = Arc::new(rules);
        Ok(())
    }

    /// Returns what the system goes by.
    pub fn rules(&self) -> Arc<Rules> {
        Arc::clone(&self.rules.read().unwrap_or_else(PoisonError::into_inner))
    }

    /// Returns the journal.
    pub fn journal(&self) -> &Journal {
        self.accounts.journal()
    }

    /// Returns why a change could not be stored, such as a full disk. Nothing is charged any more: the system must be opened
    /// again.
    pub fn failure(&self) -> Option<&str> {
        self.accounts.failure()
    }

    /// Returns the account of a number.
    pub fn account_of(&self, number: &Number) -> Option<AccountId> {
        self.numbers.read().account(number)
    }

    /// Returns the number of a new account.
    pub(crate) fn next_account(&self) -> AccountId {
        AccountId(self.last_account.fetch_add(1, Ordering::Relaxed) + 1)
    }
}

/// Returns what a definition says, with the places of services in the journal.
fn rules(journal: &Journal, definition: Definition) -> Result<Rules, OpenError> {
    let Definition {
        mut charging,
        currency,
        life,
        quarantine,
        approval_above,
        bundles,
        fees,
        bonuses,
        records,
        ..
    } = definition;
    let mut names: Vec<String> = Vec::new();
    for name in charging.plans.all().flat_map(|plan| plan.services()) {
        if !names.iter().any(|known| known == name) {
            names.push(name.to_owned());
        }
    }
    let known = {
        let reader = journal.reader()?;
        journal.answer(known_names(&reader, Places::Services))?
    };
    let count = known.len() + names.iter().filter(|name| !known.contains(name)).count();
    if count > SERVICES_MAX {
        return Err(OpenError::Services(count));
    }
    let offers = bundles
        .iter()
        .map(|bundle| &bundle.name)
        .chain(fees.iter().map(|fee| &fee.name))
        .chain(bonuses.iter().map(|bonus| &bonus.name));
    let offers: Vec<String> = offers.cloned().collect();
    let (services, offers) = journal.commit(move |db| {
        Ok((places(db, Places::Services, &names)?, places(db, Places::Offers, &offers)?))
    })?;
    if offers.len() > OFFERS_MAX {
        return Err(OpenError::Offers(offers.len()));
    }
    charging.services = services;
    Ok(Rules {
        charging,
        currency,
        life,
        quarantine,
        approval_above,
        bundles,
        fees,
        bonuses,
        offers,
        records,
    })
}

/// What has places.
#[derive(Clone, Copy)]
enum Places {
    Services,
    Offers,
}

impl Places {
    fn table(self) -> &'static str {
        match self {
            Places::Services => "service_place",
            Places::Offers => "offer_place",
        }
    }
}

/// Returns the names that have a place, in order. A name of an earlier definition has its place for ever.
fn known_names(db: &Connection, of: Places) -> QueryResult<Vec<String>> {
    let mut select = db.prepare(&format!("SELECT name FROM {} ORDER BY place", of.table()))?;
    let rows = select.query_map([], |row| row.get(0))?;
    rows.collect()
}

/// Gives each name a place that has none, and returns all names in their places.
fn places(db: &Connection, of: Places, names: &[String]) -> QueryResult<Vec<String>> {
    let mut places = known_names(db, of)?;
    let insert = format!("INSERT INTO {} VALUES (?, ?)", of.table());
    for name in names {
        if !places.contains(name) {
            let place = places.len() as i64;
            db.execute(&insert, params![place, name])?;
            places.push(name.clone());
        }
    }
    Ok(places)
}
