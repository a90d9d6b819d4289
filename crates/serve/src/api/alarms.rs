//! Alarms, and their acknowledgements.

use std::sync::Arc;

use axum::Json;
use axum::extract::State;
use flow::{AcknowledgementState, Alarm, Selection};
use serde::{Deserialize, Serialize};
use utoipa::{IntoParams, ToSchema};
use utoipa_axum::router::OpenApiRouter;
use utoipa_axum::routes;

use super::answer::{Answered, Body, Failure, Query, blocking};
use super::guard::{Operator, Viewer};
use super::{Page, mirrors};
use crate::served::Served;

pub(super) fn routes() -> OpenApiRouter<Arc<Served>> {
    OpenApiRouter::new().routes(routes!(alarms)).routes(routes!(acknowledge))
}

#[derive(Deserialize, IntoParams)]
#[into_params(parameter_in = Query)]
struct Listed {
    /// Those that are over too.
    #[serde(default)]
    all: bool,
}

#[derive(Serialize, ToSchema)]
struct Alarms {
    #[schema(value_type = Vec<mirrors::Alarm>)]
    alarms: Vec<Alarm>,
    more: bool,
}

/// Alarms that are raised, as it is now or was a moment ago, or all, the last first.
#[utoipa::path(get, path = "/api/alarms", tag = "alarms", params(Listed, Page),
    responses((status = 200, body = Alarms)))]
async fn alarms(
    State(served): State<Arc<Served>>,
    _: Viewer,
    Query(Listed { all }): Query<Listed>,
    Query(page): Query<Page>,
) -> Answered<Alarms> {
    let alarms = blocking(move || {
        let page = page.recent();
        if all {
            let (alarms, more) = flow::recent_alarms(&served.flow, page)?;
            return Ok(Alarms { alarms, more });
        }
        // Answered from the cache: all clients ask at the same moment, when they learn that the alarms have changed.
        let raised = served.raised()?;
        let (alarms, more) = page.of(raised.iter().collect(), |alarm| alarm.id);
        Ok(Alarms { alarms: alarms.into_iter().cloned().collect(), more })
    });
    Ok(Json(alarms.await?))
}

#[derive(Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
struct Said {
    /// Which alarms.
    numbers: Vec<i64>,
    /// Whether they were seen, or that is taken back.
    #[serde(default = "yes")]
    acknowledged: bool,
    #[serde(default)]
    remark: String,
}

fn yes() -> bool {
    true
}

#[derive(Serialize, ToSchema)]
struct ChangedAlarms {
    changed: usize,
}

/// Says that alarms were seen, or takes that back.
#[utoipa::path(post, path = "/api/alarms/acknowledge", tag = "alarms", request_body = Said,
    responses((status = 200, body = ChangedAlarms)))]
async fn acknowledge(
    State(served): State<Arc<Served>>,
    Operator(who): Operator,
    Body(Said { numbers, acknowledged, remark }): Body<Said>,
) -> Answered<ChangedAlarms> {
    if numbers.is_empty() {
        return Err(Failure::wrong("say which alarms are meant"));
    }
    let changed = blocking(move || {
        let selection = Selection { numbers: Some(numbers), ..Selection::default() };
        let state = match acknowledged {
            true => AcknowledgementState::Acknowledged,
            false => AcknowledgementState::Unacknowledged,
        };
        let changed = flow::acknowledge(&served.flow, &selection, state, &who, remark.trim())?;
        served.forget_standing();
        Ok(ChangedAlarms { changed })
    });
    Ok(Json(changed.await?))
}
