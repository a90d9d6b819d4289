//! Deliveries to remote receivers.

use std::sync::Arc;

use axum::Json;
use axum::extract::State;
use flow::{Delivery, DeliveryState, Gathered, MergedWhen};
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
struct Which {
    post_processing_system: Option<String>,
    /// Of this state alone.
    state: Option<String>,
    /// Those that are delivered or discarded too.
    #[serde(default)]
    all: bool,
}

impl Which {
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
    #[schema(value_type = Vec<mirrors::Carried>)]
    deliveries: Vec<Delivery>,
    more: bool,
}

/// What is carried, the last first.
#[utoipa::path(get, path = "/api/deliveries", tag = "deliveries", params(Which, Page),
    responses((status = 200, body = Deliveries)))]
async fn deliveries(
    State(served): State<Arc<Served>>,
    _: Viewer,
    Query(which): Query<Which>,
    Query(page): Query<Page>,
) -> Answered<Deliveries> {
    let deliveries = blocking(move || {
        let states = which.states();
        let system = which.post_processing_system.as_deref();
        let (deliveries, more) =
            flow::recent_deliveries(&served.flow, system, &states, page.recent())?;
        Ok(Deliveries { deliveries, more })
    });
    Ok(Json(deliveries.await?))
}

#[derive(Deserialize, IntoParams)]
#[into_params(parameter_in = Query)]
struct For {
    post_processing_system: Option<String>,
}

#[derive(Serialize, ToSchema)]
struct Gathering {
    gathering: Vec<GatheringFile>,
}

/// A file that outputs are gathered for, until they are enough.
#[derive(Serialize, ToSchema)]
struct GatheringFile {
    post_processing_system: String,
    /// How many outputs wait.
    outputs: i64,
    /// The records in them.
    records: i64,
    /// How large the file would be now, not compressed.
    octets: i64,
    /// Since when the first waits.
    since: String,
    /// None where the flow merges nothing for the system any more: what waits is carried as it is.
    closes: Option<GatheringCloses>,
}

/// When a file is closed: at a time, or before that when it has enough.
#[derive(Serialize, ToSchema)]
struct GatheringCloses {
    at: String,
    records_max: Option<u64>,
    octets_max: Option<u64>,
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

/// What waits to be merged with more into one file, by system. It is carried when the file is closed.
#[utoipa::path(get, path = "/api/deliveries/gathering", tag = "deliveries", params(For),
    responses((status = 200, body = Gathering)))]
async fn gathering(
    State(served): State<Arc<Served>>,
    _: Viewer,
    Query(For { post_processing_system }): Query<For>,
) -> Answered<Gathering> {
    let gathered =
        blocking(move || Ok(flow::gathered(&served.flow, post_processing_system.as_deref())?));
    let gathering = gathered.await?.into_iter().map(GatheringFile::from).collect();
    Ok(Json(Gathering { gathering }))
}

#[derive(Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
struct RetryDeliveries {
    /// Which of those that were given up.
    #[serde(default)]
    ids: Vec<i64>,
    /// All of them, where no `ids` are said.
    #[serde(default)]
    all: bool,
}

#[derive(Serialize, ToSchema)]
struct RetriedDeliveries {
    files: usize,
}

/// Has what was given up carried once more.
#[utoipa::path(post, path = "/api/deliveries/retry", tag = "deliveries", request_body = RetryDeliveries,
    responses((status = 200, body = RetriedDeliveries),
        (status = 422, description = "It is not said which")))]
async fn retry(
    State(served): State<Arc<Served>>,
    Operator(who): Operator,
    Body(RetryDeliveries { ids, all }): Body<RetryDeliveries>,
) -> Answered<RetriedDeliveries> {
    if ids.is_empty() != all {
        return Err(Failure::wrong("say which files are meant: ids, or all"));
    }
    let retried = blocking(move || {
        let put = flow::put_back(&served.flow, (None, &ids), &who)?;
        Ok(RetriedDeliveries { files: put.files })
    });
    Ok(Json(retried.await?))
}

#[derive(Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
struct DiscardDeliveries {
    /// Which of those that were given up.
    ids: Vec<i64>,
    because: String,
}

#[derive(Serialize, ToSchema)]
struct DiscardedDeliveries {
    files: usize,
}

/// Discards what was given up and nobody wants any more. The files stay where they lie.
#[utoipa::path(post, path = "/api/deliveries/discard", tag = "deliveries", request_body = DiscardDeliveries,
    responses((status = 200, body = DiscardedDeliveries),
        (status = 422, description = "There is no reason, or nothing is meant")))]
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
        let files = flow::discard_deliveries(&served.flow, (None, &ids), &who, &because)?;
        served.forget_standing();
        Ok(DiscardedDeliveries { files })
    });
    Ok(Json(discarded.await?))
}
