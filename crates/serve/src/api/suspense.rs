//! Suspense: single records, shown and edited, and counts by node.

use std::sync::Arc;

use axum::Json;
use axum::extract::State;
use operate::{correct, correct::Correction, correct::Event};
use serde::{Deserialize, Serialize};
use serde_json::value::RawValue;
use suspense::{Suspended, SuspendedAt};
use utoipa::ToSchema;
use utoipa_axum::router::OpenApiRouter;
use utoipa_axum::routes;

use super::answer::{Answered, At, Body, Failure, blocking, reason};
use super::guard::{Operator, Viewer};
use super::shapes::{RecordType, types};
use crate::served::Served;
use versions::hexadecimal;

pub(super) fn routes() -> OpenApiRouter<Arc<Served>> {
    OpenApiRouter::new().routes(routes!(nodes)).routes(routes!(show, edit))
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
