//! Deliveries to remote receivers.

use std::sync::Arc;

use axum::Json;
use axum::extract::State;
use distribution::{Delivery, DeliveryState, Gathered, MergedWhen};
use serde::{Deserialize, Serialize};
use utoipa::{IntoParams, ToSchema};
use utoipa_axum::router::OpenApiRouter;
use utoipa_axum::routes;

use super::answer::{Answered, Body, Failure, Query, blocking, reason};
use super::guard::{Operator, Viewer};
use super::{Page, mirrors};
use crate::served::Served;

pub(super) fn routes() -> OpenApiRouter<Arc<Served>> {
    OpenApiRouter::new()
        .routes(routes!(deliveries))
        .routes(routes!(retry))
        .routes(routes!(discard))
        .routes(routes!(gathering))
}

#[derive(Deserialize, IntoParams)]
#[into_params(parameter_in = Query)]
struct DeliveriesQuery {
    /// Only deliveries to this receiver.
    post_processing_system: Option<String>,
    /// Only deliveries in this state: `waiting`, `unacknowledged`, `delivered`, `given-up` or `discarded`.
    state: Option<String>,
    /// Whether to include delivered and discarded files, if no `state` is given.
    #[serde(default)]
    all: bool,
}

impl DeliveriesQuery {
    /// Returns the states that the query asks for. An unknown state matches none.
    fn states(&self) -> Vec<DeliveryState> {
        let is_meant = |of: &DeliveryState| match &self.state {
            Some(state) => of.word().replace(' ', "-") == *state,
            None => self.all || !matches!(of, DeliveryState::Delivered | DeliveryState::Discarded),
        };
        DeliveryState::ALL.into_iter().filter(is_meant).collect()
    }
}

#[derive(Serialize, ToSchema)]
struct Deliveries {
    /// The deliveries, the newest first.
    #[schema(value_type = Vec<mirrors::Carried>)]
    deliveries: Vec<Delivery>,
    /// Whether there are more deliveries.
    more: bool,
}

/// Lists deliveries, the newest first.
///
/// Without `state` and `all`, the list omits delivered and discarded files.
#[utoipa::path(get, path = "/api/deliveries", tag = "deliveries", params(DeliveriesQuery, Page),
    responses((status = 200, body = Deliveries)))]
async fn deliveries(
    State(served): State<Arc<Served>>,
    _: Viewer,
    Query(which): Query<DeliveriesQuery>,
    Query(page): Query<Page>,
) -> Answered<Deliveries> {
    let deliveries = blocking(move || {
        let states = which.states();
        let system = which.post_processing_system.as_deref();
        let (deliveries, more) =
            distribution::recent_deliveries(&served.flow, system, &states, page.recent())?;
        Ok(Deliveries { deliveries, more })
    });
    Ok(Json(deliveries.await?))
}

#[derive(Deserialize, IntoParams)]
#[into_params(parameter_in = Query)]
struct For {
    /// Only outputs for this receiver.
    post_processing_system: Option<String>,
}

#[derive(Serialize, ToSchema)]
struct Gathering {
    gathering: Vec<GatheringFile>,
}

/// A file that is put together from the outputs of several input files.
#[derive(Serialize, ToSchema)]
struct GatheringFile {
    /// The receiver.
    post_processing_system: String,
    /// The number of outputs that wait.
    outputs: i64,
    /// The number of records in them.
    records: i64,
    /// The size of the file in octets if it were closed now, uncompressed.
    octets: i64,
    /// The time since which the first output waits.
    since: String,
    /// When the file is closed. Absent if the flow no longer merges outputs of the system; the outputs are then
    /// delivered as they are.
    closes: Option<GatheringCloses>,
}

/// When a file is closed: at `at`, or earlier if it reaches one of the limits.
#[derive(Serialize, ToSchema)]
struct GatheringCloses {
    /// When the first output has waited for the longest allowed time.
    at: String,
    /// The limit of records, if there is one.
    records_max: Option<u64>,
    /// The limit of octets, if there is one.
    octets_max: Option<u64>,
    /// The limit of outputs.
    outputs_max: usize,
}

impl From<Gathered> for GatheringFile {
    fn from(gathered: Gathered) -> Self {
        let Gathered { post_processing_system, outputs, records, octets, since, merged, .. } =
            gathered;
        let closes = merged.map(|MergedWhen { at, records_max, octets_max, outputs_max }| {
            GatheringCloses { at, records_max, octets_max, outputs_max }
        });
        GatheringFile { post_processing_system, outputs, records, octets, since, closes }
    }
}

/// Lists the outputs that wait to be merged into one file, by receiver.
///
/// The file is delivered when it is closed.
#[utoipa::path(get, path = "/api/deliveries/gathering", tag = "deliveries", params(For),
    responses((status = 200, body = Gathering)))]
async fn gathering(
    State(served): State<Arc<Served>>,
    _: Viewer,
    Query(For { post_processing_system }): Query<For>,
) -> Answered<Gathering> {
    let gathered = blocking(move || {
        Ok(distribution::gathered(&served.flow, post_processing_system.as_deref())?)
    });
    let gathering = gathered.await?.into_iter().map(GatheringFile::from).collect();
    Ok(Json(Gathering { gathering }))
}

#[derive(Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
struct RetryDeliveries {
    /// The numbers of the deliveries. Deliveries that were not given up are left out.
    #[serde(default)]
    ids: Vec<i64>,
    /// `true` for all deliveries that were given up. Give either `ids` or `all`.
    #[serde(default)]
    all: bool,
}

#[derive(Serialize, ToSchema)]
struct RetriedDeliveries {
    /// The number of files that are delivered again.
    files: usize,
}

/// Retries deliveries that were given up.
///
/// They wait to be delivered again, and the count of their failures begins at 0.
#[utoipa::path(post, path = "/api/deliveries/retry", tag = "deliveries", request_body = RetryDeliveries,
    responses((status = 200, body = RetriedDeliveries),
        (status = 422, description = "Neither `ids` nor `all` is given, or both are")))]
async fn retry(
    State(served): State<Arc<Served>>,
    Operator(who): Operator,
    Body(RetryDeliveries { ids, all }): Body<RetryDeliveries>,
) -> Answered<RetriedDeliveries> {
    if ids.is_empty() != all {
        return Err(Failure::wrong("say which files are meant: ids, or all"));
    }
    let retried = blocking(move || {
        let put = distribution::put_back(&served.flow, (None, &ids), &who)?;
        Ok(RetriedDeliveries { files: put.files })
    });
    Ok(Json(retried.await?))
}

#[derive(Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
struct DiscardDeliveries {
    /// The numbers of the deliveries. Deliveries that were not given up are left out.
    ids: Vec<i64>,
    /// The reason, for the audit trail. It must not be empty.
    because: String,
}

#[derive(Serialize, ToSchema)]
struct DiscardedDeliveries {
    /// The number of files that were discarded.
    files: usize,
}

/// Discards deliveries that were given up.
///
/// The files stay where they are.
#[utoipa::path(post, path = "/api/deliveries/discard", tag = "deliveries", request_body = DiscardDeliveries,
    responses((status = 200, body = DiscardedDeliveries),
        (status = 422, description = "The reason or `ids` is empty")))]
async fn discard(
    State(served): State<Arc<Served>>,
    Operator(who): Operator,
    Body(DiscardDeliveries { ids, because }): Body<DiscardDeliveries>,
) -> Answered<DiscardedDeliveries> {
    let because = reason(&because)?;
    if ids.is_empty() {
        return Err(Failure::wrong("say which files are meant: ids"));
    }
    let discarded = blocking(move || {
        let files = distribution::discard_deliveries(&served.flow, (None, &ids), &who, &because)?;
        served.forget_standing();
        Ok(DiscardedDeliveries { files })
    });
    Ok(Json(discarded.await?))
}
