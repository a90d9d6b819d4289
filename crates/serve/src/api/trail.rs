//! The audit trail.

use std::sync::Arc;

use axum::Json;
use axum::extract::State;
use journal::audit_trail::AuditEntry;
use operate::trail;
use serde::Serialize;
use utoipa::ToSchema;
use utoipa_axum::router::OpenApiRouter;
use utoipa_axum::routes;

use super::Page;
use super::answer::{Answered, Query, blocking};
use super::guard::Viewer;
use crate::served::Served;

pub(super) fn routes() -> OpenApiRouter<Arc<Served>> {
    OpenApiRouter::new().routes(routes!(entries))
}

#[derive(Serialize, ToSchema)]
struct Trail {
    /// The entries, the newest first.
    entries: Vec<AuditEntry>,
    /// Whether there are more entries.
    more: bool,
}

/// Lists the entries of the audit trail, the newest first.
///
/// The audit trail has the actions of users and tokens, with their reasons.
#[utoipa::path(get, path = "/api/trail", tag = "trail", params(Page),
    responses((status = 200, body = Trail)))]
async fn entries(
    State(served): State<Arc<Served>>,
    _: Viewer,
    Query(page): Query<Page>,
) -> Answered<Trail> {
    let trail = blocking(move || {
        let (entries, more) = trail::recent(&served.flow, page.recent())?;
        Ok(Trail { entries, more })
    });
    Ok(Json(trail.await?))
}
