//! What the server serves: a gateway, by its meters and its journal, and the operations on it.

use std::fs::{File, TryLockError};
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::thread::sleep;
use std::time::{Duration, Instant};

use alarm::Alarm;
use axum::body::Bytes;
use axum::http::header::AUTHORIZATION;
use axum::http::{HeaderMap, StatusCode};
use diagnostics::plain;
use flow::JournalError;
use flow::privacy::{Privacy, PrivacyReader};
use flow::{meters::Meters, meters::Standing, meters::standing};
use gateway::{Parts, Program};
use operate::alarms::raised_alarms;
use operate::context::Context;
use operate::people::PeopleUnreadError;
use operate::privacy::Rights;
use operate::replay::Replays;
use operate::scripts::language::Language;
use operate::shared::{SERVE_LOCK, SharedReads};
use people::{People, PeopleError, Role, Unrecorded};
use runtime::shutdown::Shutdown;
use subtle::ConstantTimeEq as _;
use suspense::{SuspendedAt, suspended_at};
use tokio::sync::Semaphore;
use versions::{VersionError, VersionStore};

use crate::api::{ConcurrencyLimits, Failure, RateLimits, cookie_of};
use crate::cached::Cached;
use crate::health::Readiness;
use crate::history::ThroughputHistory;
use crate::live::Live;
use crate::login_attempts::LoginAttempts;
use crate::pending_audit::{Action, PendingAudit};

/// The passwords that are hashed at once. Each hash takes 19 MB and a processor, which records need too.
const HASHED_AT_ONCE: usize = 1;

/// The cache key of a drawing: the text of the flow file, and counters that change with its scripts and modules.
#[derive(Debug, PartialEq, Eq)]
struct Drawn {
    /// The number of flows that have run.
    flows: u64,
    /// The number of changes of versions.
    versions: u64,
    text: String,
}

/// A flow as the interface shows it, in JSON.
#[derive(Debug)]
pub(crate) struct Drawing {
    /// The graph: which nodes pass records to which.
    pub(crate) graph: String,
    /// The graph, and everything else about the flow.
    pub(crate) flow: Bytes,
}

/// The gateway behind the server.
pub struct Served {
    pub(crate) flow: PathBuf,
    /// The definition of the charging system beside the flow file, which may not be there.
    charging: PathBuf,
    pub(crate) parts: Parts<'static>,
    /// The language of its scripts.
    pub(crate) language: &'static dyn Language,
    pub(crate) meters: Arc<Meters>,
    /// The bearer token that clients of the metrics need; `None` if they need none.
    token: Option<String>,
    pub(crate) people: Arc<People>,
    /// The name of the session cookie.
    pub(crate) cookie: String,
    pub(crate) versions: Arc<VersionStore>,
    pub(crate) replays: Arc<Replays>,
    pub(crate) live: Live,
    /// The throughput of the past.
    pub(crate) history: ThroughputHistory,
    /// Entries of the audit trail from before the journal existed.
    pub(crate) pending_audit: PendingAudit,
    pub(crate) login_attempts: LoginAttempts,
    pub(crate) hashing: Semaphore,
    /// The check for readiness.
    pub(crate) readiness: Readiness,
    /// One permit each, for reading the journal for metrics, keeping the history, and writing to
    /// the audit trail: a second task would only wait for the first.
    pub(crate) measuring: Arc<Semaphore>,
    pub(crate) keeping: Arc<Semaphore>,
    pub(crate) noting: Arc<Semaphore>,
    /// The limits on the request rate.
    pub(crate) rate_limits: RateLimits,
    /// Limits on concurrent requests.
    pub(crate) concurrency: ConcurrencyLimits,
    /// Whether the server speaks TLS.
    pub(crate) is_secure: bool,
    /// Set when the gateway is to stop.
    pub(crate) stop: Shutdown,
    standing: Cached<(), Arc<Standing>>,
    raised: Cached<(), Arc<[Alarm]>>,
    suspended_at: Cached<(), Arc<[SuspendedAt]>>,
    drawn: Cached<Drawn, Arc<Drawing>>,
    privacy: PrivacyReader,
    /// The lock file, which is locked as long as this lives.
    _lock: File,
}

/// Why a gateway cannot be served.
#[derive(Debug, thiserror::Error)]
pub enum ServedError {
    /// Another process has its people and versions open.
    #[error("another gateway serves this flow; stop it first")]
    InUse,
    /// The database of people cannot be read.
    #[error(transparent)]
    People(#[from] PeopleError),
    /// The versions or the history cannot be read.
    #[error(transparent)]
    Store(#[from] store::StoreError),
    /// The flow cannot be read.
    #[error("cannot read \"{}\"", flow.display())]
    Flow {
        /// The path of the flow.
        flow: PathBuf,
        /// The cause.
        #[source]
        cause: std::io::Error,
    },
}

/// The run of a flow that is served, and what the program adds to it.
pub struct ServedRun {
    /// The kinds of things that a flow is made of.
    pub parts: Parts<'static>,
    /// The language of its scripts.
    pub language: &'static dyn Language,
    /// The meters of the run.
    pub meters: Arc<Meters>,
    /// Stops the run, and is set when it stops.
    pub stop: Shutdown,
    /// The bearer token that clients of the metrics need; `None` if they need none.
    pub token: Option<String>,
    /// The program that runs replays; `None` if there is none.
    pub replays_by: Option<Program>,
}

/// How long a server waits for a command that has its lock while it creates or migrates a database.
const COMMAND_MAX: Duration = Duration::from_secs(3);

/// Takes the lock of a server. Another server holds it for good, a command for a moment only.
fn take(lock: &File) -> Result<(), TryLockError> {
    let begun = Instant::now();
    loop {
        match lock.try_lock() {
            Err(TryLockError::WouldBlock) if begun.elapsed() < COMMAND_MAX => {
                sleep(Duration::from_millis(20));
            }
            taken => return taken,
        }
    }
}

impl Served {
    /// Opens the state of a flow.
    ///
    /// # Errors
    ///
    /// Another process serves the flow, or a file of its state cannot be read.
    pub fn new(flow: PathBuf, run: ServedRun) -> Result<Self, ServedError> {
        let ServedRun { parts, language, meters, stop, token, replays_by } = run;
        let refused = |cause| ServedError::Flow { flow: flow.clone(), cause };
        let state = flow::make_state(&flow).map_err(refused)?;
        let lock = File::create(state.join(SERVE_LOCK)).map_err(refused)?;
        take(&lock).map_err(|_| ServedError::InUse)?;
        let people = Arc::new(People::open(&state)?);
        let versions = Arc::new(VersionStore::open(&flow, &state, language)?);
        let history = ThroughputHistory::open(&state)?;
        let cookie = cookie_of(&std::fs::canonicalize(&state).map_err(refused)?);
        Ok(Served {
            charging: flow.with_file_name("charging.toml"),
            flow,
            parts,
            language,
            meters,
            token,
            people,
            cookie,
            versions,
            replays: Arc::new(Replays::new(&state, replays_by, stop.child())),
            live: Live::default(),
            history,
            pending_audit: PendingAudit::default(),
            login_attempts: LoginAttempts::default(),
            hashing: Semaphore::new(HASHED_AT_ONCE),
            readiness: Readiness::default(),
            measuring: Arc::new(Semaphore::new(1)),
            keeping: Arc::new(Semaphore::new(1)),
            noting: Arc::new(Semaphore::new(1)),
            rate_limits: RateLimits::default(),
            concurrency: ConcurrencyLimits::default(),
            is_secure: false,
            stop,
            standing: Cached::default(),
            raised: Cached::default(),
            suspended_at: Cached::default(),
            drawn: Cached::default(),
            privacy: PrivacyReader::default(),
            _lock: lock,
        })
    }

    /// Makes a link for the first administrator, as long as there is no administrator. It voids earlier links.
    pub fn first_link(&self) -> Result<Option<String>, ServedError> {
        Ok(self.people.first_link()?)
    }

    /// Returns whether the journal is open. Before that, it can be neither read nor written.
    pub(crate) fn has_begun(&self) -> bool {
        self.meters.commits().is_some()
    }

    /// Returns the name of the flow: that of its file, or that of its folder if the file is called `flow`.
    pub(crate) fn name(&self) -> String {
        let stem = self.flow.file_stem().unwrap_or_default().to_string_lossy().into_owned();
        let folder = self.flow.canonicalize().ok();
        let folder = folder.as_deref().and_then(Path::parent).and_then(Path::file_name);
        match folder {
            Some(folder) if stem == "flow" => folder.to_string_lossy().into_owned(),
            _ => stem,
        }
    }

    /// Reads the flow file from the disk.
    pub(crate) fn text(&self) -> Result<String, Failure> {
        plain::read_text(&self.flow, plain::TEXT_OCTETS_MAX).map_err(|error| {
            Failure::conflict(
                "flow-file-unreadable",
                format!("cannot read \"{}\": {error}", self.flow.display()),
            )
        })
    }

    /// Returns the context of an operation for a user with a role. It does not wait after `stop`.
    pub(crate) fn context<'a>(&'a self, who: &'a str, role: Role, stop: Shutdown) -> Context<'a> {
        let (flow, parts, scripts) = (&self.flow, self.parts, self.language);
        let (charging, rights) = (&self.charging, Rights::Role(role));
        Context { flow, charging, parts, scripts, who, rights, stop, shared: self }
    }

    /// Returns how often versions of the flow or of its tariff plans have changed.
    pub(crate) fn version_changes(&self) -> u64 {
        self.live.versions() + self.versions.changes()
    }

    /// Adds an entry to the audit trail.
    pub(crate) fn note(
        &self,
        who: &str,
        action: &str,
        subject: &str,
        reason: &str,
    ) -> Result<(), Failure> {
        Ok(operate::trail::note(&self.flow, who, action, subject, reason)?)
    }

    /// Adds an entry to the audit trail. If the journal does not exist yet, the entry waits and is written once it does.
    pub(crate) fn note_once_begun(
        &self,
        who: &str,
        action: &str,
        subject: &str,
    ) -> Result<(), Unrecorded> {
        match operate::trail::note(&self.flow, who, action, subject, "") {
            Ok(()) => Ok(()),
            Err(JournalError::Missing { .. }) => {
                let [who, action, subject] = [who, action, subject].map(str::to_owned);
                self.pending_audit.keep(Action { who, action, subject }).map_err(|_| Unrecorded)
            }
            Err(error) => {
                tracing::error!("\"{action}\" cannot be written to the audit trail: {error}");
                Err(Unrecorded)
            }
        }
    }

    /// Drops the cached answers from the journal, since it has changed.
    pub(crate) fn forget_standing(&self) {
        self.standing.forget();
        self.raised.forget();
        self.suspended_at.forget();
    }

    /// Returns the gauges that the journal has. They may be a few seconds old.
    pub(crate) fn standing(&self) -> Result<Arc<Standing>, JournalError> {
        self.standing.get((), || standing(&self.flow).map(Arc::new))
    }

    /// Returns the raised alarms, the oldest first. They may be a few seconds old.
    pub(crate) fn raised(&self) -> Result<Arc<[Alarm]>, JournalError> {
        self.raised.get((), || raised_alarms(&self.flow).map(Arc::from))
    }

    /// Returns the drawing of a text of the flow file, from the cache if neither a flow has started nor a version has
    /// changed since.
    pub(crate) fn drawn(
        &self,
        text: &str,
        draw: impl FnOnce() -> serde_json::Result<Drawing>,
    ) -> serde_json::Result<Arc<Drawing>> {
        let (flows, versions) = (self.meters.flows(), self.version_changes());
        let drawn = Drawn { flows, versions, text: text.to_owned() };
        self.drawn.get(drawn, || draw().map(Arc::new))
    }

    /// Checks the bearer token of a client that reads the metrics.
    pub(crate) fn admits(&self, headers: &HeaderMap) -> Result<(), StatusCode> {
        let Some(token) = &self.token else { return Ok(()) };
        let given = headers.get(AUTHORIZATION).and_then(|value| value.to_str().ok());
        let given = given.and_then(|given| given.strip_prefix("Bearer ")).unwrap_or_default();
        match bool::from(given.as_bytes().ct_eq(token.as_bytes())) {
            true => Ok(()),
            false => Err(StatusCode::UNAUTHORIZED),
        }
    }
}

impl SharedReads for Served {
    fn raised_alarms(&self) -> Result<Arc<[Alarm]>, JournalError> {
        self.raised()
    }

    fn flow_changed(&self) {
        self.live.versions_changed();
    }

    fn suspended_at(&self) -> Result<Arc<[SuspendedAt]>, JournalError> {
        self.suspended_at.get((), || suspended_at(&self.flow).map(Arc::from))
    }

    fn privacy(&self) -> Arc<Privacy> {
        self.privacy.of_flow(&self.flow)
    }

    fn versions(&self) -> Result<Arc<VersionStore>, VersionError> {
        Ok(Arc::clone(&self.versions))
    }

    fn people(&self) -> Result<Arc<People>, PeopleUnreadError> {
        Ok(Arc::clone(&self.people))
    }

    fn replays(&self) -> Option<Arc<Replays>> {
        Some(Arc::clone(&self.replays))
    }
}

/// Omits the token.
impl std::fmt::Debug for Served {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Served").field("flow", &self.flow).finish_non_exhaustive()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_server_waits_for_a_command_and_not_for_another_server() {
        let folder = tempfile::tempdir().expect("a folder");
        let path = folder.path().join(SERVE_LOCK);
        let open = || File::create(&path).expect("a file");
        let held = open();
        held.lock().expect("the lock");
        let command = std::thread::spawn(move || {
            sleep(Duration::from_millis(200));
            drop(held);
        });
        let server = open();
        assert!(take(&server).is_ok());
        command.join().expect("the end of the command");
        assert!(take(&open()).is_err(), "two servers");
    }
}
