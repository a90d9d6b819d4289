//! Live figures, and the throughput of the past.

use std::convert::Infallible;
use std::sync::Arc;
use std::time::{Duration, Instant};

use axum::Json;
use axum::extract::State;
use axum::http::HeaderMap;
use axum::response::sse::{Event, KeepAlive, Sse};
use futures_util::Stream;
use futures_util::stream;
use runtime::time::now_ms;
use serde::{Deserialize, Serialize};
use utoipa::{IntoParams, ToSchema};
use utoipa_axum::router::OpenApiRouter;
use utoipa_axum::routes;

use super::answer::{Answered, Failure, Query, blocking};
use super::flow_file::drawn;
use super::guard::{Caller, Viewer, is_still_in};
use crate::history::{Done, HISTORY_SECONDS, Points};
use crate::live::{LiveChanged, LiveEvent, LiveSubject, Marks, OF_ONE_MAX};
use crate::served::Served;

pub(super) fn routes() -> OpenApiRouter<Arc<Served>> {
    OpenApiRouter::new().routes(routes!(live)).routes(routes!(history))
}

/// The `Retry-After` of a request for one stream too many.
const TRIED_AGAIN: Duration = Duration::from_secs(10);

/// The time between two checks that the client of a stream may still read.
const CLIENT_CHECK_INTERVAL: Duration = Duration::from_secs(3);

/// Streams live figures as server-sent events.
///
/// The events are: `graph`, the graph of the flow, once; `figures`, each second; and `changed`, when the flow, the
/// alarms or the versions change. The stream ends when the session or token of the client ends. A user may have 16
/// streams.
#[utoipa::path(get, path = "/api/live", tag = "live",
    responses((status = 200, content_type = "text/event-stream", body = LiveEvent),
        (status = 429, description = "`live-streams-too-many`: the user has 16 streams open; `Retry-After` has the seconds to wait")))]
async fn live(
    State(served): State<Arc<Served>>,
    caller: Caller,
    headers: HeaderMap,
) -> Result<Sse<impl Stream<Item = Result<Event, Infallible>>>, Failure> {
    let followed = served.live.follow(&caller.who);
    let (look, samples) = followed.ok_or_else(|| {
        let who = &caller.who;
        let error = format!("{who} has {OF_ONE_MAX} live streams open; close one of them");
        Failure::later("live-streams-too-many", error, TRIED_AGAIN.as_secs())
    })?;
    let own = Arc::clone(&served);
    let begun = blocking(move || {
        // Read before the graph is drawn, so that the client learns of every later change.
        let known = Marks::of(&own);
        let text = own.text()?;
        Ok((known, drawn(&own, &text)?))
    });
    let (known, drawn) = begun.await?;
    let first = vec![Event::default().event("graph").data(&drawn.graph)];
    let headers = Arc::new(headers);
    let begun = ((look, samples), first, known, Instant::now());
    let events = stream::unfold(begun, move |(mut followed, mut ready, mut known, mut since)| {
        let (served, headers) = (Arc::clone(&served), Arc::clone(&headers));
        async move {
            loop {
                if let Some(event) = ready.pop() {
                    return Some((Ok(event), (followed, ready, known, since)));
                }
                let (_, samples) = &mut followed;
                samples.changed().await.ok()?;
                if since.elapsed() >= CLIENT_CHECK_INTERVAL {
                    is_still_in(&served, &headers).await.then_some(())?;
                    since = Instant::now();
                }
                let sample = samples.borrow_and_update().clone();
                if sample.is_last {
                    return None;
                }
                ready.push(Event::default().event("figures").data(&*sample.figures));
                let before = std::mem::replace(&mut known, sample.marks.clone());
                for (what, is_so) in [
                    (LiveSubject::Flow, before.flow != sample.marks.flow),
                    (LiveSubject::Alarms, before.alarms != sample.marks.alarms),
                    (LiveSubject::Versions, before.versions != sample.marks.versions),
                ] {
                    if is_so {
                        let data = LiveEvent::Changed(LiveChanged { what }).data();
                        ready.push(Event::default().event("changed").data(data));
                    }
                }
            }
        }
    });
    Ok(Sse::new(events).keep_alive(KeepAlive::default()))
}

#[derive(Deserialize, IntoParams)]
#[into_params(parameter_in = Query)]
struct Time {
    /// The length of the period up to now, in minutes. Default 60, at most 43200, which is 30 days.
    minutes: Option<i64>,
}

/// The throughput of a period. Each list has one value per point; it is `null` if the gateway did not run then.
#[derive(Serialize, ToSchema)]
struct History {
    /// The length of a point in seconds: for an hour some seconds, for a day a minute, for 30 days half an hour.
    step_seconds: i64,
    /// The beginning of each point, in seconds since 1970. The first point is the first one with data.
    at: Vec<i64>,
    /// Records per second.
    records: Vec<Option<f64>>,
    /// Octets per second.
    octets: Vec<Option<f64>>,
    /// Records per second that went to suspense.
    suspended: Vec<Option<f64>>,
    /// The delay of the slowest file, from arrival to delivery, in seconds; `null` if no file was delivered.
    delay_seconds: Vec<Option<f64>>,
}

/// Returns the throughput of the past.
///
/// It includes the time before the last start of the gateway.
#[utoipa::path(get, path = "/api/history", tag = "live", params(Time),
    responses((status = 200, body = History)))]
async fn history(
    State(served): State<Arc<Served>>,
    _: Viewer,
    Query(Time { minutes }): Query<Time>,
) -> Answered<History> {
    let seconds = minutes.unwrap_or(60).saturating_mul(60).clamp(60, HISTORY_SECONDS);
    let Points { step_seconds, points } = served.history.points(seconds, now_ms() / 1_000);
    let each = |of: fn(&Done) -> Option<f64>| {
        points.iter().map(|(_, done)| done.as_ref().and_then(of)).collect()
    };
    Ok(Json(History {
        step_seconds,
        at: points.iter().map(|(at, _)| *at).collect(),
        records: each(|done| Some(done.records / done.seconds)),
        octets: each(|done| Some(done.octets / done.seconds)),
        suspended: each(|done| Some(done.suspended / done.seconds)),
        delay_seconds: each(|done| done.delay_seconds),
    }))
}
