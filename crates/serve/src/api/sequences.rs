//! Missing sequence numbers of network elements: accepting that they are lost.

use std::sync::Arc;

use axum::Json;
use axum::extract::State;
use flow::{Acceptance, Of};
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

/// What is counted, as a line of the report says it.
#[derive(Clone, Copy, Debug, Deserialize, ToSchema)]
#[serde(rename_all = "lowercase")]
enum Counted {
    File,
    Record,
}

/// Which numbers are lost, and why.
#[derive(Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
struct Lost {
    network_element: String,
    of: Counted,
    /// Which of several counters; nothing where there is one.
    #[serde(default)]
    series: String,
    /// `17`, or the first and the last: `17-19`. The last is less where the counter went round.
    numbers: String,
    because: String,
}

#[derive(Serialize, ToSchema)]
struct AcceptedNumbers {
    /// How many of them were missing, and are no more.
    accepted: i64,
}

/// Accepts that files or records are lost: they are missing no more. What comes after all is late all the same.
#[utoipa::path(post, path = "/api/sequences/accept", tag = "audit", request_body = Lost,
    responses((status = 200, body = AcceptedNumbers),
        (status = 404, description = "Nothing of that is counted"),
        (status = 409, description = "None of them is missing"),
        (status = 422, description = "There is no reason, or these are no numbers")))]
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
        let accepted = flow::accept_missing(&served.flow, &acceptance)?;
        served.forget_standing();
        Ok(AcceptedNumbers { accepted })
    });
    Ok(Json(accepted.await?))
}
