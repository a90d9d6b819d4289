//! Whether the gateway is alive, and whether it is ready, which means that it processes files that arrive.

use std::sync::{Arc, Mutex, PoisonError};
use std::thread;
use std::time::Duration;

use alarm::Severity;
use axum::Router;
use axum::extract::State;
use axum::http::{HeaderMap, StatusCode, header};
use axum::response::{IntoResponse, Response};
use axum::routing::get;
use serde::Serialize;
use tokio::sync::watch;
use tokio::time::timeout;

use crate::api::is_still_in;
use crate::served::Served;

/// The maximum age of the last look into the folders. A look takes as long as the disks do.
const LOOKED_WITHIN: Duration = Duration::from_secs(60);

/// How long to wait for the journal: a probe that gets no answer soon takes the gateway for dead.
const ANSWERED_WITHIN: Duration = Duration::from_secs(2);

pub(crate) fn routes() -> Router<Arc<Served>> {
    Router::new().route("/healthz", get(alive)).route("/readyz", get(ready))
}

/// Answers, which shows that the server is alive.
async fn alive() -> &'static str {
    "alive\n"
}

/// One condition of readiness.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
struct Check {
    name: &'static str,
    is_ok: bool,
    /// Only for clients that are logged in: it names what the flow does, and where.
    #[serde(skip_serializing_if = "Option::is_none")]
    text: Option<String>,
}

impl Check {
    fn without_text(self) -> Self {
        Check { text: None, ..self }
    }
}

#[derive(Serialize)]
struct HealthReport {
    is_ready: bool,
    checks: Vec<Check>,
}

async fn ready(State(served): State<Arc<Served>>, headers: HeaderMap) -> Response {
    let own = Arc::clone(&served);
    let found = served.readiness.look(move || checks(&own)).await;
    let checks = found.unwrap_or_else(|| unanswered(&served));
    // A proxy may stand in front of the server, so the address of a client does not say who it is; only the login does.
    let is_in = timeout(ANSWERED_WITHIN, is_still_in(&served, &headers)).await;
    let checks: Vec<Check> = match is_in.unwrap_or(false) {
        true => checks,
        false => checks.into_iter().map(Check::without_text).collect(),
    };
    let is_ready = !checks.is_empty() && checks.iter().all(|check| check.is_ok);
    let status = if is_ready { StatusCode::OK } else { StatusCode::SERVICE_UNAVAILABLE };
    let text = serde_json::to_string(&HealthReport { is_ready, checks }).expect("text") + "\n";
    (status, [(header::CONTENT_TYPE, "application/json")], text).into_response()
}

/// Checks whether the gateway is ready. This reads the journal, which may hang and is part of the
/// check: so it runs in a thread of its own, one at a time, and requests wait for a limited time.
#[derive(Debug, Default)]
pub(crate) struct Readiness {
    looking: Mutex<Option<watch::Receiver<Option<Vec<Check>>>>>,
}

impl Readiness {
    /// Returns the result; `None` if it takes too long, or if no thread could be started.
    async fn look(&self, look: impl FnOnce() -> Vec<Check> + Send + 'static) -> Option<Vec<Check>> {
        let mut found = self.begun(look)?;
        let checks = timeout(ANSWERED_WITHIN, found.wait_for(Option::is_some)).await;
        checks.ok()?.ok()?.clone()
    }

    /// Returns the running check, or starts this one.
    fn begun(
        &self,
        look: impl FnOnce() -> Vec<Check> + Send + 'static,
    ) -> Option<watch::Receiver<Option<Vec<Check>>>> {
        let mut looking = self.looking.lock().unwrap_or_else(PoisonError::into_inner);
        let goes_on = |found: &&watch::Receiver<_>| matches!(found.has_changed(), Ok(false));
        if let Some(found) = looking.as_ref().filter(goes_on) {
            return Some(found.clone());
        }
        let (tell, found) = watch::channel(None);
        let look = move || drop(tell.send(Some(look())));
        thread::Builder::new().name("readiness".into()).spawn(look).ok()?;
        *looking = Some(found.clone());
        Some(found)
    }
}

fn checks(served: &Served) -> Vec<Check> {
    vec![gateway(served), journal(served), alarms(served)]
}

/// Returns the checks for the case that the journal does not answer.
fn unanswered(served: &Served) -> Vec<Check> {
    let within = ANSWERED_WITHIN.as_secs();
    let text = |what: &str| Some(format!("{what} could not be read within {within} seconds"));
    let journal = Check { name: "journal", is_ok: false, text: text("the journal") };
    let alarms = Check { name: "alarms", is_ok: false, text: text("the alarms that are raised") };
    vec![gateway(served), journal, alarms]
}

/// Checks that the gateway runs: it has looked into its folders recently.
fn gateway(served: &Served) -> Check {
    let now = served.meters.now();
    let (is_ok, text) = match now.looked() {
        _ if now.has_ended => (false, "the gateway is stopping".to_owned()),
        None => (false, "the gateway has not looked into its folders yet".to_owned()),
        Some(looked) => {
            let text = format!("it looked into its folders {} seconds ago", looked.as_secs());
            (looked < LOOKED_WITHIN, text)
        }
    };
    Check { name: "gateway", is_ok, text: Some(text) }
}

/// Checks that the journal can be read, and that no write to it has failed.
fn journal(served: &Served) -> Check {
    let now = served.meters.now();
    let (is_ok, text) = match served.raised() {
        Err(error) => (false, error.to_string()),
        Ok(_) if now.looked().is_some() && !now.journal_is_written => {
            (false, "the journal can no longer be written".to_owned())
        }
        Ok(raised) if raised.iter().any(|alarm| alarm.id == 0) => {
            (false, "there is no room for the journal".to_owned())
        }
        Ok(_) => (true, "the journal can be read and written".to_owned()),
    };
    Check { name: "journal", is_ok, text: Some(text) }
}

/// Checks that no critical alarm is raised.
fn alarms(served: &Served) -> Check {
    let raised = served.raised().unwrap_or_default();
    let critical = raised.iter().find(|alarm| alarm.severity == Severity::Critical);
    let text = critical.map_or("no critical alarm is raised".to_owned(), |alarm| {
        format!("{}: {}", alarm.kind, alarm.text)
    });
    Check { name: "alarms", is_ok: critical.is_none(), text: Some(text) }
}

#[cfg(test)]
mod tests {
    use std::sync::mpsc;

    use super::*;

    fn check(is_ok: bool) -> Vec<Check> {
        vec![Check { name: "journal", is_ok, text: None }]
    }

    #[test]
    fn a_journal_that_hangs_is_waited_for_only_so_long_and_by_one() {
        let runtime = tokio::runtime::Builder::new_current_thread().enable_time().build();
        let runtime = runtime.expect("a runtime");
        let readiness = Readiness::default();
        let (go_on, hangs) = mpsc::channel::<()>();
        let hanging = move || {
            let _ = hangs.recv();
            check(true)
        };
        assert_eq!(runtime.block_on(readiness.look(hanging)), None);
        // Requests during a check wait for the same check.
        for _ in 0..2 {
            let another = || panic!("it is looked at by another already");
            assert_eq!(runtime.block_on(readiness.look(another)), None);
        }
        go_on.send(()).expect("somebody waits");
        // Its result is out of date: the next request starts a new check.
        let answered = || runtime.block_on(readiness.look(|| check(false)));
        let end = std::time::Instant::now() + Duration::from_secs(60);
        while answered() != Some(check(false)) {
            assert!(std::time::Instant::now() < end, "the check is not repeated");
        }
    }
}
