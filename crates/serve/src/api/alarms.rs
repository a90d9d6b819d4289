//! Alarms, and their acknowledgements.

use std::sync::Arc;

use alarm::{AcknowledgementState, Alarm, Selection};
use axum::Json;
use axum::extract::State;
use serde::{Deserialize, Serialize};
use utoipa::{IntoParams, ToSchema};
use utoipa_axum::router::OpenApiRouter;
use utoipa_axum::routes;

use super::Page;
use super::answer::{Answered, Body, Failure, Query, blocking};
use super::guard::{Operator, Viewer};
use crate::served::Served;

pub(super) fn routes() -> OpenApiRouter<Arc<Served>> {
    OpenApiRouter::new().routes(routes!(alarms)).routes(routes!(acknowledge))
}

#[derive(Deserialize, IntoParams)]
#[into_params(parameter_in = Query)]
struct AlarmsQuery {
    /// Whether to include alarms that are cleared.
    #[serde(default)]
    all: bool,
}

#[derive(Serialize, ToSchema)]
struct Alarms {
    /// The alarms, the newest first.
    alarms: Vec<Alarm>,
    /// Whether there are more alarms.
    more: bool,
}

/// Lists the raised alarms, or all alarms.
///
/// The newest come first. The list of raised alarms may be a few seconds old.
#[utoipa::path(get, path = "/api/alarms", tag = "alarms", params(AlarmsQuery, Page),
    responses((status = 200, body = Alarms)))]
async fn alarms(
    State(served): State<Arc<Served>>,
    _: Viewer,
    Query(AlarmsQuery { all }): Query<AlarmsQuery>,
    Query(page): Query<Page>,
) -> Answered<Alarms> {
    let alarms = blocking(move || {
        let page = page.recent();
        if all {
            let (alarms, more) = operate::recent_alarms(&served.flow, page)?;
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
#[schema(as = Said)]
struct AcknowledgeRequest {
    /// The numbers of the alarms. At least one is required.
    numbers: Vec<i64>,
    /// `true`, the default, to acknowledge the alarms, `false` to take the acknowledgement back.
    #[serde(default = "yes")]
    acknowledged: bool,
    /// A remark for other users and the audit trail.
    #[serde(default)]
    remark: String,
}

fn yes() -> bool {
    true
}

#[derive(Serialize, ToSchema)]
struct ChangedAlarms {
    /// The number of alarms that were changed.
    changed: usize,
}

/// Acknowledges alarms, or takes an acknowledgement back.
///
/// Alarms that are cleared, or that are in the requested state already, stay as they are.
#[utoipa::path(post, path = "/api/alarms/acknowledge", tag = "alarms", request_body = AcknowledgeRequest,
    responses((status = 200, body = ChangedAlarms)))]
async fn acknowledge(
    State(served): State<Arc<Served>>,
    Operator(who): Operator,
    Body(AcknowledgeRequest { numbers, acknowledged, remark }): Body<AcknowledgeRequest>,
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
        let changed = operate::acknowledge(&served.flow, &selection, state, &who, remark.trim())?;
        served.forget_standing();
        Ok(ChangedAlarms { changed })
    });
    Ok(Json(changed.await?))
}
