//! Suspense: listing records that were set aside, and working on them.

use std::sync::Arc;

use axum::Json;
use axum::extract::State;
use gateway::RunOptions;
use operate::{correct, correct::Correction, correct::Event};
use operate::{retry, retry::Duplicates, retry::Retried};
use serde::{Deserialize, Serialize};
use serde_json::value::RawValue;
use suspense::{self, Alike, Filter, State as Stands, Suspended, SuspendedAt};
use utoipa::{IntoParams, ToSchema};
use utoipa_axum::router::OpenApiRouter;
use utoipa_axum::routes;

use super::answer::{Answered, At, Body, Failure, Query, blocking, reason};
use super::guard::{Operator, Viewer};
use super::operation::stop_of_waiting;
use super::shapes::{RecordType, types};
use super::{LINES, LINES_MAX, Page};
use crate::served::Served;
use crate::versions::hexadecimal;

pub(super) fn routes() -> OpenApiRouter<Arc<Served>> {
    OpenApiRouter::new()
        .routes(routes!(list))
        .routes(routes!(alike))
        .routes(routes!(nodes))
        .routes(routes!(show, edit))
        .routes(routes!(retry))
        .routes(routes!(discard))
        .routes(routes!(reopen))
}

/// The filter of records. A record has to meet all given conditions.
#[derive(Debug, Default, Deserialize, IntoParams)]
#[into_params(parameter_in = Query)]
struct SuspenseQuery {
    /// Only records of this network element.
    network_element: Option<String>,
    /// Only records of files with this name.
    file: Option<String>,
    /// Only records that this node or system refused; empty for records that could not be decoded.
    node: Option<String>,
    /// Only records whose error contains this text.
    reason: Option<String>,
    /// Only records in this state: `open` (the default), `retried`, `discarded` or `all`.
    state: Option<String>,
    /// Only records with this number or a smaller one. It excludes records that arrived after a list was shown.
    up_to: Option<i64>,
}

impl SuspenseQuery {
    fn filter(self) -> Result<Filter, Failure> {
        let state = match self.state.as_deref() {
            None | Some("open") => Some(Stands::Open),
            Some("retried") => Some(Stands::Retried),
            Some("discarded") => Some(Stands::Discarded),
            Some("all") => None,
            Some(other) => {
                let error =
                    format!("\"{other}\" is no state: there are open, retried, discarded and all");
                return Err(Failure::wrong(error));
            }
        };
        let SuspenseQuery { network_element, file, node, reason, up_to, .. } = self;
        Ok(Filter { network_element, file, node, reason, state, up_to, ..Filter::default() })
    }
}

#[derive(Serialize, ToSchema)]
struct Records {
    /// The records, the newest first.
    records: Vec<Suspended>,
    /// Whether there are more records.
    more: bool,
}

/// Lists the records in suspense, the newest first.
#[utoipa::path(get, path = "/api/suspense", tag = "suspense", params(SuspenseQuery, Page),
    responses((status = 200, body = Records)))]
async fn list(
    State(served): State<Arc<Served>>,
    _: Viewer,
    Query(which): Query<SuspenseQuery>,
    Query(page): Query<Page>,
) -> Answered<Records> {
    let filter = which.filter()?;
    let records = blocking(move || {
        let (records, more) = suspense::recent(&served.flow, &filter, page.recent())?;
        Ok(Records { records, more })
    });
    Ok(Json(records.await?))
}

#[derive(Serialize, ToSchema)]
struct Groups {
    /// The groups, those with the most records first.
    groups: Vec<Alike>,
    /// Whether there are more groups.
    more: bool,
    /// The number of records in all groups.
    records: u64,
    /// The greatest number of a record in all groups, for `up_to`; 0 if there is no record.
    last: i64,
}

#[derive(Deserialize, IntoParams)]
#[into_params(parameter_in = Query)]
struct Most {
    /// The maximum number of groups. Default 50, at most 1000.
    limit: Option<u32>,
}

/// Counts the records in suspense by network element, node and error.
///
/// The groups with the most records come first.
#[utoipa::path(get, path = "/api/suspense/alike", tag = "suspense", params(SuspenseQuery, Most),
    responses((status = 200, body = Groups)))]
async fn alike(
    State(served): State<Arc<Served>>,
    _: Viewer,
    Query(which): Query<SuspenseQuery>,
    Query(Most { limit }): Query<Most>,
) -> Answered<Groups> {
    let filter = which.filter()?;
    let groups_max = limit.unwrap_or(LINES).clamp(1, LINES_MAX) as usize;
    let counted = blocking(move || Ok(suspense::counted(&served.flow, &filter, groups_max)?));
    let suspense::Counted { groups, more, records, last } = counted.await?;
    Ok(Json(Groups { groups, more, records, last }))
}

#[derive(Serialize, ToSchema)]
struct SuspenseNodes {
    /// The places; none without open records.
    nodes: Vec<SuspenseNode>,
}

/// The number of open records that a node or system refused.
#[derive(Serialize, ToSchema)]
struct SuspenseNode {
    /// The network element of the records.
    network_element: String,
    /// The node or system that refused the records. Empty if they could not be decoded.
    node: String,
    /// The number of open records.
    records: u64,
}

/// Counts the open records by network element and node.
///
/// The counts may be a few seconds old.
#[utoipa::path(get, path = "/api/suspense/nodes", tag = "suspense",
    responses((status = 200, body = SuspenseNodes)))]
async fn nodes(State(served): State<Arc<Served>>, _: Viewer) -> Answered<SuspenseNodes> {
    let nodes = blocking(move || Ok(served.suspended_at()?)).await?;
    let of = |SuspendedAt { network_element, node, records }: &SuspendedAt| SuspenseNode {
        network_element: network_element.clone(),
        node: node.clone(),
        records: *records,
    };
    Ok(Json(SuspenseNodes { nodes: nodes.iter().map(of).collect() }))
}

#[derive(Serialize, ToSchema)]
struct Shown {
    /// The record, as in the list.
    record: Suspended,
    /// The record's octets as they are now, in hexadecimal.
    octets: String,
    /// The octets as they arrived, in hexadecimal. Absent if the record was not edited.
    came: Option<String>,
    /// The record in JSON (JER, X.697), with the fields of its type in the flow's ASN.1 modules. Absent if it cannot be
    /// decoded.
    #[schema(value_type = Option<Object>)]
    json: Option<Box<RawValue>>,
    /// The types of the values that `json` may contain; the first is the type of the record. Absent if the record
    /// cannot be decoded, or if its type is unknown.
    types: Option<Vec<RecordType>>,
    /// Why the record cannot be decoded. Absent if it can.
    problem: Option<String>,
    /// The actions on the record, the oldest first.
    history: Vec<Event>,
}

/// Returns a record in suspense with its content and its history.
#[utoipa::path(get, path = "/api/suspense/{id}", tag = "suspense", params(("id" = i64, Path)),
    responses((status = 200, body = Shown), (status = 404)))]
async fn show(State(served): State<Arc<Served>>, _: Viewer, At(id): At<i64>) -> Answered<Shown> {
    let shown = blocking(move || {
        let shown = correct::show(&served.flow, served.parts, id)?;
        // Fields are corrected in the decoded octets, so the user has to give intact octets first.
        let damage =
            || "its octets were damaged in the journal: give those that its file has".into();
        let json = shown.json.map_err(|why| why.to_string());
        let json = if shown.record.is_sound { json } else { Err(damage()) };
        let read = json.and_then(|json| {
            RawValue::from_string(json.trim().to_owned()).map_err(|error| error.to_string())
        });
        let (json, problem) = match read {
            Ok(json) => (Some(json), None),
            Err(problem) => (None, Some(problem)),
        };
        Ok(Shown {
            octets: hexadecimal(&shown.record.octets),
            came: shown.original.as_deref().map(hexadecimal),
            types: json.is_some().then_some(shown.shape).flatten().map(types),
            json,
            problem,
            history: shown.history,
            record: shown.record,
        })
    });
    Ok(Json(shown.await?))
}

#[derive(Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
struct Corrected {
    /// The corrected record in JSON (JER, X.697), in the form of `json` in the answer to GET. Give either this or
    /// `octets`.
    #[schema(value_type = Option<Object>)]
    json: Option<Box<RawValue>>,
    /// The corrected octets, in hexadecimal.
    octets: Option<String>,
    /// The octets that the edit began with, in hexadecimal. The request is refused if the record has others by now.
    based_on: Option<String>,
    /// The reason, for the audit trail. It must not be empty.
    because: String,
}

/// Reads hexadecimal digits, with or without white space between.
fn octets(written: &str) -> Result<Vec<u8>, Failure> {
    let digits: Vec<u8> = written.bytes().filter(|each| !each.is_ascii_whitespace()).collect();
    let value =
        |digit: u8| char::from(digit).to_digit(16).and_then(|value| u8::try_from(value).ok());
    if let Some(other) = digits.iter().find(|digit| value(**digit).is_none()) {
        let other = other.escape_ascii();
        return Err(Failure::wrong(format!("\"{other}\" is no hexadecimal digit")));
    }
    if digits.len() % 2 == 1 {
        return Err(Failure::wrong("an octet has two digits: one is missing, or too many"));
    }
    let octet = |pair: &[u8]| Some(value(pair[0])? << 4 | value(pair[1])?);
    Ok(digits.chunks(2).filter_map(octet).collect())
}

/// The record after the edit.
#[derive(Serialize, ToSchema)]
struct EditedRecord {
    /// The record's octets, in hexadecimal.
    octets: String,
    /// Why the octets are no record of the flow. Absent if they are one.
    problem: Option<String>,
}

/// Edits an open record in suspense.
///
/// The gateway keeps the octets that arrived. The record stays in suspense until it is retried.
#[utoipa::path(put, path = "/api/suspense/{id}", tag = "suspense", params(("id" = i64, Path)),
    request_body = Corrected, responses((status = 200, body = EditedRecord), (status = 404),
        (status = 409, description = "The record is not open, waits for a retry, was edited meanwhile, or is the same"),
        (status = 422, description = "The reason is empty, or there is no valid record in the request")))]
async fn edit(
    State(served): State<Arc<Served>>,
    Operator(who): Operator,
    At(id): At<i64>,
    Body(Corrected { json, octets: written, based_on, because }): Body<Corrected>,
) -> Answered<EditedRecord> {
    let because = reason(&because)?;
    let written = written.as_deref().map(octets).transpose()?;
    let expected = based_on.as_deref().map(octets).transpose()?;
    let edited = blocking(move || {
        let correction = match (&json, &written) {
            (Some(json), None) => Correction::Json(json.get().as_bytes()),
            (None, Some(octets)) => Correction::Octets(octets),
            _ => return Err(Failure::wrong("say what the record is to be: json, or octets")),
        };
        let expected = expected.as_deref();
        let edited =
            correct::edit(&served.flow, served.parts, id, correction, expected, &who, &because)?;
        Ok(EditedRecord {
            octets: hexadecimal(&edited.octets),
            problem: edited.is_record.err().map(|why| why.to_string()),
        })
    });
    Ok(Json(edited.await?))
}

/// The filter of records. A record has to meet all given conditions. An unknown field is refused, since the request
/// would apply to more records than intended.
#[derive(Debug, Default, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
struct MeantBy {
    /// Only records of this network element.
    network_element: Option<String>,
    /// Only records of files with this name.
    file: Option<String>,
    /// Only records that this node or system refused; empty for records that could not be decoded.
    node: Option<String>,
    /// Only records whose error contains this text.
    reason: Option<String>,
    /// May be left out. Otherwise the state that the operation applies to: `open` to retry or discard, `discarded` to
    /// reopen.
    state: Option<String>,
    /// Only records with this number or a smaller one. It excludes records that arrived after a list was shown.
    up_to: Option<i64>,
}

impl MeantBy {
    fn says_nothing(&self) -> bool {
        let MeantBy { network_element, file, node, reason, up_to, state: _ } = self;
        [network_element, file, node, reason].iter().all(|value| value.is_none()) && up_to.is_none()
    }
}

impl From<MeantBy> for SuspenseQuery {
    fn from(meant: MeantBy) -> Self {
        let MeantBy { network_element, file, node, reason, state, up_to } = meant;
        SuspenseQuery { network_element, file, node, reason, state, up_to }
    }
}

/// The records that a request means, by number or by filter.
struct Meant {
    ids: Option<Vec<i64>>,
    filter: Option<MeantBy>,
    all: bool,
}

impl Meant {
    /// Returns the filter for open records. A request for records in another state is refused: it would change other
    /// records than it names.
    fn open(self) -> Result<Filter, Failure> {
        self.filter(Stands::Open, "only records that are open are retried or discarded")
    }

    /// Returns the filter for discarded records.
    fn discarded(self) -> Result<Filter, Failure> {
        self.filter(Stands::Discarded, "only records that were discarded are opened again")
    }

    fn filter(self, state: Stands, only: &str) -> Result<Filter, Failure> {
        let Meant { ids, filter, all } = self;
        let by = filter.unwrap_or_default();
        let (has_state, says_nothing) = (by.state.is_some(), by.says_nothing());
        let filter = SuspenseQuery::from(by).filter()?;
        if has_state && filter.state != Some(state) {
            return Err(Failure::wrong(only));
        }
        if ids.is_none() && !all && says_nothing {
            return Err(Failure::wrong(
                "say which records are meant: ids, a filter that says something, or all",
            ));
        }
        Ok(Filter { ids, state: Some(state), ..filter })
    }
}

#[derive(Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
struct RetryRecords {
    /// The numbers of the records.
    ids: Option<Vec<i64>>,
    /// The records that meet these conditions. With `ids`, only those of them.
    filter: Option<MeantBy>,
    /// `true` for all records. Required if there are neither `ids` nor conditions.
    #[serde(default)]
    all: bool,
    /// Whether to retry duplicates too.
    #[serde(default)]
    duplicates: bool,
}

/// Retries open records.
///
/// They go through the flow as its files are now. If a record was set aside with its group, the whole group is retried.
/// The request returns when all records are done, or after five seconds; the gateway retries the rest (`waiting`)
/// later.
#[utoipa::path(post, path = "/api/suspense/retry", tag = "suspense", request_body = RetryRecords,
    responses((status = 200, body = Retried),
        (status = 409, description = "The flow has mistakes, or no network elements"),
        (status = 422, description = "There are neither `ids` nor conditions nor `all`")))]
async fn retry(
    State(served): State<Arc<Served>>,
    Operator(who): Operator,
    Body(RetryRecords { ids, filter, all, duplicates }): Body<RetryRecords>,
) -> Answered<Retried> {
    let filter = Meant { ids, filter, all }.open()?;
    let enough = stop_of_waiting(&served);
    let retried = blocking(move || {
        let even = if duplicates { Duplicates::Even } else { Duplicates::Left };
        let options = RunOptions { stop: enough, ..RunOptions::once() };
        let retried = retry::retry(&served.flow, served.parts, &filter, even, &who, &options)?;
        served.forget_standing();
        Ok(retried)
    });
    Ok(Json(retried.await?))
}

#[derive(Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
struct Discard {
    /// The numbers of the records.
    ids: Option<Vec<i64>>,
    /// The records that meet these conditions. With `ids`, only those of them.
    filter: Option<MeantBy>,
    /// `true` for all records. Required if there are neither `ids` nor conditions.
    #[serde(default)]
    all: bool,
    because: String,
}

#[derive(Serialize, ToSchema)]
struct Discarded {
    /// The number of records that were discarded.
    records: usize,
    /// Records that were left as they are, because a retry of them is requested.
    to_be_retried: usize,
}

/// Discards open records.
///
/// They stay in the list of discarded records, with the reason, and can be reopened.
#[utoipa::path(post, path = "/api/suspense/discard", tag = "suspense", request_body = Discard,
    responses((status = 200, body = Discarded),
        (status = 422, description = "The reason is empty, or there are neither `ids` nor conditions nor `all`")))]
async fn discard(
    State(served): State<Arc<Served>>,
    Operator(who): Operator,
    Body(Discard { ids, filter, all, because }): Body<Discard>,
) -> Answered<Discarded> {
    let (filter, because) = (Meant { ids, filter, all }.open()?, reason(&because)?);
    let discarded = blocking(move || {
        let discarded = suspense::discard(&served.flow, &filter, &who, &because)?;
        served.forget_standing();
        let suspense::Discarded { records, to_be_retried } = discarded;
        Ok(Discarded { records, to_be_retried })
    });
    Ok(Json(discarded.await?))
}

#[derive(Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
struct Reopen {
    /// The numbers of the records.
    ids: Option<Vec<i64>>,
    /// The records that meet these conditions. With `ids`, only those of them.
    filter: Option<MeantBy>,
    /// `true` for all records. Required if there are neither `ids` nor conditions.
    #[serde(default)]
    all: bool,
    because: String,
}

#[derive(Serialize, ToSchema)]
struct Reopened {
    /// The number of records that are open again.
    records: usize,
}

/// Reopens discarded records.
///
/// Their history keeps both actions.
#[utoipa::path(post, path = "/api/suspense/reopen", tag = "suspense", request_body = Reopen,
    responses((status = 200, body = Reopened),
        (status = 422, description = "The reason is empty, or there are neither `ids` nor conditions nor `all`")))]
async fn reopen(
    State(served): State<Arc<Served>>,
    Operator(who): Operator,
    Body(Reopen { ids, filter, all, because }): Body<Reopen>,
) -> Answered<Reopened> {
    let (filter, because) = (Meant { ids, filter, all }.discarded()?, reason(&because)?);
    let reopened = blocking(move || {
        let records = suspense::reopen(&served.flow, &filter, &who, &because)?;
        served.forget_standing();
        Ok(Reopened { records })
    });
    Ok(Json(reopened.await?))
}
