//! A charging system that runs: its accounts, its numbers, and the rules that it goes by.

use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError, RwLock, Weak};
use std::time::Instant;

use accounts::AccountsError;
use charging::SCOPES_MAX;
use diagnostics::with_causes;
use ledger::Millis;
use settings::{SecretError, SecretSource};
use store::{Commits, StoreError};

use crate::LOG;
use crate::back::{Back, Vouchers};
use crate::definition::{Definition, Place};
use crate::meters::{Counts, Meters};
use crate::past_plans::PastPlans;
use crate::peer_alarms::PeerAlarms;
use crate::peers::{ConnectedPeer, NetworkPeers};
use crate::refusals::Refusals;
use crate::rules::{OFFERS_MAX, Rules};
use crate::versions;

/// A charging system that runs in this process.
pub struct System {
    /// The accounts, and what is beside them.
    pub(crate) back: Back,
    /// Vouchers, if the definition names their secret.
    pub(crate) vouchers: Option<Vouchers>,
    rules: RwLock<Arc<Rules>>,
    /// The plans by which old charges are explained.
    pub(crate) past_plans: PastPlans,
    /// Where its definition is, and where the accounts of that are.
    pub(crate) definition: (PathBuf, Place),
    /// Why the definition as it is now is not in use.
    unused: Mutex<Option<String>>,
    /// Why notices are not sent at the moment.
    notices_failing: Mutex<Option<String>>,
    /// Held while a version is put back, so that no other one is.
    restores: Mutex<()>,
    /// Held while a trace of messages begins, so that each has its own number.
    traces: Mutex<()>,
    /// Held while a request is approved or rejected, so that it is not both.
    approvals: Mutex<()>,
    /// What was counted.
    pub(crate) meters: Meters,
    /// What networks were refused lately.
    pub(crate) refusals: Refusals,
    /// The alarms about peers of Diameter.
    pub(crate) peer_alarms: PeerAlarms,
    /// The server of Diameter, if there is one.
    peers: Mutex<Option<Weak<dyn NetworkPeers>>>,
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
    /// The secret of vouchers, or the password of the database, cannot be read.
    #[error("a secret that charging.toml names cannot be read")]
    Secret(#[from] SecretError),
    /// The plans have too many services, or too many tariff classes are named.
    #[error(
        "there are {0} services and tariff classes that charging.toml names, with those of earlier days; {SCOPES_MAX} at most are possible"
    )]
    Scopes(usize),
    /// There were too many bundles, fees and bonuses.
    #[error(
        "there were {0} bundles, fees, bonuses, limits and types of subscribers, with those of earlier days; {OFFERS_MAX} at most are possible"
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
        f.debug_struct("System").finish_non_exhaustive()
    }
}

impl OpenError {
    /// Returns whether another process has the accounts.
    pub fn is_in_use(&self) -> bool {
        matches!(self, OpenError::Journal(journal::OpenError::InUse { .. }))
    }
}

impl Definition {
    /// Returns the version that was in use last of a definition that has mistakes. `None` if there is none.
    ///
    /// # Errors
    ///
    /// The accounts, with which versions are, cannot be opened.
    pub fn last(path: &Path) -> Result<Option<Self>, OpenError> {
        Ok(last_version(path)?.map(|(_, last)| last))
    }
}

/// Returns the version that was in use last of a definition, and its accounts.
fn last_version(path: &Path) -> Result<Option<(Back, Definition)>, OpenError> {
    let place = Definition::place_of(path).filter(Place::exists);
    let Some(place) = place else { return Ok(None) };
    let back = Back::open(&place)?;
    let Some(last) = versions::newest(&back)? else { return Ok(None) };
    let texts = last.texts(&back)?;
    let definition = texts.and_then(|texts| Definition::of_texts(path, texts));
    Ok(definition.map(|definition| (back, definition)))
}

impl System {
    /// Opens the accounts of a definition. Those in a folder may be open in one process only, those in a database in any
    /// number.
    ///
    /// # Errors
    ///
    /// Another process has them, or they cannot be read.
    pub fn open(definition: Definition) -> Result<Self, OpenError> {
        Self::of(Back::open(&definition.place())?, definition, Rules::at_start)
    }

    /// Opens the accounts of a definition whose requests store nothing: this is for measurements. Accounts in a database are
    /// opened as always.
    ///
    /// # Errors
    ///
    /// As [`open`](System::open).
    pub fn open_without_durability(definition: Definition) -> Result<Self, OpenError> {
        let back = match Back::open(&definition.place())? {
            Back::Embedded(back) => Back::Embedded(back.without_durability()),
            back @ Back::Postgres(_) => back,
        };
        Self::of(back, definition, Rules::at_start)
    }

    /// Opens the accounts of a definition for commands, while no system runs.
    pub(crate) fn open_for_commands(definition: Definition) -> Result<Self, OpenError> {
        Self::of(Back::open(&definition.place())?, definition, Rules::of_commands)
    }

    /// Opens the accounts of a definition that has mistakes, for commands, with its version that was in use last. `None` if
    /// there is none.
    pub(crate) fn open_with_last_version(path: &Path) -> Result<Option<Self>, OpenError> {
        let last = last_version(path)?;
        let open = |(back, last)| Self::of(back, last, Rules::of_commands);
        last.map(open).transpose()
    }

    fn of(
        back: Back,
        definition: Definition,
        rules: impl FnOnce(&Back, Definition) -> Result<Rules, OpenError>,
    ) -> Result<Self, OpenError> {
        let secret = definition.voucher_secret.as_ref().map(SecretSource::read).transpose()?;
        let plan = definition.terms.currency;
        if let Some(there) = back.currencies()?.iter().find(|there| there.0 != plan.number()) {
            return Err(OpenError::Currency { there: there.0, plan: plan.code() });
        }
        let place = (definition.path.clone(), definition.place());
        let rules = rules(&back, definition)?;
        let system = System {
            vouchers: secret.map(|secret| Vouchers::new(&back, secret.reveal().as_bytes())),
            back,
            rules: RwLock::new(Arc::new(rules)),
            past_plans: PastPlans::default(),
            definition: place,
            restores: Mutex::default(),
            unused: Mutex::default(),
            notices_failing: Mutex::default(),
            traces: Mutex::default(),
            approvals: Mutex::default(),
            meters: Meters::default(),
            refusals: Refusals::default(),
            peer_alarms: PeerAlarms::default(),
            peers: Mutex::default(),
        };
        system.sample();
        Ok(system)
    }

    /// Goes by another definition from now on. Its state is the same one. Calls that began before go by the prices before.
    ///
    /// # Errors
    ///
    /// The back fails, or the plans have another currency or too many services.
    pub fn replace(&self, definition: Definition) -> Result<(), OpenError> {
        let before = self.rules();
        if definition.terms.currency != before.currency {
            let plan = definition.terms.currency.code();
            return Err(OpenError::Currency { there: before.currency.number(), plan });
        }
        let rules = before.at_reload(&self.back, definition)?;
        *self.rules.write().unwrap_or_else(PoisonError::into_inner) = Arc::new(rules);
        self.note_unused(None);
        Ok(())
    }

    /// Notes why the definition as it is now is not in use, for people who look at the system.
    pub fn note_unused(&self, why: Option<String>) {
        *self.unused.lock().unwrap_or_else(PoisonError::into_inner) = why;
    }

    /// Returns why the definition as it is now is not in use.
    pub fn unused(&self) -> Option<String> {
        self.unused.lock().unwrap_or_else(PoisonError::into_inner).clone()
    }

    /// Notes why notices are not sent at the moment.
    pub(crate) fn note_notices_failing(&self, why: Option<String>) {
        *self.notices_failing.lock().unwrap_or_else(PoisonError::into_inner) = why;
    }

    /// Returns why notices are not sent at the moment.
    pub(crate) fn notices_failing(&self) -> Option<String> {
        self.notices_failing.lock().unwrap_or_else(PoisonError::into_inner).clone()
    }

    /// Takes the server of Diameter, so that people see its peers, and clients hear of changes.
    pub fn serve_peers(&self, server: Weak<dyn NetworkPeers>) {
        *self.peers.lock().unwrap_or_else(PoisonError::into_inner) = Some(server);
    }

    /// Returns the server of Diameter, if there is one.
    pub(crate) fn network_peers(&self) -> Option<Arc<dyn NetworkPeers>> {
        let server = self.peers.lock().unwrap_or_else(PoisonError::into_inner);
        server.as_ref().and_then(Weak::upgrade)
    }

    /// Returns the peers of Diameter that are or were connected, in the order of their names.
    pub fn connected_peers(&self) -> Vec<ConnectedPeer> {
        self.network_peers().map_or_else(Vec::new, |server| server.peers().0)
    }

    /// Returns what the system goes by.
    pub fn rules(&self) -> Arc<Rules> {
        Arc::clone(&self.rules.read().unwrap_or_else(PoisonError::into_inner))
    }

    /// Lets approvals and rejections follow one another.
    pub(crate) fn approval_turn(&self) -> MutexGuard<'_, ()> {
        self.approvals.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Lets traces of messages begin one after another.
    pub(crate) fn trace_turn(&self) -> MutexGuard<'_, ()> {
        self.traces.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Lets versions be put back one after another.
    pub(crate) fn restore_turn(&self) -> MutexGuard<'_, ()> {
        self.restores.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Returns the time.
    pub fn now_ms(&self) -> Millis {
        self.back.now_ms()
    }

    /// Returns whether the accounts are in a database, which other processes may have, too.
    pub fn is_in_database(&self) -> bool {
        matches!(self.back, Back::Postgres(_))
    }

    /// Returns the times of transactions on the disk of this machine. `None` if they are on that of a server.
    pub fn commits(&self) -> Option<Arc<Commits>> {
        self.back.commits()
    }

    /// Returns why a change could not be stored, such as a full disk. Nothing is charged any more: the system must be opened
    /// again.
    pub fn failure(&self) -> Option<&str> {
        self.back.failure()
    }

    /// Returns what was counted since the start.
    pub fn counts(&self) -> Counts {
        self.meters.counts()
    }

    /// Takes a sample of what was counted, for the figures of the last minute.
    pub(crate) fn sample(&self) {
        match self.counted() {
            Ok(counted) => self.meters.sample(Instant::now(), counted),
            Err(why) => {
                tracing::error!(target: LOG, "figures cannot be read: {}", with_causes(&why))
            }
        }
    }
}
