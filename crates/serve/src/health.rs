//! Whether the gateway is alive, and whether it is ready: that files which come are processed.

use std::sync::Arc;
use std::time::Duration;

use axum::Router;
use axum::extract::State;
use axum::http::{HeaderMap, StatusCode, header};
use axum::response::{IntoResponse, Response};
use axum::routing::get;
use flow::Severity;
use serde::Serialize;

use crate::api::is_still_in;
use crate::served::Served;

/// How long nobody may have looked into the folders: a look takes as long as their disks do.
const LOOKED_WITHIN: Duration = Duration::from_secs(60);

pub(crate) fn routes() -> Router<Arc<Served>> {
    Router::new().route("/healthz", get(alive)).route("/readyz", get(ready))
}

/// That this is answered says it.
async fn alive() -> &'static str {
    "alive\n"
}

/// One thing that being ready needs.
#[derive(Debug, PartialEq, Eq, Serialize)]
struct Check {
    name: &'static str,
    is_ok: bool,
    /// For who is in alone: it names what the flow does, and where.
    #[serde(skip_serializing_if = "Option::is_none")]
    text: Option<String>,
}

impl Check {
    fn without_text(self) -> Self {
        Check { text: None, ..self }
    }
}

#[derive(Serialize)]
struct Answer {
    is_ready: bool,
    checks: Vec<Check>,
}

async fn ready(State(served): State<Arc<Served>>, headers: HeaderMap) -> Response {
    let asked = Arc::clone(&served);
    let checks = tokio::task::spawn_blocking(move || checks(&asked)).await.unwrap_or_default();
    // A proxy may stand before it, so where somebody comes from does not tell who it is.
    let checks: Vec<Check> = match is_still_in(&served, &headers).await {
        true => checks,
        false => checks.into_iter().map(Check::without_text).collect(),
    };
    let is_ready = !checks.is_empty() && checks.iter().all(|check| check.is_ok);
    let status = if is_ready { StatusCode::OK } else { StatusCode::SERVICE_UNAVAILABLE };
    let text = serde_json::to_string(&Answer { is_ready, checks }).expect("text") + "\n";
    (status, [(header::CONTENT_TYPE, "application/json")], text).into_response()
}

fn checks(served: &Served) -> Vec<Check> {
    vec![gateway(served), journal(served), alarms(served)]
}

/// The run goes on: somebody looks into the folders.
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

/// The journal can be read, and nobody has failed to write it.
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

/// No alarm is raised that says that no work goes on.
fn alarms(served: &Served) -> Check {
    let raised = served.raised().unwrap_or_default();
    let critical = raised.iter().find(|alarm| alarm.severity == Severity::Critical);
    let text = critical.map_or("no critical alarm is raised".to_owned(), |alarm| {
        format!("{}: {}", alarm.kind, alarm.text)
    });
    Check { name: "alarms", is_ok: critical.is_none(), text: Some(text) }
}
