//! The flow as the interface shows it, in JSON that is computed once for all clients.

use std::sync::Arc;

use axum::extract::State;
use axum::http::header::CONTENT_TYPE;
use axum::response::IntoResponse;
use operate::drawing::{Flow, kinds};
use utoipa_axum::router::OpenApiRouter;
use utoipa_axum::routes;
use versions::digest;

use super::answer::{Failure, blocking};
use super::guard::Viewer;
use crate::live::LiveEvent;
use crate::served::{Drawing, Served};

pub(super) fn routes() -> OpenApiRouter<Arc<Served>> {
    OpenApiRouter::new().routes(routes!(flow))
}

/// Returns the flow file as it is on the disk, with its graph and its mistakes.
///
/// Mistakes in the scripts, tables and modules that it names may be a few seconds old.
#[utoipa::path(get, path = "/api/flow", tag = "flow", responses((status = 200, body = Flow)))]
async fn flow(State(served): State<Arc<Served>>, _: Viewer) -> Result<impl IntoResponse, Failure> {
    let drawn = blocking(move || drawn(&served, &served.text()?));
    Ok(([(CONTENT_TYPE, "application/json")], drawn.await?.flow.clone()))
}

/// Returns the flow with this text as the interface shows it.
pub(super) fn drawn(served: &Served, text: &str) -> Result<Arc<Drawing>, Failure> {
    let draw = || {
        let place = (&*served.flow, served.parts);
        let (graph, mistakes) = operate::drawing::drawn(place, &served.versions, text);
        let drawn = LiveEvent::Graph(&graph).data();
        let (name, text, kinds) = (served.name(), text.to_owned(), kinds(served.parts));
        let flow = Flow { name, digest: digest(&text), text, graph, mistakes, kinds };
        Ok(Drawing { graph: drawn, flow: serde_json::to_vec(&flow)?.into() })
    };
    served.drawn(text, draw).map_err(|error| Failure::internal(&error))
}
