//! Traces of records.

use std::ops::Range;
use std::sync::Arc;
use std::sync::atomic::AtomicBool;

use archive::ArchiveQuery;
use axum::Json;
use axum::extract::State;
use inspection::{
    Place, RecordsAt, RecordsFrom, TraceQuery, Traced, WhereFound, WhereFrom, WhereQuery,
};
use runtime::time::moment;
use serde::{Deserialize, Serialize};
use utoipa::{IntoParams, ToSchema};
use utoipa_axum::router::OpenApiRouter;
use utoipa_axum::routes;

use super::answer::{Answered, Failure, Query, blocking};
use super::concurrency::Stop;
use super::guard::Viewer;
use crate::served::Served;

pub(super) fn routes() -> OpenApiRouter<Arc<Served>> {
    OpenApiRouter::new().routes(routes!(trace))
}

struct PeriodQuery {
    network_element: Option<String>,
    from: Option<String>,
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

#[derive(Deserialize, IntoParams)]
#[into_params(parameter_in = Query)]
struct Of {
    /// The name of an input file. With `where`: a pattern with `*` and `?`.
    file: Option<String>,
    /// The network element of the input file, if several have files of that name.
    network_element: Option<String>,
    /// The name or path of an output file, in place of `file`.
    output: Option<String>,
    /// The number of the record in the file, from 1.
    record: Option<u64>,
    /// The offset of one of the record's octets in the file, in place of `record`.
    offset: Option<u64>,
    /// In place of `record`: traces all records for which this expression over `record` is TRUE.
    #[serde(rename = "where")]
    fits: Option<String>,
    /// With `where`: only files that were done at this time or later. A day (`2026-11-21`), or a time with its zone.
    from: Option<String>,
    /// With `where`: only files that were done before this time.
    to: Option<String>,
    /// With `where`: the maximum number of records in the answer. Default 20, at most 100.
    limit: Option<u32>,
    /// With `where`: the place to go on at, from `next` of the answer before.
    after: Option<String>,
}

#[derive(Serialize, ToSchema)]
#[schema(as = Ways)]
struct Traces {
    /// The traces. There are several if several files have the name.
    traced: Vec<Traced>,
    /// The extent of the search. Present only with `where`.
    looked: Option<LookedThrough>,
}

/// The extent of a search with `where`.
#[derive(Serialize, ToSchema)]
struct LookedThrough {
    /// The number of files that were read, the last one perhaps only in part.
    files: usize,
    /// The number of records that were read.
    records: u64,
    /// The place to go on at, as `after` of the next request. Absent if the search is complete.
    next: Option<String>,
    /// The files that could not be searched, and why; 20 at most.
    problems: Vec<String>,
    /// The number of further such files.
    problems_more: usize,
}

/// Traces records: where they came from, which nodes they passed, and where they went.
///
/// Name one record by `file` or `output` together with `record` or `offset`. Or search input files with `where`; the
/// search reads about 256 MiB for one answer, and the answer says where to go on.
#[utoipa::path(get, path = "/api/trace", tag = "audit", params(Of),
    responses((status = 200, body = Traces), (status = 404)))]
async fn trace(
    State(served): State<Arc<Served>>,
    _: Viewer,
    Stop(stop): Stop,
    Query(of): Query<Of>,
) -> Answered<Traces> {
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
    let traced = blocking(move || Ok(inspection::trace(&served.flow, &query)?)).await?;
    Ok(Json(Traces { traced, looked: None }))
}

/// The number of records found for one answer: the default, and the maximum.
const FOUND: usize = 20;
const FOUND_MAX: usize = 100;

/// The maximum of octets read for one answer. If it is reached, the answer says where to go on.
const READ_OCTETS_MAX: u64 = 256 << 20;

async fn trace_where(served: Arc<Served>, of: Of, stop: Arc<AtomicBool>) -> Answered<Traces> {
    let Of { file, network_element, output, record, offset, fits, from, to, limit, after } = of;
    if output.is_some() || record.is_some() || offset.is_some() {
        let message = "with where, neither output nor record nor offset is said";
        return Err(Failure::wrong(message));
    }
    let parameters = PeriodQuery { network_element, from, to };
    let period = parameters.period()?;
    let query = WhereQuery {
        expression: fits.unwrap_or_default(),
        files: ArchiveQuery {
            network_element: parameters.network_element,
            files: file,
            from_ms: period.start,
            to_ms: period.end,
        },
        most: limit.map_or(FOUND, |limit| limit as usize).clamp(1, FOUND_MAX),
        octets_most: READ_OCTETS_MAX,
        from: after.filter(|after| !after.is_empty()).map(|after| onward(&after)).transpose()?,
        stop,
    };
    let traces = blocking(move || {
        let mut traced = Vec::new();
        let mut keep = |found: &Traced| {
            traced.push(found.clone());
            Ok(())
        };
        let found = inspection::trace_where(&served.flow, served.parts, &query, &mut keep)?;
        let WhereFound { files, records, next, problems, problems_more, .. } = found;
        let next = next.map(place_text);
        let looked = Some(LookedThrough { files, records, next, problems, problems_more });
        Ok(Traces { traced, looked })
    });
    Ok(Json(traces.await?))
}

/// Returns the place to go on at, as an answer writes it.
fn place_text(WhereFrom { job, at }: WhereFrom) -> String {
    let RecordsFrom { record, at } = at;
    let offset = at.map_or(String::new(), |at| format!("-{}", at.offset));
    format!("{job}-{record}{offset}")
}

/// Reads a place that [`place_text`] wrote.
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
