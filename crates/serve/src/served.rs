//! What is served: a gateway, as its figures and its journal say it is.

use std::path::PathBuf;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, Instant};

use axum::http::header::AUTHORIZATION;
use axum::http::{HeaderMap, StatusCode};
use flow::meters::{Meters, Standing, standing};
use subtle::ConstantTimeEq as _;

/// How long what the journal says is taken to be so: whoever asks often does not have it read as often.
const KEPT_MIN: Duration = Duration::from_secs(2);

/// The part of the time, turned over, that is spent at most on reading the journal.
const READ_PART: u32 = 20;

/// A gateway that others look at.
pub struct Served {
    flow: PathBuf,
    pub(crate) meters: Arc<Meters>,
    /// What who asks for figures has to have, if anything.
    token: Option<String>,
    read: Mutex<Option<Read>>,
}

/// What the journal said.
struct Read {
    standing: Result<Standing, String>,
    until: Instant,
}

impl Served {
    /// A flow, and what its run says.
    pub fn new(flow: PathBuf, meters: Arc<Meters>, token: Option<String>) -> Self {
        Served { flow, meters, token, read: Mutex::default() }
    }

    /// How the gateway stands by its journal: as it is now, or was a moment ago.
    pub(crate) fn standing(&self) -> Result<Standing, String> {
        let mut read = self.read.lock().unwrap_or_else(PoisonError::into_inner);
        let now = Instant::now();
        if let Some(Read { standing, until }) = &*read
            && now < *until
        {
            return standing.clone();
        }
        let standing = standing(&self.flow).map_err(|error| error.to_string());
        let until = Instant::now() + KEPT_MIN.max(READ_PART * now.elapsed());
        *read = Some(Read { standing: standing.clone(), until });
        standing
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
