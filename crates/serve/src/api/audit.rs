//! The reconciliation, sequences, and traces of records.

use std::ops::Range;
use std::sync::Arc;
use std::sync::atomic::AtomicBool;

use axum::Json;
use axum::extract::State;
use flow::{
    ArchiveQuery, AuditQuery, AuditReport, Place, RecordsAt, RecordsFrom, SequenceQuery,
    SequenceReport, TraceQuery, Traced, WhereFound, WhereFrom, WhereQuery,
};
use runtime::time::moment;
use serde::{Deserialize, Serialize};
use utoipa::{IntoParams, ToSchema};
use utoipa_axum::router::OpenApiRouter;
use utoipa_axum::routes;

use super::answer::{Answered, Failure, Query, blocking};
use super::concurrency::Stop;
use super::guard::Viewer;
use super::mirrors;
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
    responses((status = 200, body = mirrors::AuditReport)))]
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
    responses((status = 200, body = mirrors::SequenceReport)))]
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
    /// Or all records for which this expression over `record` is TRUE. Then `file` is a pattern, with * and ?.
    #[serde(rename = "where")]
    fits: Option<String>,
    /// With `where`: of files that were done from then on, a day or a time with its zone.
    from: Option<String>,
    /// With `where`: of files that were done before.
    to: Option<String>,
    /// With `where`: how many records at most, 20 where nothing is said, and no more than 100.
    limit: Option<u32>,
    /// With `where`: where to go on, `next` of the answer before.
    after: Option<String>,
}

#[derive(Serialize, ToSchema)]
struct Ways {
    #[schema(value_type = Vec<mirrors::Way>)]
    traced: Vec<Traced>,
    /// With `where`: what was looked through.
    looked: Option<LookedThrough>,
}

/// The files that were read for records that an expression fits.
#[derive(Serialize, ToSchema)]
struct LookedThrough {
    files: usize,
    records: u64,
    /// Where to go on; none where all was looked through.
    next: Option<String>,
    /// What could not be, and why: the first of it.
    problems: Vec<String>,
    /// How much more could not be.
    problems_more: usize,
}

/// Where a record came from, what was done with it, and where it went.
#[utoipa::path(get, path = "/api/trace", tag = "audit", params(Of),
    responses((status = 200, body = Ways), (status = 404)))]
async fn trace(
    State(served): State<Arc<Served>>,
    _: Viewer,
    Stop(stop): Stop,
    Query(of): Query<Of>,
) -> Answered<Ways> {
    if of.fits.is_some() {
        return trace_where(served, of, stop).await;
    }
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
    Ok(Json(Ways { traced, looked: None }))
}

/// The number of records found for one answer: the default, and the maximum.
const FOUND: usize = 20;
const FOUND_MAX: usize = 100;

/// The maximum of octets read for one answer. If it is reached, the answer says where to go on.
const READ_OCTETS_MAX: u64 = 256 << 20;

async fn trace_where(served: Arc<Served>, of: Of, stop: Arc<AtomicBool>) -> Answered<Ways> {
    let Of { file, network_element, output, record, offset, fits, from, to, limit, after } = of;
    if output.is_some() || record.is_some() || offset.is_some() {
        let told = "with where, neither output nor record nor offset is said";
        return Err(Failure::wrong(told));
    }
    let asked = Asked { network_element, from, to };
    let period = asked.period()?;
    let query = WhereQuery {
        expression: fits.unwrap_or_default(),
        files: ArchiveQuery {
            network_element: asked.network_element,
            files: file,
            from_ms: period.start,
            to_ms: period.end,
        },
        most: limit.map_or(FOUND, |limit| limit as usize).clamp(1, FOUND_MAX),
        octets_most: READ_OCTETS_MAX,
        from: after.filter(|after| !after.is_empty()).map(|after| onward(&after)).transpose()?,
        stop,
    };
    let ways = blocking(move || {
        let mut traced = Vec::new();
        let mut keep = |found: &Traced| {
            traced.push(found.clone());
            Ok(())
        };
        let found = flow::trace_where(&served.flow, served.parts, &query, &mut keep)?;
        let WhereFound { files, records, next, problems, problems_more, .. } = found;
        let next = next.map(said);
        let looked = Some(LookedThrough { files, records, next, problems, problems_more });
        Ok(Ways { traced, looked })
    });
    Ok(Json(ways.await?))
}

/// Returns the place to go on at, as an answer writes it.
fn said(WhereFrom { job, at }: WhereFrom) -> String {
    let RecordsFrom { record, at } = at;
    let offset = at.map_or(String::new(), |at| format!("-{}", at.offset));
    format!("{job}-{record}{offset}")
}

/// Reads a place that [`said`] wrote.
fn onward(text: &str) -> Result<WhereFrom, Failure> {
    let mut numbers = text.splitn(3, '-');
    let mut number = || numbers.next().map(str::parse::<u64>);
    let (job, record, offset) = (number(), number(), number());
    let wrong = || Failure::wrong(format!("\"{text}\" is no place that an answer gave"));
    let (Some(Ok(job)), Some(Ok(record))) = (job, record) else { return Err(wrong()) };
    let offset = offset.transpose().map_err(|_| wrong())?;
    let at = offset.map(|offset| RecordsAt { record, offset });
    let job = i64::try_from(job).map_err(|_| wrong())?;
    Ok(WhereFrom { job, at: RecordsFrom { record, at } })
}
