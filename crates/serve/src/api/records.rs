//! The decoded records of a file: the meaning of each value, and its octets.

use std::sync::Arc;

use axum::Json;
use axum::extract::State;
use flow::{RecordInFile, Records, RecordsAt, RecordsFrom, RecordsOf, RecordsQuery, RecordsSearch};
use serde::{Deserialize, Serialize};
use utoipa::{IntoParams, ToSchema};
use utoipa_axum::router::OpenApiRouter;
use utoipa_axum::routes;

use super::answer::{Answered, Failure, Query, blocking};
use super::guard::Viewer;
use crate::served::Served;
use crate::versions::hexadecimal;

pub(super) fn routes() -> OpenApiRouter<Arc<Served>> {
    OpenApiRouter::new().routes(routes!(records))
}

/// The number of records in an answer: the default, and the maximum.
const RECORDS: usize = 20;
const RECORDS_MAX: usize = 200;

/// The file, the place in it, and the search. A file is named by `job` (an input file), by `job` and
/// `post_processing_system` (its output), by `delivery`, or by `network_element` and `file`.
#[derive(Debug, Deserialize, IntoParams)]
#[into_params(parameter_in = Query)]
struct InFile {
    /// The number of a job.
    job: Option<i64>,
    /// With the job: for whom the file was made.
    post_processing_system: Option<String>,
    /// The number of a delivery.
    delivery: Option<i64>,
    /// Where the file is collected.
    network_element: Option<String>,
    /// Its name there: the last of that name that came, or one that waits.
    file: Option<String>,
    /// The first record that is wanted, from 1.
    record: Option<u64>,
    /// Where to go on: `at` of `next` of the answer before.
    at: Option<String>,
    /// How many at most, 20 where nothing is said, and no more than 200.
    limit: Option<u32>,
    /// Only records with a part of this name, or path: `servedIMSI`, `location.cell`.
    field: Option<String>,
    /// Only records in which that part, or any, has this in its value.
    value: Option<String>,
}

impl InFile {
    fn query(self) -> Result<RecordsQuery, Failure> {
        let of = match (
            self.job,
            self.post_processing_system,
            self.delivery,
            self.network_element,
            self.file,
        ) {
            (Some(job), None, None, None, None) => RecordsOf::Came(job),
            (Some(job), Some(post_processing_system), None, None, None) => {
                RecordsOf::Made { job, post_processing_system }
            }
            (None, None, Some(id), None, None) => RecordsOf::Delivered(id),
            (None, None, None, Some(network_element), Some(file)) => {
                RecordsOf::Named { network_element, file }
            }
            _ => {
                return Err(Failure::wrong(
                    "say which file: job, job and post_processing_system, delivery, or network_element and file",
                ));
            }
        };
        let at = self.at.filter(|at| !at.is_empty()).map(|at| place(&at)).transpose()?;
        let (field, value) = (self.field.unwrap_or_default(), self.value.unwrap_or_default());
        let is_search = !field.is_empty() || !value.is_empty();
        Ok(RecordsQuery {
            of,
            from: RecordsFrom { record: self.record.unwrap_or(1), at },
            limit: self.limit.map_or(RECORDS, |limit| limit as usize).clamp(1, RECORDS_MAX),
            search: is_search.then_some(RecordsSearch { field, value }),
        })
    }
}

/// Reads a place in a file that an earlier answer gave.
fn place(text: &str) -> Result<RecordsAt, Failure> {
    let found = text.split_once('-').and_then(|(record, offset)| {
        Some(RecordsAt { record: record.parse().ok()?, offset: offset.parse().ok()? })
    });
    found.ok_or_else(|| Failure::wrong(format!("\"{text}\" is no place that an answer gave")))
}

/// Some records of a file.
#[derive(Serialize, ToSchema)]
struct FileRecords {
    /// The network element, or the post-processing system.
    node: String,
    file: String,
    /// `collected`, `archive` or `output`.
    #[schema(value_type = String)]
    lies: &'static str,
    job: Option<i64>,
    /// Octets of the file as it lies there, not unpacked.
    octets: u64,
    /// How many records were read for this answer.
    read: u64,
    records: Vec<FileRecord>,
    /// Where to go on; none where the file ends.
    next: Option<GoOn>,
}

/// Where to go on: the parameters `record` and `at` of the next request.
#[derive(Serialize, ToSchema)]
struct GoOn {
    record: u64,
    /// None where the file has to be read from its beginning.
    at: Option<String>,
}

/// A record of a file, or octets that are none.
#[derive(Serialize, ToSchema)]
struct FileRecord {
    /// Its number, from 1.
    record: u64,
    /// Where in the file, unpacked, it begins.
    offset: u64,
    /// How many octets it has.
    length: u64,
    /// In hexadecimal; of a large record the first of them.
    octets: String,
    /// Why the octets are no record.
    problem: Option<String>,
    /// Where in them they cannot be read on.
    damage: Option<RecordDamage>,
    /// Whether there are more parts than these.
    is_cut: bool,
    parts: Vec<RecordPart>,
}

#[derive(Serialize, ToSchema)]
struct RecordDamage {
    /// The octet of the record.
    offset: usize,
    reason: String,
}

/// A value of a record. Offsets are counted from the record's first octet.
#[derive(Serialize, ToSchema)]
struct RecordPart {
    /// `[0]` is the first of a list; `?` is what the module does not know.
    name: String,
    /// Empty where it is not known.
    #[serde(rename = "type")]
    ty: String,
    /// The tag.
    tag: Option<String>,
    offset: usize,
    length: usize,
    /// Of these octets, the value's own.
    content_offset: usize,
    content_length: usize,
    /// None of what has parts.
    value: Option<String>,
    /// Whether the value goes on.
    is_cut: bool,
    /// Why it is not what its type says.
    fault: Option<String>,
    #[schema(no_recursion)]
    parts: Vec<RecordPart>,
}

impl From<record::Part> for RecordPart {
    fn from(part: record::Part) -> Self {
        RecordPart {
            name: part.name,
            ty: part.ty,
            tag: part.mark,
            offset: part.place.start,
            length: part.place.len(),
            content_offset: part.content.start,
            content_length: part.content.len(),
            value: part.value,
            is_cut: part.is_cut,
            fault: part.fault,
            parts: part.parts.into_iter().map(RecordPart::from).collect(),
        }
    }
}

impl From<RecordInFile> for FileRecord {
    fn from(found: RecordInFile) -> Self {
        let RecordInFile { record, offset, length, octets, problem, anatomy } = found;
        let damage = anatomy.damage.map(|(offset, reason)| RecordDamage { offset, reason });
        FileRecord {
            record,
            offset,
            length,
            octets: hexadecimal(&octets),
            problem,
            damage,
            is_cut: anatomy.is_cut,
            parts: anatomy.parts.into_iter().map(RecordPart::from).collect(),
        }
    }
}

impl From<Records> for FileRecords {
    fn from(found: Records) -> Self {
        let at = |at: RecordsAt| format!("{}-{}", at.record, at.offset);
        FileRecords {
            node: found.node,
            file: found.file,
            lies: found.lies.word(),
            job: found.job,
            octets: found.octets,
            read: found.read,
            records: found.records.into_iter().map(FileRecord::from).collect(),
            next: found.next.map(|next| GoOn { record: next.record, at: next.at.map(at) }),
        }
    }
}

/// Records of a file that came, that waits, or that was made, each with its values and their octets.
#[utoipa::path(get, path = "/api/records", tag = "files", params(InFile),
    responses((status = 200, body = FileRecords), (status = 404),
        (status = 409, description = "The flow does not say how the file is read, or the disk does not give it"),
        (status = 410, description = "The file is not there any more"), (status = 422)))]
async fn records(
    State(served): State<Arc<Served>>,
    _: Viewer,
    Query(asked): Query<InFile>,
) -> Answered<FileRecords> {
    let query = asked.query()?;
    let found = blocking(move || Ok(flow::records(&served.flow, served.parts, &query)?));
    Ok(Json(FileRecords::from(found.await?)))
}
