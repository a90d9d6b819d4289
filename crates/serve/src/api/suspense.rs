//! Suspense: listing records that were set aside, and working on them.

use std::sync::Arc;
use std::time::Duration;

use axum::Json;
use axum::extract::State;
use flow::RunOptions;
use flow::correct::{self, Correction, Event};
use flow::retry::{self, Duplicates, Retried};
use flow::suspense::{self, Alike, Filter, State as Stands, Suspended, SuspendedAt};
use runtime::shutdown::Shutdown;
use serde::{Deserialize, Serialize};
use serde_json::value::RawValue;
use utoipa::{IntoParams, ToSchema};
use utoipa_axum::router::OpenApiRouter;
use utoipa_axum::routes;

use super::answer::{Answered, At, Body, Failure, Query, blocking, reason};
use super::guard::{Operator, Viewer};
use super::shapes::{RecordType, types};
use super::{LINES, LINES_MAX, Page, mirrors};
use crate::served::Served;
use crate::versions::hexadecimal;

/// How long a request waits for the gateway, which may be busy or blocked.
const WAITED_MAX: Duration = Duration::from_secs(5);

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

/// The filter of records: all given conditions have to hold.
#[derive(Debug, Default, Deserialize, IntoParams)]
#[into_params(parameter_in = Query)]
struct Which {
    /// Where their files were collected.
    network_element: Option<String>,
    file: Option<String>,
    /// The node or system that could not process them.
    node: Option<String>,
    /// What is in the reason.
    reason: Option<String>,
    /// `open`, `retried` or `discarded`; `open` where nothing is said.
    state: Option<String>,
    /// The greatest number that is meant: what came behind it was not looked at.
    up_to: Option<i64>,
}

impl Which {
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
        let Which { network_element, file, node, reason, up_to, .. } = self;
        Ok(Filter { network_element, file, node, reason, state, up_to, ..Filter::default() })
    }
}

#[derive(Serialize, ToSchema)]
struct Records {
    #[schema(value_type = Vec<mirrors::SuspendedRecord>)]
    records: Vec<Suspended>,
    more: bool,
}

/// Records that are set aside, the last first.
#[utoipa::path(get, path = "/api/suspense", tag = "suspense", params(Which, Page),
    responses((status = 200, body = Records)))]
async fn list(
    State(served): State<Arc<Served>>,
    _: Viewer,
    Query(which): Query<Which>,
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
    /// Those with the most records, the most first.
    #[schema(value_type = Vec<mirrors::AlikeRecords>)]
    groups: Vec<Alike>,
    more: bool,
    /// How many records there are in all groups.
    records: u64,
    /// The greatest number of all of them; 0 where there is none.
    last: i64,
}

#[derive(Deserialize, IntoParams)]
#[into_params(parameter_in = Query)]
struct Most {
    /// How many groups at most, 50 where nothing is said, and no more than 1000.
    limit: Option<u32>,
}

/// How many there are by network element, node and reason, the most first.
#[utoipa::path(get, path = "/api/suspense/alike", tag = "suspense", params(Which, Most),
    responses((status = 200, body = Groups)))]
async fn alike(
    State(served): State<Arc<Served>>,
    _: Viewer,
    Query(which): Query<Which>,
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
    nodes: Vec<SuspenseNode>,
}

/// Where records were refused.
#[derive(Serialize, ToSchema)]
struct SuspenseNode {
    network_element: String,
    /// The node or system that could not process them; empty where they could not be read.
    node: String,
    /// How many there are.
    records: u64,
}

/// How many records are open, by where they were refused; as it is now, or was a moment ago.
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
    #[schema(value_type = mirrors::SuspendedRecord)]
    record: Suspended,
    /// In hexadecimal.
    octets: String,
    /// As it came, where it was edited.
    came: Option<String>,
    /// The record (JER, X.697), where it can be read: the fields that its type has in the flow's ASN.1 modules.
    #[schema(value_type = Option<Object>)]
    json: Option<Box<RawValue>>,
    /// The types of what may be said in it, its own first, where it can be read.
    types: Option<Vec<RecordType>>,
    /// Why it cannot be read, if so.
    problem: Option<String>,
    #[schema(value_type = Vec<mirrors::SuspendedDeed>)]
    history: Vec<Event>,
}

/// All that is known of a record.
#[utoipa::path(get, path = "/api/suspense/{id}", tag = "suspense", params(("id" = i64, Path)),
    responses((status = 200, body = Shown), (status = 404)))]
async fn show(State(served): State<Arc<Served>>, _: Viewer, At(id): At<i64>) -> Answered<Shown> {
    let shown = blocking(move || {
        let shown = correct::show(&served.flow, served.parts, id)?;
        // Fields are corrected in the decoded octets, so the user has to give intact octets first.
        let damage =
            || "its octets were damaged in the journal: give those that its file has".into();
        let json = if shown.record.is_sound { shown.json } else { Err(damage()) };
        let read = json.and_then(|json| {
            RawValue::from_string(json.trim().to_owned()).map_err(|error| error.to_string())
        });
        let (json, problem) = match read {
            Ok(json) => (Some(json), None),
            Err(problem) => (None, Some(problem)),
        };
        Ok(Shown {
            octets: hexadecimal(&shown.record.octets),
            came: shown.came.as_deref().map(hexadecimal),
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
    /// The record, as it is to be: the fields that its type has in the flow's ASN.1 modules, as `json` of an answer has them.
    #[schema(value_type = Option<Object>)]
    json: Option<Box<RawValue>>,
    /// Or its octets, in hexadecimal, where it cannot be read.
    octets: Option<String>,
    /// The octets that were looked at; where it has others now, nothing is done.
    based_on: Option<String>,
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

/// What the record is now.
#[derive(Serialize, ToSchema)]
struct EditedRecord {
    octets: String,
    /// Why its octets are no record, if they are not.
    problem: Option<String>,
}

/// Corrects a record; the octets it came with are kept.
#[utoipa::path(put, path = "/api/suspense/{id}", tag = "suspense", params(("id" = i64, Path)),
    request_body = Corrected, responses((status = 200, body = EditedRecord), (status = 404), (status = 409), (status = 422)))]
async fn edit(
    State(served): State<Arc<Served>>,
    Operator(who): Operator,
    At(id): At<i64>,
    Body(Corrected { json, octets: written, based_on, because }): Body<Corrected>,
) -> Answered<EditedRecord> {
    let because = reason(&because)?;
    let written = written.as_deref().map(octets).transpose()?;
    let seen = based_on.as_deref().map(octets).transpose()?;
    let edited = blocking(move || {
        let correction = match (&json, &written) {
            (Some(json), None) => Correction::Json(json.get().as_bytes()),
            (None, Some(octets)) => Correction::Octets(octets),
            _ => return Err(Failure::wrong("say what the record is to be: json, or octets")),
        };
        let seen = seen.as_deref();
        let edited =
            correct::edit(&served.flow, served.parts, id, correction, seen, &who, &because)?;
        Ok(EditedRecord { octets: hexadecimal(&edited.octets), problem: edited.is_record.err() })
    });
    Ok(Json(edited.await?))
}

/// What holds of the records that are meant. A word that is none of these is a mistake: more would be meant than was said.
#[derive(Debug, Default, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
struct MeantBy {
    /// Where their files were collected.
    network_element: Option<String>,
    file: Option<String>,
    /// The node or system that could not process them.
    node: Option<String>,
    /// What is in the reason.
    reason: Option<String>,
    /// That with which it is done; nothing else can be said.
    state: Option<String>,
    /// The greatest number that is meant: what came behind it was not looked at.
    up_to: Option<i64>,
}

impl MeantBy {
    fn says_nothing(&self) -> bool {
        let MeantBy { network_element, file, node, reason, up_to, state: _ } = self;
        [network_element, file, node, reason].iter().all(|said| said.is_none()) && up_to.is_none()
    }
}

impl From<MeantBy> for Which {
    fn from(meant: MeantBy) -> Self {
        let MeantBy { network_element, file, node, reason, state, up_to } = meant;
        Which { network_element, file, node, reason, state, up_to }
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
        let (is_said, says_nothing) = (by.state.is_some(), by.says_nothing());
        let filter = Which::from(by).filter()?;
        if is_said && filter.state != Some(state) {
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
    ids: Option<Vec<i64>>,
    filter: Option<MeantBy>,
    /// All of them, where nothing else is said.
    #[serde(default)]
    all: bool,
    /// Whether those that came before are put through even so.
    #[serde(default)]
    duplicates: bool,
}

/// Puts records through again, by the flow as its files are now. Returns when all have been, or after five seconds what
/// has become of them until then; those that are `waiting` the gateway puts through when it can.
#[utoipa::path(post, path = "/api/suspense/retry", tag = "suspense", request_body = RetryRecords,
    responses((status = 200, body = mirrors::RetriedRecords),
        (status = 409, description = "The flow has mistakes, or no network elements"),
        (status = 422, description = "It is not said which")))]
async fn retry(
    State(served): State<Arc<Served>>,
    Operator(who): Operator,
    Body(RetryRecords { ids, filter, all, duplicates }): Body<RetryRecords>,
) -> Answered<Retried> {
    let filter = Meant { ids, filter, all }.open()?;
    let enough = waited_enough(&served);
    let retried = blocking(move || {
        let even = if duplicates { Duplicates::Even } else { Duplicates::Left };
        let options = RunOptions { stop: enough, ..RunOptions::once() };
        let retried = retry::retry(&served.flow, served.parts, &filter, even, &who, &options)?;
        served.forget_standing();
        Ok(retried)
    });
    Ok(Json(retried.await?))
}

/// Returns a token that is set when the gateway stops, or when the request has waited long enough.
pub(super) fn waited_enough(served: &Served) -> Shutdown {
    let enough = served.stop.child();
    let set = enough.clone();
    tokio::spawn(async move {
        tokio::time::sleep(WAITED_MAX).await;
        set.set();
    });
    enough
}

#[derive(Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
struct Discard {
    ids: Option<Vec<i64>>,
    filter: Option<MeantBy>,
    /// All of them, where nothing else is said.
    #[serde(default)]
    all: bool,
    because: String,
}

#[derive(Serialize, ToSchema)]
struct Discarded {
    records: usize,
    /// Left, since they are to be retried.
    to_be_retried: usize,
}

/// Gives records up. They stay listed, with the reason.
#[utoipa::path(post, path = "/api/suspense/discard", tag = "suspense", request_body = Discard,
    responses((status = 200, body = Discarded),
        (status = 422, description = "There is no reason, or it is not said which")))]
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
    ids: Option<Vec<i64>>,
    filter: Option<MeantBy>,
    /// All of them, where nothing else is said.
    #[serde(default)]
    all: bool,
    because: String,
}

#[derive(Serialize, ToSchema)]
struct Reopened {
    records: usize,
}

/// Opens records again that were discarded. Their history tells of both.
#[utoipa::path(post, path = "/api/suspense/reopen", tag = "suspense", request_body = Reopen,
    responses((status = 200, body = Reopened),
        (status = 422, description = "There is no reason, or it is not said which")))]
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
