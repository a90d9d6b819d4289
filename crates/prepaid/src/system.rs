//! A charging system that runs: its accounts, its numbers, and the rules that it goes by.

use std::path::Path;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, PoisonError, RwLock};
use std::time::{Instant, SystemTime};

use accounts::{AccountsError, Embedded, Vouchers};
use journal::{Folders, Journal, Schema};
use ledger::AccountId;
use settings::{SecretError, SecretSource};
use store::{StoreError, Versions};

use crate::definition::Definition;
use crate::meters::{Counts, Meters};
use crate::numbers::{Number, NumberBook, Numbers};
use crate::rules::{OFFERS_MAX, Rules, SERVICES_MAX};

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
    /// What was counted.
    pub(crate) meters: Meters,
}

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
        let plan = definition.terms.currency;
        if let Some(there) = accounts.currencies().iter().find(|there| there.0 != plan.number()) {
            return Err(OpenError::Currency { there: there.0, plan: plan.code() });
        }
        let rules = Rules::of(&journal, definition.terms)?;
        // A number may have an account that is not there: its import was interrupted.
        let last_account = accounts.last_account().map_or(0, |AccountId(last)| last);
        let last_account = last_account.max(numbers.last_account());
        let system = System {
            accounts,
            vouchers,
            numbers: NumberBook::new(numbers),
            rules: RwLock::new(Arc::new(rules)),
            last_account: AtomicU64::new(last_account),
            meters: Meters::default(),
        };
        system.sample();
        Ok(system)
    }

    /// Goes by another definition from now on. Its state is the same one.
    ///
    /// # Errors
    ///
    /// The journal fails, or the plans have another currency or too many services.
    pub fn replace(&self, definition: Definition) -> Result<(), OpenError> {
        let before = self.rules().currency;
        if definition.terms.currency != before {
            let plan = definition.terms.currency.code();
            return Err(OpenError::Currency { there: before.number(), plan });
        }
        let rules = Rules::of(self.journal(), definition.terms)?;
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

    /// Returns what was counted since the start.
    pub fn counts(&self) -> Counts {
        self.meters.counts()
    }

    /// Takes a sample of what was counted, for the figures of the last minute.
    pub(crate) fn sample(&self) {
        self.meters.sample(Instant::now(), self.counted());
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
