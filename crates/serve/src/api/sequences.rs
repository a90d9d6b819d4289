//! Missing sequence numbers of network elements: accepting that they are lost.

use std::sync::Arc;

use assurance::{Acceptance, Of};
use axum::Json;
use axum::extract::State;
use serde::{Deserialize, Serialize};
use utoipa::ToSchema;
use utoipa_axum::router::OpenApiRouter;
use utoipa_axum::routes;

use super::answer::{Answered, Body, Failure, blocking, reason};
use super::guard::Operator;
use crate::served::Served;

pub(super) fn routes() -> OpenApiRouter<Arc<Served>> {
    OpenApiRouter::new().routes(routes!(accept))
}

/// The kind of counter, as in a line of the report: of files or of records.
#[derive(Clone, Copy, Debug, Deserialize, ToSchema)]
#[serde(rename_all = "lowercase")]
enum Counted {
    File,
    Record,
}

/// The numbers that are lost, and the reason.
#[derive(Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
struct Lost {
    network_element: String,
    of: Counted,
    /// The name of the counter, if the network element has several.
    #[serde(default)]
    series: String,
    /// A number, or the first and the last one: `17`, `17-19`. The last is less than the first if the counter wrapped
    /// around.
    numbers: String,
    /// The reason, for the report and the audit trail. It must not be empty.
    because: String,
}

#[derive(Serialize, ToSchema)]
struct AcceptedNumbers {
    /// How many of the numbers were missing and are accepted now.
    accepted: i64,
}

/// Accepts missing sequence numbers as lost.
///
/// They are no longer missing in reports and alarms. A file or record that arrives after all counts as late.
#[utoipa::path(post, path = "/api/sequences/accept", tag = "audit", request_body = Lost,
    responses((status = 200, body = AcceptedNumbers),
        (status = 404, description = "There is no such network element or counter"),
        (status = 409, description = "None of the numbers is missing"),
        (status = 422, description = "The reason is empty, or `numbers` is not valid")))]
async fn accept(
    State(served): State<Arc<Served>>,
    Operator(by): Operator,
    Body(lost): Body<Lost>,
) -> Answered<AcceptedNumbers> {
    let Lost { network_element, of, series, numbers, because } = lost;
    let of = match of {
        Counted::File => Of::Files,
        Counted::Record => Of::Records,
    };
    let numbers = Acceptance::numbers_of(&numbers).map_err(Failure::wrong)?;
    let reason = reason(&because)?;
    let acceptance = Acceptance { network_element, of, series, numbers, by, reason };
    let accepted = blocking(move || {
        let accepted = assurance::accept_missing(&served.flow, &acceptance)?;
        served.forget_standing();
        Ok(AcceptedNumbers { accepted })
    });
    Ok(Json(accepted.await?))
}
