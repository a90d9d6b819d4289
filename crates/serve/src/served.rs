//! What is served: a gateway, as its figures and its journal say it is, and all that is done to it.

use std::fs::File;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use axum::body::Bytes;
use axum::http::header::AUTHORIZATION;
use axum::http::{HeaderMap, StatusCode};
use diagnostics::plain;
use flow::meters::{Meters, Standing, standing};
use flow::suspense::{SuspendedAt, suspended_at};
use flow::{Alarm, JournalError, Parts, Program};
use people::{People, PeopleError};
use runtime::shutdown::Shutdown;
use subtle::ConstantTimeEq as _;
use tokio::sync::Semaphore;

use crate::api::{ConcurrencyLimits, Failure, RateLimits, cookie_of};
use crate::cached::Cached;
use crate::health::Readiness;
use crate::history::History;
use crate::language::Language;
use crate::live::Live;
use crate::login_attempts::LoginAttempts;
use crate::pending_audit::{Action, PendingAudit};
use crate::replays::Replays;
use crate::versions::Versions;

/// The file in the folder of the state that is locked as long as the flow is served.
const LOCK: &str = "serve.lock";

/// Passwords that are looked at side by side: each takes 19 MB and a processor, which are the records'.
const HASHED_AT_ONCE: usize = 1;

/// Scripts whose tests run side by side: the processors are the records'.
const TESTED_AT_ONCE: usize = 1;

/// What is drawn: a text of the flow file, and by what is known how its scripts and modules are.
#[derive(Debug, PartialEq, Eq)]
struct Drawn {
    /// How many flows ran so far.
    flows: u64,
    /// How often there was a version more.
    versions: u64,
    text: String,
}

/// A flow as it is shown, in JSON.
#[derive(Debug)]
pub(crate) struct Drawing {
    /// Who gives records to whom.
    pub(crate) graph: String,
    /// That, and all else that is said of it.
    pub(crate) flow: Bytes,
}

/// A gateway that others look at.
pub struct Served {
    pub(crate) flow: PathBuf,
    pub(crate) parts: Parts<'static>,
    /// Of its scripts.
    pub(crate) language: &'static dyn Language,
    pub(crate) meters: Arc<Meters>,
    /// What who asks for figures has to have, if anything.
    token: Option<String>,
    pub(crate) people: Arc<People>,
    /// The name of the cookie by which they are in.
    pub(crate) cookie: String,
    pub(crate) versions: Versions,
    pub(crate) replays: Replays,
    pub(crate) live: Live,
    /// What it did until now.
    pub(crate) history: History,
    /// What was done before there was a trail.
    pub(crate) pending_audit: PendingAudit,
    pub(crate) login_attempts: LoginAttempts,
    pub(crate) hashing: Semaphore,
    pub(crate) testing: Semaphore,
    /// The check for readiness.
    pub(crate) readiness: Readiness,
    /// One permit each, for reading the journal for metrics, keeping the history, and writing to
    /// the audit trail: a second task would only wait for the first.
    pub(crate) measuring: Arc<Semaphore>,
    pub(crate) keeping: Arc<Semaphore>,
    pub(crate) noting: Arc<Semaphore>,
    /// How often each asks.
    pub(crate) rate_limits: RateLimits,
    /// Limits on concurrent requests.
    pub(crate) concurrency: ConcurrencyLimits,
    /// Whether we speak TLS.
    pub(crate) is_secure: bool,
    /// Set when the gateway is to stop.
    pub(crate) stop: Shutdown,
    standing: Cached<(), Arc<Standing>>,
    raised: Cached<(), Arc<[Alarm]>>,
    suspended_at: Cached<(), Arc<[SuspendedAt]>>,
    drawn: Cached<Drawn, Arc<Drawing>>,
    /// Held as long as this lives.
    _lock: File,
}

/// Why a gateway cannot be served.
#[derive(Debug, thiserror::Error)]
pub enum ServedError {
    /// Somebody else has its people and versions open.
    #[error("another gateway serves this flow; stop it first")]
    InUse,
    /// The people cannot be read.
    #[error(transparent)]
    People(#[from] PeopleError),
    /// The versions, or what it did until now, cannot be read.
    #[error(transparent)]
    Store(#[from] store::StoreError),
    /// The flow cannot be read.
    #[error("cannot read \"{}\"", flow.display())]
    Flow {
        /// Which.
        flow: PathBuf,
        /// Why.
        #[source]
        cause: std::io::Error,
    },
}

impl Served {
    /// A flow, and what its run says.
    pub fn new(
        flow: PathBuf,
        (parts, language): (Parts<'static>, &'static dyn Language),
        (meters, stop): (Arc<Meters>, Shutdown),
        token: Option<String>,
    ) -> Result<Self, ServedError> {
        let refused = |cause| ServedError::Flow { flow: flow.clone(), cause };
        let state = flow::make_state(&flow).map_err(refused)?;
        let lock = File::create(state.join(LOCK)).map_err(refused)?;
        lock.try_lock().map_err(|_| ServedError::InUse)?;
        let people = Arc::new(People::open(&state)?);
        let versions = Versions::open(&flow, &state, language)?;
        let history = History::open(&state)?;
        let cookie = cookie_of(&std::fs::canonicalize(&state).map_err(refused)?);
        Ok(Served {
            flow,
            parts,
            language,
            meters,
            token,
            people,
            cookie,
            versions,
            replays: Replays::new(&state),
            live: Live::default(),
            history,
            pending_audit: PendingAudit::default(),
            login_attempts: LoginAttempts::default(),
            hashing: Semaphore::new(HASHED_AT_ONCE),
            testing: Semaphore::new(TESTED_AT_ONCE),
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
            _lock: lock,
        })
    }

    /// The same, where changes are tried by a program.
    pub fn replays_by(mut self, program: Option<Program>) -> Self {
        self.replays.program = program;
        self
    }

    /// The link by which the first administrator comes in, as long as there is none.
    pub fn first_link(&self) -> Result<Option<String>, ServedError> {
        Ok(self.people.first_link()?)
    }

    /// Whether the journal is open: before that there is nothing to ask, and nowhere to note what is done.
    pub(crate) fn has_begun(&self) -> bool {
        self.meters.commits().is_some()
    }

    /// What the flow is called: as its file, or the folder of one that is called as all are.
    pub(crate) fn name(&self) -> String {
        let stem = self.flow.file_stem().unwrap_or_default().to_string_lossy().into_owned();
        let folder = self.flow.canonicalize().ok();
        let folder = folder.as_deref().and_then(Path::parent).and_then(Path::file_name);
        match folder {
            Some(folder) if stem == "flow" => folder.to_string_lossy().into_owned(),
            _ => stem,
        }
    }

    /// The flow file as it lies on the disk.
    pub(crate) fn text(&self) -> Result<String, Failure> {
        plain::read_text(&self.flow, plain::TEXT_OCTETS_MAX).map_err(|error| {
            Failure::conflict(format!("cannot read \"{}\": {error}", self.flow.display()))
        })
    }

    /// Notes in the trail what somebody did.
    pub(crate) fn note(
        &self,
        who: &str,
        action: &str,
        subject: &str,
        reason: &str,
    ) -> Result<(), Failure> {
        Ok(flow::trail::note(&self.flow, who, action, subject, reason)?)
    }

    /// The same of what is done, perhaps, before there is a trail: then it is noted as soon as there is.
    pub(crate) fn note_once_begun(&self, who: &str, action: &str, subject: &str) {
        let noted = flow::trail::note(&self.flow, who, action, subject, "");
        match &noted {
            Ok(()) => return,
            Err(JournalError::Missing { .. }) => {}
            Err(error) => tracing::warn!("\"{action}\" is not in the trail yet: {error}"),
        }
        let [who, action, subject] = [who, action, subject].map(str::to_owned);
        if let Err(deed) = self.pending_audit.keep(Action { who, action, subject }) {
            tracing::error!("there is no room for what is to be in the trail: {deed:?}");
        }
    }

    /// What the journal said is of no use any more: it was changed.
    pub(crate) fn forget_standing(&self) {
        self.standing.forget();
        self.raised.forget();
        self.suspended_at.forget();
    }

    /// How the gateway stands by its journal: as it is now, or was a moment ago.
    pub(crate) fn standing(&self) -> Result<Arc<Standing>, JournalError> {
        self.standing.get((), || standing(&self.flow).map(Arc::new))
    }

    /// The alarms that are raised, the oldest first: the same way.
    pub(crate) fn raised(&self) -> Result<Arc<[Alarm]>, JournalError> {
        self.raised.get((), || flow::raised_alarms(&self.flow).map(Arc::from))
    }

    /// How many records are open in suspense, by where they were refused: the same way.
    pub(crate) fn suspended_at(&self) -> Result<Arc<[SuspendedAt]>, JournalError> {
        self.suspended_at.get((), || suspended_at(&self.flow).map(Arc::from))
    }

    /// The flow with a text as it is shown: the same way, and anew where a flow runs or a version is there that was not.
    pub(crate) fn drawn(
        &self,
        text: &str,
        draw: impl FnOnce() -> serde_json::Result<Drawing>,
    ) -> serde_json::Result<Arc<Drawing>> {
        let (flows, versions) = (self.meters.flows(), self.live.versions());
        let drawn = Drawn { flows, versions, text: text.to_owned() };
        self.drawn.get(drawn, || draw().map(Arc::new))
    }

    /// Whether who asks for figures may have them.
    pub(crate) fn admits(&self, headers: &HeaderMap) -> Result<(), StatusCode> {
        let Some(token) = &self.token else { return Ok(()) };
        let said = headers.get(AUTHORIZATION).and_then(|value| value.to_str().ok());
        let said = said.and_then(|said| said.strip_prefix("Bearer ")).unwrap_or_default();
        match bool::from(said.as_bytes().ct_eq(token.as_bytes())) {
            true => Ok(()),
            false => Err(StatusCode::UNAUTHORIZED),
        }
    }
}

/// Without the token.
impl std::fmt::Debug for Served {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Served").field("flow", &self.flow).finish_non_exhaustive()
    }
}
