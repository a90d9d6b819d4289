//! The reconciliation and sequences.

use std::ops::Range;
use std::sync::Arc;

use assurance::{SequenceQuery, SequenceReport};
use axum::Json;
use axum::extract::State;
use operate::{AuditQuery, AuditReport};
use runtime::time::moment;
use serde::Deserialize;
use utoipa::IntoParams;
use utoipa_axum::router::OpenApiRouter;
use utoipa_axum::routes;

use super::answer::{Answered, Failure, Query, blocking};
use super::guard::Viewer;
use crate::served::Served;

pub(super) fn routes() -> OpenApiRouter<Arc<Served>> {
    OpenApiRouter::new().routes(routes!(audit)).routes(routes!(sequences))
}

#[derive(Deserialize, IntoParams)]
#[into_params(parameter_in = Query)]
struct PeriodQuery {
    /// Only files of this network element.
    network_element: Option<String>,
    /// The beginning of the period, inclusive: a day (`2026-11-21`, which begins in UTC), or a time with its zone
    /// (`2026-11-21T14:05:00Z`).
    from: Option<String>,
    /// The end of the period, exclusive; written like `from`.
    to: Option<String>,
}

impl PeriodQuery {
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

/// Audits the records of a period.
///
/// The report shows whether every record is accounted for (in = delivered + filtered + held + suspended + duplicate)
/// and whether sums agree on both sides. The period chooses files by when they were done.
#[utoipa::path(get, path = "/api/audit", tag = "audit", params(PeriodQuery),
    responses((status = 200, body = AuditReport)))]
async fn audit(
    State(served): State<Arc<Served>>,
    _: Viewer,
    Query(parameters): Query<PeriodQuery>,
) -> Answered<AuditReport> {
    let period = parameters.period()?;
    let network_element = parameters.network_element;
    let query = AuditQuery { network_element, file: None, period, by_day: false, by_file: false };
    Ok(Json(blocking(move || Ok(operate::audit(&served.flow, &query)?)).await?))
}

/// Reports on the sequence numbers of files and records.
///
/// The report lists expected, received and missing numbers, repeats, late arrivals and restarts of counters. What is
/// missing is what is missing now, not what was missing at the end of the period.
#[utoipa::path(get, path = "/api/sequences", tag = "audit", params(PeriodQuery),
    responses((status = 200, body = SequenceReport)))]
async fn sequences(
    State(served): State<Arc<Served>>,
    _: Viewer,
    Query(parameters): Query<PeriodQuery>,
) -> Answered<SequenceReport> {
    let period = parameters.period()?;
    let query = SequenceQuery { network_element: parameters.network_element, period };
    Ok(Json(blocking(move || Ok(assurance::sequence_report(&served.flow, &query)?)).await?))
}
