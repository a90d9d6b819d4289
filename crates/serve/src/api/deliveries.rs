//! What is carried to receivers that are elsewhere.

use std::sync::Arc;

use axum::Json;
use axum::extract::State;
use flow::{Delivery, WhichDeliveries};
use serde::{Deserialize, Serialize};
use utoipa::{IntoParams, ToSchema};
use utoipa_axum::router::OpenApiRouter;
use utoipa_axum::routes;

use super::answer::{Answered, Body, Failure, Query, blocking};
use super::guard::{Operator, Viewer};
use super::{LINES, LINES_MAX};
use crate::served::Served;

pub(super) fn routes() -> OpenApiRouter<Arc<Served>> {
    OpenApiRouter::new().routes(routes!(deliveries)).routes(routes!(retry))
}

#[derive(Deserialize, IntoParams)]
#[into_params(parameter_in = Query)]
struct Which {
    post_processing_system: Option<String>,
    /// Of this state alone.
    state: Option<String>,
    /// Those that are delivered too.
    #[serde(default)]
    all: bool,
    /// Those before this number: the last of the page before.
    before: Option<i64>,
    /// How many at most.
    limit: Option<u32>,
}

#[derive(Serialize, ToSchema)]
struct Deliveries {
    #[schema(value_type = Vec<Object>)]
    deliveries: Vec<Delivery>,
    more: bool,
}

/// What is carried, the last first.
#[utoipa::path(get, path = "/api/deliveries", tag = "deliveries", params(Which),
    responses((status = 200, body = Deliveries)))]
async fn deliveries(
    State(served): State<Arc<Served>>,
    _: Viewer,
    Query(which): Query<Which>,
) -> Answered<Deliveries> {
    let deliveries = blocking(move || {
        let Which { post_processing_system, state, all, before, limit } = which;
        let all = all || state.as_deref() == Some("delivered");
        let which = if all { WhichDeliveries::All } else { WhichDeliveries::Open };
        let mut found = flow::deliveries(&served.flow, post_processing_system.as_deref(), which)?;
        found.retain(|delivery| {
            state.as_deref().is_none_or(|state| delivery.state.word().replace(' ', "-") == state)
                && before.is_none_or(|before| delivery.id < before)
        });
        found.reverse();
        let limit = limit.unwrap_or(LINES).clamp(1, LINES_MAX) as usize;
        let more = found.len() > limit;
        found.truncate(limit);
        Ok(Deliveries { deliveries: found, more })
    });
    Ok(Json(deliveries.await?))
}

#[derive(Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
struct Retry {
    /// Which; all that were given up where there are none.
    #[serde(default)]
    ids: Vec<i64>,
}

#[derive(Serialize, ToSchema)]
struct Retried {
    files: usize,
}

/// Has what was given up carried once more.
#[utoipa::path(post, path = "/api/deliveries/retry", tag = "deliveries", request_body = Retry,
    responses((status = 200, body = Retried)))]
async fn retry(
    State(served): State<Arc<Served>>,
    Operator(who): Operator,
    Body(Retry { ids }): Body<Retry>,
) -> Result<Json<Retried>, Failure> {
    let retried = blocking(move || {
        let put = flow::put_back(&served.flow, None, &ids)?;
        let numbers: Vec<String> = ids.iter().take(100).map(i64::to_string).collect();
        let subject =
            if ids.is_empty() { "all that was given up".into() } else { numbers.join(", ") };
        served.note(&who, "deliveries retry", &subject, "")?;
        Ok(Retried { files: put.files })
    });
    Ok(Json(retried.await?))
}
