//! The reconciliation, sequences, and the way of a record.

use std::ops::Range;
use std::sync::Arc;

use axum::Json;
use axum::extract::State;
use flow::time::moment;
use flow::{AuditQuery, AuditReport, Place, SequenceQuery, SequenceReport, TraceQuery, Traced};
use serde::{Deserialize, Serialize};
use utoipa::{IntoParams, ToSchema};
use utoipa_axum::router::OpenApiRouter;
use utoipa_axum::routes;

use super::answer::{Answered, Failure, Query, blocking};
use super::guard::Viewer;
use crate::served::Served;

pub(super) fn routes() -> OpenApiRouter<Arc<Served>> {
    OpenApiRouter::new().routes(routes!(audit)).routes(routes!(sequences)).routes(routes!(trace))
}

#[derive(Deserialize, IntoParams)]
#[into_params(parameter_in = Query)]
struct Asked {
    network_element: Option<String>,
    /// From when on: a day, which begins in UTC, or a time with its zone.
    from: Option<String>,
    /// Before when.
    to: Option<String>,
}

impl Asked {
    fn period(&self) -> Result<Range<i64>, Failure> {
        let at =
            |text: &Option<String>| text.as_deref().filter(|text| !text.is_empty()).map(moment);
        let from = at(&self.from).transpose().map_err(Failure::wrong)?;
        let to = at(&self.to).transpose().map_err(Failure::wrong)?;
        match (from, to) {
            (Some(from), Some(to)) if from >= to => {
                Err(Failure::wrong("\"to\" has to be later than \"from\""))
            }
            _ => Ok(from.unwrap_or(i64::MIN)..to.unwrap_or(i64::MAX)),
        }
    }
}

/// What came of records: in = delivered + filtered + held + suspended + duplicate, and sums on both sides.
#[utoipa::path(get, path = "/api/audit", tag = "audit", params(Asked),
    responses((status = 200, body = Object)))]
async fn audit(
    State(served): State<Arc<Served>>,
    _: Viewer,
    Query(asked): Query<Asked>,
) -> Answered<AuditReport> {
    let period = asked.period()?;
    let network_element = asked.network_element;
    let query = AuditQuery { network_element, file: None, period, by_day: false, by_file: false };
    Ok(Json(blocking(move || Ok(flow::audit(&served.flow, &query)?)).await?))
}

/// Gaps, repeats and late arrivals of what network elements number.
#[utoipa::path(get, path = "/api/sequences", tag = "audit", params(Asked),
    responses((status = 200, body = Object)))]
async fn sequences(
    State(served): State<Arc<Served>>,
    _: Viewer,
    Query(asked): Query<Asked>,
) -> Answered<SequenceReport> {
    let period = asked.period()?;
    let query = SequenceQuery { network_element: asked.network_element, period };
    Ok(Json(blocking(move || Ok(flow::sequence_report(&served.flow, &query)?)).await?))
}

#[derive(Deserialize, IntoParams)]
#[into_params(parameter_in = Query)]
struct Of {
    /// A file that was collected.
    file: Option<String>,
    /// Where it was, where that matters.
    network_element: Option<String>,
    /// Or a file that was made.
    output: Option<String>,
    /// A record of it, from 1.
    record: Option<u64>,
    /// Or one of its octets.
    offset: Option<u64>,
}

#[derive(Serialize, ToSchema)]
struct Ways {
    #[schema(value_type = Vec<Object>)]
    traced: Vec<Traced>,
}

/// Where a record came from, what was done with it, and where it went.
#[utoipa::path(get, path = "/api/trace", tag = "audit", params(Of),
    responses((status = 200, body = Ways), (status = 404)))]
async fn trace(
    State(served): State<Arc<Served>>,
    _: Viewer,
    Query(of): Query<Of>,
) -> Answered<Ways> {
    let places = match (of.record, of.offset) {
        (Some(record), None) => vec![Place::Record(record)],
        (None, Some(offset)) => vec![Place::Offset(offset)],
        _ => return Err(Failure::wrong("say which record: record or offset")),
    };
    let query = match (of.file, of.output) {
        (Some(file), None) => {
            TraceQuery::Source { file, network_element: of.network_element, places }
        }
        (None, Some(file)) => TraceQuery::Output { file, places },
        _ => return Err(Failure::wrong("say which file: file or output")),
    };
    let traced = blocking(move || Ok(flow::trace(&served.flow, &query)?)).await?;
    Ok(Json(Ways { traced }))
}
